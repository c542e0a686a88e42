//! Outcomes of play with random errors.

use super::ErrorRate;
use lastnim_core::game::{BySeat, Game, MAX_SEATS, Seat, SeatCount};
use lastnim_core::oracle::recurrence::{RankRecurrence, Ranks};
use lastnim_core::oracle::{Budget, HaltReason, solve_winners};
use thiserror::Error;

/// Maximum number of counters, in all piles together, for which play with errors is computed.
///
/// The cap theorem holds only for optimal play. The outcome of a random take depends on the exact number of counters,
/// so the time to compute it grows with this number.
pub const MAX_ERRING_COUNTERS: u64 = 10_000_000;

/// The outcome of a game with random errors.
///
/// The model: at each take of an erring seat, with probability e the take is drawn uniformly from all legal ones.
/// Otherwise, and for seats that do not err, it is drawn uniformly from the optimal ones. "Optimal" ignores errors: no
/// seat allows for later errors, so this is not an equilibrium of play with errors. All draws are independent. The
/// figures are expectations, exact up to the rounding of 64-bit floating point.
#[derive(Debug, Clone, PartialEq)]
pub struct ErrorOutlook {
    /// The probability that a take of an erring seat is drawn from all legal ones.
    pub rate: ErrorRate,
    /// By seat: the probability that it wins if all seats err.
    pub win_probabilities: BySeat<f64>,
    /// The expectations of each seat.
    pub seats: BySeat<SeatErrorOutlook>,
}

/// A seat's expectations under random errors. Ranks are places in its own row, 0 (best) to n-1.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SeatErrorOutlook {
    /// The expected rank if all seats err.
    pub expected_rank_if_all_err: f64,
    /// The expected rank if all others err and the seat does not.
    pub expected_rank_if_others_err: f64,
    /// The probability that the rank is no worse than under optimal play, if all seats err.
    pub kept_if_all_err: f64,
    /// The probability that the rank is no worse than under optimal play, if all others err and the seat does not.
    pub kept_if_others_err: f64,
}

/// The reason why play with errors was not computed.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum ErrorOutlookError {
    /// There are too many counters.
    #[error(
        "{counters} counters in total: expected at most {MAX_ERRING_COUNTERS}, because a calculation with errors examines every possible take"
    )]
    TooManyCounters {
        /// The number of counters.
        counters: u128,
    },
    /// The calculation took too long.
    #[error(transparent)]
    Halt(#[from] HaltReason),
}

impl ErrorOutlook {
    /// Computes the expectations for play from the start position of a game.
    ///
    /// With X counters in total, this takes O(X n^2) time, and memory that does not depend on X. Each counter costs one
    /// step of the budget for each seat to move.
    ///
    /// # Errors
    /// If there are more than [`MAX_ERRING_COUNTERS`] counters, or the budget runs out.
    pub fn of_game(game: &Game, rate: ErrorRate, budget: &mut Budget<'_>) -> Result<Self, ErrorOutlookError> {
        let counters = game.piles.as_slice().iter().map(|&counters| u128::from(counters)).sum();
        if counters > u128::from(MAX_ERRING_COUNTERS) {
            return Err(ErrorOutlookError::TooManyCounters { counters });
        }
        let (seats, first) = (game.matrix.seats(), game.first_seat());
        let predicted = solve_winners(&game.piles, &game.matrix, game.ending)[first];
        let mut play = ErringPlaySolver {
            game,
            recurrence: RankRecurrence::of_matrix(&game.matrix),
            rates: [rate.get(); MAX_SEATS],
        };
        let wins = |winner: Seat| seats.iter().map(|seat| if seat == winner { 1.0 } else { 0.0 }).collect();
        let expected_wins = play.expected_values(seats.get(), wins, budget)?;
        let win_probabilities =
            BySeat::try_from(expected_wins.into_iter().map(clamp_probability).collect::<Vec<_>>());
        let win_probabilities = win_probabilities.expect("there is a probability for each seat");
        let as_rank = |expected: f64| expected.clamp(0.0, rank_as_number(seats.get() - 1));
        let mut outlooks = Vec::with_capacity(seats.get());
        for seat in seats.iter() {
            let rank = |winner: Seat| game.matrix.rank(seat, winner);
            let figures = |winner: Seat| {
                let is_kept = rank(winner) <= rank(predicted);
                vec![rank_as_number(rank(winner)), if is_kept { 1.0 } else { 0.0 }]
            };
            play.rates[seat.index()] = ErrorRate::NONE.get();
            let if_others_err = play.expected_values(2, figures, budget)?;
            play.rates[seat.index()] = rate.get();
            let if_all_err = |figure: usize| -> f64 {
                win_probabilities.enumerate().map(|(winner, p)| p * figures(winner)[figure]).sum()
            };
            outlooks.push(SeatErrorOutlook {
                expected_rank_if_all_err: as_rank(if_all_err(0)),
                expected_rank_if_others_err: as_rank(if_others_err[0]),
                kept_if_all_err: clamp_probability(if_all_err(1)),
                kept_if_others_err: clamp_probability(if_others_err[1]),
            });
        }
        let seats = BySeat::try_from(outlooks).expect("there is an outlook for each seat");
        Ok(Self { rate, win_probabilities, seats })
    }
}

