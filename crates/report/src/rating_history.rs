//! The ratings of bots over time.

use super::{Chart, ChartLine, NumberFormat, NumberUnit};
use lastnim_core::game::{BotName, BySeat, SeatCount};
use lastnim_proto::pb;
use lastnim_tournament::{MatchOutcome, MatchResult, OnlineRatings, Rating, RatingMeasure, SeatResult};
use std::collections::BTreeMap;

/// The maximum number of bots: the cost of a match grows with the number of pairs.
const MAX_BOTS: usize = 128;
/// The maximum number of points in a line, not counting its start.
const MAX_POINTS: usize = 100;

/// Rates bots by the winners of matches in the given order, and charts the ratings, in descending order of the final
/// rating. `None` with fewer than two matches with a winner, or with too many bots.
///
/// These are the ratings that ladders use for pairing, starting from the first match: they are updated after each match
/// and depend on the order. Here, a forfeit by no-show counts like any other match.
pub fn rating_chart<'m>(matches: impl IntoIterator<Item = &'m pb::Match>, caption: &str) -> Option<Chart> {
    let results: Vec<_> = matches.into_iter().filter_map(match_result).collect();
    let mut ratings = OnlineRatings::new(RatingMeasure::Wins);
    let mut lines: BTreeMap<BotName, Vec<(f64, f64)>> = BTreeMap::new();
    let step = results.len().div_ceil(MAX_POINTS).max(1);
    for (index, result) in results.iter().enumerate() {
        ratings.update_with(result);
        for bot in &result.bots {
            lines
                .entry(bot.clone())
                .or_insert_with(|| vec![(axis_position(index), Rating::default().points())]);
        }
        if lines.len() > MAX_BOTS {
            return None;
        }
        if (index + 1) % step != 0 && index + 1 != results.len() {
            continue;
        }
        for (bot, points) in &mut lines {
            if let Some(belief) = ratings.get(bot) {
                points.push((axis_position(index + 1), belief.rating().points()));
            }
        }
    }
    if results.len() < 2 {
        return None;
    }
    let mut lines: Vec<_> =
        lines.into_iter().map(|(bot, points)| ChartLine { label: bot.to_string(), points }).collect();
    let last_value = |line: &ChartLine| line.points.last().map_or(f64::NEG_INFINITY, |point| point.1);
    lines.sort_by(|one, other| last_value(other).total_cmp(&last_value(one)));
    let format = NumberFormat::new(NumberUnit::Points, 0);
    let (caption, axis, levels) = (caption.to_owned(), "matches".to_owned(), Vec::new());
    Some(Chart { caption, axis, format, lines, levels, floor: None })
}

/// Returns the rating of a bot after these matches, and the ends of its 95% interval, in points; `None` if none of the
/// bot's matches counts.
pub fn newest_rating<'m>(
    matches: impl IntoIterator<Item = &'m pb::Match>,
    bot: &BotName,
) -> Option<(f64, f64, f64)> {
    let mut ratings = OnlineRatings::new(RatingMeasure::Wins);
    for result in matches.into_iter().filter_map(match_result) {
        ratings.update_with(&result);
    }
    let belief = ratings.get(bot)?;
    let interval = belief.interval();
    let points = |strength| Rating::of_strength(strength).points();
    Some((belief.rating().points(), points(interval.low), points(interval.high)))
}

#[expect(clippy::cast_precision_loss, reason = "a chart has few matches")]
fn axis_position(matches: usize) -> f64 {
    matches as f64
}

/// Returns the result of a match; `None` without a winner, or if it was voided.
fn match_result(game: &pb::Match) -> Option<MatchResult> {
    let setup = game.setup.as_ref().filter(|_| game.void_reason.is_empty())?;
    let seats = SeatCount::new(setup.bots.len()).ok()?;
    let winner = seats.seat(game.winner? as usize).ok()?;
    let bots: Vec<BotName> = setup.bots.iter().map(|bot| bot.parse().ok()).collect::<Option<_>>()?;
    let bots = BySeat::from_fn(seats, |seat| bots[seat.index()].clone());
    let outcome = MatchOutcome { winner, seats: BySeat::filled(seats, &SeatResult::default()) };
    Some(MatchResult { number: setup.number, group: setup.group, bots, outcome: Some(outcome) })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn game(number: u64, winner: Option<u32>) -> pb::Match {
        let setup = pb::MatchSetup { number, bots: vec!["ann".into(), "bob".into()], ..Default::default() };
        pb::Match { setup: Some(setup), winner, ..Default::default() }
    }

    #[test]
    fn winners_gain_rating() {
        let matches: Vec<_> = (0..300).map(|number| game(number, Some(u32::from(number % 4 == 0)))).collect();
        let chart = rating_chart(&matches, "Ratings").unwrap();
        let labels: Vec<_> = chart.lines.iter().map(|line| line.label.as_str()).collect();
        assert_eq!(labels, ["ann", "bob"]);
        let points = &chart.lines[0].points;
        assert_eq!(points[0], (0.0, 1500.0));
        assert!(points.len() <= MAX_POINTS + 1 && points.last().unwrap().1 > 1550.0, "{points:?}");
        assert!((points.last().unwrap().0 - 300.0).abs() < 1e-9);
        assert_eq!(rating_chart(&[game(0, Some(1)), game(1, None)], "Ratings"), None);
    }
}
