//! The page of a tournament.

use super::address::{PageAddress, PageFormat, cell_link};
use super::fold::folded_html;
use super::page::{Page, link_paragraph};
use super::page_content::PageContent;
use super::site::Site;
use super::tournament_format_sections::read_format_findings;
use super::tournament_parts::MAX_COMPARED_BOTS;
use super::tournament_view::{TournamentData, TournamentView, read_previews};
use super::visitor::Visitor;
use askama::Template;
use lastnim_core::game::TournamentId;
use lastnim_proto::pb;
use lastnim_report::render::{Html, text_html, write_template};
use lastnim_report::{
    ReportReader, Section, standings::standings_report, tournament::tournament_report,
    tournament_toml::tournament_toml,
};
use pb::tournament_service_server::TournamentService as _;
use std::sync::Arc;
use tonic::{Code, Status};

/// The maximum number of newest matches that are read for the list on the page.
const MAX_NEWEST_MATCHES: u32 = 15;
/// The maximum number of lines on a page of standings.
const MAX_LINES: usize = 100;
/// The maximum number of bots that the settings name.
const MAX_FIELD_BOTS: usize = 30;

/// Returns the page of a tournament.
pub(super) async fn tournament_page(
    site: &Site,
    visitor: &Visitor,
    id: TournamentId,
) -> Result<PageContent, Status> {
    let shown = site.get_tournament(visitor, id).await?;
    let standings = read_standings(site, visitor, id, CrossTable::Omitted).await?;
    let tournament = shown.tournament.clone().unwrap_or_default();
    let findings = read_format_findings(site, visitor, &tournament, &standings.standings).await?;
    let matches = newest_matches(site, visitor, id).await?;
    let previews = read_previews(site, visitor, &shown).await?;
    let toml = tournament_toml(&tournament);
    let content = PageContent::of_message(shown.clone(), move |address| {
        let fixed = settings_html(&tournament, shown.clone()) + &downloads_html(id);
        let findings = Arc::new(findings);
        let view = TournamentView::new(TournamentData { id, shown, standings, matches, previews, findings });
        let title = tournament.settings.as_ref().map(|settings| settings.title.clone()).unwrap_or_default();
        let page = Page::of_html(address, title, view.html(&fixed)).with_summary(view.finding.text());
        Ok(page.with_heading(text_html(&view.finding.headline)))
    });
    Ok(content.with_toml(toml))
}

pub(super) async fn newest_matches(
    site: &Site,
    visitor: &Visitor,
    id: TournamentId,
) -> Result<Vec<pb::Match>, Status> {
    let tournament_id = id.to_string();
    let request =
        pb::ListMatchesRequest { page_size: MAX_NEWEST_MATCHES, tournament_id, ..Default::default() };
    Ok(site.list_matches(visitor, request).await?.matches)
}

/// Links to download a tournament.
#[derive(Template)]
#[template(path = "downloads.html")]
struct Downloads {
    csv: String,
    json: String,
    toml: String,
    records: String,
}

fn downloads_html(id: TournamentId) -> String {
    let records = Section::new()
        .paragraph("All records, and the signed manifest that lists them:")
        .command(format!("lastnim record export --tournament {id} --dir records"))
        .command(format!("lastnim tournament manifest {id} --output manifest.jsonl"));
    let standings = PageAddress::Standings { id, from: None };
    let content = write_template(&Downloads {
        csv: standings.in_format(PageFormat::Csv),
        json: standings.in_format(PageFormat::Json),
        toml: PageAddress::Tournament { id }.in_format(PageFormat::Toml),
        records: Html::with_links(&cell_link).section_html(&records),
    });
    folded_html("Downloads", content)
}

/// Returns a page of the standings, with the cross-table if it is small.
pub(super) async fn standings_page(
    site: &Site,
    visitor: &Visitor,
    (id, from): (TournamentId, u32),
    form: PageFormat,
) -> Result<PageContent, Status> {
    let standings = read_standings(site, visitor, id, CrossTable::Omitted).await?;
    let is_compared = form != PageFormat::Html || standings.standings.len() <= MAX_COMPARED_BOTS;
    let standings = if is_compared {
        match read_standings(site, visitor, id, CrossTable::Included).await {
            // The cross-table is too large, or the server is too busy.
            Err(status) if status.code() == Code::ResourceExhausted => standings,
            compared => compared?,
        }
    } else {
        standings
    };
    let (all, from) = (standings.standings.len(), from as usize);
    let next = u32::try_from(from.saturating_add(MAX_LINES)).ok().filter(|&next| (next as usize) < all);
    let next = next.map(|from| PageAddress::Standings { id, from: Some(from) });
    let (tables, after) = (standings_report(&standings), next.clone());
    let content = PageContent::of_message(standings.clone(), move |address| {
        let mut standings = standings;
        standings.standings = standings.standings.into_iter().skip(from).take(MAX_LINES).collect();
        let has_cross_table = all <= MAX_COMPARED_BOTS && !standings.cross_table.is_empty();
        if !has_cross_table {
            standings.cross_table.clear();
        }
        standings.events.clear();
        let mut html = Html::with_links(&cell_link).report_html(&standings_report(&standings));
        if let Some(next) = after {
            html += &link_paragraph(&next, "next", "More");
        }
        if !has_cross_table && all > MAX_COMPARED_BOTS {
            let why = format!(
                "The cross-table of {all} bots is too large for this page. With up to 200 bots, the JSON and CSV of this page contain it."
            );
            html += &Html::with_links(&cell_link).section_html(&Section::new().paragraph(why));
        }
        let summary =
            "The points, figures and ratings of all bots in this tournament, and how each did against each";
        Ok(Page::of_html(address, "Standings".into(), html).with_summary(summary))
    });
    Ok(content.with_tables(tables).with_next(next))
}

/// Whether to read the cross-table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum CrossTable {
    Included,
    Omitted,
}

async fn read_standings(
    site: &Site,
    visitor: &Visitor,
    id: TournamentId,
    cross_table: CrossTable,
) -> Result<pb::GetStandingsResponse, Status> {
    let cross_table = cross_table == CrossTable::Included;
    let request = pb::GetStandingsRequest { tournament_id: id.to_string(), cross_table };
    Ok(site.tournaments.get_standings(visitor.request(request)).await?.into_inner())
}

/// Writes the settings, without what the page shows elsewhere.
fn settings_html(tournament: &pb::Tournament, shown: pb::GetTournamentResponse) -> String {
    let mut tournament = tournament.clone();
    if let Some(more) = tournament.field.len().checked_sub(MAX_FIELD_BOTS).filter(|&more| more > 0) {
        tournament.field.truncate(MAX_FIELD_BOTS);
        tournament.field.push(format!("and {more} more"));
    }
    let shown = pb::GetTournamentResponse { verdict: None, events: Vec::new(), activity: None, ..shown };
    let report = tournament_report(&tournament, &shown, ReportReader::Page);
    folded_html("Settings", Html::with_links(&cell_link).report_html(&report))
}