/// Limits a sum of probabilities to the range 0 to 1, because rounding may take it slightly outside.
fn clamp_probability(sum: f64) -> f64 {
    sum.clamp(0.0, 1.0)
}

/// Converts a rank, which is at most n-1, to a floating-point number.
pub(crate) fn rank_as_number(rank: usize) -> f64 {
    f64::from(rank as u32)
}

/// Computes expectations for play with an error rate for each seat.
struct ErringPlaySolver<'a> {
    game: &'a Game,
    recurrence: RankRecurrence,
    rates: [f64; MAX_SEATS],
}

impl ErringPlaySolver<'_> {
    /// Returns the expected values of `lanes` functions of the winner; `figures` evaluates them for a winner.
    ///
    /// Let `D_b(p)` be the expected values when seat p is to move and b counters are left in the last pile. Then
    /// `D_b(p) = e_p / b * sum of D_c(p+1) over all c < b + (1 - e_p) / m * sum of D_c(p+1) over the m optimal c`. Both
    /// sums grow by one term per counter; the second restarts when a take can lead to a better winner than before.
    fn expected_values(
        &self,
        lanes: usize,
        figures: impl Fn(Seat) -> Vec<f64>,
        budget: &mut Budget<'_>,
    ) -> Result<Vec<f64>, HaltReason> {
        let Self { game, recurrence, .. } = self;
        let seats: SeatCount = game.matrix.seats();
        let mut expected: Vec<f64> =
            seats.iter().flat_map(|seat| figures(game.ending.winner(seat, seats))).collect();
        let mut ranks = RankRecurrence::ranks_when_over(&game.matrix, game.ending);
        for &counters in game.piles.as_slice() {
            expected = self.expected_values_with_pile(&ranks, counters, expected, lanes, budget)?;
            ranks = recurrence.ranks_with_pile(&ranks, counters);
        }
        let first = game.first_seat().index() * lanes;
        Ok(expected[first..first + lanes].to_vec())
    }

    /// Returns the expectations by seat to move after a pile of `counters`, at least 1, is appended.
    fn expected_values_with_pile(
        &self,
        empty: &Ranks,
        counters: u64,
        mut expected: Vec<f64>,
        lanes: usize,
        budget: &mut Budget<'_>,
    ) -> Result<Vec<f64>, HaltReason> {
        let seats = self.game.matrix.seats();
        let mut by_counters = self.recurrence.ranks_by_counters(empty);
        let mut ranks = *empty;
        let mut sums: Vec<TakeSums> = seats.iter().map(|_| TakeSums::zero(lanes)).collect();
        let mut takes = 0.0;
        for _ in 0..counters {
            budget.spend(seats.get() as u64)?;
            // Once the ranks stop changing, the last ones also apply to every larger number of counters.
            ranks = by_counters.next().unwrap_or(ranks);
            takes += 1.0;
            for seat in seats.iter() {
                let next = seats.next(seat).index() * lanes;
                let rank = self.recurrence.rank_after(&ranks, seat);
                sums[seat.index()].add(rank, &expected[next..next + lanes]);
            }
            for ((sums, expected), &rate) in sums.iter().zip(expected.chunks_mut(lanes)).zip(&self.rates) {
                sums.write_means(expected, rate, takes);
            }
        }
        Ok(expected)
    }
}

/// Sums of the expected values after each of a seat's takes.
struct TakeSums {
    all: Vec<f64>,
    optimal: Vec<f64>,
    optimal_takes: f64,
    best: u8,
}

impl TakeSums {
    fn zero(lanes: usize) -> Self {
        Self { all: vec![0.0; lanes], optimal: vec![0.0; lanes], optimal_takes: 0.0, best: u8::MAX }
    }

    /// Adds a take that leads to a winner of this rank.
    fn add(&mut self, rank: u8, figures: &[f64]) {
        if rank < self.best {
            self.best = rank;
            self.optimal_takes = 0.0;
            self.optimal.fill(0.0);
        }
        if rank == self.best {
            self.optimal_takes += 1.0;
            self.optimal.iter_mut().zip(figures).for_each(|(sum, figure)| *sum += figure);
        }
        self.all.iter_mut().zip(figures).for_each(|(sum, figure)| *sum += figure);
    }

    /// Writes the expected values over all takes added so far to `expected`. `takes` is the number of these takes.
    fn write_means(&self, expected: &mut [f64], rate: f64, takes: f64) {
        let [of_all, of_optimal] = [rate / takes, (1.0 - rate) / self.optimal_takes];
        for ((expected, all), optimal) in expected.iter_mut().zip(&self.all).zip(&self.optimal) {
            *expected = of_all * all + of_optimal * optimal;
        }
    }
}
