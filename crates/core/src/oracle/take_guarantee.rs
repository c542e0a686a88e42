//! What a take that was made did to what its mover was sure of.

use super::{GuaranteedRanks, TakeSafety};
use crate::game::{Position, SeatCount};
use crate::oracle::OptimalTakes;

/// What a take did to the rank that its mover could guarantee itself against all others together. All ranks are places in
/// the mover's row, 0 (best) to n-1.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct TakeGuarantee {
    /// What the mover was sure of before the take, which is the best that any take leaves it.
    pub before: u32,
    /// What it is sure of after the take, never better than `before`.
    pub after: u32,
    /// The best that any optimal take would have left it, never better than `before`.
    pub if_optimal: u32,
}

impl TakeGuarantee {
    /// Looks up what a legal take of the guarded seat does, in O(n^2).
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

    /// Returns what the take did to both ranks of its mover, in a game of so many seats; `regret` is what it cost of the
    /// predicted one.
    pub fn safety(&self, regret: u32, seats: SeatCount) -> TakeSafety {
        TakeSafety::of_take(regret, [self.before, self.after], seats.get() as u32 - 1)
    }
}

/// Takes, counted by what they did to the predicted and to the guaranteed rank of their movers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct TakeSafetyCounts {
    /// Risky takes: optimal ones that gave up guaranteed rank.
    pub risky: u64,
    /// Those of them that were needless: another optimal take would have left the mover sure of a better rank.
    pub needless_risks: u64,
    /// Safe errors: takes that cost predicted rank and kept the guaranteed one, where that was better than the last.
    pub safe_errors: u64,
    /// Those of them that were hedges: no optimal take would have kept the guaranteed rank.
    pub hedges: u64,
}

impl TakeSafetyCounts {
    /// Adds a take.
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
