//! The page of a bot.

use super::address::{PageAddress, link_of_cell, link_of_match_cell};
use super::page::{Page, link_paragraph};
use super::page_content::PageContent;
use super::site::Site;
use super::visitor::Visitor;
use lastnim_core::game::BotName;
use lastnim_proto::pb;
use lastnim_report::render::Html;
use lastnim_report::words::count_words;
use lastnim_report::{
    Block, Report, Section, bot_record::bot_record_sections, bots::bot_report, matches::match_table,
    rating_history::rating_chart,
};
use pb::bot_service_server::BotService as _;
use tonic::Status;

/// Maximum number of matches, the newest ones, that are counted by opponent and by seat.
const MAX_COUNTED_MATCHES: u32 = 200;
const MAX_LISTED_MATCHES: usize = 20;
/// Maximum number of open matches and of lost seats shown; the list of matches has the rest.
const MAX_LISTED_SEATS: usize = 20;

/// Returns the page of a bot: its state, its results and its newest matches.
pub(super) async fn bot_page(site: &Site, visitor: &Visitor, name: &BotName) -> Result<PageContent, Status> {
    let request = pb::GetBotRequest { name: name.to_string() };
    let shown = site.bots.get_bot(visitor.request(request)).await?.into_inner();
    let bots = vec![name.to_string()];
    let request = pb::ListMatchesRequest { page_size: MAX_COUNTED_MATCHES, bots, ..Default::default() };
    let list = site.list_matches(visitor, request).await?;
    let name = name.clone();
    Ok(PageContent::of_message(shown.clone(), move |address| {
        let mut shown = shown;
        shown.open_match_ids.truncate(MAX_LISTED_SEATS);
        shown.lost_seats.truncate(MAX_LISTED_SEATS);
        let mut html = Html::with_links(&link_of_match_cell).report_html(&bot_report(&shown));
        html += &record_html(&name, &list);
        let newest = &list.matches[..list.matches.len().min(MAX_LISTED_MATCHES)];
        let section = if newest.is_empty() {
            Section::with_heading("Matches").paragraph("This bot has not played any matches yet.")
        } else {
            Section::with_heading("Newest matches").table(match_table(newest))
        };
        html += &Html::with_links(&link_of_match_cell).section_html(&section);
        let summary = format!("The results of {name}: its matches, opponents and ratings");
        Ok(Page::of_html(address, name.to_string(), html).with_summary(summary))
    }))
}

/// Summarises a bot's newest matches.
fn record_html(name: &BotName, list: &pb::ListMatchesResponse) -> String {
    let sections = bot_record_sections(name.as_str(), &list.matches);
    if sections.is_empty() {
        return String::new();
    }
    let of_all = if list.next_page_token.is_empty() {
        "All its finished matches.".to_owned()
    } else {
        format!("Its newest {}.", count_words(list.matches.len() as u64, "match", "matches"))
    };
    // The list starts with the newest match.
    let chart =
        rating_chart(list.matches.iter().rev(), "Its rating by wins in these matches, starting at 1500");
    let chart = chart.map(|mut chart| {
        chart.lines.retain(|line| line.label == name.as_str());
        Section::with_heading("Rating over time").block(Block::Chart(chart))
    });
    let head = Section::with_heading("Record").paragraph(of_all);
    let report: Report = [head].into_iter().chain(sections).chain(chart).collect();
    let audit = PageAddress::BotAudit { name: name.clone() };
    link_paragraph(
        &audit,
        "nofollow",
        "Audit: its newest matches compared with optimal play, and its worst errors as puzzles",
    ) + &Html::with_links(&link_of_cell).report_html(&report)
}
