//! A bot.

use super::address::link_of_match_cell;
use super::page::Page;
use super::page_content::PageContent;
use super::pages::Pages;
use super::visitor::Visitor;
use crate::game::BotName;
use crate::report::render::Html;
use crate::report::{Section, bots::bot_report, matches::match_table};
use crate::wire::pb;
use pb::bot_service_server::BotService as _;
use pb::match_service_server::MatchService as _;
use tonic::Status;

/// Matches that are shown.
const MATCHES: u32 = 20;
/// Ids of open matches, and lost seats, that are shown; the list of matches has the others.
const SHOWN: usize = 20;

/// Returns what is known of a bot, and its newest matches.
pub(super) async fn bot_page(
    pages: &Pages,
    visitor: &Visitor,
    name: &BotName,
) -> Result<PageContent, Status> {
    let request = pb::GetBotRequest { name: name.to_string() };
    let shown = pages.bots.get_bot(visitor.request(request)).await?.into_inner();
    let bots = vec![name.to_string()];
    let request = pb::ListMatchesRequest { page_size: MATCHES, bots, ..Default::default() };
    let matches = pages.matches.list_matches(visitor.request(request)).await?.into_inner().matches;
    let title = name.to_string();
    Ok(PageContent::of_message(shown.clone(), move |address| {
        let mut shown = shown;
        shown.open_match_ids.truncate(SHOWN);
        shown.lost_seats.truncate(SHOWN);
        let section = if matches.is_empty() {
            Section::with_heading("Matches").paragraph("It has played no match yet.")
        } else {
            Section::with_heading("Newest matches").table(match_table(&matches))
        };
        let report = bot_report(&shown).with_section(section);
        Ok(Page::of_html(address, title, Html::with_links(&link_of_match_cell).report_html(&report)))
    }))
}
