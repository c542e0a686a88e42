//! What goes on, for somebody who comes for the first time.

use super::address::{PageAddress, link_of_cell};
use super::lists::{game_table, tournament_links_table};
use super::page::Page;
use super::pages::{Pages, Shown};
use super::visitor::Visitor;
use crate::report::render::Html;
use crate::report::{Report, Section};
use crate::wire::pb;
use pb::match_service_server::MatchService as _;
use pb::tournament_service_server::TournamentService as _;
use tonic::Status;

/// Tournaments that are shown.
const TOURNAMENTS: u32 = 10;
/// Open matches that are shown.
const MATCHES: u32 = 10;

/// Makes the page of what goes on.
pub(super) async fn home_page(
    pages: &Pages,
    visitor: &Visitor,
    address: &PageAddress,
) -> Result<Shown, Status> {
    let request = pb::ListTournamentsRequest { page_size: TOURNAMENTS, ..Default::default() };
    let tournaments = pages.tournaments.list_tournaments(visitor.request(request)).await?.into_inner();
    let state = pb::MatchState::Open.into();
    let request = pb::ListMatchesRequest { page_size: MATCHES, state, ..Default::default() };
    let matches = pages.matches.list_matches(visitor.request(request)).await?.into_inner();
    let intro = Section::new().paragraph(
        "Bots play multi-player Last Nim here: from the last pile on, each seat takes one counter or more, and who would have to move when none is left wins, \
         or who took the last, as the match says. Each seat has a row that says whom it would rather see win. A built-in oracle, exact and fast, scores every take against optimal play.",
    );
    let tournament_section = if tournaments.tournaments.is_empty() {
        Section::with_heading("Tournaments")
            .paragraph("There is no tournament yet. An organiser creates one:")
            .command("lastnim tournament create --help")
    } else {
        Section::with_heading("Newest tournaments").table(tournament_links_table(&tournaments.tournaments))
    };
    let match_section = if matches.matches.is_empty() {
        Section::with_heading("Open matches").paragraph("Nothing is played at the moment.")
    } else {
        Section::with_heading("Open matches").table(game_table(&matches.matches))
    };
    let write = Section::with_heading("Write a bot")
        .paragraph("A bot is a program in any language. It connects over gRPC, declares its row, and answers each turn with a take.")
        .command("lastnim bot oracle --practice")
        .command("lastnim conformance -- python3 mine.py");
    let report: Report = [intro, tournament_section, match_section, write].into_iter().collect();
    let html = Html::with_links(&link_of_cell).report_html(&report);
    let page = Page::of_html(address, "Last Nim tournaments".into(), html).with_summary(
        "A tournament server for bots that play multi-player Last Nim, scored by an exact oracle",
    );
    // The twin is the list that changes.
    Ok(Shown::of_message(page, &tournaments))
}
