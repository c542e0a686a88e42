//! From a request of an organiser to its answer.

use super::address::OrganiseAddress;
use super::guard::{check_channel, signed_in_visitor};
use super::overview::overview_page;
use super::sign_in::{sign_in, sign_in_page, sign_out};
use crate::web::address::PageAddress;
use crate::web::forms::FormFields;
use crate::web::pages::Pages;
use crate::web::response::{PageResponse, redirect_response};
use crate::web::visitor::Visitor;
use tonic::Status;

/// Shows a page to an organiser, or asks who it is.
pub(in crate::web) async fn show_organiser_page(
    pages: &Pages,
    visitor: &Visitor,
    address: &OrganiseAddress,
) -> Result<PageResponse, Status> {
    check_channel(visitor)?;
    let Some(organiser) = signed_in_visitor(pages, visitor) else { return sign_in_page(visitor) };
    match address {
        OrganiseAddress::Overview => overview_page(pages, &organiser).await,
        OrganiseAddress::SignIn | OrganiseAddress::SignOut => {
            Ok(redirect_response(&PageAddress::Organise(OrganiseAddress::Overview)))
        }
    }
}

/// Does what the form of an organiser asks for.
pub(in crate::web) async fn take_organiser_form(
    pages: &Pages,
    visitor: &Visitor,
    address: &OrganiseAddress,
    fields: &FormFields,
) -> Result<PageResponse, Status> {
    check_channel(visitor)?;
    match address {
        OrganiseAddress::SignIn => return sign_in(pages, visitor, fields),
        OrganiseAddress::SignOut => return Ok(sign_out(pages, visitor)),
        OrganiseAddress::Overview => {}
    }
    Ok(redirect_response(&PageAddress::Organise(OrganiseAddress::Overview)))
}
