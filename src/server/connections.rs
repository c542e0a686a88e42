//! Connections, counted.

use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio_stream::{Stream, StreamExt as _};
use tonic::transport::server::{Connected, TcpConnectInfo, TcpIncoming};

/// Open files that are no connections: the log, the listener, the runtime's own.
const OTHER_FILES: usize = 32;

/// One TCP connection that counts as long as it lives.
pub(super) struct Connection {
    stream: TcpStream,
    _counted: OwnedSemaphorePermit,
}

/// Accepts connections, at most `most` at once: one more is closed as soon as it is accepted, so that its client hears
/// of it at once.
pub(super) fn accept(listener: TcpListener, most: usize) -> impl Stream<Item = io::Result<Connection>> {
    let places = Arc::new(Semaphore::new(most.min(Semaphore::MAX_PERMITS)));
    TcpIncoming::from(listener).with_nodelay(Some(true)).filter_map(move |accepted| match accepted {
        Err(error) => Some(Err(error)),
        Ok(stream) => {
            let counted = Arc::clone(&places).try_acquire_owned().ok();
            if counted.is_none() {
                tracing::warn!(most, "a connection was turned away: there are as many as there may be");
            }
            counted.map(|counted| Ok(Connection { stream, _counted: counted }))
        }
    })
}

/// Returns how many connections fit into the process's limit of open files, as far as the system tells.
pub(super) fn fitting_connections() -> Option<usize> {
    let limits = std::fs::read_to_string("/proc/self/limits").ok()?;
    let line = limits.lines().find(|line| line.starts_with("Max open files"))?;
    let files: usize = line.split_whitespace().nth(3)?.parse().ok()?;
    Some(files.saturating_sub(OTHER_FILES).max(1))
}

impl Connected for Connection {
    type ConnectInfo = TcpConnectInfo;

    fn connect_info(&self) -> TcpConnectInfo {
        self.stream.connect_info()
    }
}

impl AsyncRead for Connection {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(context, buffer)
    }
}

impl AsyncWrite for Connection {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write(context, bytes)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffers: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write_vectored(context, buffers)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }
}
