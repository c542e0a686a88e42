//! Sections for a tournament's format: rounds, brackets, ratings over time, scores against opponents, the cross-table,
//! and lost seats.

use super::address::cell_link;
use super::site::Site;
use super::tournament_parts::{MAX_COMPARED_BOTS, bracket_html, head_to_head_html};
use super::visitor::Visitor;
use lastnim_proto::pb;
use lastnim_report::capital_history::{capital_chart, capital_text};
use lastnim_report::forfeits::{BotForfeits, forfeit_section};
use lastnim_report::opponent_scores::opponent_score_plot;
use lastnim_report::played_rounds::{KnownMatches, played_rounds};
use lastnim_report::rating_history::rating_chart;
use lastnim_report::render::Html;
use lastnim_report::words::count_with_noun;
use lastnim_report::{Block, Round, Section};
use lastnim_tournament::ProgressView;
use pb::bot_service_server::BotService as _;
use pb::match_service_server::MatchService as _;
use pb::tournament_service_server::TournamentService as _;
use pb::tournament_settings::Format;
use std::cmp::Reverse;
use tonic::{Code, Status};

/// The maximum number of matches read for rounds and ratings.
const MAX_MATCHES: u32 = 400;
/// The maximum number of tables shown; the earliest rounds are left out first.
const MAX_TABLES: usize = 120;
/// The maximum number of matches in a tournament whose bots are compared in pairs.
const MAX_COUNTED_MATCHES: u64 = 20_000;
/// A gauntlet with more bots than this does not show the scores against each opponent.
const MAX_OPPONENTS: usize = 60;
/// The maximum number of bots whose lost seats are read.
const MAX_FORFEITERS: usize = 6;
/// The maximum number of lost seats read per bot.
const MAX_LOST_SEATS: u32 = 200;

/// The data that was read for these sections.
#[derive(Debug, Clone, Default)]
pub(super) struct FormatFindings {
    matches: Vec<pb::Match>,
    has_more_matches: bool,
    comparisons: Vec<pb::Comparison>,
    /// Whether the server was too busy for a comparison.
    is_comparison_refused: bool,
    forfeits: Vec<BotForfeits>,
    /// The number of further bots that lost seats.
    other_forfeiters: usize,
}

/// Reads the data that the page shows for the format of a tournament, and how its bots lost seats.
pub(super) async fn read_format_findings(
    site: &Site,
    visitor: &Visitor,
    tournament: &pb::Tournament,
    standings: &[pb::Standing],
) -> Result<FormatFindings, Status> {
    let mut findings = FormatFindings::default();
    let tournament_id = tournament.id.clone();
    match tournament.format_profile().view {
        ProgressView::Rounds | ProgressView::Bracket | ProgressView::Ratings => {
            let request =
                pb::ListMatchesRequest { page_size: MAX_MATCHES, tournament_id, ..Default::default() };
            let list = site.matches.list_matches(visitor.request(request)).await?.into_inner();
            findings.has_more_matches = !list.next_page_token.is_empty();
            findings.matches = list.matches;
        }
        ProgressView::Standings | ProgressView::Opponents | ProgressView::Capital => {}
    }
    if has_comparisons(tournament) {
        let request = pb::GetStandingsRequest { tournament_id: tournament.id.clone(), cross_table: true };
        match site.tournaments.get_standings(visitor.request(request)).await {
            Ok(comparisons) => findings.comparisons = comparisons.into_inner().cross_table,
            Err(status) if status.code() == Code::ResourceExhausted => {
                findings.is_comparison_refused = true;
            }
            Err(status) => return Err(status),
        }
    }
    let mut forfeiters: Vec<_> = standings.iter().filter(|line| line.forfeits > 0).collect();
    forfeiters.sort_by_key(|line| Reverse(line.forfeits));
    findings.other_forfeiters = forfeiters.len().saturating_sub(MAX_FORFEITERS);
    for line in forfeiters.into_iter().take(MAX_FORFEITERS) {
        let request = pb::ListLostSeatsRequest {
            bot: line.bot.clone(),
            tournament_id: tournament.id.clone(),
            page_size: MAX_LOST_SEATS,
            ..Default::default()
        };
        let list = site.bots.list_lost_seats(visitor.request(request)).await?.into_inner();
        let (bot, has_more) = (line.bot.clone(), !list.next_page_token.is_empty());
        findings.forfeits.push(BotForfeits { bot, seats: list.seats, has_more });
    }
    Ok(findings)
}

/// Returns whether the page compares the bots of a tournament in pairs.
fn has_comparisons(tournament: &pb::Tournament) -> bool {
    let most = match tournament.format_profile().view {
        // Each pair meets at most once or twice.
        ProgressView::Bracket => return false,
        ProgressView::Opponents => MAX_OPPONENTS,
        _ => MAX_COMPARED_BOTS,
    };
    (1..=MAX_COUNTED_MATCHES).contains(&tournament.matches_played) && tournament.field.len() <= most
}

/// Writes the cross-table in the order of the standings; empty without one. It is also empty for a gauntlet, whose page
/// shows the scores against each opponent instead.
pub(super) fn cross_table_html(
    tournament: &pb::Tournament,
    standings: &[pb::Standing],
    findings: &FormatFindings,
) -> String {
    if tournament.format_profile().view == ProgressView::Opponents || standings.len() > MAX_COMPARED_BOTS {
        return String::new();
    }
    head_to_head_html(standings, &findings.comparisons)
}

