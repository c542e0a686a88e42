//! Tests of the solver for rows with ties.

use super::{State, all_triples, seat_count, small_piles, start_position, takes_of};
use lastnim_analysis::variants::{TiedMatrix, TiedRow, TiedSolution};
use lastnim_core::game::testing::games;
use lastnim_core::game::{BySeat, Ending, MAX_COUNTERS, MAX_SEATS, Seat, SeatCount, SeatSet};
use lastnim_core::oracle::{Budget, HaltReason, Solution};
use proptest::{collection::vec, prelude::*, sample::select};

/// A subgame-perfect equilibrium: the seat that wins in it, and the takes that are best replies at the root.
#[derive(Debug, Clone)]
struct Equilibrium {
    winner: Seat,
    optimal: Vec<u64>,
}

/// Enumerates the equilibria of a position, in strategies that may depend on the history of play. An equilibrium is a
/// choice of one equilibrium for the position after each take, and a best reply to that choice. Equilibria that lead to
/// the same play are listed separately.
fn enumerate_equilibria(state: &State, matrix: &TiedMatrix, ending: Ending) -> Vec<Equilibrium> {
    if let Some(winner) = state.winner(ending) {
        return vec![Equilibrium { winner, optimal: Vec::new() }];
    }
    // The winners after each take, for each choice of equilibria.
    let mut choices: Vec<Vec<Seat>> = vec![Vec::new()];
    for take in state.takes() {
        let after = enumerate_equilibria(&state.after(take), matrix, ending);
        let extend_choice = |winners: &Vec<Seat>| {
            after.iter().map(|e| [&winners[..], &[e.winner]].concat()).collect::<Vec<_>>()
        };
        choices = choices.iter().flat_map(extend_choice).collect();
    }
    let mut found = Vec::new();
    for winners in choices {
        let rank = |winner: &Seat| matrix.rank(state.to_move, *winner);
        let best = winners.iter().map(rank).min();
        let replies = state.takes().zip(&winners).filter(|(_, winner)| Some(rank(winner)) == best);
        let optimal: Vec<u64> = replies.clone().map(|(take, _)| take).collect();
        found.extend(replies.map(|(_, &winner)| Equilibrium { winner, optimal: optimal.clone() }));
    }
    found
}

fn check_solution(piles: &[u64], first: usize, matrix: &TiedMatrix, ending: Ending) {
    let seats = matrix.seats();
    let position = start_position(piles, first, seats);
    let solution = TiedSolution::solve(&position, matrix, ending, &mut Budget::unbounded()).unwrap();
    let all_equilibria = |seat| enumerate_equilibria(&State::new(piles, seat, seats), matrix, ending);
    for (seat, winners) in solution.winners_by_first.enumerate() {
        let expected: SeatSet = all_equilibria(seat).iter().map(|equilibrium| equilibrium.winner).collect();
        assert_eq!(*winners, expected, "{piles:?} {matrix} {ending} seat {seat}");
    }
    let found = all_equilibria(position.to_move());
    let takes = 1..=position.counters();
    let optimal_in_some = takes.clone().filter(|take| found.iter().any(|each| each.optimal.contains(take)));
    let optimal_in_every = takes.filter(|take| found.iter().all(|each| each.optimal.contains(take)));
    let what = format!("{piles:?} {matrix} {ending} seat {first}");
    assert_eq!(takes_of(&solution.optimal_in_some), optimal_in_some.collect::<Vec<_>>(), "{what}");
    assert_eq!(takes_of(&solution.optimal_in_every), optimal_in_every.collect::<Vec<_>>(), "{what}");
}

/// Returns all rows with ties. Each offset joins one of the groups of smaller offsets, or forms a new group before,
/// between or after them.
fn tied_rows(seats: SeatCount) -> Vec<TiedRow> {
    let mut all: Vec<Vec<Vec<u64>>> = vec![Vec::new()];
    for offset in 0..seats.get() as u64 {
        let placed = |groups: &Vec<Vec<u64>>| {
            let joined = (0..groups.len()).map(|at| {
                let mut groups = groups.clone();
                groups[at].push(offset);
                groups
            });
            let apart = (0..=groups.len()).map(|at| {
                let mut groups = groups.clone();
                groups.insert(at, vec![offset]);
                groups
            });
            joined.chain(apart).collect::<Vec<_>>()
        };
        all = all.iter().flat_map(placed).collect();
    }
    all.iter().map(|groups| TiedRow::parse(groups, seats).unwrap()).collect()
}

