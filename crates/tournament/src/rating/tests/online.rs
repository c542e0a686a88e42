//! Tests that online ratings agree with the maximum likelihood ratings.

use super::super::testing::{anchor_strengths, draw_winner, match_of_group, rate_results, rated_matches};
use crate::{MatchResult, OnlineRatings, RatingMeasure, SeatLoss, SeededDraw, testing::field};

/// How the bots of a match are selected.
#[derive(Clone, Copy, PartialEq)]
enum TableSelection {
    /// The bots are selected at random.
    Mixed,
    /// A random bot meets the bots with the closest ratings.
    Close,
}

/// Plays matches of n bots; returns the root mean square difference, in points, between online and maximum likelihood
/// ratings, and the share of online intervals that contain the true value.
fn play_matches(seats: usize, tables: TableSelection, count: u64) -> (f64, f64) {
    let names = field(10);
    let strengths = anchor_strengths(&(0..10).map(|bot| f64::from(bot) / 3.0 - 1.5).collect::<Vec<_>>());
    let mut draw = SeededDraw::new(31, count);
    let mut online = OnlineRatings::new(RatingMeasure::Wins);
    for bot in &names {
        online.add_bot(bot);
    }
    let mut results = Vec::new();
    for number in 0..count {
        let mut table: Vec<usize> = (0..10).collect();
        draw.shuffle(&mut table);
        if tables == TableSelection::Close {
            let points = |bot: usize| online.get(&names[bot]).unwrap().rating().points();
            let first = points(table[0]);
            table.sort_by(|&one, &other| {
                (points(one) - first).abs().total_cmp(&(points(other) - first).abs())
            });
        }
        table.truncate(seats);
        let winner = draw_winner(&mut draw, &table.iter().map(|&bot| strengths[bot]).collect::<Vec<_>>());
        let bots: Vec<_> = table.iter().map(|&bot| names[bot].clone()).collect();
        results.push(match_of_group(number, &bots, winner));
        online.update_with(&results[number as usize]);
    }
    let ratings = rate_results(&results);
    let (mut squares, mut held) = (0.0, 0.0);
    for (name, strength) in names.iter().zip(strengths) {
        let belief = online.get(name).unwrap();
        squares += (belief.rating().points() - ratings.get(name).unwrap().rating.points()).powi(2);
        held += f64::from(u8::from(belief.interval().contains(&strength)));
    }
    ((squares / 10.0).sqrt(), held / 10.0)
}

#[test]
fn online_ratings_converge_to_maximum_likelihood() {
    let (few, _) = play_matches(3, TableSelection::Mixed, 100);
    let (many, held) = play_matches(3, TableSelection::Mixed, 3_000);
    assert!(few < 40.0 && many < 4.0 && held >= 0.8, "{few}, then {many}, {held}");
    let (many, held) = play_matches(2, TableSelection::Mixed, 3_000);
    assert!(many < 8.0 && held >= 0.8, "{many}, {held}");
}

#[test]
fn bots_that_only_meet_similar_ones_remain_uncertain() {
    let (_, held) = play_matches(3, TableSelection::Close, 1_000);
    assert!(held >= 0.8, "{held}");
}

#[test]
fn uncertainty_shrinks_and_the_first_match_counts_most() {
    let bots = field(3);
    let mut online = OnlineRatings::new(RatingMeasure::Wins);
    assert_eq!(online.get(&bots[0]), None);
    for bot in &bots {
        online.add_bot(bot);
    }
    let mut before = online.get(&bots[0]).unwrap();
    assert_eq!((before.rating().to_string().as_str(), before.matches), ("1500", 0));
    let mut rise = f64::INFINITY;
    for number in 0..20 {
        online.update_with(&match_of_group(number, &bots, 0));
        let after = online.get(&bots[0]).unwrap();
        assert!(after.deviation < before.deviation, "{before:?} and then {after:?}");
        let risen = after.rating().points() - before.rating().points();
        assert!(0.0 < risen && risen < rise, "{risen} after {rise}");
        (before, rise) = (after, risen);
    }
    assert_eq!(before.matches, 20);
    let deviation = online.deviation_between(&bots[1], &bots[2]).unwrap();
    let [one, other] = [1, 2].map(|bot: usize| online.get(&bots[bot]).unwrap());
    assert!((one.rating().points() - other.rating().points()).abs() < 1e-6);
    assert!(deviation > before.deviation, "no match tells which of these two is better");
    assert_eq!(online.iter().count(), 3);
}

#[test]
fn uninformative_matches_change_nothing() {
    let bots = field(3);
    let mut online = OnlineRatings::new(RatingMeasure::Wins);
    online.update_with(&match_of_group(0, &bots, 0));
    let before = online.clone();
    let mut won_for_an_absent_bot = match_of_group(1, &bots, 0);
    let outcome = won_for_an_absent_bot.outcome.as_mut().unwrap();
    outcome.seats[outcome.winner].lost = Some(SeatLoss::NoShow);
    online.update_with(&won_for_an_absent_bot);
    online.update_with(&MatchResult { outcome: None, ..match_of_group(2, &bots, 0) });
    assert_eq!(online, before);
    assert_eq!(rated_matches([&won_for_an_absent_bot]).len(), 0);
}

#[test]
fn a_leaving_bot_does_not_change_the_others() {
    let bots = field(5);
    let mut online = OnlineRatings::new(RatingMeasure::Wins);
    let mut draw = SeededDraw::new(8, 0);
    for number in 0..200 {
        let mut table = bots.clone();
        draw.shuffle(&mut table);
        online.update_with(&match_of_group(number, &table[..3], draw.number_below(3) as usize));
    }
    let (gone, before) = (&bots[2], online.clone());
    online.remove_bot(gone);
    assert_eq!((online.get(gone), online.iter().count()), (None, 4));
    assert_eq!(online.deviation_between(gone, &bots[0]), None);
    let close = |one: f64, other: f64| (one - other).abs() < 1e-9;
    for one in bots.iter().filter(|bot| *bot != gone) {
        assert_eq!(online.get(one).unwrap().rating(), before.get(one).unwrap().rating());
        for other in bots.iter().filter(|bot| *bot != gone) {
            let [now, then] = [&online, &before].map(|online| online.deviation_between(one, other).unwrap());
            assert!(close(now, then), "{one} and {other}: {now}, {then}");
        }
    }
    // The others are rated as if the removed bot were still there, since it plays in none of their matches.
    let (mut with, table) = (before.clone(), [bots[0].clone(), bots[1].clone(), bots[3].clone()]);
    with.update_with(&match_of_group(900, &table, 1));
    online.update_with(&match_of_group(900, &table, 1));
    for one in &table {
        let [now, then] = [&online, &with].map(|online| online.get(one).unwrap().rating().points());
        assert!(close(now, then), "{one}: {now}, {then}");
    }
    online.add_bot(gone);
    let (now, then) = (online.get(gone).unwrap(), before.get(gone).unwrap());
    assert_eq!((now.rating(), now.matches), (then.rating(), then.matches));
    assert!(now.deviation > then.deviation, "its covariances with the other bots were dropped");
    online.remove_bot(&"stranger".parse().unwrap());
    assert_eq!(online.iter().count(), 5);
}
