//! Pages that other sites can show in a frame: without forms, cookies and scripts. Their links open in new tabs.

use super::address::PageAddress;
use super::asset::asset_address;
use super::page::Page;
use super::page_content::PageContent;
use super::picture::current_finding;
use super::site::Site;
use super::trail::tournament_title;
use super::visitor::Visitor;
use askama::Template;
use lastnim_core::game::TournamentId;
use lastnim_proto::pb;
use lastnim_report::Section;
use lastnim_report::render::{Html, text_html, write_template};
use lastnim_report::standings::standings_table;
use pb::tournament_service_server::TournamentService as _;
use tonic::Status;

/// The maximum number of bots in the standings.
const MAX_BOTS: usize = 8;
/// The columns of the standings.
const COLUMNS: [&str; 4] = ["place", "bot", "wins", "rating"];

/// A page that other sites can show in a frame.
#[derive(Debug, Template)]
#[template(path = "embed.html")]
struct EmbeddedPage<'a> {
    page: &'a Page,
    /// The address and the title of the full page.
    whole: (String, &'a str),
    style: String,
}

/// Writes a page that other sites can show in a frame. `whole` is the full page.
pub(super) fn embedded_page_html(page: &Page, whole: &PageAddress) -> String {
    let title = if page.title.is_empty() { "the whole page" } else { page.title.as_str() };
    write_template(&EmbeddedPage {
        page,
        whole: (whole.to_string(), title),
        style: asset_address("style.css"),
    })
}

/// Returns the top of a tournament's standings, as other sites can show it in a frame.
pub(super) async fn embedded_tournament(
    site: &Site,
    visitor: &Visitor,
    id: TournamentId,
) -> Result<PageContent, Status> {
    let tournament = site.get_tournament(visitor, id).await?.tournament.unwrap_or_default();
    let request = pb::GetStandingsRequest { tournament_id: id.to_string(), cross_table: false };
    let shown = site.tournaments.get_standings(visitor.request(request)).await?.into_inner();
    Ok(PageContent::of_message(shown.clone(), move |address| {
        let finding = current_finding(&tournament, &shown);
        let mut standings = shown.standings.clone();
        standings.truncate(MAX_BOTS);
        let mut table = standings_table(&standings);
        let is_shown: Vec<bool> =
            table.columns.iter().map(|column| COLUMNS.contains(&column.key.as_str())).collect();
        let is_kept = |index: &usize| is_shown[*index];
        table.columns =
            (0..is_shown.len()).filter(is_kept).map(|index| table.columns[index].clone()).collect();
        for row in &mut table.rows {
            row.cells = (0..is_shown.len()).filter(is_kept).map(|index| row.cells[index].clone()).collect();
        }
        let section = Section::new().paragraph(finding.certainty).table(table);
        let content = Html::with_links(&|_, _| None).section_html(&section);
        let page = Page::of_html(address, tournament_title(&tournament), content);
        Ok(page.with_heading(text_html(&finding.headline)))
    }))
}
