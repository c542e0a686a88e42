//! A bot.

use super::address::PageAddress;
use super::lists::game_table;
use super::page::Page;
use super::pages::{Pages, Shown};
use super::visitor::Visitor;
use crate::game::BotName;
use crate::report::{Section, bots::bot_report};
use crate::wire::pb;
use pb::bot_service_server::BotService as _;
use pb::match_service_server::MatchService as _;
use tonic::Status;

/// Matches that are shown.
const MATCHES: u32 = 20;

/// Makes the page of a bot: what is known of it, and its newest matches.
pub(super) async fn bot_page(
    pages: &Pages,
    visitor: &Visitor,
    address: &PageAddress,
    name: &BotName,
) -> Result<Shown, Status> {
    let request = pb::GetBotRequest { name: name.to_string() };
    let shown = pages.bots.get_bot(visitor.request(request)).await?.into_inner();
    let bots = vec![name.to_string()];
    let request = pb::ListMatchesRequest { page_size: MATCHES, bots, ..Default::default() };
    let matches = pages.matches.list_matches(visitor.request(request)).await?.into_inner().matches;
    let section = if matches.is_empty() {
        Section::with_heading("Matches").paragraph("It has played no match yet.")
    } else {
        Section::with_heading("Newest matches").table(game_table(&matches))
    };
    let report = bot_report(&shown).with_section(section);
    Ok(Shown::of_message(Page::of_report(address, name.to_string(), &report), &shown))
}
