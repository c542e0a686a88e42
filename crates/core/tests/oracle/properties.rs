//! Checks on random games that the oracle agrees with the references and that the theorems behind the fast path hold.

use super::{list_takes, seat_indices};
use lastnim_core::game::testing::{games, matrices};
use lastnim_core::{
    game::{AllianceMatrix, Ending, Game, MAX_COUNTERS, MAX_PILES, MAX_SEATS, Piles, SeatCount},
    oracle::{
        self, Solution,
        reference::{BackwardInduction, GameTree, memoised_winner},
    },
};
use proptest::{collection::vec, prelude::*};

fn cap_piles_at(piles: &Piles, n: usize) -> Piles {
    let counters: Vec<_> = piles.as_slice().iter().map(|&counters| counters.min(n as u64)).collect();
    Piles::parse(&counters).unwrap()
}

proptest! {
    #[test]
    fn every_position_of_a_game_agrees_with_backward_induction(
        game in games(2..=8, 1..=5, 1..=20),
        choices in vec(any::<prop::sample::Index>(), 100),
    ) {
        let (solution, reference) = (Solution::new(&game), BackwardInduction::new(&game));
        let mut position = game.first_position();
        for choice in choices {
            prop_assert_eq!(&solution.winners(&position), reference.winners(&position));
            prop_assert_eq!(solution.winner(&position), reference.winner(&position));
            prop_assert_eq!(list_takes(&solution.optimal_takes(&position)), reference.optimal_takes(&position));
            if position.is_over() {
                break;
            }
            let take = 1 + choice.index(position.counters() as usize) as u64;
            position.take(take).unwrap();
        }
        prop_assert!(position.is_over());
        let winners = oracle::solve_winners(&game.piles, &game.matrix, game.ending);
        prop_assert_eq!(&winners, reference.winners(&game.first_position()));
    }

    #[test]
    fn many_seats_agree_with_memoised_search(game in games(2..=MAX_SEATS, 1..=6, 1..=7)) {
        let winner = oracle::solve_winners(&game.piles, &game.matrix, game.ending)[game.first_seat()];
        prop_assert_eq!(winner, memoised_winner(&game));
        prop_assert_eq!(winner, Solution::new(&game).winner(&game.first_position()));
    }

    #[test]
    fn high_piles_and_many_seats_agree_with_backward_induction(game in games(9..=MAX_SEATS, 1..=3, 25..=45)) {
        let (solution, reference) = (Solution::new(&game), BackwardInduction::new(&game));
        let position = game.first_position();
        prop_assert_eq!(&oracle::solve_winners(&game.piles, &game.matrix, game.ending), reference.winners(&position));
        prop_assert_eq!(list_takes(&solution.optimal_takes(&position)), reference.optimal_takes(&position));
    }

    #[test]
    fn the_reference_solvers_agree_with_each_other(game in games(2..=5, 1..=3, 1..=5)) {
        let winner = BackwardInduction::new(&game).winner(&game.first_position());
        let tree = GameTree::build(&game, 1 << 20).unwrap();
        prop_assert_eq!(tree.winner(&game.matrix, game.ending), winner);
        prop_assert_eq!(memoised_winner(&game), winner);
    }

    #[test]
    fn a_pile_is_worth_at_most_n_counters(game in games(2..=8, 1..=4, 1..=30)) {
        let mut capped = game.clone();
        capped.piles = cap_piles_at(&game.piles, game.matrix.seats().get());
        let [winner, capped] = [&game, &capped].map(|game| BackwardInduction::new(game).winner(&game.first_position()));
        prop_assert_eq!(winner, capped);
    }

    #[test]
    fn last_mover_wins_equals_to_move_wins_with_single_counters_in_front(
        matrix in matrices(2..=MAX_SEATS),
        piles in vec(1..=40_u64, 1..=6),
    ) {
        let n = matrix.seats().get();
        let mut behind_singles = vec![1; n - 1];
        behind_singles.extend(&piles);
        let winners = |piles: &[u64], ending| oracle::solve_winners(&Piles::parse(piles).unwrap(), &matrix, ending);
        prop_assert_eq!(
            winners(&piles, Ending::LastMoverWins),
            winners(&behind_singles, Ending::ToMoveWins)
        );
    }

    #[test]
    fn giant_piles_are_worth_n_counters(
        matrix in matrices(2..=MAX_SEATS),
        piles in vec(MAX_COUNTERS - 3..=MAX_COUNTERS, 1..=MAX_PILES),
    ) {
        let n = matrix.seats().get();
        let game = Game::new(Piles::parse(&piles).unwrap(), matrix, 0, Ending::LastMoverWins).unwrap();
        let winners = oracle::solve_winners(&game.piles, &game.matrix, game.ending);
        prop_assert_eq!(&winners, &oracle::solve_winners(&cap_piles_at(&game.piles, n), &game.matrix, game.ending));

        let solution = Solution::new(&game);
        let position = game.first_position();
        prop_assert_eq!(&winners, &solution.winners(&position));
        let takes = solution.optimal_takes(&position);
        let counters = position.counters();
        let edges = [1, 2, counters / 2, counters - n as u64, counters - 1, counters];
        for take in takes.iter().flat_map(|range| [range.lo, range.hi]).chain(edges) {
            let mut after = position.clone();
            after.take(take).unwrap();
            let kept = solution.winner(&after) == solution.winner(&position);
            prop_assert_eq!(takes.contains(take), kept, "take {} of {:?}", take, takes);
        }
    }
}