#[test]
fn all_small_positions_of_two_and_three_seats_agree_with_all_equilibria() {
    let two = tied_rows(seat_count(2));
    for (one, other) in two.iter().flat_map(|one| two.iter().map(move |other| (one, other))) {
        let matrix =
            TiedMatrix::from_rows(BySeat::try_from(vec![one.clone(), other.clone()]).unwrap()).unwrap();
        for piles in small_piles(5) {
            for ending in Ending::ALL {
                check_solution(&piles, 0, &matrix, ending);
            }
        }
    }
    let three = tied_rows(seat_count(3));
    assert_eq!((two.len(), three.len()), (3, 13));
    for rows in all_triples(&three) {
        let matrix = TiedMatrix::from_rows(rows).unwrap();
        for piles in small_piles(4) {
            for ending in Ending::ALL {
                check_solution(&piles, 0, &matrix, ending);
            }
        }
    }
}

fn tied_matrices(seats: std::ops::RangeInclusive<usize>) -> impl Strategy<Value = TiedMatrix> {
    // The ranks that are drawn for the offsets may leave gaps; only their order determines the groups.
    let rows = seats.prop_flat_map(|seats| vec(vec(0..seats, seats), seats));
    rows.prop_map(|rows| {
        let groups = |ranks: &Vec<usize>| -> Vec<Vec<u64>> {
            let group = |rank| (0..).zip(ranks).filter(|(_, of)| **of == rank).map(|(at, _)| at).collect();
            (0..ranks.len()).map(group).filter(|group: &Vec<u64>| !group.is_empty()).collect()
        };
        TiedMatrix::parse(&rows.iter().map(groups).collect::<Vec<_>>()).unwrap()
    })
}

proptest! {
    #[test]
    fn random_positions_agree_with_all_equilibria(
        matrix in tied_matrices(2..=5),
        piles in select(small_piles(5)),
        first in any::<prop::sample::Index>(),
        ending in select(&Ending::ALL[..]),
    ) {
        check_solution(&piles, first.index(matrix.seats().get()), &matrix, ending);
    }

    #[test]
    fn without_ties_the_solution_equals_that_of_strict_rows(game in games(2..=MAX_SEATS, 1..=6, 1..=60)) {
        let matrix = TiedMatrix::from_rows(game.matrix.rows().map(|row| TiedRow::from(row))).unwrap();
        let (strict, position) = (Solution::new(&game), game.first_position());
        let solved =
            TiedSolution::solve(&position, &matrix, game.ending, &mut Budget::unbounded()).unwrap();
        let winners = strict.winners(&position).map(|&winner| SeatSet::from_iter([winner]));
        prop_assert_eq!(&solved.winners_by_first, &winners);
        let takes = strict.optimal_takes(&position);
        prop_assert_eq!(&solved.optimal_in_some[..], takes.as_slice());
        prop_assert_eq!(&solved.optimal_in_every[..], takes.as_slice());
    }

    #[test]
    fn piles_beyond_the_bound_play_like_piles_of_that_size(
        matrix in tied_matrices(2..=8),
        piles in vec(MAX_COUNTERS - 3..=MAX_COUNTERS, 1..=5),
        ending in select(&Ending::ALL[..]),
    ) {
        let seats = matrix.seats();
        let bound = (seats.get() * (2 * seats.get() - 1)) as u64;
        let solve = |piles: &[u64]| {
            TiedSolution::solve(&start_position(piles, 0, seats), &matrix, ending, &mut Budget::of_steps(100_000)).unwrap()
        };
        let (giant, bounded) = (solve(&piles), solve(&vec![bound; piles.len()]));
        prop_assert_eq!(&giant.winners_by_first, &bounded.winners_by_first);
        prop_assert_eq!(giant.optimal_in_some.last().map(|range| range.hi == piles[piles.len() - 1]),
            bounded.optimal_in_some.last().map(|range| range.hi == bound));
    }
}

#[test]
fn any_seat_can_win_if_all_rows_are_tied() {
    let solved = solve_all_tied(&mut Budget::unbounded()).unwrap();
    assert!(solved.winners_by_first.iter().all(|winners| *winners == SeatSet::all(seat_count(3))));
    assert_eq!(takes_of(&solved.optimal_in_every), [1, 2, 3]);
}

#[test]
fn running_out_of_steps_names_the_limit() {
    assert_eq!(solve_all_tied(&mut Budget::of_steps(5)), Err(HaltReason::OutOfSteps { limit: 5 }));
}

/// Solves a position of three seats to whom every winner is equally good.
fn solve_all_tied(budget: &mut Budget<'_>) -> Result<TiedSolution, HaltReason> {
    let seats = seat_count(3);
    let indifferent = TiedRow::parse(&[vec![0, 1, 2]], seats).unwrap();
    let matrix = TiedMatrix::from_rows(BySeat::filled(seats, &indifferent)).unwrap();
    TiedSolution::solve(&start_position(&[3, 3], 0, seats), &matrix, Ending::ToMoveWins, budget)
}
