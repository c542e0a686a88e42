//! The network between a bot and the scripted server, and its faults.

use std::time::Duration;
use tokio::{
    io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _, DuplexStream, copy_bidirectional},
    net::{TcpListener, TcpStream},
    sync::{mpsc, watch},
    task::JoinSet,
    time::{Instant, sleep, sleep_until},
};

/// Bytes that may be under way to or from the server's side of a connection.
const BUFFER_BYTES: usize = 64 * 1024;
/// How long each byte of a slow network is under way.
const SLOW_LATENCY: Duration = Duration::from_millis(150);
/// The most bytes that a slow network delivers at once.
const SLOW_FRAGMENT_BYTES: usize = 16;
/// The pause of a slow network between two deliveries.
const SLOW_PAUSE: Duration = Duration::from_millis(1);
/// Deliveries of a slow network that may be under way.
const SLOW_FRAGMENTS: usize = 4096;

/// How fast bytes travel.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum NetworkPace {
    /// As on one machine.
    Fast,
    /// 150 ms each way, in fragments of at most 16 bytes.
    Slow,
}

/// Accepts connections and carries their bytes until the task is dropped, which cuts them all.
pub(super) async fn carry_connections(
    listener: TcpListener,
    pace: NetworkPace,
    cuts: watch::Receiver<u64>,
    accepted: mpsc::Sender<DuplexStream>,
) {
    let mut connections = JoinSet::new();
    loop {
        tokio::select! {
            connection = listener.accept() => {
                // One that was given up before it was accepted.
                let Ok((outside, _)) = connection else { continue };
                let (inside, server_side) = tokio::io::duplex(BUFFER_BYTES);
                connections.spawn(carry_connection(outside, inside, pace, cuts.clone()));
                if accepted.send(server_side).await.is_err() {
                    return;
                }
            }
            Some(_) = connections.join_next() => {}
        }
    }
}

/// Carries the bytes of one connection until either side closes it or it is cut.
async fn carry_connection(
    mut outside: TcpStream,
    mut inside: DuplexStream,
    pace: NetworkPace,
    mut cuts: watch::Receiver<u64>,
) {
    cuts.mark_unchanged();
    // Small messages are not to wait for acknowledgements; a connection for which that cannot be set is slower.
    let _ = outside.set_nodelay(true);
    let carried = async {
        match pace {
            // However it ended, it is over.
            NetworkPace::Fast => drop(copy_bidirectional(&mut outside, &mut inside).await),
            NetworkPace::Slow => {
                let (outside_reader, outside_writer) = outside.split();
                let (inside_reader, inside_writer) = tokio::io::split(&mut inside);
                tokio::join!(
                    carry_slowly(outside_reader, inside_writer),
                    carry_slowly(inside_reader, outside_writer)
                );
            }
        }
    };
    tokio::select! {
        () = carried => {}
        _ = cuts.changed() => {}
    }
}

/// Carries bytes in one direction, late and in fragments.
async fn carry_slowly(mut from: impl AsyncRead + Unpin, mut to: impl AsyncWrite + Unpin) {
    let (sender, mut fragments) = mpsc::channel::<(Instant, Vec<u8>)>(SLOW_FRAGMENTS);
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
        // The other side may be gone.
        let _ = to.shutdown().await;
    };
    tokio::join!(reading, writing);
}
