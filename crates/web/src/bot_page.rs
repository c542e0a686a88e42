//! The page of a bot.

use super::address::{PageAddress, PageFormat, cell_link};
use super::match_page::format_take_ranges;
use super::page::Page;
use super::page_cache::PageLifetime;
use super::page_content::PageContent;
use super::site::Site;
use super::visitor::Visitor;
use askama::Template;
use lastnim_core::game::BotName;
use lastnim_proto::pb;
use lastnim_report::bot_findings::{accuracy_text, clear_condition_sentences};
use lastnim_report::render::{Html, Time, text_html, write_template};
use lastnim_report::words::{count_with_noun, join_first_items};
use lastnim_report::{
    Block, Report, Section,
    bot_record::bot_record_sections,
    bots::{bot_report, lost_seat_text},
    matches::outcome_line,
    rating_history::{newest_rating, rating_chart},
};
use pb::bot_service_server::BotService as _;
use tonic::Status;

/// The maximum number of matches counted by opponent and by seat; the newest ones are counted.
const MAX_COUNTED_MATCHES: u32 = 200;
const MAX_LISTED_MATCHES: usize = 20;
/// The maximum number of open matches, and of lost seats, that are shown; the list of matches has the rest.
const MAX_LISTED_SEATS: usize = 20;

#[derive(Template)]
#[template(path = "bot.html")]
struct BotContent {
    /// What the people who registered it say about it.
    profile: Option<pb::BotProfile>,
    /// How well it plays, in sentences.
    lead: Vec<String>,
    /// Why the page does not say how much of its play is optimal; `None` if it does.
    missing: Option<String>,
    /// A description of its worst error, and the address of the position after it.
    worst: Option<(String, PageAddress)>,
    has_record: bool,
    audit: PageAddress,
    /// The addresses of its open matches.
    open: Vec<String>,
    record: String,
    games: Vec<RecentMatch>,
    lost: Vec<LostSeat>,
    facts: String,
}

struct RecentMatch {
    address: String,
    others: String,
    outcome: String,
}

struct LostSeat {
    at: Time,
    address: String,
    why: String,
}

/// Returns the page of a bot: how well it plays, its results and newest matches, and its state. Its JSON has only the
/// state.
pub(super) async fn bot_page(
    site: &Site,
    visitor: &Visitor,
    name: &BotName,
    form: PageFormat,
) -> Result<PageContent, Status> {
    let request = pb::GetBotRequest { name: name.to_string() };
    let shown = site.bots.get_bot(visitor.request(request)).await?.into_inner();
    if form != PageFormat::Html {
        return Ok(PageContent::without_page(shown));
    }
    let bots = vec![name.to_string()];
    let request = pb::ListMatchesRequest { page_size: MAX_COUNTED_MATCHES, bots, ..Default::default() };
    let list = site.list_matches(visitor, request).await?;
    let audited = site.audits.kept_audit(name);
    let is_over = |game: &pb::Match| game.phase() == pb::Phase::Ended;
    let missing = match audited {
        None if list.matches.iter().any(is_over) => Some(MissingAudit::explain(site, visitor, name)?),
        _ => None,
    };
    let lifetime = missing.as_ref().map_or(PageLifetime::default(), |missing| missing.lifetime);
    let name = name.clone();
    let content = PageContent::of_message(shown.clone(), move |address| {
        let found = audited.as_ref().and_then(|audited| audited.report.as_ref()?.bots.first());
        let rating = newest_rating(list.matches.iter().rev(), &name);
        let accuracy = found.and_then(accuracy_text);
        let headline = bot_headline(&name, rating, accuracy.as_ref().map(|(share, _)| share.as_str()));
        let mut lead: Vec<_> = rating.into_iter().map(|rating| rating_text(rating, &list)).collect();
        lead.extend(accuracy.map(|(_, words)| words));
        lead.extend(found.into_iter().flat_map(clear_condition_sentences));
        let record = record_html(&name, &list);
        let content = BotContent {
            profile: shown.bot.as_ref().and_then(|bot| bot.profile.clone()),
            lead,
            missing: missing.map(|missing| missing.words),
            worst: found.and_then(|found| worst_error(found.puzzles.first()?)),
            has_record: !record.is_empty(),
            audit: PageAddress::BotAudit { name: name.clone() },
            open: shown
                .open_match_ids
                .iter()
                .take(MAX_LISTED_SEATS)
                .filter_map(|id| match_address(id))
                .collect(),
            record,
            games: list
                .matches
                .iter()
                .take(MAX_LISTED_MATCHES)
                .filter_map(|game| recent_match(&name, game))
                .collect(),
            lost: shown.lost_seats.iter().take(MAX_LISTED_SEATS).filter_map(lost_seat).collect(),
            facts: facts_html(shown),
        };
        let page = Page::of_html(address, name.to_string(), write_template(&content));
        Ok(page.with_heading(text_html(&headline)).with_summary(headline))
    });
    Ok(content.with_lifetime(lifetime))
}

