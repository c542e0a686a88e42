//! Who wins at whose tables.

use super::{MatchResult, interner::Interner};
use lastnim_core::game::BotName;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Who wins at whose tables: for each two bots, the matches in which both sat, and how many each of them won.
///
/// A fold of match results: whatever their order, the same results give the same table. It counts as the standings do: a
/// match in which a seat was lost counts, a win of the steward's is nobody's, a cancelled match counts for nothing. What it
/// keeps grows with the pairs of bots that met, never with the matches.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct CrossTable {
    bots: Interner<BotName>,
    /// By the numbers of two bots, the lower first.
    meetings: BTreeMap<(u32, u32), HeadToHead>,
}

/// What happened where two bots sat at one table.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct HeadToHead {
    /// The matches in which both sat.
    pub matches: u32,
    /// Those that the one won.
    pub wins: u32,
    /// Those that the other won.
    pub other_wins: u32,
}

impl HeadToHead {
    /// Returns the same, seen from the other.
    #[must_use = "the original is as it was"]
    pub fn reversed(self) -> Self {
        Self { matches: self.matches, wins: self.other_wins, other_wins: self.wins }
    }
}

impl CrossTable {
    /// Starts without any match.
    pub fn new() -> Self {
        Self::default()
    }

    /// Counts one match; each must be counted once.
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

    /// Returns what happened where two bots met, seen from the first; nothing but zeros if they never did.
    pub fn head_to_head(&self, one: &BotName, other: &BotName) -> HeadToHead {
        let (Some(one), Some(other)) = (self.bots.number_of(one), self.bots.number_of(other)) else {
            return HeadToHead::default();
        };
        let meeting = self.meetings.get(&(one.min(other), one.max(other))).copied().unwrap_or_default();
        if one < other { meeting } else { meeting.reversed() }
    }

    /// Returns all bots that sat in a match, in the order of their names.
    pub fn bots(&self) -> Vec<&BotName> {
        let mut bots: Vec<_> = self.bots.items().iter().collect();
        bots.sort_unstable();
        bots
    }

    /// Returns how many bots sat in a match.
    pub fn bot_count(&self) -> usize {
        self.bots.items().len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{SeatLoss, SeededDraw, rating::testing::result, testing::field};
    use proptest::prelude::*;

    fn table(results: &[MatchResult]) -> CrossTable {
        let mut table = CrossTable::new();
        for result in results {
            table.add_result(result);
        }
        table
    }

    #[test]
    fn wins_are_counted_against_everybody_at_the_table() {
        let bots = field(4);
        let mut won_by_the_steward = result(2, &bots[..2], 0);
        let outcome = won_by_the_steward.outcome.as_mut().unwrap();
        outcome.seats[outcome.winner].lost = Some(SeatLoss::Forfeited);
        let cancelled = MatchResult { outcome: None, ..result(3, &bots, 0) };
        let table =
            table(&[result(0, &bots[..3], 0), result(1, &bots[..3], 2), won_by_the_steward, cancelled]);
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
                result(number, &bots[..3], draw.number_below(3) as usize)
            }).collect();
            let all = |table: &CrossTable| -> Vec<HeadToHead> {
                bots.iter().flat_map(|one| bots.iter().map(|other| table.head_to_head(one, other))).collect()
            };
            let in_order = all(&table(&results));
            SeededDraw::new(seed, u64::MAX).shuffle(&mut results);
            prop_assert_eq!(&all(&table(&results)), &in_order);
            // Each match has three pairs, seen from two sides; its winner beats two.
            prop_assert_eq!(in_order.iter().map(|meeting| u64::from(meeting.matches)).sum::<u64>(), 6 * matches);
            prop_assert_eq!(in_order.iter().map(|meeting| u64::from(meeting.wins)).sum::<u64>(), 2 * matches);
        }
    }
}
