//! Optimal play for rows with ties.

use super::{TiedMatrix, take_ranges::take_ranges};
use lastnim_core::game::{BySeat, Ending, Position, Seat, SeatSet};
use lastnim_core::oracle::{Budget, HaltReason, TakeRange};

/// The solution of a position for rows with ties.
///
/// An indifferent seat may move either way, so a position has a set of possible winners: the winners in all
/// subgame-perfect equilibria in pure strategies, where strategies may depend on the history of play.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TiedSolution {
    /// By first seat: every winner that an equilibrium leads to; at least one.
    pub winners_by_first: BySeat<SeatSet>,
    /// The takes that are optimal in some equilibrium, as ranges in ascending order; empty if the game is over.
    pub optimal_in_some: Vec<TakeRange>,
    /// The takes that are optimal in every equilibrium; may be empty.
    pub optimal_in_every: Vec<TakeRange>,
}

impl TiedSolution {
    /// Solves a position.
    ///
    /// Each take of the seat p to move leads to a set of possible winners. Let `U` be the union of these sets, and let
    /// `C_p(w)` be the place in p's row of the group that contains winner w. Let `t` be the smallest, over all takes,
    /// of the worst place in the take's set. Then the set of possible winners before the take is `{ w in U : C_p(w) <=
    /// t }`: which winner of its set a take leads to does not depend on the other takes, and p need not accept a winner
    /// worse than `t`.
    ///
    /// As a pile gets more counters, `U` only grows and `t` only falls. Once two successive levels have equal sets for
    /// all seats, all further levels are equal too. So a pile needs at most n (2n - 1) levels, however many counters it
    /// has. Each step of the budget solves one level of a pile for one seat to move.
    ///
    /// # Errors
    /// If the budget runs out.
    ///
    /// # Panics
    /// If the matrix and the position have different numbers of seats.
    pub fn solve(
        position: &Position,
        matrix: &TiedMatrix,
        ending: Ending,
        budget: &mut Budget<'_>,
    ) -> Result<Self, HaltReason> {
        let seats = matrix.seats();
        assert_eq!(position.seats(), seats, "the matrix must have as many seats as the position");
        let mut empty = BySeat::from_fn(seats, |to_move| SeatSet::from_iter([ending.winner(to_move, seats)]));
        for &counters in position.untouched_piles() {
            empty = last_level(pile_levels(empty, matrix, counters, budget)?);
        }
        let counters = position.counters();
        let levels = pile_levels(empty, matrix, counters, budget)?;
        let mover = position.to_move();
        let after: Vec<TakeRanks> =
            levels.iter().map(|level| TakeRanks::of_set(matrix, mover, level[seats.next(mover)])).collect();
        // If takes can also leave more counters than the last level has, the last level stands for those takes too.
        let is_repeated = |level: usize| level + 1 == after.len() && counters > after.len() as u64;
        let reachable = &after[..after.len().min(usize::try_from(counters).unwrap_or(usize::MAX))];
        let threshold = reachable.iter().map(|places| places.worst).min().unwrap_or_default();
        let best_of_others = |level: usize| {
            let others =
                reachable.iter().enumerate().filter(|&(other, _)| other != level || is_repeated(level));
            others.map(|(_, places)| places.best).min().unwrap_or(usize::MAX)
        };
        Ok(Self {
            optimal_in_some: take_ranges(counters, after.len(), |level| after[level].best <= threshold),
            optimal_in_every: take_ranges(counters, after.len(), |level| {
                after[level].worst <= best_of_others(level)
            }),
            winners_by_first: last_level(levels),
        })
    }
}

/// The possible winners, by seat to move.
type WinnerSets = BySeat<SeatSet>;

/// The best and the worst place, in the mover's row, of the winners that a take can lead to.
#[derive(Debug, Clone, Copy)]
struct TakeRanks {
    best: usize,
    worst: usize,
}

impl TakeRanks {
    fn of_set(matrix: &TiedMatrix, mover: Seat, winners: SeatSet) -> Self {
        let places = || winners.iter().map(|winner| matrix.rank(mover, winner));
        Self { best: places().min().unwrap_or_default(), worst: places().max().unwrap_or_default() }
    }
}

/// The combined outcomes of a seat's takes.
#[derive(Debug, Clone, Copy)]
struct TakeOptions {
    /// Every winner that some take can lead to.
    winners: SeatSet,
    /// The smallest, over the takes, of the worst place that a take can lead to.
    threshold: usize,
}

/// Returns the possible winners with 0, 1, ... counters in the last pile. The levels end at `counters` counters, or
/// earlier if all further levels would equal the last one.
fn pile_levels(
    empty: WinnerSets,
    matrix: &TiedMatrix,
    counters: u64,
    budget: &mut Budget<'_>,
) -> Result<Vec<WinnerSets>, HaltReason> {
    let seats = matrix.seats();
    let mut options =
        BySeat::filled(seats, &TakeOptions { winners: SeatSet::default(), threshold: usize::MAX });
    let mut levels = vec![empty];
    for _ in 0..counters {
        budget.spend(seats.get() as u64)?;
        let last = &levels[levels.len() - 1];
        let level = BySeat::from_fn(seats, |seat| {
            let after = last[seats.next(seat)];
            let TakeOptions { winners, threshold } = &mut options[seat];
            *winners = winners.union(after);
            *threshold = TakeRanks::of_set(matrix, seat, after).worst.min(*threshold);
            winners.iter().filter(|&winner| matrix.rank(seat, winner) <= *threshold).collect()
        });
        if level == *last {
            break;
        }
        levels.push(level);
    }
    Ok(levels)
}

fn last_level(mut levels: Vec<WinnerSets>) -> WinnerSets {
    levels.pop().expect("every pile has at least the level for 0 counters")
}
