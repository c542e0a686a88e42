//! Connections to a server, and the authorization of calls.

use super::{
    Error, ServerAddress,
    error::innermost_source,
    socket_path::socket_path,
    tls,
    transport::{connect_endpoint, connect_endpoint_lazily},
};
use futures_core::future::BoxFuture;
use std::time::Duration;
use tonic::{
    Request, Status,
    codegen::http::uri::PathAndQuery,
    metadata::{Ascii, MetadataValue},
    service::Interceptor,
    transport::{Channel, Endpoint},
};
use tonic_prost::ProstCodec;

/// Time limit for opening a TCP connection. Its TLS handshake and a health check each have a limit of the same length.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);
/// The HTTP/2 window of a connection, in bytes. HTTP/2 implementations count small unread frames against the window,
/// and close the connection once it is used up.
const CONNECTION_WINDOW: u32 = 16 << 20;
/// Maximum size of a received message, in bytes. The audit of the longest match is smaller.
pub const MAX_MESSAGE_BYTES: usize = 64 << 20;
/// Interval at which an idle connection is pinged, and time limit for the reply to a ping.
const KEEPALIVE_INTERVAL: Duration = Duration::from_secs(10);

/// Connects to a server with settings that suit long-lived streams. Of several addresses, it chooses the first at which a
/// server is serving, or else the first at which one answers.
///
/// # Errors
/// If an address is invalid, no server answers, or the server's certificate is not trusted.
pub async fn connect(server: impl Into<ServerAddress>) -> Result<Channel, Error> {
    connect_to(server.into()).await
}

/// Does the work of [`connect`]. The future is boxed, so that the transport is compiled only in this crate.
fn connect_to(server: ServerAddress) -> BoxFuture<'static, Result<Channel, Error>> {
    Box::pin(async move {
        let endpoints = make_endpoints(&server)?;
        let has_choice = endpoints.len() > 1;
        let (mut answering, mut failure) = (None, None);
        for (address, endpoint) in server.addresses().zip(&endpoints) {
            match connect_endpoint(&server, endpoint).await {
                Ok(channel) if !has_choice || is_serving(&channel).await => return Ok(channel),
                Ok(channel) => answering = answering.or(Some(channel)),
                Err(error) => failure = Some(connection_error(address, &error)),
            }
        }
        match (answering, failure) {
            (Some(channel), _) => Ok(channel),
            (None, Some(error)) => Err(error),
            (None, None) => Err(address_error(server.as_str(), "it is empty")),
        }
    })
}

/// Prepares a connection to each address, which is opened on first use, and reopened when lost.
pub(super) fn connect_lazily(server: &ServerAddress) -> Result<Vec<Channel>, Error> {
    let endpoints = make_endpoints(server)?;
    Ok(endpoints.iter().map(|endpoint| connect_endpoint_lazily(server, endpoint)).collect())
}

/// Prepares a connection to a server with one address. If the server has several addresses, connects to the one that
/// [`connect`] chooses.
pub(super) async fn connect_one_lazily(server: &ServerAddress) -> Result<Channel, Error> {
    let mut channels = connect_lazily(server)?;
    match channels.pop() {
        Some(channel) if channels.is_empty() => Ok(channel),
        _ => connect(server).await,
    }
}

fn connection_error(address: &str, error: &tonic::transport::Error) -> Error {
    let server = address.to_owned();
    match tls::tls_failure(error) {
        Some(reason) => Error::Tls { server, reason },
        None => Error::Unreachable { server, reason: innermost_source(error).to_string() },
    }
}

/// The answer to a health check. Source: grpc/health/v1/health.proto.
#[derive(Clone, PartialEq, prost::Message)]
struct HealthAnswer {
    #[prost(int32, tag = "1")]
    status: i32,
}

/// The status `SERVING`.
const SERVING: i32 = 1;

/// Asks a server whether it is serving; a standby server is not.
async fn is_serving(channel: &Channel) -> bool {
    let mut client = tonic::client::Grpc::new(channel.clone());
    let checking = async {
        client.ready().await.ok()?;
        let path = PathAndQuery::from_static("/grpc.health.v1.Health/Check");
        // An empty request asks about the whole server.
        let codec = ProstCodec::<(), HealthAnswer>::default();
        client.unary(Request::new(()), path, codec).await.ok()
    };
    let answer = tokio::time::timeout(CONNECT_TIMEOUT, checking).await;
    answer.ok().flatten().is_some_and(|answer| answer.get_ref().status == SERVING)
}

