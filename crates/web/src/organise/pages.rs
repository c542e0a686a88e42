//! Dispatches requests of organisers.

use super::bot_tokens::{bots_page, register_bot, remove_bot, rotate_token};
use super::guard::{check_organiser_channel, signed_in_organiser};
use super::new_match::{create_match, new_match_page};
use super::new_tournament::{create_tournament, new_tournament_page};
use super::overview::overview_page;
use super::sign_in::{sign_in, sign_in_page, sign_out, signed_out_response};
use super::tournament_action::act_on_tournament;
use super::tournament_page::organised_tournament_page;
use super::void_matches::void_matches;
use crate::address::OrganiseAddress;
use crate::forms::FormFields;
use crate::response::{PageResponse, redirect_response};
use crate::site::Site;
use crate::visitor::Visitor;
use tonic::Status;

/// Shows a page, or the sign-in form.
pub(crate) async fn show_organiser_page(
    site: &Site,
    visitor: &Visitor,
    address: &OrganiseAddress,
) -> Result<PageResponse, Status> {
    check_organiser_channel(visitor)?;
    let Some(organiser) = signed_in_organiser(site, visitor) else { return sign_in_page(visitor) };
    let page_of = |address: OrganiseAddress| Ok(redirect_response(&address));
    match *address {
        OrganiseAddress::Overview => overview_page(site, &organiser).await,
        OrganiseAddress::NewTournament => new_tournament_page(&organiser),
        OrganiseAddress::NewMatch => new_match_page(&organiser),
        OrganiseAddress::Tournament { id } => organised_tournament_page(site, &organiser, id).await,
        OrganiseAddress::Bots => bots_page(&organiser),
        // These accept only forms, so redirect to the page with the form.
        OrganiseAddress::Act { id, .. } | OrganiseAddress::VoidMatches { id } => {
            page_of(OrganiseAddress::Tournament { id })
        }
        OrganiseAddress::RotateToken | OrganiseAddress::RemoveBot => page_of(OrganiseAddress::Bots),
        OrganiseAddress::SignIn | OrganiseAddress::SignOut => page_of(OrganiseAddress::Overview),
    }
}

/// Handles a form.
pub(crate) async fn handle_organiser_form(
    site: &Site,
    visitor: &Visitor,
    address: &OrganiseAddress,
    fields: &FormFields,
) -> Result<PageResponse, Status> {
    check_organiser_channel(visitor)?;
    match (address, signed_in_organiser(site, visitor)) {
        (OrganiseAddress::SignIn, _) => sign_in(site, visitor, fields),
        (OrganiseAddress::SignOut, _) => Ok(sign_out(site, visitor)),
        (_, None) => signed_out_response(visitor),
        (OrganiseAddress::NewTournament, Some(organiser)) => {
            create_tournament(site, &organiser, fields).await
        }
        (OrganiseAddress::NewMatch, Some(organiser)) => create_match(site, &organiser, fields).await,
        (&OrganiseAddress::Act { id, action }, Some(organiser)) => {
            act_on_tournament(site, &organiser, (id, action), fields).await
        }
        (OrganiseAddress::VoidMatches { id }, Some(organiser)) => {
            void_matches(site, &organiser, *id, fields).await
        }
        (OrganiseAddress::Bots, Some(organiser)) => register_bot(site, &organiser, fields).await,
        (OrganiseAddress::RemoveBot, Some(organiser)) => remove_bot(site, &organiser, fields).await,
        (OrganiseAddress::RotateToken, Some(organiser)) => rotate_token(site, &organiser, fields).await,
        (OrganiseAddress::Overview | OrganiseAddress::Tournament { .. }, Some(_)) => {
            Ok(redirect_response(address))
        }
    }
}
