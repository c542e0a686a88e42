//! The stream of a connection whose protocol is known.

use std::io::{self, IoSlice};
use std::pin::Pin;
use std::task::{Context, Poll};
use tokio::io::{AsyncRead, AsyncWrite, DuplexStream, ReadBuf};
use tokio_rustls::server::TlsStream;

/// The stream of bytes between the server and a client.
#[derive(Debug)]
pub(super) enum ClientStream<S> {
    /// From a listener, without TLS.
    Network(S),
    /// From a listener, with TLS.
    Tls(Box<TlsStream<S>>),
    /// From a house bot in this process.
    House(DuplexStream),
}

impl<S> ClientStream<S> {
    /// Returns whether the stream uses TLS.
    pub(super) fn is_encrypted(&self) -> bool {
        matches!(self, Self::Tls(_))
    }
}

/// Calls a method of the stream, whichever it is.
macro_rules! delegate {
    ($stream:ident, $method:ident($($argument:ident),*)) => {
        match $stream.get_mut() {
            ClientStream::Network(stream) => Pin::new(stream).$method($($argument),*),
            ClientStream::Tls(stream) => Pin::new(stream).$method($($argument),*),
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

    fn poll_write_vectored(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        pieces: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        delegate!(self, poll_write_vectored(context, pieces))
    }

    /// Without this, hyper would copy each response, and nobody could tell which bytes the client has not read yet.
    fn is_write_vectored(&self) -> bool {
        match self {
            Self::Network(stream) => stream.is_write_vectored(),
            Self::Tls(stream) => stream.is_write_vectored(),
            Self::House(stream) => stream.is_write_vectored(),
        }
    }

    fn poll_flush(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        delegate!(self, poll_flush(context))
    }

    fn poll_shutdown(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        delegate!(self, poll_shutdown(context))
    }
}
