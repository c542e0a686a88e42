//! Connections, and who is calling.

use super::{
    Error, ServerAddress,
    error::innermost_source,
    tls,
    transport::{connect_endpoint, connect_endpoint_lazily},
};
use futures_core::future::BoxFuture;
use std::time::Duration;
use tonic::{
    Request, Status,
    metadata::{Ascii, MetadataValue},
    service::Interceptor,
    transport::{Channel, Endpoint},
};

/// How long a TCP connection may take to stand, and after it a TLS handshake.
const CONNECT_WITHIN: Duration = Duration::from_secs(5);
/// The HTTP/2 window of a whole connection, in bytes: HTTP/2 implementations charge small unread frames against it and
/// close the connection, with all its streams, once it is used up.
const CONNECTION_WINDOW: u32 = 16 << 20;
/// The largest message that is read, in bytes: the audit of a match of the most plies stays below.
pub const MAX_MESSAGE_BYTES: usize = 64 << 20;
/// How often a silent connection is asked for a sign of life, and how long it has to give one.
const KEEPALIVE: Duration = Duration::from_secs(10);

/// Connects to a server with settings that suit long-lived streams.
///
/// # Errors
/// If the address cannot be used, nobody answers there, or the server's certificate is not trusted.
pub async fn connect(server: impl Into<ServerAddress>) -> Result<Channel, Error> {
    connect_to(server.into()).await
}

/// Boxed, so that the transport is compiled in this crate only.
fn connect_to(server: ServerAddress) -> BoxFuture<'static, Result<Channel, Error>> {
    Box::pin(async move {
        connect_endpoint(&server, &make_endpoint(&server)?).await.map_err(|error| {
            match tls::tls_failure(&error) {
                Some(reason) => Error::Tls { server: server.to_string(), reason },
                None => Error::Unreachable {
                    server: server.to_string(),
                    reason: innermost_source(&error).to_string(),
                },
            }
        })
    })
}

/// Prepares a connection that is made when it is first used, and made anew after it was lost.
pub(super) fn connect_lazily(server: &ServerAddress) -> Result<Channel, Error> {
    Ok(connect_endpoint_lazily(server, &make_endpoint(server)?))
}

fn make_endpoint(server: &ServerAddress) -> Result<Endpoint, Error> {
    let refused = |reason: &str| Error::Address { server: server.to_string(), reason: reason.to_owned() };
    let given = server.as_str();
    let uri = if given.contains("://") { given.to_owned() } else { format!("http://{given}") };
    let endpoint =
        Endpoint::from_shared(uri).map_err(|error| refused(&innermost_source(&error).to_string()))?;
    let is_encrypted = match endpoint.uri().scheme_str() {
        Some("http") => false,
        Some("https") => true,
        _ => return Err(refused("only http:// and https:// are spoken here")),
    };
    if endpoint.uri().host().is_none_or(str::is_empty) {
        return Err(refused("it names no host"));
    }
    if !is_encrypted && endpoint.uri().port_u16().is_none() {
        return Err(refused("it names no port"));
    }
    if !is_encrypted && server.ca().is_some() {
        return Err(refused("certificates are given, but only https:// is encrypted"));
    }
    let endpoint = endpoint
        .connect_timeout(CONNECT_WITHIN)
        .initial_connection_window_size(CONNECTION_WINDOW)
        .http2_keep_alive_interval(KEEPALIVE)
        .keep_alive_timeout(KEEPALIVE)
        .keep_alive_while_idle(true)
        .tcp_nodelay(true);
    if !is_encrypted {
        return Ok(endpoint);
    }
    tls::with_tls(endpoint, server.ca(), CONNECT_WITHIN).map_err(|reason| refused(&reason))
}

/// Puts a bearer token on every call of a generated client, or none.
#[derive(Clone)]
pub struct Authorization(Option<MetadataValue<Ascii>>);

/// Makes an interceptor that puts `authorization: Bearer <token>` on every call.
///
/// # Errors
/// If the token cannot stand in a header.
pub fn token_authorization(token: &str) -> Result<Authorization, Error> {
    let mut value: MetadataValue<Ascii> = format!("Bearer {token}").parse().map_err(|_| Error::Token)?;
    value.set_sensitive(true);
    Ok(Authorization(Some(value)))
}

/// Makes an interceptor that leaves every call as it is: the server's own rules say what a stranger may do.
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
    /// Leaves the token out, so that no log ever shows it.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Authorization(..)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_checked_before_they_are_used() {
        for good in ["localhost:5050", "127.0.0.1:1", "http://[::1]:5050", "http://host:80/"] {
            assert!(make_endpoint(&good.into()).is_ok(), "{good}");
        }
        for bad in ["", "localhost", "ftp://host:21", "host:port", "a b:1", ":5050", "https://:443"] {
            assert!(matches!(make_endpoint(&bad.into()), Err(Error::Address { .. })), "{bad}");
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