/// Why the page does not say how much of a bot's play is optimal.
struct MissingAudit {
    words: String,
    lifetime: PageLifetime,
}

impl MissingAudit {
    fn explain(site: &Site, visitor: &Visitor, name: &BotName) -> Result<Self, Status> {
        if site.audits.is_running(name) {
            let notice = "Its takes are being compared with optimal play: reload this page in a few seconds.";
            return Ok(Self { words: notice.to_owned(), lifetime: PageLifetime::Uncacheable });
        }
        let caller = site.access.require_viewer(&visitor.request(()))?;
        let notice = match site.arena.check_oracle_open(caller.as_ref()) {
            Ok(()) => {
                "No comparison of its takes with optimal play is ready: follow the link below to start one."
                    .to_owned()
            }
            Err(closed) => format!("Its takes cannot be compared with optimal play now: {closed}."),
        };
        Ok(Self { words: notice, lifetime: PageLifetime::default() })
    }
}

/// Describes a bot's rating, how uncertain it is, and the share of its takes that are optimal.
fn bot_headline(name: &BotName, rating: Option<(f64, f64, f64)>, accuracy: Option<&str>) -> String {
    let rated = rating.map(|(points, low, high)| format!("is rated {points:.0} ± {:.0}", (high - low) / 2.0));
    let plays = accuracy.map(|share| format!("{share} of its takes are optimal"));
    match (rated, plays) {
        (Some(rated), Some(plays)) => format!("{name} {rated}, and {plays}"),
        (Some(rated), None) => format!("{name} {rated}"),
        (None, Some(plays)) => format!("{name}: {plays}"),
        (None, None) => format!("{name} has not finished a match that counts"),
    }
}

fn rating_text((_, low, high): (f64, f64, f64), list: &pb::ListMatchesResponse) -> String {
    let matches = count_with_noun(list.matches.len() as u64, "match", "matches");
    let which = if list.next_page_token.is_empty() { "its" } else { "its newest" };
    format!(
        "Its rating is based on the wins in {which} {matches}; its 95% interval is {low:.0} to {high:.0}. All bots start at 1500; a lead of 400 points over another bot means ten times as many wins as that bot."
    )
}

/// Describes an error, and returns the address of the position after it.
fn worst_error(puzzle: &pb::Puzzle) -> Option<(String, PageAddress)> {
    let game = puzzle.game.as_ref()?;
    let name = |seat: u32| puzzle.bots.get(seat as usize).map(String::as_str).unwrap_or_default();
    let others = puzzle.bots.iter().enumerate().filter(|(seat, _)| *seat != game.first as usize);
    let others: Vec<_> = others.map(|(_, bot)| bot.clone()).collect();
    let after = puzzle.ply + 1;
    let sentence = format!(
        "at take {after}, against {}, it took {} of {}, which cost it {}. Taking {} would have made {} win.",
        join_first_items(&others),
        puzzle.take,
        game.piles.iter().rfind(|&&counters| counters > 0)?,
        count_with_noun(puzzle.regret, "place", "places"),
        format_take_ranges(&puzzle.optimal_takes),
        name(puzzle.winner_if_optimal),
    );
    Some((sentence, PageAddress::Match { id: puzzle.match_id.parse().ok()?, ply: Some(after) }))
}

