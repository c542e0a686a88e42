//! Breadcrumbs: links at the top of a page to the pages above it.

use super::address::{OrganiseAddress, PageAddress};
use super::match_filter::MatchFilter;
use super::site::Site;
use super::visitor::Visitor;
use lastnim_core::game::{MatchId, TournamentId};
use lastnim_proto::pb;
use lastnim_report::words::join_first_items;
use std::fmt::Display;
use tonic::Status;

/// A link to a page above this one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Crumb {
    pub address: String,
    pub title: String,
}

impl Crumb {
    pub(super) fn new(address: &impl Display, title: impl Into<String>) -> Self {
        Self { address: address.to_string(), title: title.into() }
    }
}

/// Returns the title of a tournament, or `Tournament` if it has none.
pub(super) fn tournament_title(tournament: &pb::Tournament) -> String {
    let title = tournament.settings.as_ref().map(|settings| settings.title.clone());
    title_or_word(title.unwrap_or_default())
}

fn title_or_word(title: String) -> String {
    if title.is_empty() { "Tournament".to_owned() } else { title }
}

/// Returns the pages above a page, the outermost first, if they follow from its address. The page of a match sets its
/// own.
pub(super) async fn trail_of_address(
    site: &Site,
    visitor: &Visitor,
    address: &PageAddress,
) -> Result<Vec<Crumb>, Status> {
    Ok(match address {
        PageAddress::Tournament { .. } => vec![tournaments_crumb()],
        PageAddress::Standings { id, .. } | PageAddress::TournamentMatches { id, .. } => {
            tournament_trail(site, visitor, *id).await?
        }
        PageAddress::Bot { .. } => vec![bots_crumb()],
        PageAddress::BotAudit { name } => {
            vec![bots_crumb(), Crumb::new(&PageAddress::Bot { name: name.clone() }, name.as_str())]
        }
        PageAddress::Chapter { .. } => vec![Crumb::new(&PageAddress::Contents, "Docs")],
        _ => Vec::new(),
    })
}

/// Returns the pages above a match: those of its tournament, or the list of matches.
pub(super) async fn trail_of_match(
    site: &Site,
    visitor: &Visitor,
    setup: &pb::MatchSetup,
) -> Result<Vec<Crumb>, Status> {
    if let Ok(id) = setup.tournament_id.parse() {
        return tournament_trail(site, visitor, id).await;
    }
    let all = PageAddress::matches_page(None, MatchFilter::default(), String::new());
    Ok(vec![Crumb::new(&all, "Matches")])
}

/// Returns the pages above a page about one position of a match. `ply` is the position to go back to.
pub(super) async fn trail_below_match(
    site: &Site,
    visitor: &Visitor,
    id: MatchId,
    ply: Option<u32>,
    setup: &pb::MatchSetup,
) -> Result<Vec<Crumb>, Status> {
    let mut trail = trail_of_match(site, visitor, setup).await?;
    trail.push(Crumb::new(&PageAddress::Match { id, ply }, join_first_items(&setup.bots)));
    Ok(trail)
}

/// Returns the page above the pages of organisers.
pub(super) fn organise_trail() -> Vec<Crumb> {
    vec![Crumb::new(&OrganiseAddress::Overview, "Organise")]
}

/// Returns the pages above a question to the organiser of a tournament.
pub(super) async fn organised_tournament_trail(
    site: &Site,
    organiser: &Visitor,
    id: TournamentId,
) -> Result<Vec<Crumb>, Status> {
    let tournament = site.get_tournament(organiser, id).await?.tournament.unwrap_or_default();
    let mut trail = organise_trail();
    trail.push(Crumb::new(&OrganiseAddress::Tournament { id }, tournament_title(&tournament)));
    Ok(trail)
}

/// Returns the pages above a page about this tournament.
pub(super) fn trail_below_tournament(id: TournamentId, tournament: &pb::Tournament) -> Vec<Crumb> {
    vec![tournaments_crumb(), Crumb::new(&PageAddress::Tournament { id }, tournament_title(tournament))]
}

/// Returns the list of tournaments, and a tournament unless it was removed or cannot be read.
async fn tournament_trail(site: &Site, visitor: &Visitor, id: TournamentId) -> Result<Vec<Crumb>, Status> {
    let title = site.find_title(visitor, id).await?.map(title_or_word);
    let own = title.map(|title| Crumb::new(&PageAddress::Tournament { id }, title));
    Ok([tournaments_crumb()].into_iter().chain(own).collect())
}

fn tournaments_crumb() -> Crumb {
    Crumb::new(&PageAddress::Tournaments { page: String::new() }, "Tournaments")
}

fn bots_crumb() -> Crumb {
    Crumb::new(&PageAddress::Bots { page: String::new() }, "Bots")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{open_site, stranger};
    use lastnim_arena::{Arena, Backend, Limits};

    #[tokio::test]
    async fn a_match_of_a_removed_tournament_is_below_the_list() {
        let arena = Arena::open(Limits::default(), Backend::in_memory(), []).await.unwrap();
        let tournament_id = "0192f0c1-2e6b-7c3a-8f4d-5a6b7c8d9e0f".to_owned();
        let setup = pb::MatchSetup { tournament_id, ..Default::default() };
        let trail = trail_of_match(&open_site(&arena, 1), &stranger(), &setup).await.unwrap();
        assert_eq!(trail, [tournaments_crumb()]);
    }
}
