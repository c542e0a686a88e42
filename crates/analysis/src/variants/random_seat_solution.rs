//! Optimal play with seats that move at random.

use super::take_ranges::take_ranges;
use crate::robustness::rank_as_number;
use lastnim_core::game::{AllianceMatrix, BySeat, Ending, Position, Seat, SeatCount, SeatSet};
use lastnim_core::oracle::{Budget, HaltReason, TakeRange};

/// The maximum number of counters, in all piles together, of a [`VariantGame`](super::VariantGame) with random seats. A
/// random take depends on every counter, so the time to solve a game grows with their number.
pub const MAX_RANDOM_COUNTERS: u64 = 100_000;

/// Expected ranks and probabilities that differ by at most this much count as equal. Rounding errors are far smaller,
/// and real differences between takes are far larger.
const EQUALITY_TOLERANCE: f64 = 1e-9;

/// The solution of a position in which some seats move at random and the others take that into account (Krawec 2015).
///
/// A random seat draws its take uniformly from all legal ones. Every other seat knows which seats move at random, and
/// chooses the take that gives it the lowest expected rank, where ranks run from 0 (best) to n-1 in its row. Among
/// equally good takes, it chooses the one of the fewest counters. The figures are exact except for the rounding of
/// 64-bit floating-point numbers.
#[derive(Debug, Clone, PartialEq)]
pub struct RandomSeatSolution {
    /// By seat: the probability that it wins.
    pub win_probabilities: BySeat<f64>,
    /// By seat: the expected rank of the winner in its row.
    pub expected_ranks: BySeat<f64>,
    /// The optimal takes, as ranges in ascending order; empty if the seat to move moves at random or the game is over.
    pub optimal_takes: Vec<TakeRange>,
    /// Whether some reachable position has several takes that are equally good for the mover but lead to different
    /// chances. If so, the figures may depend on the rule that the mover then takes the fewest counters.
    pub has_ties: bool,
}

impl RandomSeatSolution {
    /// Solves a position, with a running mean over the takes of random seats and a running best for the others.
    ///
    /// This takes O(X n^2) time for X counters in total, a number that [`VariantGame`](super::VariantGame) limits. Each
    /// step of the budget solves one level of a pile for one seat to move.
    ///
    /// # Errors
    /// If the budget runs out.
    ///
    /// # Panics
    /// If the matrix and the position have different numbers of seats.
    pub fn solve(
        position: &Position,
        matrix: &AllianceMatrix,
        random: SeatSet,
        ending: Ending,
        budget: &mut Budget<'_>,
    ) -> Result<Self, HaltReason> {
        let seats = matrix.seats();
        assert_eq!(position.seats(), seats, "the matrix must have as many seats as the position");
        let play = RandomSeatSolver { matrix, random };
        let mut prospects =
            BySeat::from_fn(seats, |to_move| Prospect::of_winner(ending.winner(to_move, seats), seats));
        for &counters in position.untouched_piles() {
            play.add_pile(&mut prospects, counters, budget, |_| {})?;
        }
        let mover = position.to_move();
        let mut ranks_after = Vec::new();
        play.add_pile(&mut prospects, position.counters(), budget, |left| {
            ranks_after.push(left[seats.next(mover)].expected_rank(matrix, mover));
        })?;
        let best = ranks_after.iter().copied().fold(f64::INFINITY, f64::min);
        let is_optimal =
            |left: usize| !random.contains(mover) && ranks_after[left] <= best + EQUALITY_TOLERANCE;
        let prospect = &prospects[mover];
        Ok(Self {
            expected_ranks: BySeat::from_fn(seats, |seat| {
                prospect.expected_rank(matrix, seat).clamp(0.0, rank_as_number(seats.get() - 1))
            }),
            win_probabilities: prospect.chances.map(|chance| chance.clamp(0.0, 1.0)),
            optimal_takes: take_ranges(position.counters(), ranks_after.len(), is_optimal),
            has_ties: prospect.has_ties,
        })
    }
}

