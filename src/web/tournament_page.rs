//! A tournament.

use super::address::{PageAddress, PageForm, link_of_cell};
use super::lists::game_table;
use super::page::{Page, link_paragraph};
use super::pages::{Pages, Shown};
use super::visitor::Visitor;
use crate::game::TournamentId;
use crate::report::render::{Escaped, Html};
use crate::report::{
    Report, Section,
    standings::standings_report,
    tournament::{progress_line, progress_words, tournament_report},
};
use crate::wire::pb;
use pb::match_service_server::MatchService as _;
use pb::tournament_service_server::TournamentService as _;
use tonic::Status;

/// Matches that are shown.
const MATCHES: u32 = 15;

/// Makes the page of a tournament: where it stands, who leads, its newest matches, and what it is.
pub(super) async fn tournament_page(
    pages: &Pages,
    visitor: &Visitor,
    address: &PageAddress,
    id: TournamentId,
) -> Result<Shown, Status> {
    let tournament_id = id.to_string();
    let request = pb::GetTournamentRequest { tournament_id: tournament_id.clone() };
    let shown = pages.tournaments.get_tournament(visitor.request(request)).await?.into_inner();
    let tournament = shown.tournament.clone().unwrap_or_default();
    let standings = read_standings(pages, visitor, id, CrossTable::LeftOut).await?;
    let request = pb::ListMatchesRequest { page_size: MATCHES, tournament_id, ..Default::default() };
    let matches = pages.matches.list_matches(visitor.request(request)).await?.into_inner().matches;
    let html = Html::with_links(&link_of_cell);
    let mut content = progress_html(&tournament);
    content += &standings_html(html, id, standings.standings.is_empty(), &standings_report(&standings));
    if !matches.is_empty() {
        content += &html.section_html(&Section::with_heading("Newest matches").table(game_table(&matches)));
        let all = PageAddress::Matches { tournament: Some(id), page_token: String::new() };
        content += &link_paragraph(&all, "", "All matches");
    }
    let facts = tournament_report(&tournament, &shown);
    let sections = facts.sections.into_iter().enumerate().map(|(index, section)| match index {
        0 => Section { heading: Some("What is played".to_owned()), ..section },
        _ => section,
    });
    content += &html.report_html(&sections.collect());
    let title = tournament.settings.as_ref().map(|settings| settings.title.clone()).unwrap_or_default();
    let page = Page::of_html(address, title, content).with_summary(progress_line(&tournament));
    Ok(Shown::of_message(page, &shown))
}

/// Makes the page of standings with the cross-table.
pub(super) async fn standings_page(
    pages: &Pages,
    visitor: &Visitor,
    address: &PageAddress,
    id: TournamentId,
) -> Result<Shown, Status> {
    let standings = read_standings(pages, visitor, id, CrossTable::Shown).await;
    let standings = match standings {
        // Of many bots there is none.
        Err(status) if status.code() == tonic::Code::ResourceExhausted => {
            read_standings(pages, visitor, id, CrossTable::LeftOut).await?
        }
        standings => standings?,
    };
    let report = standings_report(&standings);
    let page = Page::of_report(address, "Standings and cross-table".into(), &report);
    Ok(Shown::of_message(page, &standings).with_tables(address, report))
}

/// Whether standings come with the cross-table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum CrossTable {
    Shown,
    LeftOut,
}

async fn read_standings(
    pages: &Pages,
    visitor: &Visitor,
    id: TournamentId,
    cross_table: CrossTable,
) -> Result<pb::GetStandingsResponse, Status> {
    let cross_table = cross_table == CrossTable::Shown;
    let request = pb::GetStandingsRequest { tournament_id: id.to_string(), cross_table };
    Ok(pages.tournaments.get_standings(visitor.request(request)).await?.into_inner())
}

/// Shows where the tournament stands, in words and as a bar.
fn progress_html(tournament: &pb::Tournament) -> String {
    let words = progress_words(tournament);
    let state = crate::report::words::enum_word(tournament.state().as_str_name(), "TOURNAMENT_STATE_");
    let bar = if tournament.matches_total == 0 {
        String::new()
    } else {
        let (played, total) = (tournament.matches_played, tournament.matches_total);
        format!("<progress max=\"{total}\" value=\"{played}\">{played} of {total}</progress>")
    };
    format!("<p class=\"state {}\"><strong>{}</strong> {bar}</p>\n", Escaped(&state), Escaped(&words))
}

fn standings_html(html: Html<'_>, id: TournamentId, is_empty: bool, report: &Report) -> String {
    if is_empty {
        return html.section_html(&Section::with_heading("Standings").paragraph("Nobody is in it yet."));
    }
    let standings = PageAddress::Standings(id);
    let links = format!(
        "<p><a href=\"{}\">With the cross-table</a> <a href=\"{}\">as CSV</a></p>\n",
        Escaped(&standings.to_string()),
        Escaped(&standings.in_form(PageForm::Csv))
    );
    let mut sections = report.sections.clone();
    if let Some(first) = sections.first_mut() {
        first.heading = Some("Standings".to_owned());
    }
    html.report_html(&sections.into_iter().collect()) + &links
}
