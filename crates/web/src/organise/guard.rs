//! Who may organise, and from where.

use crate::site::Site;
use crate::typed_token::check_known_token;
use crate::visitor::Visitor;
use std::time::Instant;
use tonic::Status;
use tonic::codegen::http::HeaderValue;

/// The method as whose caller somebody is checked who signs in.
const PATH: &str = "/organise";

/// Checks that what a visitor types here stays between the two.
pub(super) fn check_organiser_channel(visitor: &Visitor) -> Result<(), Status> {
    visitor.check_channel(
        "organising needs the admin's token, which others could read on the way: open this page on the server's own machine, or through a proxy that speaks https and \
         that the server trusts (--trusted-proxy), which says so in x-forwarded-proto. Over gRPC, lastnim tournament create does the same.",
    )
}

/// Returns a visitor who is signed in, as somebody who shows the admin's token.
pub(super) fn signed_in_visitor(site: &Site, visitor: &Visitor) -> Option<Visitor> {
    let header = site.organisers.authorization_of(visitor.secret()?, Instant::now())?;
    Some(visitor.with_authorization(header))
}

/// Checks that a token is the admin's. Wrong ones are counted, and slowed down, as those of calls are.
pub(super) fn check_admin_token(
    site: &Site,
    visitor: &Visitor,
    authorization: &HeaderValue,
) -> Result<(), Status> {
    check_known_token(site, visitor, PATH, authorization)?;
    site.access.require_admin(&visitor.with_authorization(authorization.clone()).request(()))
}
