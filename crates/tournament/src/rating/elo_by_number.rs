//! Plain Elo ratings from results that arrive in any order.

use super::EloRatings;
use crate::MatchResult;
use crate::checkpoint::{CheckpointError, ensure_results_fit};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Plain Elo ratings from results that arrive in any order. Each result waits until all results with lower numbers have
/// been rated.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct EloByNumber {
    elo: EloRatings,
    /// The number of the next match to be rated.
    next: u64,
    waiting: BTreeMap<u64, MatchResult>,
}

impl EloByNumber {
    /// Adds the result of one match, even if the match was cancelled. Each match must be added exactly once.
    pub fn add_result(&mut self, result: &MatchResult) {
        self.waiting.insert(result.number, result.clone());
        while let Some(result) = self.waiting.remove(&self.next) {
            self.elo.add_result(&result);
            self.next += 1;
        }
    }

    /// Checks that values decoded from a checkpoint are consistent.
    pub(crate) fn ensure_consistent(&self) -> Result<(), CheckpointError> {
        ensure_results_fit(&self.waiting)
    }

    /// Returns the ratings after all matches added so far, as if the missing ones had been cancelled.
    pub fn elo(&self) -> EloRatings {
        let mut elo = self.elo.clone();
        self.waiting.values().for_each(|result| elo.add_result(result));
        elo
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{SeededDraw, rating::testing, testing::field};
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn the_order_in_which_results_come_does_not_matter(seed: u64, matches in 0..40_u64) {
            let bots = field(4);
            let mut results: Vec<_> = (0..matches).map(|number| {
                let (mut draw, mut bots) = (SeededDraw::new(seed, number), bots.clone());
                draw.shuffle(&mut bots);
                let played = testing::match_of_group(0, &bots[..2], draw.number_below(2) as usize);
                let outcome = played.outcome.filter(|_| draw.number_below(5) > 0);
                MatchResult { number, outcome, ..played }
            }).collect();
            let ordered = EloRatings::from_results(&results);
            SeededDraw::new(seed, u64::MAX).shuffle(&mut results);
            let mut by_number = EloByNumber::default();
            for (added, result) in (1..).zip(&results) {
                prop_assert_eq!(by_number.elo(), EloRatings::from_results(&results[..added - 1]));
                by_number.add_result(result);
            }
            prop_assert_eq!(by_number.elo(), ordered);
            prop_assert!(by_number.waiting.is_empty(), "no result waits longer than necessary");
        }
    }
}
