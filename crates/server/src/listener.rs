//! Sources of connections.

use super::server_tls::ServerTls;
use rustix::net::{RecvFlags, recv};
use std::io;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::sync::Arc;
use tokio::io::{AsyncRead, AsyncWrite, Interest};
use tokio::net::{TcpListener, TcpStream, UnixListener, UnixStream};
use tokio_util::either::Either;

/// The address of all callers of a Unix socket.
const SOCKET_CALLER: SocketAddr = SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), 0);

/// Accepts connections, from a socket of the system or from a simulated network.
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

/// A socket of the system that accepts connections.
#[derive(Debug)]
pub enum ServerSocket {
    /// A port.
    Tcp(TcpListener),
    /// A Unix socket. All its callers have the address 127.0.0.1.
    Unix(UnixListener),
}

/// A listener of the system.
#[derive(Debug)]
pub struct ServerListener {
    /// The socket.
    pub socket: ServerSocket,
    /// The TLS that clients must use, if any.
    pub tls: Option<Arc<ServerTls>>,
}

impl From<TcpListener> for ServerListener {
    fn from(socket: TcpListener) -> Self {
        Self { socket: ServerSocket::Tcp(socket), tls: None }
    }
}

impl Listener for ServerListener {
    type Connection = Either<TcpStream, UnixStream>;

    async fn accept(&mut self) -> io::Result<(Self::Connection, SocketAddr)> {
        match &self.socket {
            ServerSocket::Tcp(socket) => {
                let (stream, address) = socket.accept().await?;
                Ok((Either::Left(stream), address))
            }
            ServerSocket::Unix(socket) => {
                let (stream, _) = socket.accept().await?;
                Ok((Either::Right(stream), SOCKET_CALLER))
            }
        }
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

impl Connection for UnixStream {
    async fn peek(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        let stream = &*self;
        let peeking = || Ok(recv(stream, &mut *bytes, RecvFlags::PEEK)?.1);
        stream.async_io(Interest::READABLE, peeking).await
    }

    /// Does nothing: Unix sockets never wait before they send.
    fn set_nodelay(&self) -> io::Result<()> {
        Ok(())
    }
}

impl<L: Connection, R: Connection> Connection for Either<L, R> {
    async fn peek(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        match self {
            Self::Left(stream) => stream.peek(bytes).await,
            Self::Right(stream) => stream.peek(bytes).await,
        }
    }

    fn set_nodelay(&self) -> io::Result<()> {
        match self {
            Self::Left(stream) => stream.set_nodelay(),
            Self::Right(stream) => stream.set_nodelay(),
        }
    }
}