#[test]
fn n_counters_may_be_worth_more_than_n_minus_1() {
    for n in 2..=MAX_SEATS {
        // Every seat ranks seat 0 first. Seat 0 moves first, so it wins if the game lasts n turns, which takes n
        // counters.
        let rows: Vec<Vec<u64>> = (0..n)
            .map(|seat| {
                let ally = (n - seat) % n;
                std::iter::once(ally)
                    .chain((0..n).filter(|&offset| offset != ally))
                    .map(|k| k as u64)
                    .collect()
            })
            .collect();
        let matrix = AllianceMatrix::parse(&rows).unwrap();
        let winner = |counters| {
            let piles = Piles::parse(&[counters]).unwrap();
            oracle::solve_winners(&piles, &matrix, Ending::ToMoveWins).as_slice()[0].index()
        };
        assert_ne!(winner(n as u64 - 1), 0, "{n} seats");
        assert_eq!(winner(n as u64), 0, "{n} seats");
        assert_eq!(winner(MAX_COUNTERS), 0, "{n} seats");
    }
}

#[test]
fn a_game_that_is_over_has_a_winner_and_no_take() {
    for n in [2, 8, 9] {
        let rows: Vec<Vec<u64>> = vec![(0..n).rev().collect(); n as usize];
        for ending in Ending::ALL {
            let game = Game::parse(&[0, 0], &rows, 1, ending).unwrap();
            let position = game.first_position();
            let (solution, seats) = (Solution::new(&game), game.matrix.seats());
            assert!(solution.optimal_takes(&position).is_empty());
            assert_eq!(solution.winner(&position), ending.winner(game.first_seat(), seats));
            let winners = oracle::solve_winners(&game.piles, &game.matrix, ending);
            assert_eq!(winners, solution.winners(&position));
            assert_eq!(&winners, BackwardInduction::new(&game).winners(&position));
            assert_eq!(memoised_winner(&game), solution.winner(&position));
        }
    }
}

#[test]
fn winners_are_indexed_by_the_first_seat() {
    let matrix = AllianceMatrix::standard(SeatCount::new(12).unwrap());
    let winners = oracle::solve_winners(&Piles::parse(&[7, 5]).unwrap(), &matrix, Ending::ToMoveWins);
    assert_eq!(seat_indices(&winners), [2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 0, 1]);
}
