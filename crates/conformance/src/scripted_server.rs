//! A local server that the script can cut off, kill and restart.

use super::{
    bot_session::Arrival,
    network::{NetworkFaults, NetworkPace, forward_connections},
    play_service::PlayService,
};
use std::{
    io,
    net::{Ipv4Addr, SocketAddr},
    time::Duration,
};
use tokio::{
    io::DuplexStream,
    net::TcpListener,
    sync::{mpsc, watch},
    task::JoinHandle,
    time::sleep,
};
use tokio_stream::{StreamExt as _, wrappers::ReceiverStream};
use tonic::transport::Server;

/// The flow-control window of a connection. It is as large as on the real server, so that many small messages fit.
const CONNECTION_WINDOW_BYTES: u32 = 16 << 20;
/// The capacity of the queue of accepted connections.
const ACCEPT_QUEUE_SIZE: usize = 16;
/// The maximum number of retries to bind the port when the server comes back.
const MAX_BIND_RETRIES: u32 = 20;
/// The pause before each retry.
const BIND_PAUSE: Duration = Duration::from_millis(50);

/// A task that is aborted when dropped.
#[derive(Debug)]
struct OwnedTask(JoinHandle<()>);

impl Drop for OwnedTask {
    fn drop(&mut self) {
        self.0.abort();
    }
}

/// A server whose connections the script can cut. It stops when dropped.
#[derive(Debug)]
pub(super) struct ScriptedServer {
    address: SocketAddr,
    pace: NetworkPace,
    faults: watch::Sender<NetworkFaults>,
    accepted: mpsc::Sender<DuplexStream>,
    /// `None` while the server is down.
    listening: Option<OwnedTask>,
    _serving: OwnedTask,
}

impl ScriptedServer {
    /// Listens on a free port of 127.0.0.1.
    pub(super) async fn start(
        token: &str,
        pace: NetworkPace,
        arrivals: mpsc::UnboundedSender<Arrival>,
    ) -> io::Result<Self> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await?;
        let address = listener.local_addr()?;
        let (accepted, connections) = mpsc::channel(ACCEPT_QUEUE_SIZE);
        let connections = ReceiverStream::new(connections).map(Ok::<_, io::Error>);
        let router = Server::builder()
            .initial_connection_window_size(CONNECTION_WINDOW_BYTES)
            .add_service(PlayService::new(token, arrivals));
        let serving = OwnedTask(tokio::spawn(async move {
            // It does not matter how serving ends: the server stops with the script.
            let _ = router.serve_with_incoming(connections).await;
        }));
        let mut server = Self {
            address,
            pace,
            faults: watch::Sender::default(),
            accepted,
            listening: None,
            _serving: serving,
        };
        server.listen_on(listener);
        Ok(server)
    }

    pub(super) fn address(&self) -> String {
        self.address.to_string()
    }

    /// Cuts every open connection. New connections are still accepted.
    pub(super) fn cut_connections(&self) {
        self.faults.send_modify(|faults| faults.cuts += 1);
    }

    /// Stops forwarding bytes on every open connection, but does not close them. New connections work normally.
    pub(super) fn freeze_connections(&self) {
        self.faults.send_modify(|faults| faults.freezes += 1);
    }

    /// Cuts every connection, and accepts no new ones until [`Self::restart_listening`].
    pub(super) async fn shut_down(&mut self) {
        if let Some(mut listening) = self.listening.take() {
            listening.0.abort();
            // Waits until the task has ended. It was aborted, so its result does not matter.
            let _ = (&mut listening.0).await;
        }
    }

    /// Accepts connections again, on the same port.
    pub(super) async fn restart_listening(&mut self) -> io::Result<()> {
        let mut attempt = 0;
        let listener = loop {
            match TcpListener::bind(self.address).await {
                Err(_) if attempt < MAX_BIND_RETRIES => {
                    attempt += 1;
                    sleep(BIND_PAUSE).await;
                }
                bound => break bound?,
            }
        };
        self.listen_on(listener);
        Ok(())
    }

    fn listen_on(&mut self, listener: TcpListener) {
        let carrying =
            forward_connections(listener, self.pace, self.faults.subscribe(), self.accepted.clone());
        self.listening = Some(OwnedTask(tokio::spawn(carrying)));
    }
}
