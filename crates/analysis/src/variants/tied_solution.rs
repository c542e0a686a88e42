//! Optimal play for rows with ties.

use super::{TiedMatrix, take_ranges::take_ranges};
use lastnim_core::game::{BySeat, Ending, Position, Seat, SeatSet};
use lastnim_core::oracle::{Budget, HaltReason, TakeRange};

/// The solution of a position for rows with ties.
///
/// A seat that is indifferent may move either way, so a position has a set of possible winners: those of all
/// subgame-perfect equilibria in pure strategies, which may depend on the history of play.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TiedSolution {
    /// By first seat: every winner that an equilibrium leads to; at least one.
    pub winners_by_first: BySeat<SeatSet>,
    /// The takes that are optimal in some equilibrium, as ranges in ascending order; none if the game is over.
    pub optimal_in_some: Vec<TakeRange>,
    /// The takes that are optimal in every equilibrium; may be empty.
    pub optimal_in_every: Vec<TakeRange>,
}

impl TiedSolution {
    /// Solves a position.
    ///
    /// With `C_p(w)` the place of the group of winner w for seat p, `U` the union of the sets that the takes lead to, and
    /// `t` the least, over the takes, of the worst place in the take's set, the set is `{ w in U : C_p(w) <= t }`: each
    /// take's set can be reached independently, and the mover can refuse whatever is worse than t.
    ///
    /// `U` only grows and `t` only falls with the counters of a pile, and two equal successive vectors of sets repeat for
    /// ever. So a pile needs at most n (2n - 1) levels, however many counters it has. A step of the budget is one level
    /// of a pile with one seat to move.
    ///
    /// # Errors
    /// If the budget runs out.
    ///
    /// # Panics
    /// If the matrix has another number of seats than the position.
    pub fn solve(
        position: &Position,
        matrix: &TiedMatrix,
        ending: Ending,
        budget: &mut Budget<'_>,
    ) -> Result<Self, HaltReason> {
        let seats = matrix.seats();
        assert_eq!(position.seats(), seats, "a matrix with as many seats as the position");
        let mut empty = BySeat::from_fn(seats, |to_move| SeatSet::from_iter([ending.winner(to_move, seats)]));
        for &counters in position.untouched_piles() {
            empty = last_level(pile_levels(empty, matrix, counters, budget)?);
        }
        let counters = position.counters();
        let levels = pile_levels(empty, matrix, counters, budget)?;
        let mover = position.to_move();
        let after: Vec<TakePlaces> =
            levels.iter().map(|level| TakePlaces::of_set(matrix, mover, level[seats.next(mover)])).collect();
        // If more counters can be left, the last level also covers the takes that leave them.
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

/// By seat to move: the possible winners.
type WinnerSets = BySeat<SeatSet>;

/// The places, in the mover's row, of the winners that a take can lead to.
#[derive(Debug, Clone, Copy)]
struct TakePlaces {
    best: usize,
    worst: usize,
}

impl TakePlaces {
    fn of_set(matrix: &TiedMatrix, mover: Seat, winners: SeatSet) -> Self {
        let places = || winners.iter().map(|winner| matrix.rank(mover, winner));
        Self { best: places().min().unwrap_or_default(), worst: places().max().unwrap_or_default() }
    }
}

/// The outcomes of a seat's takes.
#[derive(Debug, Clone, Copy)]
struct TakeOptions {
    /// Every winner that some take can lead to.
    winners: SeatSet,
    /// The least, over the takes, of the worst place.
    threshold: usize,
}

/// Returns the winners with 0, 1, ... of at most `counters` counters in the last pile; the last level also applies to
/// every larger number.
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
            *threshold = TakePlaces::of_set(matrix, seat, after).worst.min(*threshold);
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
    levels.pop().expect("a pile has at least the level of 0 counters")
}
