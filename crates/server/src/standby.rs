//! Answers clients while another server has the database.

use super::client_protocol::{ClientProtocol, answer_tls, detect_protocol};
use super::connections::{PAUSE_AFTER_FAILURE, read_client_address};
use super::listener::{Connection, Listener};
use super::request_host::is_grpc;
use super::serve::HEALTH_NAMES;
use super::trusted_proxies::{TrustedProxy, is_trusted};
use hyper::body::Incoming;
use hyper::header::{CONTENT_TYPE, HeaderValue, RETRY_AFTER};
use hyper::server::conn::{http1, http2};
use hyper::service::service_fn;
use hyper::{Request, Response, StatusCode};
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use lastnim_rpc::standing_by_status;
use std::convert::Infallible;
use std::io;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::{Semaphore, watch};
use tokio::task::JoinSet;
use tokio::time::{sleep, timeout};
use tonic::body::Body;
use tonic::codegen::Service as _;
use tonic::service::Routes;
use tonic_health::ServingStatus;

/// The maximum number of concurrent connections; further ones wait to be accepted.
const MAX_CONNECTIONS: usize = 256;
/// The maximum duration of a connection.
const MAX_CONNECTION_TIME: Duration = Duration::from_secs(5);
/// The maximum number of open calls on one connection.
const MAX_STREAMS: u32 = 8;
/// The maximum size of a health check.
const MAX_MESSAGE_BYTES: usize = 1024;
/// The maximum size of a request's headers.
const MAX_HEADER_BYTES: usize = 16 << 10;

/// Tells all clients that this server is on standby, until dropped: answers health checks with `NOT_SERVING`, other
/// calls with `UNAVAILABLE`, and HTTP requests with status 503, except for `/healthz`. `holder` is the name of the
/// server that has the database.
pub async fn stand_by(
    mut listener: impl Listener,
    holder: watch::Receiver<String>,
    trusted_proxies: Vec<TrustedProxy>,
) -> Infallible {
    let (reporter, health) = tonic_health::server::health_reporter();
    for service in HEALTH_NAMES {
        reporter.set_service_status(service, ServingStatus::NotServing).await;
    }
    let health = health.max_decoding_message_size(MAX_MESSAGE_BYTES);
    let answers =
        Arc::new(StandbyResponder { health: Routes::new(health).prepare(), holder, trusted_proxies });
    let places = Arc::new(Semaphore::new(MAX_CONNECTIONS));
    let mut connections = JoinSet::new();
    loop {
        let place = Arc::clone(&places).acquire_owned().await.expect("the semaphore is never closed");
        while connections.try_join_next().is_some() {}
        match listener.accept().await {
            Ok((stream, peer)) => {
                let answers = Arc::clone(&answers);
                connections.spawn(async move {
                    let answering =
                        answers.answer_connection(stream, is_trusted(&answers.trusted_proxies, peer.ip()));
                    // A client that was cut off by the time limit can connect again.
                    if let Ok(Err(error)) = timeout(MAX_CONNECTION_TIME, answering).await {
                        tracing::debug!(%error, %peer, "a connection to this standby server ended");
                    }
                    drop(place);
                });
            }
            Err(error) => {
                tracing::warn!(%error, "a connection could not be accepted");
                sleep(PAUSE_AFTER_FAILURE).await;
            }
        }
    }
}

/// Answers requests to a server that is on standby.
struct StandbyResponder {
    health: Routes,
    holder: watch::Receiver<String>,
    trusted_proxies: Vec<TrustedProxy>,
}

impl StandbyResponder {
    async fn answer_connection(&self, mut stream: impl Connection, from_proxy: bool) -> io::Result<()> {
        if from_proxy {
            read_client_address(&mut stream).await?;
        }
        let protocol = detect_protocol(&mut stream).await?;
        if protocol == ClientProtocol::Tls {
            return answer_tls(&mut stream).await;
        }
        let (health, holder) = (self.health.clone(), self.holder.clone());
        let answer = service_fn(move |request: Request<Incoming>| {
            let (health, holder) = (health.clone(), holder.borrow().clone());
            async move { Ok::<_, Infallible>(answer_request(request, health, &holder).await) }
        });
        let stream = TokioIo::new(stream);
        let served = if protocol == ClientProtocol::Http1 {
            let mut builder = http1::Builder::new();
            builder.timer(TokioTimer::new()).max_buf_size(MAX_HEADER_BYTES);
            builder.serve_connection(stream, answer).await
        } else {
            let mut builder = http2::Builder::new(TokioExecutor::new());
            builder
                .timer(TokioTimer::new())
                .max_header_list_size(MAX_HEADER_BYTES as u32)
                .max_concurrent_streams(MAX_STREAMS);
            builder.serve_connection(stream, answer).await
        };
        served.map_err(io::Error::other)
    }
}

async fn answer_request(request: Request<Incoming>, mut health: Routes, holder: &str) -> Response<Body> {
    if !is_grpc(request.headers()) {
        return answer_page(request.uri().path(), holder);
    }
    if request.uri().path().starts_with("/grpc.health.v1.Health/") {
        let request = request.map(Body::new);
        return health.call(request).await.unwrap_or_else(|never| match never {});
    }
    standing_by_status(holder).into_http()
}

fn answer_page(path: &str, holder: &str) -> Response<Body> {
    let is_alive = path == "/healthz";
    let words =
        if is_alive { "the process is running\n".to_owned() } else { format!("standing by for {holder}\n") };
    let mut response = Response::new(Body::new(words));
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("text/plain; charset=utf-8"));
    if !is_alive {
        *response.status_mut() = StatusCode::SERVICE_UNAVAILABLE;
        response.headers_mut().insert(RETRY_AFTER, HeaderValue::from_static("1"));
    }
    response
}
