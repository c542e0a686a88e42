//! How matches end for a bot that helps another.

use super::estimate::to_float;
use serde::{Deserialize, Serialize};

/// Number of sums: one for each predicted rank, except that the last sum is for all remaining ranks.
const RANKS: usize = 8;

/// For each rank, in the bot's row, that the winner predicted before a take can have: the number of such takes, and the
/// sum of the ranks of the actual winners.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct OutcomeSums([(u64, u64); RANKS]);

/// How a bot's matches with another bot ended after its optimal takes, and after its errors in favour of the other bot.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct OutcomeTally {
    pub(super) optimal: OutcomeSums,
    pub(super) helping: OutcomeSums,
}

impl OutcomeSums {
    /// Adds a take: `before` is the rank of the winner predicted before it, `final_rank` that of the actual winner.
    pub(super) fn add_take(&mut self, before: usize, final_rank: usize) {
        let (takes, ranks) = &mut self.0[before.min(RANKS - 1)];
        *takes += 1;
        *ranks += final_rank as u64;
    }

    /// Adds the sums of another tally; returns `None` if a sum is too large.
    pub(super) fn add_sums(&mut self, other: &Self) -> Option<()> {
        for ((takes, ranks), (more, their)) in self.0.iter_mut().zip(other.0) {
            *takes = takes.checked_add(more)?;
            *ranks = ranks.checked_add(their)?;
        }
        Some(())
    }
}

impl OutcomeTally {
    /// Returns by how many ranks matches ended worse after errors in favour of the other bot than after optimal takes,
    /// starting from the same predicted rank; `None` if there is nothing to compare.
    pub(super) fn loss_per_error(&self) -> Option<f64> {
        let (mut errors, mut loss) = (0, 0.0);
        for (&(optimal, ranks_if_optimal), &(helping, ranks)) in self.optimal.0.iter().zip(&self.helping.0) {
            if optimal == 0 || helping == 0 {
                continue;
            }
            errors += helping;
            loss += count_to_float(ranks)
                - count_to_float(helping) * count_to_float(ranks_if_optimal) / count_to_float(optimal);
        }
        (errors > 0).then(|| loss / count_to_float(errors))
    }
}

fn count_to_float(count: u64) -> f64 {
    to_float(count.cast_signed())
}
