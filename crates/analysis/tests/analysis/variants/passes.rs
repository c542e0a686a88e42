//! Tests of the solver for shared passes.

use super::{State, matrices_of_three, seat_count, small_piles, start_position, takes_of};
use lastnim_analysis::variants::{MAX_PASSES, PassCount, PassingSolution};
use lastnim_core::game::testing::{games, matrices};
use lastnim_core::game::{AllianceMatrix, Ending, MAX_COUNTERS, MAX_SEATS, Seat};
use lastnim_core::oracle::{Budget, HaltReason, Solution};
use proptest::{collection::vec, prelude::*, sample::select};
use std::collections::HashMap;

/// Finds winners by searching whole positions. Each position is searched once for each number of passes left.
struct PassSearch<'a> {
    matrix: &'a AllianceMatrix,
    ending: Ending,
    known: HashMap<(State, u32), Seat>,
}

impl<'a> PassSearch<'a> {
    fn new(matrix: &'a AllianceMatrix, ending: Ending) -> Self {
        Self { matrix, ending, known: HashMap::new() }
    }

    fn winner(&mut self, state: &State, passes: u32) -> Seat {
        if let Some(winner) = state.winner(self.ending) {
            return winner;
        }
        if let Some(&winner) = self.known.get(&(state.clone(), passes)) {
            return winner;
        }
        let mut winners: Vec<Seat> =
            state.takes().map(|take| self.winner(&state.after(take), passes)).collect();
        if passes > 0 {
            winners.push(self.winner(&state.after_pass(), passes - 1));
        }
        let winner =
            winners.into_iter().min_by_key(|&winner| self.matrix.rank(state.to_move, winner)).unwrap();
        self.known.insert((state.clone(), passes), winner);
        winner
    }
}

fn check_solution(
    piles: &[u64],
    first: usize,
    matrix: &AllianceMatrix,
    passes: u32,
    search: &mut PassSearch<'_>,
) {
    let (seats, ending) = (matrix.seats(), search.ending);
    let position = start_position(piles, first, seats);
    let count = PassCount::new(passes).unwrap();
    let solved = PassingSolution::solve(&position, matrix, count, ending, &mut Budget::unbounded()).unwrap();
    let what = format!("{piles:?} {matrix} {passes} passes {ending} seat {first}");
    for (seat, &winner) in solved.winner_by_first.enumerate() {
        assert_eq!(winner, search.winner(&State::new(piles, seat, seats), passes), "{what} {seat}");
    }
    let state = State::new(piles, position.to_move(), seats);
    let winner = search.winner(&state, passes);
    let optimal: Vec<u64> =
        state.takes().filter(|&take| search.winner(&state.after(take), passes) == winner).collect();
    assert_eq!(takes_of(&solved.optimal_takes), optimal, "{what}");
    let is_pass_optimal = passes > 0 && search.winner(&state.after_pass(), passes - 1) == winner;
    assert_eq!(solved.is_pass_optimal, is_pass_optimal, "{what}");
}

#[test]
fn all_small_positions_of_three_seats_agree_with_a_search() {
    for matrix in matrices_of_three() {
        for ending in Ending::ALL {
            let mut search = PassSearch::new(&matrix, ending);
            for piles in small_piles(5) {
                (0..=2).for_each(|passes| check_solution(&piles, 0, &matrix, passes, &mut search));
            }
        }
    }
}

proptest! {
    #[test]
    fn random_positions_agree_with_a_search(
        matrix in matrices(2..=5),
        piles in vec(1..=9_u64, 1..=3),
        passes in 0..=5_u32,
        first in any::<prop::sample::Index>(),
        ending in select(&Ending::ALL[..]),
    ) {
        let first = first.index(matrix.seats().get());
        check_solution(&piles, first, &matrix, passes, &mut PassSearch::new(&matrix, ending));
    }

    #[test]
    fn the_game_without_passes_is_last_nim(game in games(2..=MAX_SEATS, 1..=6, 1..=60)) {
        let (strict, position) = (Solution::new(&game), game.first_position());
        let none = PassCount::new(0).unwrap();
        let solved =
            PassingSolution::solve(&position, &game.matrix, none, game.ending, &mut Budget::unbounded()).unwrap();
        prop_assert_eq!(&solved.winner_by_first, &strict.winners(&position));
        let takes = strict.optimal_takes(&position);
        prop_assert_eq!(&solved.optimal_takes[..], takes.as_slice());
        prop_assert!(!solved.is_pass_optimal);
    }

    #[test]
    fn piles_beyond_the_bound_play_like_piles_of_that_size(
        matrix in matrices(2..=6),
        piles in vec(MAX_COUNTERS - 3..=MAX_COUNTERS, 1..=4),
        passes in 0..=6_u32,
        ending in select(&Ending::ALL[..]),
    ) {
        let (seats, count) = (matrix.seats(), PassCount::new(passes).unwrap());
        let n = seats.get() as u64;
        let bound = 1 + (u64::from(passes) + 1) * n * (n - 1);
        let solve = |piles: &[u64]| {
            let position = start_position(piles, 0, seats);
            PassingSolution::solve(&position, &matrix, count, ending, &mut Budget::of_steps(1_000_000)).unwrap()
        };
        let (giant, bounded) = (solve(&piles), solve(&vec![bound; piles.len()]));
        prop_assert_eq!(&giant.winner_by_first, &bounded.winner_by_first);
        prop_assert_eq!(giant.is_pass_optimal, bounded.is_pass_optimal);
    }
}

#[test]
fn a_pile_may_be_worth_more_than_the_number_of_seats() {
    // Without passes, no pile is worth more than one of n counters, by the cap theorem.
    let one = PassCount::new(1).unwrap();
    let winners = |piles: &[u64], matrix: &AllianceMatrix| {
        let position = start_position(piles, 0, matrix.seats());
        let mut budget = Budget::unbounded();
        PassingSolution::solve(&position, matrix, one, Ending::ToMoveWins, &mut budget)
            .unwrap()
            .winner_by_first
    };
    let differs = |before: &[u64], matrix: &AllianceMatrix| {
        winners(&[before, &[3]].concat(), matrix) != winners(&[before, &[4]].concat(), matrix)
    };
    let matrices = matrices_of_three();
    assert!(small_piles(4).iter().any(|before| matrices.iter().any(|matrix| differs(before, matrix))));
}

#[test]
fn the_largest_numbers_of_passes_and_seats_need_a_limited_budget() {
    let matrix = AllianceMatrix::standard(seat_count(MAX_SEATS));
    let position = start_position(&[MAX_COUNTERS, MAX_COUNTERS], 0, matrix.seats());
    let solve = |steps| {
        let passes = PassCount::new(MAX_PASSES).unwrap();
        PassingSolution::solve(&position, &matrix, passes, Ending::ToMoveWins, &mut Budget::of_steps(steps))
    };
    assert_eq!(solve(100_000).unwrap_err(), HaltReason::OutOfSteps { limit: 100_000 });
    solve(1_000_000_000).unwrap();
}
