//! Where connections come from.

use std::io;
use std::net::SocketAddr;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpListener, TcpStream};

/// Accepts connections: the system's TCP, or a simulated network.
pub trait Listener: Send + 'static {
    /// A connection of it.
    type Connection: Connection;

    /// Waits for the next connection, and returns it with the address of its client. Safe to cancel.
    ///
    /// # Errors
    /// If a connection cannot be accepted; the next one may be.
    fn accept(&mut self) -> impl Future<Output = io::Result<(Self::Connection, SocketAddr)>> + Send;

    /// Returns the address at which it listens.
    ///
    /// # Errors
    /// If that is not known.
    fn local_address(&self) -> io::Result<SocketAddr>;
}

/// The bytes of a client, both ways.
pub trait Connection: AsyncRead + AsyncWrite + Unpin + Send + 'static {
    /// Waits for the next bytes and copies them without taking them; returns how many there were.
    ///
    /// # Errors
    /// If the connection is lost.
    fn peek(&mut self, bytes: &mut [u8]) -> impl Future<Output = io::Result<usize>> + Send;

    /// Sends small messages without delay.
    ///
    /// # Errors
    /// If the connection is lost.
    fn set_nodelay(&self) -> io::Result<()>;
}

impl Listener for TcpListener {
    type Connection = TcpStream;

    async fn accept(&mut self) -> io::Result<(TcpStream, SocketAddr)> {
        Self::accept(self).await
    }

    fn local_address(&self) -> io::Result<SocketAddr> {
        self.local_addr()
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
