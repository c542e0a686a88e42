//! Lists, page by page.

use super::address::{PageAddress, link_of_cell};
use super::page::{Page, link_paragraph};
use super::pages::{Pages, Shown};
use super::visitor::Visitor;
use crate::game::TournamentId;
use crate::report::render::Html;
use crate::report::{Report, Section, Table};
use crate::report::{bots::bot_table, matches::match_table, tournament::tournament_table};
use crate::wire::pb;
use pb::bot_service_server::BotService as _;
use pb::match_service_server::MatchService as _;
use pb::tournament_service_server::TournamentService as _;
use tonic::Status;

/// Lines of a page.
const PAGE_SIZE: u32 = 50;

/// Makes a table of tournaments whose ids lead to them.
pub(super) fn tournament_links_table(tournaments: &[pb::Tournament]) -> Table {
    with_id_key(tournament_table(tournaments), "tournament")
}

/// Makes a table of matches whose ids lead to them.
pub(super) fn game_table(matches: &[pb::Match]) -> Table {
    with_id_key(match_table(matches), "match")
}

/// Says of what the ids of a table are.
fn with_id_key(mut table: Table, key: &str) -> Table {
    for column in table.columns.iter_mut().filter(|column| column.key == "id") {
        key.clone_into(&mut column.key);
    }
    table
}

/// Makes a page of the list of tournaments.
pub(super) async fn tournament_list(
    pages: &Pages,
    visitor: &Visitor,
    address: &PageAddress,
    page_token: &str,
) -> Result<Shown, Status> {
    let page_token = page_token.to_owned();
    let request = pb::ListTournamentsRequest { page_size: PAGE_SIZE, page_token, ..Default::default() };
    let list = pages.tournaments.list_tournaments(visitor.request(request)).await?.into_inner();
    let next = PageAddress::Tournaments { page_token: list.next_page_token.clone() };
    let next = (!list.next_page_token.is_empty()).then_some(next);
    let table = tournament_links_table(&list.tournaments);
    Ok(list_page(address, "Tournaments", table, "There is no tournament.", next.as_ref(), &list))
}

/// Makes a page of the list of matches.
pub(super) async fn match_list(
    pages: &Pages,
    visitor: &Visitor,
    address: &PageAddress,
    tournament: Option<TournamentId>,
    page_token: &str,
) -> Result<Shown, Status> {
    let tournament_id = tournament.map(|id| id.to_string()).unwrap_or_default();
    let page_token = page_token.to_owned();
    let request =
        pb::ListMatchesRequest { page_size: PAGE_SIZE, page_token, tournament_id, ..Default::default() };
    let list = pages.matches.list_matches(visitor.request(request)).await?.into_inner();
    let next = PageAddress::Matches { tournament, page_token: list.next_page_token.clone() };
    let next = (!list.next_page_token.is_empty()).then_some(next);
    let title = if tournament.is_some() { "Matches of the tournament" } else { "Matches" };
    let table = game_table(&list.matches);
    Ok(list_page(address, title, table, "There is no match.", next.as_ref(), &list))
}

/// Makes a page of the list of bots.
pub(super) async fn bot_list(
    pages: &Pages,
    visitor: &Visitor,
    address: &PageAddress,
    page_token: &str,
) -> Result<Shown, Status> {
    let request = pb::ListBotsRequest { page_size: PAGE_SIZE, page_token: page_token.to_owned() };
    let list = pages.bots.list_bots(visitor.request(request)).await?.into_inner();
    let next = PageAddress::Bots { page_token: list.next_page_token.clone() };
    let next = (!list.next_page_token.is_empty()).then_some(next);
    let table = bot_table(&list.bots);
    Ok(list_page(address, "Bots", table, "No bot is registered.", next.as_ref(), &list))
}

fn list_page<M: prost::Name>(
    address: &PageAddress,
    title: &str,
    table: Table,
    nothing: &str,
    next: Option<&PageAddress>,
    message: &M,
) -> Shown {
    let section =
        if table.rows.is_empty() { Section::new().paragraph(nothing) } else { Section::new().table(table) };
    let report = Report::from(section);
    let mut html = Html::with_links(&link_of_cell).report_html(&report);
    if let Some(next) = next {
        html += &link_paragraph(next, "next", "More");
    }
    Shown::of_message(Page::of_html(address, title.into(), html), message).with_tables(address, report)
}
