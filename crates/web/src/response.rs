//! Functions that create and change responses.

use super::page::Page;
use super::page_refusal::with_reason;
use super::visitor::Visitor;
use bytes::Bytes;
use http_body_util::Full;
use std::fmt;
use tonic::body::Body;
use tonic::codegen::http::header::{
    ALLOW, CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE, ETAG, HeaderName, IF_NONE_MATCH, LINK,
    LOCATION, REFERRER_POLICY, REFRESH, SET_COOKIE, X_CONTENT_TYPE_OPTIONS,
};
use tonic::codegen::http::{HeaderMap, HeaderValue, Response, StatusCode};
use tonic::{Code, Status};

/// The Content-Security-Policy: only resources from this server, nothing inline.
const PAGE_POLICY: &str =
    "default-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'; object-src 'none'";

/// The Content-Security-Policy of pages that other sites can show in a frame: no scripts and no forms.
const EMBED_POLICY: &str = "default-src 'self'; script-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors *; object-src 'none'";

/// The response of a page.
pub type PageResponse = Response<Body>;

/// How long a response may be cached.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Freshness {
    /// It must be revalidated.
    Now,
    /// It is part of the program and changes only with a new version.
    Minutes,
    /// It is about something that has ended, and the same for everybody.
    Day,
    /// Its address changes whenever it changes.
    Forever,
    /// It is private and must not be stored.
    NoStore,
}

/// Creates a response from text.
pub(super) fn text_response(
    status: StatusCode,
    content_type: &'static str,
    freshness: Freshness,
    text: String,
) -> PageResponse {
    body_response(status, content_type, freshness, Body::new(text))
}

/// Creates a response from bytes.
pub(super) fn bytes_response(content_type: &'static str, freshness: Freshness, bytes: Bytes) -> PageResponse {
    body_response(StatusCode::OK, content_type, freshness, Body::new(Full::new(bytes)))
}

