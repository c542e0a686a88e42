//! Optimal play with shared passes.

use super::{PassCount, take_ranges::take_ranges};
use lastnim_core::game::{AllianceMatrix, BySeat, Ending, MAX_SEATS, Position, Seat};
use lastnim_core::oracle::recurrence::{RankRecurrence, Ranks};
use lastnim_core::oracle::{Budget, HaltReason, TakeRange};

/// The solution of a position in which the seats share some passes (Liu and Yang 2017).
///
/// Instead of taking, the seat to move may use one of the remaining passes. No seat can pass once no counter is left.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PassingSolution {
    /// By first seat: the winner under optimal play.
    pub winner_by_first: BySeat<Seat>,
    /// The optimal takes, as ranges in ascending order; empty if the game is over or only a pass is optimal.
    pub optimal_takes: Vec<TakeRange>,
    /// Whether a pass is optimal.
    pub is_pass_optimal: bool,
}

impl PassingSolution {
    /// Solves a position in which all the passes are still left.
    ///
    /// Let `W^k_b(p)` be the winner when seat p is to move, and k passes and b counters in the last pile are left. Then
    /// `W^k_b(p) = best_p { W^k_c(p+1) for c < b; W^(k-1)_b(p+1) if k > 0 }`.
    ///
    /// If two successive levels are equal for all k, all further levels are equal too. Let s be the number of passes at
    /// the start. Each level before that improves the best take for at least one of the (s+1) n pairs of a number of
    /// passes and a seat, so a pile needs at most 1 + (s+1) n (n-1) levels, however many counters it has. Each step of
    /// the budget solves one level of a pile for one seat to move and one number of passes left.
    ///
    /// # Errors
    /// If the budget runs out.
    ///
    /// # Panics
    /// If the matrix and the position have different numbers of seats.
    pub fn solve(
        position: &Position,
        matrix: &AllianceMatrix,
        passes: PassCount,
        ending: Ending,
        budget: &mut Budget<'_>,
    ) -> Result<Self, HaltReason> {
        assert_eq!(position.seats(), matrix.seats(), "the matrix must have as many seats as the position");
        let play =
            PassingSolver { recurrence: RankRecurrence::of_matrix(matrix), seats: matrix.seats().get() };
        let passes = passes.get() as usize;
        let mut ranks = vec![RankRecurrence::ranks_when_over(matrix, ending); passes + 1];
        for &counters in position.untouched_piles() {
            play.add_pile(&mut ranks, counters, budget, |_| {})?;
        }
        let (counters, mover) = (position.counters(), position.to_move());
        let mut after_takes = Vec::new();
        play.add_pile(&mut ranks, counters, budget, |level| {
            after_takes.push(play.recurrence.rank_after(&level[passes], mover));
        })?;
        let after_pass =
            (passes > 0 && counters > 0).then(|| play.recurrence.rank_after(&ranks[passes - 1], mover));
        let best = ranks[passes][mover.index()];
        Ok(Self {
            winner_by_first: RankRecurrence::solve_winners(matrix, &ranks[passes]),
            optimal_takes: take_ranges(counters, after_takes.len(), |level| after_takes[level] == best),
            is_pass_optimal: after_pass == Some(best),
        })
    }
}

/// The ranks of the winners, by number of passes left and then by seat to move.
type RanksByPasses = Vec<Ranks>;

struct PassingSolver {
    recurrence: RankRecurrence,
    seats: usize,
}

impl PassingSolver {
    /// Appends a pile to the piles whose solution is `ranks`. Calls `see_level` with the ranks for 0, 1, ... counters
    /// left in the new pile. The last call is for one counter less than the pile has, or for the level from which on
    /// nothing changes.
    fn add_pile(
        &self,
        ranks: &mut RanksByPasses,
        counters: u64,
        budget: &mut Budget<'_>,
        mut see_level: impl FnMut(&RanksByPasses),
    ) -> Result<(), HaltReason> {
        // The best rank that a take leads to, by number of passes left and then by seat to move.
        let mut best_takes = vec![[u8::MAX; MAX_SEATS]; ranks.len()];
        for _ in 0..counters {
            budget.spend((self.seats * ranks.len()) as u64)?;
            see_level(ranks);
            let mut has_changed = false;
            let mut after_pass = [u8::MAX; MAX_SEATS];
            for (ranks, best_takes) in ranks.iter_mut().zip(&mut best_takes) {
                keep_better_ranks(best_takes, &self.recurrence.ranks_with_one_counter(ranks));
                let mut level = *best_takes;
                keep_better_ranks(&mut level, &after_pass);
                has_changed |= level[..self.seats] != ranks[..self.seats];
                *ranks = level;
                after_pass = self.recurrence.ranks_with_one_counter(ranks);
            }
            if !has_changed {
                break;
            }
        }
        Ok(())
    }
}

fn keep_better_ranks(ranks: &mut Ranks, others: &Ranks) {
    for (rank, &other) in ranks.iter_mut().zip(others) {
        *rank = other.min(*rank);
    }
}
