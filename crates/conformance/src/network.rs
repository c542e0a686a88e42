//! The network between a bot and the scripted server, and its faults.

use std::time::Duration;
use tokio::{
    io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _, DuplexStream, copy_bidirectional},
    net::{TcpListener, TcpStream},
    sync::{mpsc, watch},
    task::JoinSet,
    time::{Instant, sleep, sleep_until},
};

/// The size of the buffer for bytes in transit on the server's side of a connection.
const BUFFER_BYTES: usize = 64 * 1024;
/// The latency of a slow network.
const SLOW_LATENCY: Duration = Duration::from_millis(150);
/// The largest fragment on a slow network.
const SLOW_FRAGMENT_BYTES: usize = 16;
/// The pause between fragments on a slow network.
const SLOW_PAUSE: Duration = Duration::from_millis(1);
/// The maximum number of fragments in transit on a slow network.
const MAX_SLOW_FRAGMENTS: usize = 4096;

/// The speed of the network.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum NetworkPace {
    /// As fast as a local connection.
    Fast,
    /// Takes 150 ms each way, and splits messages into fragments of at most 16 bytes.
    Slow,
}

/// The numbers of faults so far, each of which affected all connections that were open at the time.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct NetworkFaults {
    /// The number of times that all open connections were cut.
    pub(super) cuts: u64,
    /// The number of times that all open connections went silent: they stayed open, but no more bytes passed.
    pub(super) freezes: u64,
}

/// Accepts connections and forwards their bytes until the task is dropped, which cuts them all.
pub(super) async fn forward_connections(
    listener: TcpListener,
    pace: NetworkPace,
    faults: watch::Receiver<NetworkFaults>,
    accepted: mpsc::Sender<DuplexStream>,
) {
    let mut connections = JoinSet::new();
    loop {
        tokio::select! {
            connection = listener.accept() => {
                // An error means that the connection was aborted before it was accepted.
                let Ok((outside, _)) = connection else { continue };
                let (inside, server_side) = tokio::io::duplex(BUFFER_BYTES);
                connections.spawn(forward_connection(outside, inside, pace, faults.clone()));
                if accepted.send(server_side).await.is_err() {
                    return;
                }
            }
            Some(_) = connections.join_next() => {}
        }
    }
}

/// Forwards the bytes of one connection until either side closes it or it is cut.
async fn forward_connection(
    mut outside: TcpStream,
    mut inside: DuplexStream,
    pace: NetworkPace,
    mut faults: watch::Receiver<NetworkFaults>,
) {
    let first_faults = *faults.borrow_and_update();
    // Disables Nagle's algorithm. If this fails, the connection is slower, but works.
    let _ = outside.set_nodelay(true);
    let carried = async {
        match pace {
            // It does not matter why the connection ends, so the result is dropped.
            NetworkPace::Fast => drop(copy_bidirectional(&mut outside, &mut inside).await),
            NetworkPace::Slow => {
                let (outside_reader, outside_writer) = outside.split();
                let (inside_reader, inside_writer) = tokio::io::split(&mut inside);
                tokio::join!(
                    forward_slowly(outside_reader, inside_writer),
                    forward_slowly(inside_reader, outside_writer)
                );
            }
        }
    };
    tokio::select! {
        () = carried => {}
        _ = faults.changed() => {
            // A frozen connection stays open until it is cut.
            let _ = faults.wait_for(|now| now.cuts > first_faults.cuts).await;
        }
    }
}

/// Forwards bytes in one direction with latency, in fragments.
async fn forward_slowly(mut from: impl AsyncRead + Unpin, mut to: impl AsyncWrite + Unpin) {
    let (sender, mut fragments) = mpsc::channel::<(Instant, Vec<u8>)>(MAX_SLOW_FRAGMENTS);
    let reading = async move {
        let mut fragment = [0; SLOW_FRAGMENT_BYTES];
        while let Ok(read @ 1..) = from.read(&mut fragment).await {
            let due = Instant::now() + SLOW_LATENCY;
            if sender.send((due, fragment[..read].to_vec())).await.is_err() {
                return;
            }
        }
    };
    let writing = async move {
        while let Some((due, fragment)) = fragments.recv().await {
            sleep_until(due).await;
            if to.write_all(&fragment).await.is_err() {
                return;
            }
            sleep(SLOW_PAUSE).await;
        }
        // An error means that the other side is already gone.
        let _ = to.shutdown().await;
    };
    tokio::join!(reading, writing);
}