/// The chances from a position with a given seat to move.
#[derive(Debug, Clone, PartialEq)]
struct Prospect {
    /// By seat: the probability that it wins.
    chances: BySeat<f64>,
    has_ties: bool,
}

impl Prospect {
    fn of_winner(winner: Seat, seats: SeatCount) -> Self {
        let chances = BySeat::from_fn(seats, |seat| if seat == winner { 1.0 } else { 0.0 });
        Self { chances, has_ties: false }
    }

    fn expected_rank(&self, matrix: &AllianceMatrix, seat: Seat) -> f64 {
        let ranks = self
            .chances
            .enumerate()
            .map(|(winner, chance)| chance * rank_as_number(matrix.rank(seat, winner)));
        ranks.sum()
    }

    fn has_same_chances(&self, chances: &BySeat<f64>) -> bool {
        let mut pairs = self.chances.iter().zip(chances);
        pairs.all(|(one, other)| (one - other).abs() <= EQUALITY_TOLERANCE)
    }
}

/// The combined outcomes of those takes of a seat that have been added so far.
struct TakeTotals {
    /// By winner: the sum of its chances over the takes, used if the seat moves at random.
    sums: BySeat<f64>,
    /// The lowest expected rank, used if the seat does not move at random.
    best: f64,
    /// The chances after the best take; of equally good takes, the one of the fewest counters.
    chosen: BySeat<f64>,
    /// Whether other takes are as good as the chosen one, but lead to different chances.
    is_tied: bool,
    /// Whether some position after one of the takes has ties.
    has_ties: bool,
}

impl TakeTotals {
    fn of_no_takes(seats: SeatCount) -> Self {
        let none = BySeat::filled(seats, &0.0);
        Self { sums: none.clone(), best: f64::INFINITY, chosen: none, is_tied: false, has_ties: false }
    }

    /// Adds a take of fewer counters than all takes added before.
    fn add(&mut self, after: &Prospect, rank: f64) {
        self.has_ties |= after.has_ties;
        for (winner, chance) in after.chances.enumerate() {
            self.sums[winner] += chance;
        }
        if rank < self.best - EQUALITY_TOLERANCE {
            self.is_tied = false;
        } else if rank <= self.best + EQUALITY_TOLERANCE {
            self.is_tied |= !after.has_same_chances(&self.chosen);
        } else {
            return;
        }
        self.best = self.best.min(rank);
        self.chosen = after.chances.clone();
    }
}

struct RandomSeatSolver<'a> {
    matrix: &'a AllianceMatrix,
    random: SeatSet,
}

impl RandomSeatSolver<'_> {
    /// Appends a pile to the piles whose prospects, by seat to move, are `prospects`. Calls `see_left` with the
    /// prospects for each number of counters that a take can leave in the new pile, from 0 on.
    fn add_pile(
        &self,
        prospects: &mut BySeat<Prospect>,
        counters: u64,
        budget: &mut Budget<'_>,
        mut see_left: impl FnMut(&BySeat<Prospect>),
    ) -> Result<(), HaltReason> {
        let seats = self.matrix.seats();
        let mut seen = BySeat::from_fn(seats, |_| TakeTotals::of_no_takes(seats));
        let mut takes = 0.0;
        for _ in 0..counters {
            budget.spend(seats.get() as u64)?;
            see_left(prospects);
            takes += 1.0;
            for seat in seats.iter() {
                let after = &prospects[seats.next(seat)];
                seen[seat].add(after, after.expected_rank(self.matrix, seat));
            }
            for (seat, seen) in seen.enumerate() {
                let is_random = self.random.contains(seat);
                prospects[seat] = Prospect {
                    chances: if is_random { seen.sums.map(|sum| sum / takes) } else { seen.chosen.clone() },
                    has_ties: seen.has_ties || (seen.is_tied && !is_random),
                };
            }
        }
        Ok(())
    }
}
