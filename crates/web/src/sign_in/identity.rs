//! Identifies visitors.

use super::signed_in::{SignInPlace, SignedIn};
use crate::forms::CookieSecret;
use crate::site::Site;
use crate::site_cookies::{PLAYER_COOKIE, SESSION_COOKIE};
use crate::token_sessions::TokenSessions;
use crate::visitor::Visitor;
use crate::visitor_channel::VisitorChannel;
use std::time::Instant;
use tonic::codegen::http::HeaderMap;

/// Signs the visitor in by a cookie of the request.
///
/// The first of these counts: the header `authorization`, the cookie of a session, the cookie of a person who plays as
/// a bot. Cookies are ignored on unprotected connections. If a session has ended or its token is no longer valid, the
/// visitor has no token.
pub(crate) fn identify_visitor(site: &Site, visitor: Visitor, headers: &HeaderMap) -> Visitor {
    if visitor.token().is_some() || visitor.channel == VisitorChannel::Plain {
        return visitor;
    }
    let session = SESSION_COOKIE.read(headers).and_then(|secret| {
        let [of_organiser, of_reader] = [&site.organisers, &site.readers];
        let signed_in = |sessions| sign_visitor_in(site, &visitor, sessions, SignInPlace::Session, &secret);
        signed_in(of_organiser).or_else(|| signed_in(of_reader))
    });
    let seated = || {
        let secret = PLAYER_COOKIE.read(headers)?;
        sign_visitor_in(site, &visitor, &site.players, SignInPlace::BotSeats, &secret)
    };
    session.or_else(seated).unwrap_or(visitor)
}

fn sign_visitor_in(
    site: &Site,
    visitor: &Visitor,
    sessions: &TokenSessions,
    place: SignInPlace,
    secret: &CookieSecret,
) -> Option<Visitor> {
    let now = Instant::now();
    let (authorization, end) = sessions.find(secret, now)?;
    let bearer = visitor.with_authorization(authorization);
    if let Ok(principal) = site.access.require_viewer(&bearer.request(())) {
        return Some(bearer.with_sign_in(SignedIn::new(principal?, place, secret, end)));
    }
    sessions.end(secret, now);
    None
}
