//! The simulated network, as server and clients use it.

use super::world::{SERVERS, World, lock};
use lastnim_client::{OpeningConnection, Transport};
use lastnim_server::{Connection, Listener};
use lastnim_tournament::SeededDraw;
use std::collections::BTreeMap;
use std::io;
use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll, Waker};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use turmoil::net::{TcpListener, TcpStream};

/// The port of every server.
const SERVER_PORT: u16 = 7600;

/// A listener on the simulated network.
pub struct SimulatedListener {
    listener: TcpListener,
    connections: Arc<HostConnections>,
}

/// The server's end of a simulated connection.
pub struct ServerStream(HostStream);

impl SimulatedListener {
    pub async fn bind(connections: Arc<HostConnections>) -> io::Result<Self> {
        let listener = TcpListener::bind(("0.0.0.0", SERVER_PORT)).await?;
        Ok(Self { listener, connections })
    }
}

impl Listener for SimulatedListener {
    type Connection = ServerStream;

    async fn accept(&mut self) -> io::Result<(ServerStream, SocketAddr)> {
        let (stream, peer) = self.listener.accept().await?;
        Ok((ServerStream(self.connections.admit(stream)), peer))
    }
}

impl Connection for ServerStream {
    async fn peek(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        self.0.stream().peek(bytes).await
    }

    fn set_nodelay(&self) -> io::Result<()> {
        self.0.stream.as_ref().expect(HELD).set_nodelay(true)
    }
}

impl AsyncRead for ServerStream {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(self.0.stream()).poll_read(context, buffer)
    }
}

impl AsyncWrite for ServerStream {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        Pin::new(self.0.stream()).poll_write(context, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(self.0.stream()).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(self.0.stream()).poll_shutdown(context)
    }
}

/// The connections of a host. When it dies, they end in the order in which they were opened; tokio drops their tasks in
/// an order that depends on the rest of the process.
#[derive(Debug, Default)]
pub struct HostConnections(Mutex<ConnectionsState>);

#[derive(Debug, Default)]
struct ConnectionsState {
    opened: u64,
    is_crashing: bool,
    /// Connections whose tasks were dropped since the host began to die.
    left: BTreeMap<u64, TcpStream>,
}

impl HostConnections {
    /// Keeps the connections of dropped tasks until the host is dead.
    pub fn begin_crash(&self) {
        lock(&self.0).is_crashing = true;
    }

    /// Ends the remaining connections of a dead host.
    pub fn end_crash(&self) {
        let mut state = lock(&self.0);
        state.is_crashing = false;
        let left = std::mem::take(&mut state.left);
        drop(state);
        left.into_values().for_each(drop);
    }

    fn admit(self: &Arc<Self>, stream: TcpStream) -> HostStream {
        let mut state = lock(&self.0);
        state.opened += 1;
        HostStream { stream: Some(stream), number: state.opened, connections: Arc::clone(self) }
    }
}

/// Ends the connections of a host when its program's future is dropped.
pub struct HostLife(Arc<HostConnections>);

impl HostLife {
    /// Begins a life of a host, and ends the connections of the previous one.
    pub fn begin(connections: &Arc<HostConnections>) -> Self {
        connections.end_crash();
        Self(Arc::clone(connections))
    }
}

impl Drop for HostLife {
    fn drop(&mut self) {
        self.0.end_crash();
    }
}

/// One end of a connection.
struct HostStream {
    /// `None` once dropped.
    stream: Option<TcpStream>,
    number: u64,
    connections: Arc<HostConnections>,
}

const HELD: &str = "a stream is held until it is dropped";

impl HostStream {
    fn stream(&mut self) -> &mut TcpStream {
        self.stream.as_mut().expect(HELD)
    }
}

impl Drop for HostStream {
    fn drop(&mut self) {
        let mut state = lock(&self.connections.0);
        if state.is_crashing
            && let Some(stream) = self.stream.take()
        {
            state.left.insert(self.number, stream);
        }
    }
}