fn address_error(address: &str, reason: &str) -> Error {
    Error::Address { server: address.to_string(), reason: reason.to_owned() }
}

fn make_endpoints(server: &ServerAddress) -> Result<Vec<Endpoint>, Error> {
    server.addresses().map(|address| make_endpoint(server, address)).collect()
}

fn make_endpoint(server: &ServerAddress, given: &str) -> Result<Endpoint, Error> {
    let refusal = |reason: &str| address_error(given, reason);
    let socket = socket_path(given).map_err(|reason| refusal(&reason))?;
    let uri = match socket {
        Some(path) => format!("unix:{}", path.display()),
        None if given.contains("://") => given.to_owned(),
        None => format!("http://{given}"),
    };
    let endpoint =
        Endpoint::from_shared(uri).map_err(|error| refusal(&innermost_source(&error).to_string()))?;
    let is_encrypted = match (socket, endpoint.uri().scheme_str()) {
        (Some(_), _) | (None, Some("http")) => false,
        (None, Some("https")) => true,
        (None, _) => return Err(refusal("expected http:// or https://")),
    };
    if socket.is_none() && endpoint.uri().host().is_none_or(str::is_empty) {
        return Err(refusal("the host is missing"));
    }
    if socket.is_none() && !is_encrypted && endpoint.uri().port_u16().is_none() {
        return Err(refusal("the port is missing"));
    }
    if !is_encrypted && (server.ca().is_some() || server.client_certificate().is_some()) {
        return Err(refusal("certificates need an https:// address: use one, or leave the certificates out"));
    }
    let endpoint = endpoint
        .connect_timeout(CONNECT_TIMEOUT)
        .initial_connection_window_size(CONNECTION_WINDOW)
        .http2_keep_alive_interval(KEEPALIVE_INTERVAL)
        .keep_alive_timeout(KEEPALIVE_INTERVAL)
        .keep_alive_while_idle(true)
        .tcp_nodelay(true);
    if !is_encrypted {
        return Ok(endpoint);
    }
    tls::with_tls(endpoint, server, CONNECT_TIMEOUT).map_err(|reason| refusal(&reason))
}

/// Adds a bearer token, if there is one, to every call of a generated client.
#[derive(Clone)]
pub struct Authorization(Option<MetadataValue<Ascii>>);

/// Returns an interceptor that adds `authorization: Bearer <token>` to every call.
///
/// # Errors
/// If the token contains characters that are not allowed in a header.
pub fn token_authorization(token: &str) -> Result<Authorization, Error> {
    let mut value: MetadataValue<Ascii> = format!("Bearer {token}").parse().map_err(|_| Error::Token)?;
    value.set_sensitive(true);
    Ok(Authorization(Some(value)))
}

/// Returns an interceptor that adds nothing, for callers without a token.
pub fn no_authorization() -> Authorization {
    Authorization(None)
}

impl Interceptor for Authorization {
    fn call(&mut self, mut request: Request<()>) -> Result<Request<()>, Status> {
        if let Some(token) = &self.0 {
            request.metadata_mut().insert("authorization", token.clone());
        }
        Ok(request)
    }
}

impl std::fmt::Debug for Authorization {
    /// Omits the token to keep it out of logs.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Authorization(..)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_valid_addresses_become_endpoints() {
        for good in [
            "localhost:5050",
            "127.0.0.1:1",
            "http://[::1]:5050",
            "http://host:80/",
            "a:1, b:2",
            "unix:x,unix:///y",
        ] {
            assert_eq!(make_endpoints(&good.into()).unwrap().len(), good.split(',').count(), "{good}");
        }
        for bad in [
            "",
            "localhost",
            "ftp://host:21",
            "host:port",
            "a b:1",
            ":5050",
            "https://:443",
            "a:1,",
            "a:1,b",
            "unix:",
            "unix:a,",
        ] {
            assert!(matches!(make_endpoints(&bad.into()), Err(Error::Address { .. })), "{bad}");
        }
    }

    #[test]
    fn a_token_is_sent_but_never_shown() {
        let mut authorization = token_authorization("s3cret").unwrap();
        let request = authorization.call(Request::new(())).unwrap();
        assert_eq!(request.metadata().get("authorization").unwrap(), "Bearer s3cret");
        assert!(!format!("{request:?}{authorization:?}").contains("s3cret"));
        assert!(matches!(token_authorization("line\nbreak"), Err(Error::Token)));
        assert!(no_authorization().call(Request::new(())).unwrap().metadata().is_empty());
    }
}
