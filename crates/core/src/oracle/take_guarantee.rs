//! The effect of a take on the mover's guaranteed rank.

use super::{GuaranteedRanks, TakeSafety};
use crate::game::{Position, SeatCount};
use crate::oracle::OptimalTakes;
use serde::{Deserialize, Serialize};

/// The effect of a take on the rank that its mover could guarantee itself against all others together. All ranks are
/// places in the mover's row, 0 (best) to n-1.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct TakeGuarantee {
    /// The guaranteed rank before the take, which is also the best guaranteed rank after any take.
    pub before: u32,
    /// The guaranteed rank after the take, never better than `before`.
    pub after: u32,
    /// The best guaranteed rank after any optimal take, never better than `before`.
    pub if_optimal: u32,
}

impl TakeGuarantee {
    /// Computes the effect of a legal take by the guarded seat, in O(n^2) time.
    pub(in crate::oracle) fn of_take(
        guaranteed: &GuaranteedRanks,
        position: &Position,
        take: u64,
        optimal: &OptimalTakes,
    ) -> Self {
        let mut found = Self { before: u32::MAX, after: u32::MAX, if_optimal: u32::MAX };
        for (takes, rank) in guaranteed.ranks_after(position) {
            found.before = found.before.min(rank);
            if takes.contains(take) {
                found.after = rank;
            }
            if optimal.iter().any(|range| range.lo <= takes.hi && takes.lo <= range.hi) {
                found.if_optimal = found.if_optimal.min(rank);
            }
        }
        found
    }

    /// Classifies the take, which cost `regret` ranks, in a game of `seats` seats.
    pub fn safety(&self, regret: u32, seats: SeatCount) -> TakeSafety {
        TakeSafety::of_take(regret, [self.before, self.after], seats.get() as u32 - 1)
    }
}

/// Numbers of takes, by their effect on the predicted and guaranteed ranks of their movers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
pub struct TakeSafetyCounts {
    /// Risky takes: optimal takes that worsened the guaranteed rank.
    pub risky: u64,
    /// Needless risks: risky takes where another optimal take would have left a better guaranteed rank.
    pub needless_risks: u64,
    /// Safe errors: takes that worsened the predicted rank but kept the guaranteed rank, which was not the last.
    pub safe_errors: u64,
    /// Hedges: safe errors where no optimal take would have kept the guaranteed rank.
    pub hedges: u64,
}

impl TakeSafetyCounts {
    /// Adds the counts of other takes; returns `None` if a sum is too large.
    #[must_use = "the counts are not all added if a sum is too large"]
    pub fn add_counts(&mut self, other: &Self) -> Option<()> {
        self.risky = self.risky.checked_add(other.risky)?;
        self.needless_risks = self.needless_risks.checked_add(other.needless_risks)?;
        self.safe_errors = self.safe_errors.checked_add(other.safe_errors)?;
        self.hedges = self.hedges.checked_add(other.hedges)?;
        Some(())
    }

    /// Counts a take.
    pub fn add_take(&mut self, safety: TakeSafety, guarantee: TakeGuarantee) {
        let TakeGuarantee { after, if_optimal, .. } = guarantee;
        match safety {
            TakeSafety::Risky => {
                self.risky += 1;
                self.needless_risks += u64::from(if_optimal < after);
            }
            TakeSafety::SafeError => {
                self.safe_errors += 1;
                self.hedges += u64::from(if_optimal > after);
            }
            TakeSafety::Safe | TakeSafety::Error => {}
        }
    }
}
