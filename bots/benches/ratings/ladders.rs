//! The coverage of rating intervals in ladders whose bots differ in strength.

use super::play::{Contestant, play_tournament, settings};
use lastnim_core::{game::BotName, oracle::Budget};
use lastnim_tournament::{
    AllianceSource, GroupCount, LadderPairing, LadderSettings, MatchResult, RatingEvidence, ReplicateCount,
    Settings, SettingsDraft, Standing, StandingRating, Standings, Streak, TableGroups, TournamentFormat,
    TournamentState,
};
use std::collections::BTreeMap;

const FIELD: [&str; 12] = [
    "oracle",
    "loyal",
    "traitor",
    "grudger",
    "mirror",
    "greedy",
    "timid",
    "random",
    "minimax-2",
    "minimax-4",
    "epsilon-0.2",
    "mcts-8",
];
const POSITIONS: u64 = 200;
const SEED: u64 = 2019;
/// The lengths of ladders in groups, each with the number of ladders that are played.
const LENGTHS: [(u64, u64); 4] = [(24, 100), (60, 60), (400, 30), (1_000, 20)];
/// The number of groups of the balanced sample that gives the true ratings.
const TRUTH_GROUPS: u64 = 30_000;

/// Prints the shares of intervals that contain the rating of a balanced sample of the whole field.
pub fn print() {
    println!("\nLadders of {} house bots: how many of 100 95% intervals contain the true value", FIELD.len());
    println!(
        "| seats, rows | groups | intervals that contain it, % | half-width | ladders with disjoint intervals in the wrong order, % | ranges of places that contain the true one, % | places in a range |"
    );
    println!("|---|---|---|---|---|---|---|");
    for seats in [3, 4, 5] {
        for (rows, alliance) in [("standard", AllianceSource::Standard), ("random", AllianceSource::Random)] {
            let play = |format, seed| {
                let plain = settings(format, seats, alliance.clone(), POSITIONS, SEED);
                let settings =
                    Settings::new(SettingsDraft { seed, ..(*plain).clone() }).expect("the settings fit");
                rate(&settings, &play_tournament(&settings, &contestants()))
            };
            let count = |groups| GroupCount::new(groups).expect("an allowed number");
            let truth = play(TournamentFormat::Sample { groups: count(TRUTH_GROUPS) }, SEED);
            for (groups, ladders) in LENGTHS {
                let ladder = LadderSettings {
                    groups: Some(count(groups)),
                    table_groups: TableGroups::ONE,
                    suspend_after: Streak::new(1_000).expect("an allowed number"),
                    pairing: LadderPairing::default(),
                };
                let rated = (0..ladders).map(|run| play(TournamentFormat::Ladder(ladder), SEED + 1 + run));
                let found = Coverage::of_ladders(rated, &truth);
                println!(
                    "| {seats}, {rows} | {groups} | {:.1} | {:.3} | {:.1} | {:.1} | {:.1} |",
                    found.covering_percent,
                    found.mean_half_width,
                    found.wrong_percent,
                    found.covering_places_percent,
                    found.mean_places
                );
            }
        }
    }
}

fn contestants() -> Vec<Contestant> {
    FIELD.map(|bot| Contestant::House(bot.parse().expect("a house bot"))).to_vec()
}

/// Rates the bots, and returns their lines of the standings by name.
fn rate(settings: &Settings, results: &[MatchResult]) -> BTreeMap<BotName, Standing> {
    let (mut evidence, mut standings) = (RatingEvidence::new(settings), Standings::new(settings, []));
    for result in results {
        evidence.add_result(result);
        standings.add_result(result);
    }
    let replicates = ReplicateCount::new(100).expect("an allowed number");
    let appraisal = evidence.appraise(replicates, &mut Budget::unbounded()).expect("no bound");
    let mut lines = standings.lines(TournamentState::Finished);
    appraisal.add_to_standings(&mut lines, TournamentState::Finished);
    // Where the format orders bots otherwise than by strength, this leaves the ranges of places unchanged.
    rank_by_rating(&mut lines);
    appraisal.add_place_ranges(&mut lines);
    lines.into_iter().map(|line| (line.bot.clone(), line)).collect()
}

fn rank_by_rating(lines: &mut [Standing]) {
    let points = |line: &Standing| line.rating.map_or(f64::NEG_INFINITY, |rating| rating.points);
    lines.sort_by(|one, other| points(other).total_cmp(&points(one)));
    for (line, place) in lines.iter_mut().zip(1..) {
        line.place = place;
    }
}

/// What ladders of one length claim, compared with the truth.
struct Coverage {
    /// The share of intervals that contain the true value, in percent.
    covering_percent: f64,
    /// The mean of half the width of an interval.
    mean_half_width: f64,
    /// The share of ladders with a wrong order, in percent.
    wrong_percent: f64,
    /// The share of ranges of places that contain the true place, in percent.
    covering_places_percent: f64,
    /// The mean number of places in a range.
    mean_places: f64,
}

impl Coverage {
    fn of_ladders(
        ladders: impl Iterator<Item = BTreeMap<BotName, Standing>>,
        truth: &BTreeMap<BotName, Standing>,
    ) -> Self {
        let (mut held, mut halves, mut all, mut wrong, mut count) = (0.0, 0.0, 0.0, 0.0, 0.0);
        let (mut held_places, mut places) = (0.0, 0.0);
        for lines in ladders {
            let rated: Vec<(StandingRating, f64)> = lines
                .iter()
                .filter_map(|(name, line)| Some((line.rating?, truth.get(name)?.rating?.points)))
                .collect();
            for (rating, truth) in &rated {
                held += f64::from(u8::from(rating.interval.contains(truth)));
                halves += (rating.interval.high - rating.interval.low) / 2.0;
                all += 1.0;
            }
            for (name, line) in &lines {
                let range = line.place_range.expect("all bots are connected");
                held_places += f64::from(u8::from((range.best..=range.worst).contains(&truth[name].place)));
                places += f64::from(range.worst - range.best + 1);
            }
            let is_wrong = |(below, low): &(StandingRating, f64)| {
                rated.iter().any(|(above, high)| below.interval.high < above.interval.low && low > high)
            };
            wrong += f64::from(u8::from(rated.iter().any(is_wrong)));
            count += 1.0;
        }
        Self {
            covering_percent: 100.0 * held / all,
            mean_half_width: halves / all,
            wrong_percent: 100.0 * wrong / count,
            covering_places_percent: 100.0 * held_places / all,
            mean_places: places / all,
        }
    }
}
