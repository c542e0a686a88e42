//! Error pages.

use super::address::{PageFormat, SiteAddress};
use super::page::{Page, link_paragraph};
use super::page_refusal::with_refusal;
use super::response::{PageResponse, http_status, json_response, page_response};
use super::visitor::Visitor;
use tonic::codegen::http::HeaderValue;
use tonic::codegen::http::header::WWW_AUTHENTICATE;
use tonic::{Code, Status};
use tonic_types::StatusExt as _;

/// Returns an error as JSON if the page was requested as JSON, and otherwise as an HTML page.
pub(super) fn error_response(form: PageFormat, status: &Status) -> PageResponse {
    let (code, why) = (http_status(status), status.message());
    let response = if form == PageFormat::Json {
        let json = serde_json::json!({ "error": why, "status": code.as_u16() });
        json_response(json.to_string())
    } else {
        page_response(code, &Page::of_error(error_title(status), why))
    };
    with_status_headers(response, status)
}

/// Returns an error page for a person, with a link to sign in if no valid token was sent.
pub(super) fn visitor_error_response(
    visitor: &Visitor,
    address: &SiteAddress,
    status: &Status,
) -> PageResponse {
    let mut page = Page::of_error(error_title(status), status.message()).with_visitor(visitor);
    if status.code() == Code::Unauthenticated
        && let Some(sign_in) = address.sign_in_address()
    {
        page.content += &link_paragraph(&sign_in, "", "Sign in with a token");
    }
    with_status_headers(page_response(http_status(status), &page), status)
}

/// Adds the headers that tell a client how to sign in and when to retry.
fn with_status_headers(mut response: PageResponse, status: &Status) -> PageResponse {
    *response.status_mut() = http_status(status);
    if status.code() == Code::Unauthenticated {
        response.headers_mut().insert(WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
    }
    with_refusal(response, status)
}

fn error_title(status: &Status) -> &'static str {
    let reason = status.get_details_error_info().map(|info| info.reason).unwrap_or_default();
    match (status.code(), reason.as_str()) {
        (Code::NotFound, _) => "Not found",
        (Code::Unauthenticated, "NO_TOKEN") => "This server is private",
        (Code::Unauthenticated, _) => "The token is not valid",
        (Code::ResourceExhausted | Code::Unavailable, _) => "Try again later",
        _ => "This page cannot be shown",
    }
}