/// Creates a response from a body.
pub(super) fn body_response(
    status: StatusCode,
    content_type: &'static str,
    freshness: Freshness,
    body: Body,
) -> PageResponse {
    let mut response = Response::new(body);
    *response.status_mut() = status;
    let cache = match freshness {
        Freshness::Now => "no-cache",
        Freshness::Minutes => "max-age=300",
        Freshness::Day => "public, max-age=86400",
        Freshness::Forever => "public, max-age=31536000, immutable",
        Freshness::NoStore => "no-store",
    };
    let fields: [(HeaderName, &'static str); 5] = [
        (CONTENT_TYPE, content_type),
        (CACHE_CONTROL, cache),
        (CONTENT_SECURITY_POLICY, PAGE_POLICY),
        (X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (REFERRER_POLICY, "same-origin"),
    ];
    for (name, value) in fields {
        response.headers_mut().insert(name, HeaderValue::from_static(value));
    }
    response
}

/// Creates a response from a page.
pub(super) fn page_response(status: StatusCode, page: &Page) -> PageResponse {
    text_response(status, "text/html; charset=utf-8", Freshness::Now, page.html())
}

/// Creates a response that only this visitor may see.
pub(super) fn private_response(visitor: &Visitor, status: StatusCode, page: Page) -> PageResponse {
    let page = page.with_visitor(visitor);
    text_response(status, "text/html; charset=utf-8", Freshness::NoStore, page.html())
}

/// Creates a response from JSON.
pub(super) fn json_response(json: String) -> PageResponse {
    text_response(StatusCode::OK, "application/json", Freshness::Now, json + "\n")
}

/// Lets other sites show a page in a frame, unless it is an error.
#[must_use = "returns the changed response"]
pub(super) fn with_framing(mut response: PageResponse) -> PageResponse {
    if response.status().is_success() {
        response.headers_mut().insert(CONTENT_SECURITY_POLICY, HeaderValue::from_static(EMBED_POLICY));
    }
    response
}

/// Adds the hash of a body, which tells browsers and feed readers whether it has changed.
pub(super) fn add_etag(response: &mut PageResponse, body: &[u8]) {
    let tag = format!("\"{}\"", &blake3::hash(body).to_hex()[..32]);
    response.headers_mut().insert(ETAG, HeaderValue::try_from(tag).expect("hexadecimal digits"));
}

/// Leaves the body out if the browser already has this version.
#[must_use = "returns the changed response"]
pub(super) fn without_known_body(mut response: PageResponse, request: &HeaderMap) -> PageResponse {
    let Some(tag) = response.headers().get(ETAG).and_then(|tag| tag.to_str().ok()) else { return response };
    let known = request.get_all(IF_NONE_MATCH).iter().filter_map(|value| value.to_str().ok());
    let is_known = known.flat_map(|value| value.split(',')).any(|known| {
        let known = known.trim();
        known == "*" || known.strip_prefix("W/").unwrap_or(known) == tag
    });
    if is_known {
        *response.status_mut() = StatusCode::NOT_MODIFIED;
        *response.body_mut() = Body::empty();
    }
    response
}

/// Adds a link to the next page of a list.
pub(super) fn add_next_link(response: &mut PageResponse, address: &str) {
    response.headers_mut().insert(LINK, address_header(format!("<{address}>; rel=\"next\"")));
}

/// Makes a browser reload the page after two seconds.
pub(super) fn add_refresh(response: &mut PageResponse) {
    response.headers_mut().insert(REFRESH, HeaderValue::from_static("2"));
}

/// Makes a browser load a path of this server at once.
pub(super) fn add_refresh_to(response: &mut PageResponse, path: &str) {
    response.headers_mut().insert(REFRESH, address_header(format!("0; url={path}")));
}

/// Redirects a browser after a form, so that reloading does not send the form again.
pub(super) fn redirect_response(address: &impl fmt::Display) -> PageResponse {
    let text = format!("see {address}\n");
    let mut response =
        text_response(StatusCode::SEE_OTHER, "text/plain; charset=utf-8", Freshness::Now, text);
    response.headers_mut().insert(LOCATION, address_header(address.to_string()));
    response
}

fn address_header(words: String) -> HeaderValue {
    HeaderValue::try_from(words).expect("addresses are visible ASCII")
}

/// Sets a cookie; the response must not be cached.
#[must_use = "returns the changed response"]
pub(super) fn with_cookie(mut response: PageResponse, cookie: HeaderValue) -> PageResponse {
    response.headers_mut().append(SET_COOKIE, cookie);
    without_caching(response)
}

/// Forbids caching.
#[must_use = "returns the changed response"]
pub(super) fn without_caching(mut response: PageResponse) -> PageResponse {
    response.headers_mut().insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    response
}

/// Refuses unsupported methods.
pub(super) fn method_response(methods: &'static str) -> PageResponse {
    let text = match methods.rsplit_once(", ") {
        Some((others, last)) => format!("method not allowed: expected {others} or {last}\n"),
        None => format!("method not allowed: expected {methods}\n"),
    };
    let mut response =
        text_response(StatusCode::METHOD_NOT_ALLOWED, "text/plain; charset=utf-8", Freshness::Now, text);
    response.headers_mut().insert(ALLOW, HeaderValue::from_static(methods));
    with_reason(response, "METHOD_NOT_ALLOWED")
}

/// Returns the HTTP status of a refused form that is shown again.
pub(super) fn form_status(status: &Status) -> StatusCode {
    match status.code() {
        Code::InvalidArgument => StatusCode::UNPROCESSABLE_ENTITY,
        _ => http_status(status),
    }
}

/// Returns the HTTP status for a gRPC status.
pub(super) fn http_status(status: &Status) -> StatusCode {
    match status.code() {
        Code::InvalidArgument | Code::OutOfRange => StatusCode::BAD_REQUEST,
        Code::Unauthenticated => StatusCode::UNAUTHORIZED,
        Code::PermissionDenied => StatusCode::FORBIDDEN,
        Code::NotFound => StatusCode::NOT_FOUND,
        Code::FailedPrecondition | Code::AlreadyExists | Code::Aborted => StatusCode::CONFLICT,
        Code::ResourceExhausted => StatusCode::TOO_MANY_REQUESTS,
        Code::Unavailable => StatusCode::SERVICE_UNAVAILABLE,
        Code::DeadlineExceeded => StatusCode::GATEWAY_TIMEOUT,
        _ => StatusCode::INTERNAL_SERVER_ERROR,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::address::PageAddress;

    #[test]
    fn addresses_are_valid_in_headers() {
        for (page, coded) in [("x=", "x%3D"), ("\r\n\0 \u{7f}", "%0D%0A%00+%7F"), ("\u{e9}", "%C3%A9")] {
            let address = PageAddress::Bots { page: page.into() };
            let mut response = redirect_response(&address);
            add_refresh_to(&mut response, &address.to_string());
            let headers = response.headers();
            assert_eq!(headers[LOCATION], format!("/bots?page={coded}"));
            assert_eq!(headers[REFRESH], format!("0; url=/bots?page={coded}"));
        }
    }
}
