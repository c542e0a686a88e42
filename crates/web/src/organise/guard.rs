//! Access to the pages of organisers.

use crate::site::Site;
use crate::site_cookies::SESSION_COOKIE;
use crate::typed_token::check_known_token;
use crate::visitor::Visitor;
use tonic::Status;
use tonic::codegen::http::HeaderValue;

/// The path that a sign-in here passes to the check of its token.
const SIGN_IN_PATH: &str = "/organise";

/// Checks that the connection keeps the admin's token secret.
pub(super) fn check_organiser_channel(visitor: &Visitor) -> Result<(), Status> {
    visitor.check_channel(
        "organising needs the admin's token, but this connection would not protect it: open this page on the server's own machine, or over https, with --tls-cert or \
         through a proxy that the server trusts (--trusted-proxy) and that sets x-forwarded-proto. The command lastnim tournament create works as well.",
    )
}

/// Returns the visitor with the admin's token; `None` if they are not signed in with it.
pub(super) fn signed_in_organiser(site: &Site, visitor: &Visitor) -> Option<Visitor> {
    let sign_in = site.sign_ins.open(&SESSION_COOKIE, visitor.secret()?, site.now())?;
    let organiser = visitor.with_authorization(sign_in.authorization);
    site.access.require_admin(&organiser.request(())).ok().map(|()| organiser)
}

/// Checks that a token is the admin's. Wrong tokens are rate limited as in gRPC calls.
pub(super) fn check_admin_token(
    site: &Site,
    visitor: &Visitor,
    authorization: &HeaderValue,
) -> Result<(), Status> {
    check_known_token(site, visitor, SIGN_IN_PATH, authorization)?;
    site.access.require_admin(&visitor.with_authorization(authorization.clone()).request(()))
}
