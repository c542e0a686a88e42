//! Tests that 95% intervals contain the true value in 93 to 97 of 100 simulations, and that ranges of places contain the
//! true place in at least 95.

use super::super::{
    Rating, ReplicateCount, Resampling, StrengthRatings,
    testing::{anchor_strengths, draw_winner, match_of_group, rated_matches},
};
use crate::{PlaceRange, Ratings, SeededDraw, testing::field};
use lastnim_core::oracle::Budget;

/// How the matches of a duplicate group depend on each other.
#[derive(Clone, Copy, PartialEq)]
enum GroupDependence {
    /// The matches are independent.
    Independent,
    /// The winner of the first match wins all matches of the group: only the position matters.
    Alike,
}

/// A tournament between bots of known strengths.
struct Scenario {
    seats: usize,
    bots: u32,
    groups: u64,
    /// Half the difference in strength between the strongest and the weakest bot.
    spread: f64,
    /// The approximate ratio of the frequencies at which the first bot and the last bot are drawn.
    unevenness: u64,
    dependence: GroupDependence,
    runs: u64,
}

impl Scenario {
    fn strengths(&self) -> Vec<f64> {
        let place = |bot: u32| 2.0 * f64::from(bot) / f64::from(self.bots - 1) - 1.0;
        anchor_strengths(&(0..self.bots).map(|bot| self.spread * place(bot)).collect::<Vec<_>>())
    }

    fn draw_table(&self, draw: &mut SeededDraw) -> Vec<usize> {
        let mut table = Vec::new();
        while table.len() < self.seats {
            let bots = u64::from(self.bots);
            let bot = draw.number_below(bots);
            // Divided by `bots`, this falls from `unevenness` for the first bot to a little more than 1 for the last
            // one.
            let chance = (self.unevenness - 1) * (bots - bot) + bots;
            if !table.contains(&(bot as usize)) && draw.number_below(self.unevenness * bots) < chance {
                table.push(bot as usize);
            }
        }
        table
    }

    /// Returns the share of intervals that contain the true value, and the share of ranges of places that contain the
    /// true place.
    fn coverage(&self) -> (f64, f64) {
        let (strengths, names) = (self.strengths(), field(self.bots as usize));
        let (mut held, mut held_places, mut all) = (0, 0, 0);
        for run in 0..self.runs {
            let mut draw = SeededDraw::from_numbers([2024, self.seats as u64, self.groups, run]);
            let mut results = Vec::new();
            for group in 0..self.groups {
                let table = self.draw_table(&mut draw);
                let bots: Vec<_> = table.iter().map(|&bot| names[bot].clone()).collect();
                let table_strengths: Vec<_> = table.iter().map(|&bot| strengths[bot]).collect();
                let mut winner = draw_winner(&mut draw, &table_strengths);
                for _ in 0..self.seats {
                    results.push(match_of_group(group, &bots, winner));
                    if self.dependence == GroupDependence::Independent {
                        winner = draw_winner(&mut draw, &table_strengths);
                    }
                }
            }
            let replicates = ReplicateCount::new(60).unwrap();
            let resampling = Resampling { seed: run, replicates };
            let ratings =
                rated_matches(&results).compute_ratings(&resampling, &mut Budget::unbounded()).unwrap();
            for (name, &strength) in names.iter().zip(&strengths) {
                if let Some(rated) = ratings.get(name) {
                    let interval = rated.interval.map(Rating::strength);
                    (held, all) = (held + u32::from(interval.contains(&strength)), all + 1);
                }
            }
            held_places += Self::held_places(&strengths, ratings, replicates);
        }
        (f64::from(held) / f64::from(all), f64::from(held_places) / f64::from(all))
    }

    /// Returns the number of rated bots whose range contains a place that it deserves: bots of equal strength deserve
    /// each other's places.
    fn held_places(strengths: &[f64], ratings: Ratings, replicates: ReplicateCount) -> u32 {
        let names = field(strengths.len());
        let strengths: Vec<f64> = names
            .iter()
            .zip(strengths)
            .filter(|(name, _)| ratings.get(name).is_some())
            .map(|(_, &strength)| strength)
            .collect();
        let order = StrengthRatings::Wins(ratings).clear_order(replicates, &mut Budget::unbounded());
        let Some(order) = order.unwrap() else { return strengths.len() as u32 };
        let is_held = |(range, own): (PlaceRange, &f64)| {
            let stronger = strengths.iter().filter(|&strength| strength > own).count();
            let weaker = strengths.iter().filter(|&strength| strength < own).count();
            (range.best as usize) <= strengths.len() - weaker && range.worst as usize > stronger
        };
        let ranges = order.ranges_among(&vec![true; strengths.len()]);
        ranges.into_iter().zip(&strengths).filter(|&pair| is_held(pair)).count() as u32
    }

    fn check(&self) {
        let (intervals, places) = self.coverage();
        assert!((0.93..=0.97).contains(&intervals), "{intervals:.3}");
        assert!(places >= 0.95, "{places:.3}");
    }
}

const BASE_SCENARIO: Scenario = Scenario {
    seats: 3,
    bots: 6,
    groups: 30,
    spread: 1.0,
    unevenness: 1,
    dependence: GroupDependence::Independent,
    runs: 150,
};

#[test]
fn intervals_hold_with_two_seats() {
    Scenario { seats: 2, ..BASE_SCENARIO }.check();
}

#[test]
fn intervals_hold_with_two_seats_and_many_groups() {
    Scenario { seats: 2, groups: 150, runs: 80, ..BASE_SCENARIO }.check();
}

#[test]
fn intervals_hold_with_three_seats() {
    BASE_SCENARIO.check();
}

#[test]
fn intervals_hold_with_three_seats_and_few_groups() {
    Scenario { bots: 5, groups: 10, runs: 200, ..BASE_SCENARIO }.check();
}

#[test]
fn intervals_hold_with_three_seats_and_dependent_groups() {
    Scenario { groups: 60, runs: 120, dependence: GroupDependence::Alike, ..BASE_SCENARIO }.check();
}

#[test]
fn intervals_hold_with_three_seats_and_rarely_drawn_bots() {
    Scenario { bots: 8, groups: 80, spread: 1.5, unevenness: 8, runs: 80, ..BASE_SCENARIO }.check();
}

#[test]
fn intervals_hold_with_five_seats() {
    Scenario { seats: 5, bots: 8, runs: 120, ..BASE_SCENARIO }.check();
}
