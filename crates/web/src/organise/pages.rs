//! From a request of an organiser to its answer.

use super::address::OrganiseAddress;
use super::bot_tokens::{bots_page, register_bot, remove_bot, rotate_token};
use super::guard::{check_organiser_channel, signed_in_visitor};
use super::new_match::{create_match, new_match_page};
use super::new_tournament::{create_tournament, new_tournament_page};
use super::overview::overview_page;
use super::sign_in::{sign_in, sign_in_page, sign_out, signed_out_response};
use super::tournament_action::act_on_tournament;
use super::tournament_page::organised_tournament_page;
use super::void_matches::void_matches;
use crate::address::PageAddress;
use crate::forms::FormFields;
use crate::pages::Pages;
use crate::response::{PageResponse, redirect_response};
use crate::visitor::Visitor;
use tonic::Status;

/// Shows a page to an organiser, or asks who it is.
pub(crate) async fn show_organiser_page(
    pages: &Pages,
    visitor: &Visitor,
    address: &OrganiseAddress,
) -> Result<PageResponse, Status> {
    check_organiser_channel(visitor)?;
    let Some(organiser) = signed_in_visitor(pages, visitor) else { return sign_in_page(visitor) };
    let page_of = |address| Ok(redirect_response(&PageAddress::Organise(address)));
    match address {
        OrganiseAddress::Overview => overview_page(pages, &organiser).await,
        OrganiseAddress::NewTournament => new_tournament_page(&organiser),
        OrganiseAddress::NewMatch => new_match_page(&organiser),
        OrganiseAddress::Tournament(id) => organised_tournament_page(pages, &organiser, *id).await,
        OrganiseAddress::Bots => bots_page(&organiser),
        // These only take forms: they lead to the page that has the form.
        OrganiseAddress::Act(id, _) | OrganiseAddress::VoidMatches(id) => {
            page_of(OrganiseAddress::Tournament(*id))
        }
        OrganiseAddress::RotateToken | OrganiseAddress::RemoveBot => page_of(OrganiseAddress::Bots),
        OrganiseAddress::SignIn | OrganiseAddress::SignOut => page_of(OrganiseAddress::Overview),
    }
}

/// Does what the form of an organiser asks for.
pub(crate) async fn take_organiser_form(
    pages: &Pages,
    visitor: &Visitor,
    address: &OrganiseAddress,
    fields: &FormFields,
) -> Result<PageResponse, Status> {
    check_organiser_channel(visitor)?;
    match address {
        OrganiseAddress::SignIn => return sign_in(pages, visitor, fields),
        OrganiseAddress::SignOut => return Ok(sign_out(pages, visitor)),
        _ => {}
    }
    let Some(organiser) = signed_in_visitor(pages, visitor) else { return signed_out_response(visitor) };
    match address {
        OrganiseAddress::NewTournament => create_tournament(pages, &organiser, fields).await,
        OrganiseAddress::NewMatch => create_match(pages, &organiser, fields).await,
        &OrganiseAddress::Act(id, action) => act_on_tournament(pages, &organiser, (id, action), fields).await,
        OrganiseAddress::VoidMatches(id) => void_matches(pages, &organiser, *id, fields).await,
        OrganiseAddress::Bots => register_bot(pages, &organiser, fields).await,
        OrganiseAddress::RemoveBot => remove_bot(pages, &organiser, fields).await,
        OrganiseAddress::RotateToken => rotate_token(pages, &organiser, fields).await,
        OrganiseAddress::Overview
        | OrganiseAddress::Tournament(_)
        | OrganiseAddress::SignIn
        | OrganiseAddress::SignOut => Ok(redirect_response(&PageAddress::Organise(address.clone()))),
    }
}
