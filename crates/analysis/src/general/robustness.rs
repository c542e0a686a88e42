//! Assesses how robust the winner of a game with any rules is if other seats turn against a seat.

use super::{
    ExceededBound, GeneralAnswer, PositionSolver, Rules, SearchStopped, answering::PositionQuestion,
};
use crate::robustness::{Coalition, SeatRobustness, coalition_matrix, search_coalitions};
use lastnim_core::{
    game::{BySeat, Seat, SeatSet},
    oracle::{Budget, HaltReason, TakeSafety},
};

/// The robustness of the winner under optimal play if other seats turn against a seat, for each seat and for each move.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GeneralRobustness {
    /// For each seat: its predicted rank, its guaranteed rank, and the smallest coalition that worsens its rank.
    pub seats: BySeat<SeatRobustness>,
    /// The effect of each move on the mover's ranks, in the order of [`GeneralAnswer::options`].
    pub moves: Vec<MoveRobustness>,
}

/// The effect of a move on the mover's ranks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MoveRobustness {
    /// The rank that the mover can guarantee itself after the move, against all others together.
    pub guaranteed_rank: u32,
    /// The class of the move, by its effect on the mover's predicted and guaranteed ranks.
    pub safety: TakeSafety,
}

/// Assesses a solved position. A seat's guaranteed rank is its rank under optimal play if all others turn against it.
/// There are then two opposed sides, so this is the minimax value in any game.
pub(super) fn assess_robustness<R: Rules>(
    rules: &R,
    position: &R::Position,
    question: &PositionQuestion<'_>,
    answer: &GeneralAnswer,
    max_coalition: usize,
    budget: &mut Budget<'_>,
) -> Result<GeneralRobustness, SearchStopped> {
    let (matrix, mover) = (question.matrix, question.first);
    let winner_against = |guarded: Seat, turned: SeatSet, budget: &mut Budget<'_>| {
        let matrix = coalition_matrix(matrix, guarded, turned);
        let mut solver = PositionSolver::new(rules, &matrix, question.ending, question.bounds);
        Ok(solver.winners(position, budget)?[mover])
    };
    let mut seats = Vec::with_capacity(matrix.seats().get());
    for seat in matrix.seats().iter() {
        let guaranteed = winner_against(seat, other_seats(seat, matrix.seats().iter()), budget)?;
        seats.push(SeatRobustness::before_search(matrix, seat, answer.winner, guaranteed));
    }
    let mut seats = BySeat::try_from(seats).expect("there are figures for each seat");
    let assessed_moves = assess_moves(rules, position, question, answer, budget)?;
    search_coalitions(&mut seats, max_coalition, |guarded, predicted_rank, size| {
        let found = subsets_of_size(other_seats(guarded, matrix.seats().iter()), size).find_map(|turned| {
            let winner = match winner_against(guarded, turned, budget) {
                Ok(winner) => winner,
                Err(stopped) => return Some(Err(stopped)),
            };
            let rank = matrix.rank(guarded, winner) as u32;
            (rank > predicted_rank).then(|| Ok(Coalition { seats: turned.iter().collect(), winner, rank }))
        });
        halt_or_stop(found.transpose())
    })?;
    Ok(GeneralRobustness { seats, moves: assessed_moves })
}

/// Separates the end of the budget, which may be part of the answer, from other limits, which are errors.
fn halt_or_stop(
    found: Result<Option<Coalition>, SearchStopped>,
) -> Result<Result<Option<Coalition>, HaltReason>, SearchStopped> {
    match found {
        Err(SearchStopped { bound: ExceededBound::Work(halt), .. }) => Ok(Err(halt)),
        other => other.map(Ok),
    }
}

fn assess_moves<R: Rules>(
    rules: &R,
    position: &R::Position,
    question: &PositionQuestion<'_>,
    answer: &GeneralAnswer,
    budget: &mut Budget<'_>,
) -> Result<Vec<MoveRobustness>, SearchStopped> {
    let (matrix, mover) = (question.matrix, question.first);
    let turned = coalition_matrix(matrix, mover, other_seats(mover, matrix.seats().iter()));
    let mut solver = PositionSolver::new(rules, &turned, question.ending, question.bounds);
    let after = question.list_searched_options(rules, position, &mut solver, budget)?;
    let guaranteed_ranks: Vec<u32> =
        after.iter().map(|option| matrix.rank(mover, option.winner) as u32).collect();
    let before = guaranteed_ranks.iter().copied().min().unwrap_or_default();
    let last = matrix.seats().get() as u32 - 1;
    let assessed =
        answer.options.iter().zip(guaranteed_ranks).map(|(option, guaranteed_rank)| MoveRobustness {
            guaranteed_rank,
            safety: TakeSafety::of_take(option.regret, [before, guaranteed_rank], last),
        });
    Ok(assessed.collect())
}

fn other_seats(seat: Seat, seats: impl Iterator<Item = Seat>) -> SeatSet {
    seats.filter(|&other| other != seat).collect()
}

/// Iterates over the subsets of `set` that have `size` seats; `size` must be at least 1.
fn subsets_of_size(set: SeatSet, size: usize) -> impl Iterator<Item = SeatSet> {
    let members: Vec<Seat> = set.iter().collect();
    let first = (size <= members.len()).then(|| (0..size).collect::<Vec<_>>());
    let count = members.len();
    std::iter::successors(first, move |places| next_combination(places, count))
        .map(move |places| places.iter().map(|&place| members[place]).collect())
}

/// Returns the list that follows `places` in lexicographic order, among the ascending lists of the same length with
/// numbers below `count`.
fn next_combination(places: &[usize], count: usize) -> Option<Vec<usize>> {
    let size = places.len();
    let moved = (0..size).rev().find(|&at| places[at] < count - size + at)?;
    let mut next = places.to_vec();
    let from = places[moved] + 1;
    for (step, place) in next[moved..].iter_mut().enumerate() {
        *place = from + step;
    }
    Some(next)
}

#[cfg(test)]
mod tests {
    use super::*;
    use lastnim_core::game::SeatCount;

    #[test]
    fn every_subset_of_a_size_is_listed_once() {
        let seats = SeatCount::new(6).unwrap();
        let set = other_seats(seats.seat(2).unwrap(), seats.iter());
        for (size, expected) in [(1, 5), (2, 10), (3, 10), (4, 5), (5, 1), (6, 0)] {
            let subsets: std::collections::HashSet<_> = subsets_of_size(set, size).collect();
            assert_eq!(subsets_of_size(set, size).count(), expected);
            assert_eq!(subsets.len(), expected);
            assert!(subsets.iter().all(|subset| subset.iter().count() == size && subset.union(set) == set));
        }
    }
}
