//! Identifies visitors.

use super::signed_in::{SignInPlace, SignedIn};
use crate::site::Site;
use crate::visitor::Visitor;
use crate::visitor_channel::VisitorChannel;
use tonic::codegen::http::HeaderMap;

/// Signs the visitor in by a cookie of the request.
///
/// The first of these counts: the header `authorization`, the cookie of a session, the cookie of a person who plays as
/// a bot. Cookies are ignored on unprotected connections. If a sign-in has ended or its token is no longer valid, the
/// visitor has no token.
pub(crate) fn identify_visitor(site: &Site, visitor: Visitor, headers: &HeaderMap) -> Visitor {
    if visitor.token().is_some() || visitor.channel == VisitorChannel::Plain {
        return visitor;
    }
    let mut places = [SignInPlace::Session, SignInPlace::BotSeats].into_iter();
    places.find_map(|place| sign_visitor_in(site, &visitor, place, headers)).unwrap_or(visitor)
}

fn sign_visitor_in(
    site: &Site,
    visitor: &Visitor,
    place: SignInPlace,
    headers: &HeaderMap,
) -> Option<Visitor> {
    let (cookie, now) = (place.cookie(), site.now());
    let secret = cookie.read(headers)?;
    let sign_in = site.sign_ins.open(cookie, &secret, now)?;
    let bearer = visitor.with_authorization(sign_in.authorization);
    if let Ok(principal) = site.access.require_viewer(&bearer.request(())) {
        return Some(bearer.with_sign_in(SignedIn::new(principal?, place, &secret, sign_in.end)));
    }
    site.sign_ins.end(cookie, &secret, now);
    None
}
