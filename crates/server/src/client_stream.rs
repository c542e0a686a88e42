//! The stream of a connection whose protocol is known.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll};
use tokio::io::{AsyncRead, AsyncWrite, DuplexStream, ReadBuf};

/// The bytes of a client's calls.
#[derive(Debug)]
pub(super) enum ClientStream<S> {
    /// From a listener.
    Network(S),
    /// From a house bot in this process.
    House(DuplexStream),
}

/// Calls a method of the stream, whichever it is.
macro_rules! delegate {
    ($stream:ident, $method:ident($($argument:ident),*)) => {
        match $stream.get_mut() {
            ClientStream::Network(stream) => Pin::new(stream).$method($($argument),*),
            ClientStream::House(stream) => Pin::new(stream).$method($($argument),*),
        }
    };
}

impl<S: AsyncRead + AsyncWrite + Unpin> AsyncRead for ClientStream<S> {
    fn poll_read(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        delegate!(self, poll_read(context, buffer))
    }
}

impl<S: AsyncRead + AsyncWrite + Unpin> AsyncWrite for ClientStream<S> {
    fn poll_write(self: Pin<&mut Self>, context: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        delegate!(self, poll_write(context, bytes))
    }

    fn poll_flush(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        delegate!(self, poll_flush(context))
    }

    fn poll_shutdown(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        delegate!(self, poll_shutdown(context))
    }
}
