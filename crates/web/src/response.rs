//! What all answers have in common.

use super::page::Page;
use super::page_refusal::with_reason;
use super::visitor::Visitor;
use std::fmt;
use tonic::body::Body;
use tonic::codegen::http::header::{
    ALLOW, CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE, HeaderName, LINK, LOCATION, REFERRER_POLICY,
    REFRESH, SET_COOKIE, X_CONTENT_TYPE_OPTIONS,
};
use tonic::codegen::http::{HeaderValue, Response, StatusCode};
use tonic::{Code, Status};

/// What pages may load and do: what comes from this server, and nothing that stands in a page itself.
const POLICY: &str =
    "default-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'; object-src 'none'";

/// An answer.
pub type PageResponse = Response<Body>;

/// How long what is answered may be kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Freshness {
    /// It may be another one in the next moment.
    Now,
    /// It is part of the program.
    Minutes,
    /// It is for one visitor alone, and nobody keeps it.
    Unkept,
}

/// Makes an answer of a text.
pub(super) fn text_response(
    status: StatusCode,
    content_type: &'static str,
    freshness: Freshness,
    text: String,
) -> PageResponse {
    body_response(status, content_type, freshness, Body::new(text))
}

/// Makes an answer of a body.
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
        Freshness::Unkept => "no-store",
    };
    let fields: [(HeaderName, &'static str); 5] = [
        (CONTENT_TYPE, content_type),
        (CACHE_CONTROL, cache),
        (CONTENT_SECURITY_POLICY, POLICY),
        (X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (REFERRER_POLICY, "same-origin"),
    ];
    for (name, value) in fields {
        response.headers_mut().insert(name, HeaderValue::from_static(value));
    }
    response
}

/// Makes an answer of a page.
pub(super) fn page_response(status: StatusCode, page: &Page) -> PageResponse {
    text_response(status, "text/html; charset=utf-8", Freshness::Now, page.html())
}

/// Makes an answer of a page that is for one visitor alone.
pub(super) fn private_response(visitor: &Visitor, status: StatusCode, page: Page) -> PageResponse {
    let page = page.seen_by(visitor);
    text_response(status, "text/html; charset=utf-8", Freshness::Unkept, page.html())
}

/// Makes an answer of JSON.
pub(super) fn json_response(json: String) -> PageResponse {
    text_response(StatusCode::OK, "application/json", Freshness::Now, json + "\n")
}

/// Says where a list goes on.
pub(super) fn add_next_link(response: &mut PageResponse, address: &str) {
    response.headers_mut().insert(LINK, address_header(format!("<{address}>; rel=\"next\"")));
}

/// Has a browser ask again soon.
pub(super) fn add_refresh(response: &mut PageResponse) {
    response.headers_mut().insert(REFRESH, HeaderValue::from_static("2"));
}

/// Has a browser ask for a path of this server at once.
pub(super) fn add_onward_refresh(response: &mut PageResponse, path: &str) {
    response.headers_mut().insert(REFRESH, address_header(format!("0; url={path}")));
}

/// Sends a browser to the page that shows what came of a form, so that loading that page again does not send the form again.
pub(super) fn redirect_response(address: &impl fmt::Display) -> PageResponse {
    let words = format!("see {address}\n");
    let mut response =
        text_response(StatusCode::SEE_OTHER, "text/plain; charset=utf-8", Freshness::Now, words);
    response.headers_mut().insert(LOCATION, address_header(address.to_string()));
    response
}

fn address_header(words: String) -> HeaderValue {
    HeaderValue::try_from(words).expect("addresses are written in visible ASCII")
}

/// Has a browser keep a cookie. What is answered is for this browser alone.
#[must_use = "it is the answer with the cookie"]
pub(super) fn with_cookie(mut response: PageResponse, cookie: HeaderValue) -> PageResponse {
    response.headers_mut().append(SET_COOKIE, cookie);
    without_caching(response)
}

/// Has nobody keep an answer, which is for one visitor alone.
#[must_use = "it is the answer that nobody keeps"]
pub(super) fn without_caching(mut response: PageResponse) -> PageResponse {
    response.headers_mut().insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    response
}

/// Refuses every other method than an address has.
pub(super) fn method_response(methods: &'static str) -> PageResponse {
    let words = match methods.rsplit_once(", ") {
        Some((others, last)) => format!("this method is not available here: expected {others} or {last}\n"),
        None => format!("this method is not available here: expected {methods}\n"),
    };
    let mut response =
        text_response(StatusCode::METHOD_NOT_ALLOWED, "text/plain; charset=utf-8", Freshness::Now, words);
    response.headers_mut().insert(ALLOW, HeaderValue::from_static(methods));
    with_reason(response, "METHOD_NOT_ALLOWED")
}

/// Returns the status of HTTP for a form that a service has refused, and that is shown again.
pub(super) fn form_status(status: &Status) -> StatusCode {
    match status.code() {
        Code::InvalidArgument => StatusCode::UNPROCESSABLE_ENTITY,
        _ => http_status(status),
    }
}

/// Returns the status of HTTP for one of a service.
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
    fn every_address_stands_in_a_header() {
        for (page, coded) in [("x=", "x%3D"), ("\r\n\0 \u{7f}", "%0D%0A%00+%7F"), ("\u{e9}", "%C3%A9")] {
            let address = PageAddress::Bots { page: page.into() };
            let mut response = redirect_response(&address);
            add_onward_refresh(&mut response, &address.to_string());
            let headers = response.headers();
            assert_eq!(headers[LOCATION], format!("/bots?page={coded}"));
            assert_eq!(headers[REFRESH], format!("0; url=/bots?page={coded}"));
        }
    }
}
