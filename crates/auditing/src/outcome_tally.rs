//! What helping another came to in the end for the bot that helped.

use super::estimate::to_float;

/// The ranks before a take that are told apart; further ones are taken together.
const RANKS: usize = 8;

/// The ranks, in a bot's own row, that matches came to from a predicted rank on.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct OutcomeSums([(u64, u64); RANKS]);

/// What the takes of a bot came to for itself in the end, in matches with another: those that were optimal, and the errors
/// that favoured the other.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct OutcomeTally {
    pub(super) optimal: OutcomeSums,
    pub(super) helping: OutcomeSums,
}

impl OutcomeSums {
    /// Adds a take: the rank of the winner that was predicted before it, and of the one that won.
    pub(super) fn add_take(&mut self, before: usize, in_the_end: usize) {
        let (takes, ranks) = &mut self.0[before.min(RANKS - 1)];
        *takes += 1;
        *ranks += in_the_end as u64;
    }

    /// Adds what others came to.
    pub(super) fn add_sums(&mut self, other: &Self) {
        for ((takes, ranks), (more, their)) in self.0.iter_mut().zip(other.0) {
            *takes += more;
            *ranks += their;
        }
    }
}

impl OutcomeTally {
    /// Returns how many ranks worse than after optimal takes, from the same predicted rank, matches ended after errors that
    /// favoured the other; none if there is nothing to compare.
    pub(super) fn loss_per_error(&self) -> Option<f64> {
        let (mut errors, mut loss) = (0, 0.0);
        for (&(optimal, ranks_if_optimal), &(helping, ranks)) in self.optimal.0.iter().zip(&self.helping.0) {
            if optimal == 0 || helping == 0 {
                continue;
            }
            errors += helping;
            loss += float(ranks) - float(helping) * float(ranks_if_optimal) / float(optimal);
        }
        (errors > 0).then(|| loss / float(errors))
    }
}

fn float(count: u64) -> f64 {
    to_float(count.cast_signed())
}
