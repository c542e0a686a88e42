//! Separate listeners for metrics.

use super::request_host::check_host;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Method, Request, Response, StatusCode};
use hyper_util::rt::{TokioIo, TokioTimer};
use lastnim_web::Metrics;
use std::convert::Infallible;
use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;
use tokio::task::JoinSet;
use tokio::time::{sleep, timeout};
use tonic::body::Body;

/// The maximum number of concurrent connections; further ones wait to be accepted.
const MAX_CONNECTIONS: usize = 16;
/// The maximum duration of a connection, which serves only one request.
const MAX_CONNECTION_TIME: Duration = Duration::from_secs(10);
/// The pause after a failed accept.
const PAUSE_AFTER_FAILURE: Duration = Duration::from_millis(50);
/// The maximum size of a request.
const MAX_REQUEST_BYTES: usize = 8 << 10;

/// Listens on all these addresses.
///
/// # Errors
/// If one of the addresses cannot be used; the error names it.
pub(super) async fn bind_listeners(addresses: &[SocketAddr]) -> io::Result<Vec<TcpListener>> {
    let mut listeners = Vec::with_capacity(addresses.len());
    for address in addresses {
        let listener = TcpListener::bind(address).await;
        let named =
            |error: io::Error| io::Error::new(error.kind(), format!("metrics address {address}: {error}"));
        let listener = listener.map_err(named)?;
        // The port may be one that the system chose.
        let address = listener.local_addr().map_err(named)?;
        tracing::info!(%address, "listening for metrics");
        listeners.push(listener);
    }
    Ok(listeners)
}

/// Answers every client of a listener until dropped.
pub(super) async fn serve_metrics(listener: TcpListener, metrics: Metrics) {
    let places = Arc::new(Semaphore::new(MAX_CONNECTIONS));
    let mut connections = JoinSet::new();
    loop {
        let Ok(place) = Arc::clone(&places).acquire_owned().await else { return };
        while connections.try_join_next().is_some() {}
        match listener.accept().await {
            Ok((stream, _)) => {
                let metrics = metrics.clone();
                connections.spawn(async move {
                    // A client that is too slow tries again at its next scrape.
                    let _ = timeout(MAX_CONNECTION_TIME, answer_connection(stream, metrics)).await;
                    drop(place);
                });
            }
            Err(error) => {
                tracing::warn!(%error, "a metrics connection could not be accepted");
                sleep(PAUSE_AFTER_FAILURE).await;
            }
        }
    }
}

async fn answer_connection(stream: TcpStream, metrics: Metrics) {
    let answer = service_fn(move |request: Request<Incoming>| {
        let response = answer_request(&request, &metrics);
        async move { Ok::<_, Infallible>(response) }
    });
    let mut protocol = http1::Builder::new();
    protocol.timer(TokioTimer::new()).keep_alive(false).max_buf_size(MAX_REQUEST_BYTES);
    if let Err(error) = protocol.serve_connection(TokioIo::new(stream), answer).await {
        tracing::debug!(%error, "a metrics connection ended");
    }
}

fn answer_request(request: &Request<Incoming>, metrics: &Metrics) -> Response<Body> {
    let refuse = |status: StatusCode, text: &str| {
        let mut response = Response::new(Body::new(text.to_owned()));
        *response.status_mut() = status;
        response
    };
    if let Err(malformed) = check_host(request) {
        return refuse(StatusCode::BAD_REQUEST, &format!("{malformed}\n"));
    }
    match (request.method(), request.uri().path()) {
        (&Method::GET, "/metrics") => metrics.response(),
        (&Method::HEAD, "/metrics") => metrics.response().map(|_| Body::empty()),
        (_, "/metrics") => refuse(StatusCode::METHOD_NOT_ALLOWED, "expected GET or HEAD\n"),
        _ => refuse(StatusCode::NOT_FOUND, "the only path is /metrics\n"),
    }
}
