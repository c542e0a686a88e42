//! Answers clients while another server has the database.

use super::brief_connection::{MAX_CONNECTION_TIME, answer_briefly, refuse_briefly, text_response};
use super::client_protocol::{ClientProtocol, answer_tls, detect_protocol};
use super::client_stream::ClientStream;
use super::connections::{PAUSE_AFTER_FAILURE, read_client_address};
use super::listener::{Connection, Listener};
use super::request_host::is_grpc;
use super::serve::HEALTH_NAMES;
use super::server_tls::ServerTls;
use super::trusted_proxies::{TrustedProxy, is_trusted};
use hyper::body::Incoming;
use hyper::header::{HeaderValue, RETRY_AFTER};
use hyper::{Request, Response, StatusCode};
use lastnim_rpc::{standing_by_status, tls_required_status};
use std::convert::Infallible;
use std::io;
use std::net::IpAddr;
use std::sync::Arc;
use tokio::sync::{Semaphore, watch};
use tokio::task::JoinSet;
use tokio::time::{sleep, timeout};
use tonic::body::Body;
use tonic::codegen::Service as _;
use tonic::service::Routes;
use tonic_health::ServingStatus;

/// The maximum number of concurrent connections; further ones wait to be accepted.
const MAX_CONNECTIONS: usize = 256;
/// The maximum size of a health check.
const MAX_MESSAGE_BYTES: usize = 1024;

/// Tells all clients that this server is on standby, until dropped: answers health checks with `NOT_SERVING`, other
/// calls with `UNAVAILABLE`, and HTTP requests with status 503, except for `/healthz`. `holder` is the name of the
/// server that serves, once there is one.
pub async fn stand_by(
    mut listener: impl Listener,
    holder: watch::Receiver<Option<String>>,
    trusted_proxies: Vec<TrustedProxy>,
) -> Infallible {
    let (reporter, health) = tonic_health::server::health_reporter();
    for service in HEALTH_NAMES {
        reporter.set_service_status(service, ServingStatus::NotServing).await;
    }
    let health = health.max_decoding_message_size(MAX_MESSAGE_BYTES);
    let tls = listener.tls().cloned();
    let answers =
        Arc::new(StandbyResponder { health: Routes::new(health).prepare(), holder, trusted_proxies, tls });
    let places = Arc::new(Semaphore::new(MAX_CONNECTIONS));
    let mut connections = JoinSet::new();
    let mut following = JoinSet::new();
    if let Some(tls) = listener.tls() {
        following.spawn(Arc::clone(tls).follow_files());
    }
    loop {
        let place = Arc::clone(&places).acquire_owned().await.expect("the semaphore is never closed");
        while connections.try_join_next().is_some() {}
        match listener.accept().await {
            Ok((stream, peer)) => {
                let answers = Arc::clone(&answers);
                connections.spawn(async move {
                    let answering = answers.answer_connection(stream, peer.ip());
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
    holder: watch::Receiver<Option<String>>,
    trusted_proxies: Vec<TrustedProxy>,
    tls: Option<Arc<ServerTls>>,
}

impl StandbyResponder {
    async fn answer_connection(&self, mut stream: impl Connection, peer: IpAddr) -> io::Result<()> {
        let is_from_proxy = is_trusted(&self.trusted_proxies, peer);
        let client = if is_from_proxy { read_client_address(&mut stream).await? } else { None };
        let protocol = detect_protocol(&mut stream).await?;
        let (stream, protocol) = match (protocol, &self.tls) {
            (ClientProtocol::Tls, Some(tls)) => {
                let Some((stream, protocol)) = tls.accept(stream, client.unwrap_or(peer).into()).await?
                else {
                    return Ok(());
                };
                (ClientStream::Tls(stream), protocol)
            }
            (ClientProtocol::Tls, None) => return answer_tls(&mut stream).await,
            (_, Some(_)) => return refuse_briefly(stream, protocol, tls_required_status()).await,
            (_, None) => (ClientStream::Network(stream), protocol),
        };
        let (health, holder) = (self.health.clone(), self.holder.clone());
        let answer = move |request| {
            let (health, holder) = (health.clone(), holder.borrow().clone());
            answer_request(request, health, holder)
        };
        answer_briefly(stream, protocol, answer).await
    }
}

async fn answer_request(
    request: Request<Incoming>,
    mut health: Routes,
    holder: Option<String>,
) -> Response<Body> {
    if !is_grpc(request.headers()) {
        return answer_page(request.uri().path(), holder.as_deref());
    }
    if request.uri().path().starts_with("/grpc.health.v1.Health/") {
        let request = request.map(Body::new);
        return health.call(request).await.unwrap_or_else(|never| match never {});
    }
    standing_by_status(holder.as_deref()).into_http()
}

fn answer_page(path: &str, holder: Option<&str>) -> Response<Body> {
    if path == "/healthz" {
        return text_response(StatusCode::OK, "the process is running\n".to_owned());
    }
    let text =
        holder.map_or_else(|| "standing by\n".to_owned(), |holder| format!("standing by for {holder}\n"));
    let mut response = text_response(StatusCode::SERVICE_UNAVAILABLE, text);
    response.headers_mut().insert(RETRY_AFTER, HeaderValue::from_static("1"));
    response
}
