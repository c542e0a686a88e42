//! A token that was typed.

use super::site::Site;
use super::visitor::Visitor;
use tonic::Status;
use tonic::codegen::http::header::AUTHORIZATION;
use tonic::codegen::http::{HeaderMap, HeaderValue};

/// Checks that a token is valid. Wrong ones count towards the limit of the visitor's address, as in gRPC calls. `path`
/// is the path of the form.
pub(super) fn check_known_token(
    site: &Site,
    visitor: &Visitor,
    path: &str,
    authorization: &HeaderValue,
) -> Result<(), Status> {
    let headers = HeaderMap::from_iter([(AUTHORIZATION, authorization.clone())]);
    site.access.caller_status(path, &headers, visitor.address()).map(drop)
}

/// The maximum number of characters of a typed token, so that a cookie can hold it.
const MAX_TOKEN_CHARS: usize = 1_024;

/// Returns the header for a token.
///
/// # Errors
/// If it is too long, or has characters that tokens never have.
pub(super) fn authorization_header(token: &str) -> Result<HeaderValue, Status> {
    let token = token.trim();
    let is_visible = !token.is_empty() && token.chars().all(|character| character.is_ascii_graphic());
    let is_short = token.len() <= MAX_TOKEN_CHARS;
    let header = HeaderValue::try_from(format!("Bearer {token}")).ok().filter(|_| is_visible && is_short);
    let expected = || {
        let message =
            format!("token: expected up to {MAX_TOKEN_CHARS} visible ASCII characters, without spaces");
        Status::unauthenticated(message)
    };
    let mut header = header.ok_or_else(expected)?;
    header.set_sensitive(true);
    Ok(header)
}

/// Returns why a token was refused, for a form.
pub(super) fn token_mistake(refused: &Status) -> String {
    refused.message().trim_start_matches("authorization: ").to_owned()
}
