//! Transports between clients and servers.

use super::ServerAddress;
use hyper_util::rt::TokioIo;
use std::{
    fmt,
    future::Future,
    io,
    pin::Pin,
    sync::Arc,
    task::{Context, Poll},
};
use tokio::io::{AsyncRead, AsyncWrite};
use tonic::{
    codegen::{Service, http::Uri},
    transport::{Channel, Endpoint, Error},
};

/// A replacement for the system's TCP and for the random jitter of pauses between attempts, such as a simulated
/// network.
pub trait Transport: Send + Sync + 'static {
    /// Opens a connection to `host:port`.
    fn open(&self, authority: String) -> OpeningConnection;

    /// Returns the jitter for the next pause between attempts: 0 makes the pause shortest, and [`u32::MAX`] longest.
    fn draw_jitter(&self) -> u32;
}

/// A connection that carries bytes in both directions.
pub trait ByteStream: AsyncRead + AsyncWrite + Send + Unpin {}

impl<S: AsyncRead + AsyncWrite + Send + Unpin> ByteStream for S {}

/// A pending connection.
pub type OpeningConnection = Pin<Box<dyn Future<Output = io::Result<Box<dyn ByteStream>>> + Send>>;

/// A transport that several addresses can share.
#[derive(Clone)]
pub(super) struct SharedTransport(pub(super) Arc<dyn Transport>);

impl PartialEq for SharedTransport {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

impl Eq for SharedTransport {}

impl fmt::Debug for SharedTransport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SharedTransport(..)")
    }
}

impl Service<Uri> for SharedTransport {
    type Response = TokioIo<Box<dyn ByteStream>>;
    type Error = io::Error;
    type Future = Pin<Box<dyn Future<Output = io::Result<Self::Response>> + Send>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, uri: Uri) -> Self::Future {
        let opening = self.0.open(uri.authority().map(ToString::to_string).unwrap_or_default());
        Box::pin(async move { opening.await.map(TokioIo::new) })
    }
}

/// Connects to a server.
pub(super) async fn connect_endpoint(server: &ServerAddress, endpoint: &Endpoint) -> Result<Channel, Error> {
    match server.transport() {
        Some(transport) => endpoint.connect_with_connector(transport.clone()).await,
        None => endpoint.connect().await,
    }
}

/// Prepares a connection that is opened on first use.
pub(super) fn connect_endpoint_lazily(server: &ServerAddress, endpoint: &Endpoint) -> Channel {
    match server.transport() {
        Some(transport) => endpoint.connect_with_connector_lazy(transport.clone()),
        None => endpoint.connect_lazy(),
    }
}

/// Returns the jitter for the next pause between attempts.
pub(super) fn draw_jitter(server: &ServerAddress) -> u32 {
    match server.transport() {
        Some(SharedTransport(transport)) => transport.draw_jitter(),
        None => getrandom::u32().unwrap_or(u32::MAX),
    }
}
