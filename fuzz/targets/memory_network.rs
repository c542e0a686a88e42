//! An in-memory network between clients and the server.

use lastnim_client::{OpeningConnection, Transport};
use lastnim_server::{Connection, Listener};
use std::{
    future::pending,
    io,
    net::{Ipv4Addr, SocketAddr},
    pin::Pin,
    task::{Context, Poll},
};
use tokio::{
    io::{AsyncRead, AsyncReadExt as _, AsyncWrite, DuplexStream, ReadBuf, duplex},
    sync::mpsc,
};

/// Buffer size in each direction of a connection.
const CONNECTION_BUFFER: usize = 1 << 16;
/// The address that the server sees for itself and for each client.
const ADDRESS: SocketAddr = SocketAddr::new(std::net::IpAddr::V4(Ipv4Addr::LOCALHOST), 7600);

/// Returns the two ends of a network: one opens connections, the other accepts them.
pub fn open_network() -> (MemoryTransport, MemoryListener) {
    let (opened, accepted) = mpsc::unbounded_channel();
    (MemoryTransport { opened }, MemoryListener { accepted })
}

#[derive(Clone)]
pub struct MemoryTransport {
    opened: mpsc::UnboundedSender<DuplexStream>,
}

impl MemoryTransport {
    /// Opens a connection.
    pub fn connect(&self) -> io::Result<DuplexStream> {
        let (near, far) = duplex(CONNECTION_BUFFER);
        self.opened.send(far).map_err(|_| io::Error::from(io::ErrorKind::ConnectionRefused))?;
        Ok(near)
    }
}

impl Transport for MemoryTransport {
    fn open(&self, _: String) -> OpeningConnection {
        let connection = self.connect();
        Box::pin(async move { Ok(Box::new(connection?) as _) })
    }

    fn draw_jitter(&self) -> u32 {
        0
    }
}

pub struct MemoryListener {
    accepted: mpsc::UnboundedReceiver<DuplexStream>,
}

impl Listener for MemoryListener {
    type Connection = MemoryConnection;

    async fn accept(&mut self) -> io::Result<(MemoryConnection, SocketAddr)> {
        match self.accepted.recv().await {
            Some(stream) => Ok((MemoryConnection { stream, peeked: Vec::new() }, ADDRESS)),
            None => pending().await,
        }
    }
}

/// The server's end of a connection.
pub struct MemoryConnection {
    stream: DuplexStream,
    /// Peeked bytes that were not read yet.
    peeked: Vec<u8>,
}

impl Connection for MemoryConnection {
    async fn peek(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        if self.peeked.is_empty() {
            let mut buffer = vec![0; bytes.len()];
            let count = self.stream.read(&mut buffer).await?;
            buffer.truncate(count);
            self.peeked = buffer;
        }
        let count = self.peeked.len().min(bytes.len());
        bytes[..count].copy_from_slice(&self.peeked[..count]);
        Ok(count)
    }

    fn set_nodelay(&self) -> io::Result<()> {
        Ok(())
    }
}

impl AsyncRead for MemoryConnection {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        if self.peeked.is_empty() {
            return Pin::new(&mut self.stream).poll_read(context, buffer);
        }
        let count = self.peeked.len().min(buffer.remaining());
        buffer.put_slice(&self.peeked[..count]);
        self.peeked.drain(..count);
        Poll::Ready(Ok(()))
    }
}

impl AsyncWrite for MemoryConnection {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write(context, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }
}