fn match_address(id: &str) -> Option<String> {
    cell_link("match", id)
}

fn recent_match(name: &BotName, game: &pb::Match) -> Option<RecentMatch> {
    let bots = &game.setup.as_ref()?.bots;
    let others: Vec<_> = bots.iter().filter(|bot| *bot != name.as_str()).cloned().collect();
    let winner = game.winner.and_then(|winner| bots.get(winner as usize));
    let takes = count_with_noun(game.plies, "take", "takes");
    let outcome = match winner.filter(|_| game.void_reason.is_empty()) {
        Some(winner) if winner == name.as_str() => format!("it won, {takes}"),
        Some(winner) => format!("{winner} won, {takes}"),
        None => format!("{}, {takes}", outcome_line(game)),
    };
    Some(RecentMatch { address: match_address(&game.id)?, others: join_first_items(&others), outcome })
}

fn lost_seat(lost: &pb::LostSeat) -> Option<LostSeat> {
    let address = match_address(&lost.match_id)?;
    Some(LostSeat { at: Time(lost.at_us), address, why: lost_seat_text(lost) })
}

/// Writes the rest of the data about a bot, without its profile and its matches, which the page shows elsewhere.
fn facts_html(mut shown: pb::GetBotResponse) -> String {
    if let Some(bot) = &mut shown.bot {
        bot.profile = None;
    }
    shown.open_match_ids.clear();
    shown.lost_seats.clear();
    Html::with_links(&cell_link).report_html(&bot_report(&shown))
}

/// Summarises a bot's newest matches.
fn record_html(name: &BotName, list: &pb::ListMatchesResponse) -> String {
    let sections = bot_record_sections(name.as_str(), &list.matches);
    if sections.is_empty() {
        return String::new();
    }
    let sentence = if list.next_page_token.is_empty() {
        "All its finished matches are counted here.".to_owned()
    } else {
        format!(
            "Only its newest {} are counted here.",
            count_with_noun(list.matches.len() as u64, "match", "matches")
        )
    };
    // The list starts with the newest match, but a chart needs the oldest first.
    let chart =
        rating_chart(list.matches.iter().rev(), "Its rating by wins in these matches, starting at 1500");
    let chart = chart.map(|mut chart| {
        chart.lines.retain(|line| line.label == name.as_str());
        Section::with_heading("Rating over time").block(Block::Chart(chart))
    });
    let head = Section::with_heading("Record").paragraph(sentence);
    let report: Report = [head].into_iter().chain(sections).chain(chart).collect();
    Html::with_links(&cell_link).report_html(&report)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_headline_shows_rating_and_accuracy_if_they_are_known() {
        let name = "ann".parse().unwrap();
        let rating = Some((1_470.4, 1_420.0, 1_520.0));
        assert_eq!(
            bot_headline(&name, rating, Some("69.4%")),
            "ann is rated 1470 ± 50, and 69.4% of its takes are optimal"
        );
        assert_eq!(bot_headline(&name, rating, None), "ann is rated 1470 ± 50");
        assert_eq!(bot_headline(&name, None, None), "ann has not finished a match that counts");
    }

    #[test]
    fn the_worst_error_is_described_with_the_names_of_bots() {
        let puzzle = pb::Puzzle {
            match_id: "0192f0c1-2e6b-7c3a-8f4d-5a6b7c8d9e0f".into(),
            ply: 3,
            bots: ["ann", "bob", "cara"].map(str::to_owned).into(),
            game: Some(pb::Game { piles: vec![2, 5, 0], first: 1, ..Default::default() }),
            take: 2,
            optimal_takes: vec![pb::TakeRange { lo: 3, hi: 4 }],
            winner_if_optimal: 2,
            regret: 2,
            ..Default::default()
        };
        let (words, address) = worst_error(&puzzle).unwrap();
        assert_eq!(
            words,
            "at take 4, against ann, cara, it took 2 of 5, which cost it 2 places. Taking 3 or 4 would have made cara win."
        );
        assert!(address.to_string().ends_with("?ply=4"), "{address}");
    }
}
