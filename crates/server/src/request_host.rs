//! Checks the host that a request names.

use hyper::header::{CONTENT_TYPE, HOST, HeaderValue};
use hyper::{HeaderMap, Request, Version};
use thiserror::Error;
use tonic::codegen::http::uri::Authority;

/// Why a request is malformed (RFC 9112, section 3.2, and RFC 9113, section 8.3.1).
#[derive(Debug, Error, PartialEq, Eq)]
pub(super) enum HostError {
    #[error("the request has no Host header: add one, such as Host: example.org")]
    Missing,
    #[error("the request names no host: add the pseudo-header :authority")]
    MissingAuthority,
    #[error("the request has {0} Host headers: send one")]
    Repeated(usize),
    #[error(
        "the host {0:?} is not valid: expected a name or an address with an optional port, such as example.org:7600"
    )]
    Invalid(String),
    #[error("the Host header names {header}, but the request is for {authority}: send the same host in both")]
    Differs { header: String, authority: String },
}

/// Checks that a request names one valid host. A gRPC call over HTTP/2 may name none.
pub(super) fn check_host<B>(request: &Request<B>) -> Result<(), HostError> {
    let headers = request.headers();
    let named = named_host(headers)?;
    if request.version() < Version::HTTP_2 {
        // HTTP/1.0 does not require a Host header.
        return if named.is_some() || request.version() < Version::HTTP_11 {
            Ok(())
        } else {
            Err(HostError::Missing)
        };
    }
    match (request.uri().authority(), named) {
        (None, None) if !is_grpc(headers) => Err(HostError::MissingAuthority),
        (Some(authority), named) => {
            parse_authority(authority.as_str().as_bytes())?;
            named.map_or(Ok(()), |named| check_same_host(&named, authority))
        }
        (None, _) => Ok(()),
    }
}

/// Returns whether a request has the content type of gRPC.
pub(super) fn is_grpc(headers: &HeaderMap) -> bool {
    let content_type = headers.get(CONTENT_TYPE).map(HeaderValue::as_bytes);
    content_type.is_some_and(|content_type| content_type.starts_with(b"application/grpc"))
}

/// Returns the host in the header.
fn named_host(headers: &HeaderMap) -> Result<Option<Authority>, HostError> {
    let count = headers.get_all(HOST).iter().count();
    if count > 1 {
        return Err(HostError::Repeated(count));
    }
    headers.get(HOST).map(|host| parse_authority(host.as_bytes())).transpose()
}

/// Parses `host[:port]`. A host must not be empty, and must not contain a user.
fn parse_authority(bytes: &[u8]) -> Result<Authority, HostError> {
    let parsed = Authority::try_from(bytes).ok().filter(|authority| {
        let port = authority.as_str().strip_prefix(authority.host());
        let is_port = |port: &str| port.is_empty() || port.parse::<u16>().is_ok();
        !authority.host().is_empty()
            && port.is_some_and(|port| port.is_empty() || port.strip_prefix(':').is_some_and(is_port))
    });
    parsed.ok_or_else(|| HostError::Invalid(String::from_utf8_lossy(bytes).into_owned()))
}

/// Checks that the header and the authority name the same host. One of them may omit the port.
fn check_same_host(header: &Authority, authority: &Authority) -> Result<(), HostError> {
    let ports = header.port_u16().zip(authority.port_u16());
    if header.host().eq_ignore_ascii_case(authority.host()) && ports.is_none_or(|(one, other)| one == other) {
        return Ok(());
    }
    Err(HostError::Differs { header: header.to_string(), authority: authority.to_string() })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check_request(version: Version, uri: &str, headers: &[(&str, &str)]) -> Result<(), String> {
        let mut request = Request::builder().version(version).uri(uri);
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        check_host(&request.body(()).unwrap()).map_err(|error| error.to_string())
    }

    #[test]
    fn an_http1_request_names_one_valid_host() {
        for host in ["x", "cup.example:7600", "127.0.0.1", "[::1]:7600", "my_host", "cup.example:"] {
            assert_eq!(check_request(Version::HTTP_11, "/", &[("host", host)]), Ok(()), "{host}");
        }
        let invalid =
            ["", "a b", "user@cup.example", "a/b", "<x>", "a:b", "a:99999", "[::1", "[::1]x", "a:1:2"];
        for host in invalid {
            let refused = check_request(Version::HTTP_11, "/", &[("host", host)]).unwrap_err();
            assert!(refused.contains(&format!("the host {host:?} is not valid")), "{refused}");
        }
        assert!(check_request(Version::HTTP_11, "/", &[]).unwrap_err().contains("no Host header"));
        assert_eq!(check_request(Version::HTTP_10, "/", &[]), Ok(()));
        for version in [Version::HTTP_10, Version::HTTP_11, Version::HTTP_2] {
            let refused = check_request(version, "/", &[("host", "x"), ("host", "x")]).unwrap_err();
            assert!(refused.contains("has 2 Host headers"), "{refused}");
        }
    }

    #[test]
    fn an_http2_request_names_one_host() {
        let http2 = |uri, headers: &[_]| check_request(Version::HTTP_2, uri, headers);
        assert_eq!(http2("http://x:1/", &[]), Ok(()));
        assert_eq!(http2("http://x:1/", &[("host", "X:1")]), Ok(()));
        assert_eq!(http2("http://x/", &[("host", "x:80")]), Ok(()));
        assert_eq!(http2("/", &[("host", "x")]), Ok(()));
        assert_eq!(http2("/", &[("content-type", "application/grpc")]), Ok(()));
        assert!(http2("/", &[]).unwrap_err().contains(":authority"));
        assert!(http2("http://user@x/", &[]).unwrap_err().contains("\"user@x\" is not valid"));
        for other in ["y:1", "x:2"] {
            let refused = http2("http://x:1/", &[("host", other)]).unwrap_err();
            assert!(refused.contains(&format!("names {other}, but the request is for x:1")), "{refused}");
        }
    }
}
