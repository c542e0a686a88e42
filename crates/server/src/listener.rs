//! Sources of connections.

use super::server_tls::ServerTls;
use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpListener, TcpStream};

/// Accepts connections, from the system's TCP or from a simulated network.
pub trait Listener: Send + 'static {
    /// An accepted connection.
    type Connection: Connection;

    /// Waits for the next connection, and returns it with its client's address. This method is cancel-safe.
    ///
    /// # Errors
    /// If a connection cannot be accepted; the next one may succeed.
    fn accept(&mut self) -> impl Future<Output = io::Result<(Self::Connection, SocketAddr)>> + Send;

    /// Returns the TLS that its clients must use, if any.
    fn tls(&self) -> Option<&Arc<ServerTls>> {
        None
    }
}

/// A bidirectional byte stream with a client.
pub trait Connection: AsyncRead + AsyncWrite + Unpin + Send + 'static {
    /// Waits for the next bytes and copies them without consuming them; returns their number.
    ///
    /// # Errors
    /// If the connection is lost.
    fn peek(&mut self, bytes: &mut [u8]) -> impl Future<Output = io::Result<usize>> + Send;

    /// Disables Nagle's algorithm.
    ///
    /// # Errors
    /// If the connection is lost.
    fn set_nodelay(&self) -> io::Result<()>;
}

/// A listener of the system.
#[derive(Debug)]
pub struct ServerListener {
    /// The socket.
    pub socket: TcpListener,
    /// The TLS that clients must use, if any.
    pub tls: Option<Arc<ServerTls>>,
}

impl From<TcpListener> for ServerListener {
    fn from(socket: TcpListener) -> Self {
        Self { socket, tls: None }
    }
}

impl Listener for ServerListener {
    type Connection = TcpStream;

    async fn accept(&mut self) -> io::Result<(TcpStream, SocketAddr)> {
        self.socket.accept().await
    }

    fn tls(&self) -> Option<&Arc<ServerTls>> {
        self.tls.as_ref()
    }
}

impl Connection for TcpStream {
    async fn peek(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        Self::peek(self, bytes).await
    }

    fn set_nodelay(&self) -> io::Result<()> {
        Self::set_nodelay(self, true)
    }
}