/// Writes the sections; empty if the standings are enough.
pub(super) fn format_sections_html(
    tournament: &pb::Tournament,
    verdict: Option<&pb::Verdict>,
    findings: &FormatFindings,
) -> String {
    let mut bracket = String::new();
    let section = match tournament.format_profile().view {
        ProgressView::Standings => None,
        ProgressView::Rounds => round_section(tournament, verdict, findings),
        ProgressView::Bracket => {
            let (rounds, notes) = shown_rounds(tournament, verdict, findings);
            bracket = bracket_html(&rounds, &notes);
            None
        }
        ProgressView::Ratings => rating_section(findings),
        ProgressView::Capital => verdict.and_then(capital_section),
        ProgressView::Opponents => opponent_section(tournament, findings),
    };
    let others = (findings.other_forfeiters > 0).then(|| {
        let others = count_with_noun(findings.other_forfeiters as u64, "other bot", "other bots");
        format!("These bots lost the most seats; {others} also lost seats: see the standings.")
    });
    let forfeits = forfeit_section(&findings.forfeits).map(|section| section.paragraphs(others));
    let sections = section.into_iter().chain(forfeits);
    let html = Html::with_links(&cell_link);
    [bracket].into_iter().chain(sections.map(|section| html.section_html(&section))).collect()
}

fn opponent_section(tournament: &pb::Tournament, findings: &FormatFindings) -> Option<Section> {
    let section = Section::with_heading("Opponents");
    if findings.is_comparison_refused {
        let notice = "The server is too busy to compare the bots. Reload this page later.";
        return Some(section.paragraph(notice));
    }
    let Some(Format::Gauntlet(gauntlet)) = &tournament.settings.as_ref()?.format else { return None };
    opponent_score_plot(&gauntlet.bot, &findings.comparisons).map(|plot| section.plot(plot))
}

fn round_section(
    tournament: &pb::Tournament,
    verdict: Option<&pb::Verdict>,
    findings: &FormatFindings,
) -> Option<Section> {
    let (rounds, notes) = shown_rounds(tournament, verdict, findings);
    (!rounds.is_empty())
        .then(|| Section::with_heading("Rounds").paragraphs(notes).block(Block::Rounds(rounds)))
}

/// Returns the rounds that were read.
pub(super) fn read_rounds(
    tournament: &pb::Tournament,
    verdict: Option<&pb::Verdict>,
    findings: &FormatFindings,
) -> Vec<Round> {
    let known = if findings.has_more_matches { KnownMatches::Newest } else { KnownMatches::All };
    played_rounds(tournament, verdict, &findings.matches, known)
}

/// Returns the last rounds, and notes on how to read them.
fn shown_rounds(
    tournament: &pb::Tournament,
    verdict: Option<&pb::Verdict>,
    findings: &FormatFindings,
) -> (Vec<Round>, Vec<String>) {
    let mut rounds = read_rounds(tournament, verdict, findings);
    let all = rounds.len();
    let left_out = rounds.last_mut().map_or(0, |newest| {
        let left_out = newest.tables.len().saturating_sub(MAX_TABLES);
        newest.tables.truncate(MAX_TABLES);
        left_out
    });
    let mut tables = 0;
    let mut is_shown = |round: &Round| {
        tables += round.tables.len();
        tables <= MAX_TABLES
    };
    let shown = rounds.iter().rev().take_while(|round| is_shown(round)).count();
    let rounds = rounds.split_off(all - shown);
    let is_cut = shown < all || left_out > 0 || findings.has_more_matches;
    let scoring = tournament.settings.as_ref().map(pb::TournamentSettings::scoring);
    let decided = if scoring == Some(pb::Scoring::Satisfaction) {
        "; tables are decided by satisfaction, not by wins"
    } else {
        ""
    };
    let meaning =
        format!("The number beside each bot is the number of matches that it won at its table{decided}.");
    let cut = is_cut.then(|| "Some matches are not shown; the list of matches has them all.".to_owned());
    (rounds, [meaning].into_iter().chain(cut).collect())
}

/// Charts the capital of a sequential test, and explains it.
fn capital_section(verdict: &pb::Verdict) -> Option<Section> {
    let Some(pb::verdict::Verdict::Sprt(said)) = &verdict.verdict else { return None };
    if said.groups == 0 {
        return None;
    }
    let section = Section::with_heading("Capital").paragraph(capital_text(said));
    Some(match capital_chart(said) {
        Some(chart) => section.block(Block::Chart(chart)),
        None if said.groups == 1 => section,
        None => section.paragraph("The server that ran this test did not store how the capital changed."),
    })
}

fn rating_section(findings: &FormatFindings) -> Option<Section> {
    let caption = if findings.has_more_matches {
        format!("Ratings by wins, for the newest {MAX_MATCHES} matches only")
    } else {
        "Ratings by wins after each match".to_owned()
    };
    let mut matches: Vec<_> = findings.matches.iter().collect();
    matches.sort_by_key(|game| game.setup.as_ref().map(|setup| setup.number));
    let chart = rating_chart(matches, &caption)?;
    Some(Section::with_heading("Ratings over time").block(Block::Chart(chart)))
}
