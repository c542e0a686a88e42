//! A token that a visitor has typed.

use super::site::Site;
use super::visitor::Visitor;
use tonic::Status;
use tonic::codegen::http::header::AUTHORIZATION;
use tonic::codegen::http::{HeaderMap, HeaderValue};

/// Checks that the server knows a token, as that of a call whose method has this path. Wrong ones are counted, and slowed down, as those of calls are.
pub(super) fn check_known_token(
    site: &Site,
    visitor: &Visitor,
    path: &str,
    authorization: &HeaderValue,
) -> Result<(), Status> {
    let headers = HeaderMap::from_iter([(AUTHORIZATION, authorization.clone())]);
    site.access.caller_status(path, &headers, visitor.address()).map(drop)
}

/// Returns the header that shows a token.
///
/// # Errors
/// If no token looks like that: says what one looks like.
pub(super) fn authorization_header(token: &str) -> Result<HeaderValue, Status> {
    let token = token.trim();
    let is_visible = !token.is_empty() && token.chars().all(|character| character.is_ascii_graphic());
    let header = HeaderValue::try_from(format!("Bearer {token}")).ok().filter(|_| is_visible);
    let expected =
        || Status::unauthenticated("token: expected visible characters without blanks between them");
    let mut header = header.ok_or_else(expected)?;
    header.set_sensitive(true);
    Ok(header)
}

/// Says to whoever typed a token why it was refused.
pub(super) fn token_mistake(refused: &Status) -> String {
    refused.message().trim_start_matches("authorization: ").to_owned()
}
