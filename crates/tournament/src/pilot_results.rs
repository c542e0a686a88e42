//! The results of a pilot: a small tournament that shows how much two bots differ from group to group.

use super::{MatchResult, PilotDifferences, Scoring, SprtMeasure};
use lastnim_core::game::BotName;
use std::collections::BTreeMap;

/// The results of a pilot, by duplicate group.
#[derive(Debug, Clone)]
pub struct PilotResults {
    measure: SprtMeasure,
    scoring: Scoring,
    groups: BTreeMap<u64, PilotGroup>,
    /// By bot: the number of its matches that were not cancelled.
    matches: BTreeMap<BotName, u64>,
}

/// The matches of one group that have been played.
#[derive(Debug, Clone, Default)]
struct PilotGroup {
    /// The number of seats in a match, which is also the number of matches in a complete group.
    seats: usize,
    matches: u64,
    /// By bot: the number of its matches, and the sum of their values.
    bots: BTreeMap<BotName, (u64, f64)>,
}

impl PilotResults {
    /// Creates a collection without results.
    pub fn new(measure: SprtMeasure, scoring: Scoring) -> Self {
        Self { measure, scoring, groups: BTreeMap::new(), matches: BTreeMap::new() }
    }

    /// Adds a result; cancelled matches are ignored.
    pub fn add_result(&mut self, result: &MatchResult) {
        let Some(outcome) = &result.outcome else { return };
        let group = self.groups.entry(result.group).or_default();
        group.seats = result.bots.seats().get();
        group.matches += 1;
        for (seat, bot) in result.bots.enumerate() {
            *self.matches.entry(bot.clone()).or_default() += 1;
            let (matches, sum) = group.bots.entry(bot.clone()).or_default();
            *matches += 1;
            *sum += self.measure.match_value(self.scoring, outcome, seat);
        }
    }

    /// Returns how many matches each bot has played.
    pub fn matches(&self) -> &BTreeMap<BotName, u64> {
        &self.matches
    }

    /// Returns the differences per match between every two bots, over all complete groups in which both played every
    /// match. In each pair, the bots are in the order of their names.
    pub fn pairs(&self) -> BTreeMap<(&BotName, &BotName), PilotDifferences> {
        let mut pairs: BTreeMap<_, PilotDifferences> = BTreeMap::new();
        for group in self.groups.values().filter(|group| group.matches == group.seats as u64) {
            let present = || group.bots.iter().filter(|(_, (matches, _))| *matches == group.matches);
            for (one, (_, of_one)) in present() {
                for (other, (_, of_other)) in present().filter(|(other, _)| *other > one) {
                    let seats = f64::from(u32::try_from(group.seats).unwrap_or(u32::MAX));
                    let difference = (of_one - of_other) / seats;
                    pairs.entry((one, other)).or_default().add_group(difference);
                }
            }
        }
        pairs
    }
}

#[cfg(test)]
#[expect(clippy::float_cmp, reason = "the compared numbers are exact")]
mod tests {
    use super::*;
    use crate::{SeatLoss, rating::testing::match_of_group, testing};

    #[test]
    fn only_complete_groups_count() {
        let bots = testing::field(4);
        let mut pilot = PilotResults::new(SprtMeasure::Points, Scoring::Win);
        // Of three matches, bot0 wins two and bot1 wins one.
        for winner in [0, 0, 1] {
            pilot.add_result(&match_of_group(0, &bots[..3], winner));
        }
        // One match of group 1 is cancelled, and group 2 has only begun.
        for _ in 0..2 {
            pilot.add_result(&match_of_group(1, &bots[..3], 0));
        }
        pilot.add_result(&MatchResult { outcome: None, ..match_of_group(1, &bots[..3], 0) });
        pilot.add_result(&match_of_group(2, &bots[1..], 0));
        let pairs = pilot.pairs();
        let means: Vec<_> = pairs
            .iter()
            .map(|((one, other), found)| (one.as_str(), other.as_str(), found.group_count(), found.mean()))
            .collect();
        let third = Some(1.0 / 3.0);
        let expected =
            [("bot0", "bot1", 1, third), ("bot0", "bot2", 1, Some(2.0 / 3.0)), ("bot1", "bot2", 1, third)];
        assert_eq!(means, expected);
        assert_eq!(pilot.matches()[&bots[1]], 6);
    }

    #[test]
    fn lost_seats_have_the_worst_value() {
        let bots = testing::field(3);
        let mut lost = match_of_group(0, &bots, 0);
        let outcome = lost.outcome.as_mut().unwrap();
        let [first, second] = [0, 1].map(|seat| outcome.seats.seats().seat(seat).unwrap());
        outcome.seats[first].lost = Some(SeatLoss::Forfeited);
        (outcome.seats[second].regret, outcome.seats[second].rank_actual) = (5, 1);
        let value = |measure: SprtMeasure, scoring, seat| measure.match_value(scoring, outcome, seat);
        assert_eq!(value(SprtMeasure::Points, Scoring::Win, first), 0.0);
        assert_eq!(value(SprtMeasure::Points, Scoring::Satisfaction, first), 0.0);
        assert_eq!(value(SprtMeasure::Points, Scoring::Satisfaction, second), 0.5);
        assert_eq!(value(SprtMeasure::Regret, Scoring::Win, first), -2.0);
        assert_eq!(value(SprtMeasure::Regret, Scoring::Win, second), -2.0);
    }
}
