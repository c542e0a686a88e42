//! Connections, counted.

use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, mpsc, watch};
use tokio_stream::{Stream, StreamExt as _, wrappers::ReceiverStream};
use tonic::transport::server::{Connected, TcpConnectInfo};

/// The pause after a connection that could not be accepted. Where files have run out the next attempt would fail as
/// well, and without a pause a whole processor would be spent on it.
const PAUSE_AFTER_FAILURE: Duration = Duration::from_millis(50);

/// Open files that are no connections: the log, the listener, the runtime's own.
const OTHER_FILES: usize = 32;

/// One TCP connection that counts as long as it lives.
pub(super) struct Connection {
    stream: TcpStream,
    /// Done when the connection is to be cut.
    cut: Pin<Box<dyn Future<Output = ()> + Send>>,
    _counted: OwnedSemaphorePermit,
}

/// What all connections hang by: they are cut when it is dropped.
#[derive(Debug)]
pub(super) struct Lifeline {
    _held: watch::Sender<()>,
}

/// Accepts connections, at most `most` at once: one more is closed as soon as it is accepted, so that its client hears
/// of it at once.
pub(super) fn accept(
    listener: TcpListener,
    most: usize,
) -> (Lifeline, impl Stream<Item = io::Result<Connection>>) {
    let (held, lifeline) = watch::channel(());
    let (sender, accepted) = mpsc::channel(1);
    tokio::spawn(accept_all(listener, most, lifeline, sender));
    (Lifeline { _held: held }, ReceiverStream::new(accepted).map(Ok))
}

async fn accept_all(
    listener: TcpListener,
    most: usize,
    lifeline: watch::Receiver<()>,
    connections: mpsc::Sender<Connection>,
) {
    let places = Arc::new(Semaphore::new(most.min(Semaphore::MAX_PERMITS)));
    loop {
        let accepted = tokio::select! {
            accepted = listener.accept() => accepted,
            () = connections.closed() => return,
        };
        let stream = match accepted {
            Ok((stream, _)) => stream,
            Err(error) => {
                tracing::warn!(%error, "a connection could not be accepted");
                tokio::time::sleep(PAUSE_AFTER_FAILURE).await;
                continue;
            }
        };
        let Ok(counted) = Arc::clone(&places).try_acquire_owned() else {
            tracing::warn!(most, "a connection was turned away: there are as many as there may be");
            continue;
        };
        if let Err(error) = stream.set_nodelay(true) {
            tracing::debug!(%error, "a connection that was gone at once");
            continue;
        }
        let mut lifeline = lifeline.clone();
        let cut = Box::pin(async move { while lifeline.changed().await.is_ok() {} });
        if connections.send(Connection { stream, cut, _counted: counted }).await.is_err() {
            return;
        }
    }
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
        if self.cut.as_mut().poll(context).is_ready() {
            return Poll::Ready(Err(io::ErrorKind::ConnectionAborted.into()));
        }
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