/// Controls all connections of a bot.
#[derive(Debug, Default)]
pub struct Link(Mutex<LinkState>);

#[derive(Debug, Default)]
struct LinkState {
    /// Connections of earlier generations are reset.
    generation: u64,
    reading: Reading,
    opened: u64,
    /// Waiting readers, by connection.
    readers: BTreeMap<u64, Waker>,
    /// The waker of the second session's task.
    second: Option<Waker>,
    is_second_wanted: bool,
}

/// Whether a bot reads from its connections.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
enum Reading {
    #[default]
    Active,
    Paused,
}

impl Link {
    /// Resets all open connections.
    pub fn cut(&self) {
        let mut state = lock(&self.0);
        state.generation += 1;
        wake_all(&mut state);
    }

    pub fn stop_reading(&self) {
        lock(&self.0).reading = Reading::Paused;
    }

    pub fn read_again(&self) {
        let mut state = lock(&self.0);
        state.reading = Reading::Active;
        wake_all(&mut state);
    }

    /// Asks the bot to connect once more.
    pub fn want_second_session(&self) {
        let mut state = lock(&self.0);
        state.is_second_wanted = true;
        if let Some(waker) = state.second.take() {
            waker.wake();
        }
    }

    /// Waits until the bot should connect once more.
    pub async fn second_session_wanted(&self) {
        std::future::poll_fn(|context| {
            let mut state = lock(&self.0);
            if std::mem::take(&mut state.is_second_wanted) {
                return Poll::Ready(());
            }
            state.second = Some(context.waker().clone());
            Poll::Pending
        })
        .await;
    }

    fn admit(self: &Arc<Self>, stream: HostStream) -> ClientStream {
        let mut state = lock(&self.0);
        state.opened += 1;
        let (number, generation) = (state.opened, state.generation);
        drop(state);
        ClientStream { stream, link: Arc::clone(self), number, generation }
    }
}

fn wake_all(state: &mut LinkState) {
    for (_, waker) in std::mem::take(&mut state.readers) {
        waker.wake();
    }
}

/// A bot's end of a simulated connection.
struct ClientStream {
    stream: HostStream,
    link: Arc<Link>,
    number: u64,
    generation: u64,
}

fn reset_error() -> io::Error {
    io::Error::new(io::ErrorKind::ConnectionReset, "the connection was cut")
}

impl AsyncRead for ClientStream {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let mut state = lock(&self.link.0);
        if state.generation != self.generation {
            return Poll::Ready(Err(reset_error()));
        }
        state.readers.insert(self.number, context.waker().clone());
        let is_paused = state.reading == Reading::Paused;
        drop(state);
        if is_paused { Poll::Pending } else { Pin::new(self.stream.stream()).poll_read(context, buffer) }
    }
}

impl AsyncWrite for ClientStream {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        if lock(&self.link.0).generation != self.generation {
            return Poll::Ready(Err(reset_error()));
        }
        Pin::new(self.stream.stream()).poll_write(context, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(self.stream.stream()).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(self.stream.stream()).poll_shutdown(context)
    }
}

impl Drop for ClientStream {
    fn drop(&mut self) {
        lock(&self.link.0).readers.remove(&self.number);
    }
}

/// Connects a bot to the current owner of the store.
pub struct SimulatedTransport {
    pub world: Arc<World>,
    pub bot: usize,
    pub jitter: Mutex<SeededDraw>,
}

impl Transport for SimulatedTransport {
    fn open(&self, _: String) -> OpeningConnection {
        let (server, link) = (SERVERS[self.world.owner()], Arc::clone(&self.world.links[self.bot]));
        let connections = Arc::clone(&self.world.bot_connections[self.bot]);
        Box::pin(async move {
            let stream = TcpStream::connect((server, SERVER_PORT)).await?;
            Ok(Box::new(link.admit(connections.admit(stream))) as _)
        })
    }

    fn draw_jitter(&self) -> u32 {
        lock(&self.jitter).next_bits() as u32
    }
}
