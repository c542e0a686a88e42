//! Results by pair of bots.

use super::{MatchResult, interner::Interner};
use lastnim_core::game::BotName;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The cross-table: for every pair of bots, the number of matches in which both played, and the wins of each.
///
/// It is a fold of match results that does not depend on their order. It counts matches as the standings do: a match
/// with a forfeited seat counts, a win of the steward counts for no bot, and a cancelled match does not count. Its size
/// grows with the number of pairs that met, not with the number of matches.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct CrossTable {
    bots: Interner<BotName>,
    /// The meetings of each pair of bots, keyed by their two numbers, the smaller one first.
    meetings: BTreeMap<(u32, u32), HeadToHead>,
}

/// The matches of two bots against each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct HeadToHead {
    /// Matches in which both played.
    pub matches: u32,
    /// Wins of the first bot.
    pub wins: u32,
    /// Wins of the other bot.
    pub other_wins: u32,
}

impl HeadToHead {
    /// Returns the same results from the other bot's point of view.
    #[must_use = "the original is not changed"]
    pub fn reversed(self) -> Self {
        Self { matches: self.matches, wins: self.other_wins, other_wins: self.wins }
    }
}

impl CrossTable {
    /// Creates an empty table.
    pub fn new() -> Self {
        Self::default()
    }

    /// Counts one match; each must be counted exactly once.
    pub fn add_result(&mut self, result: &MatchResult) {
        let Some(outcome) = &result.outcome else { return };
        let bots = result.bots.map(|bot| self.bots.intern(bot));
        let won = |seat| outcome.credit(seat).won;
        for (seat, &one) in bots.enumerate() {
            for (other_seat, &other) in bots.enumerate() {
                if one < other {
                    let meeting = self.meetings.entry((one, other)).or_default();
                    meeting.matches += 1;
                    meeting.wins += u32::from(won(seat));
                    meeting.other_wins += u32::from(won(other_seat));
                }
            }
        }
    }

    /// Returns the matches of two bots, from the first one's point of view; all zeros if they never met.
    pub fn head_to_head(&self, one: &BotName, other: &BotName) -> HeadToHead {
        let (Some(one), Some(other)) = (self.bots.number_of(one), self.bots.number_of(other)) else {
            return HeadToHead::default();
        };
        let meeting = self.meetings.get(&(one.min(other), one.max(other))).copied().unwrap_or_default();
        if one < other { meeting } else { meeting.reversed() }
    }

    /// Returns all bots that played, sorted by name.
    pub fn bots(&self) -> Vec<&BotName> {
        let mut bots: Vec<_> = self.bots.items().iter().collect();
        bots.sort_unstable();
        bots
    }

    /// Returns the number of bots that played.
    pub fn bot_count(&self) -> usize {
        self.bots.items().len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{SeatLoss, SeededDraw, rating::testing::match_of_group, testing::field};
    use proptest::prelude::*;

    fn table(results: &[MatchResult]) -> CrossTable {
        let mut table = CrossTable::new();
        for result in results {
            table.add_result(result);
        }
        table
    }

    #[test]
    fn wins_count_against_every_bot_at_the_table() {
        let bots = field(4);
        let mut won_by_the_steward = match_of_group(2, &bots[..2], 0);
        let outcome = won_by_the_steward.outcome.as_mut().unwrap();
        outcome.seats[outcome.winner].lost = Some(SeatLoss::Forfeited);
        let cancelled = MatchResult { outcome: None, ..match_of_group(3, &bots, 0) };
        let table = table(&[
            match_of_group(0, &bots[..3], 0),
            match_of_group(1, &bots[..3], 2),
            won_by_the_steward,
            cancelled,
        ]);
        let meeting = |one: usize, other: usize| {
            let HeadToHead { matches, wins, other_wins } = table.head_to_head(&bots[one], &bots[other]);
            [matches, wins, other_wins]
        };
        assert_eq!(meeting(0, 1), [3, 1, 0]);
        assert_eq!(meeting(1, 0), [3, 0, 1]);
        assert_eq!(meeting(0, 2), [2, 1, 1]);
        assert_eq!(meeting(1, 2), [2, 0, 1]);
        assert_eq!(meeting(0, 3), [0; 3], "a cancelled match counts for nothing");
        assert_eq!(table.bots(), [&bots[0], &bots[1], &bots[2]]);
    }

    proptest! {
        #[test]
        fn the_order_of_results_does_not_matter(seed: u64, matches in 0..30_u64) {
            let bots = field(5);
            let mut results: Vec<_> = (0..matches).map(|number| {
                let (mut draw, mut bots) = (SeededDraw::new(seed, number), bots.clone());
                draw.shuffle(&mut bots);
                match_of_group(number, &bots[..3], draw.number_below(3) as usize)
            }).collect();
            let all_meetings = |table: &CrossTable| -> Vec<HeadToHead> {
                bots.iter().flat_map(|one| bots.iter().map(|other| table.head_to_head(one, other))).collect()
            };
            let ordered = all_meetings(&table(&results));
            SeededDraw::new(seed, u64::MAX).shuffle(&mut results);
            prop_assert_eq!(&all_meetings(&table(&results)), &ordered);
            // Each match has three pairs, each counted from two sides; the winner beats two bots.
            prop_assert_eq!(ordered.iter().map(|meeting| u64::from(meeting.matches)).sum::<u64>(), 6 * matches);
            prop_assert_eq!(ordered.iter().map(|meeting| u64::from(meeting.wins)).sum::<u64>(), 2 * matches);
        }
    }
}
