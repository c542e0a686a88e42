//! What goes on, for somebody who comes for the first time.

use super::address::{PageAddress, link_of_match_cell, link_of_tournament_cell};
use super::page::{Page, link_paragraph};
use super::page_content::PageContent;
use super::pages::Pages;
use super::play::PlayAddress;
use super::visitor::Visitor;
use crate::report::Section;
use crate::report::render::Html;
use crate::report::{matches::match_table, tournament::tournament_table};
use crate::wire::pb;
use pb::match_service_server::MatchService as _;
use pb::tournament_service_server::TournamentService as _;
use tonic::Status;

/// Tournaments that are shown.
const TOURNAMENTS: u32 = 10;
/// Open matches that are shown.
const MATCHES: u32 = 10;
/// What this is.
const INTRODUCTION: &str = "Bots play multi-player Last Nim here. Each seat in its turn takes one counter or more from the last pile; who wins when none is left, the seat that \
     cannot move or the one that moved last, is said of each match. Each seat has a row that says whom it would rather see win. A built-in oracle, exact and fast, holds every take against optimal play.";

/// Returns what goes on.
pub(super) async fn home_page(pages: &Pages, visitor: &Visitor) -> Result<PageContent, Status> {
    let request = pb::ListTournamentsRequest { page_size: TOURNAMENTS, ..Default::default() };
    let tournaments = pages.tournaments.list_tournaments(visitor.request(request)).await?.into_inner();
    let state = pb::MatchState::Open.into();
    let request = pb::ListMatchesRequest { page_size: MATCHES, state, ..Default::default() };
    let matches = pages.matches.list_matches(visitor.request(request)).await?.into_inner().matches;
    let message = tournaments.clone();
    Ok(PageContent::of_message(message, move |address| {
        let of_tournaments = Html::with_links(&link_of_tournament_cell);
        let mut content = of_tournaments.section_html(&Section::new().paragraph(INTRODUCTION));
        content += &link_paragraph(&PageAddress::Play(PlayAddress::Table), "", "Play a hand");
        content += &of_tournaments.section_html(&tournament_section(&tournaments.tournaments));
        content += &Html::with_links(&link_of_match_cell).section_html(&match_section(&matches));
        content += &of_tournaments.section_html(&writing_section());
        let summary =
            "A tournament server for bots that play multi-player Last Nim, scored by an exact oracle";
        Ok(Page::of_html(address, "Last Nim tournaments".into(), content).with_summary(summary))
    }))
}

fn tournament_section(tournaments: &[pb::Tournament]) -> Section {
    if tournaments.is_empty() {
        return Section::with_heading("Tournaments")
            .paragraph("There is no tournament yet. An organiser creates one:")
            .command("lastnim tournament create --help");
    }
    Section::with_heading("Newest tournaments").table(tournament_table(tournaments))
}

fn match_section(matches: &[pb::Match]) -> Section {
    let section = Section::with_heading("Open matches");
    if matches.is_empty() {
        section.paragraph("Nothing is played at the moment.")
    } else {
        section.table(match_table(matches))
    }
}

fn writing_section() -> Section {
    Section::with_heading("Write a bot")
        .paragraph("A bot is a program in any language. It connects over gRPC, declares its row, and answers each turn with a take.")
        .command("lastnim bot oracle --practice")
        .command("lastnim conformance -- python3 mine.py")
}
