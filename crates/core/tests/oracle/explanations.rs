//! Tests that explanations agree with the solution.

use lastnim_core::game::testing::{games, matrices};
use lastnim_core::{
    game::{Ending, Game, MAX_COUNTERS, MAX_PILES, MAX_SEATS, Piles, Seat},
    oracle::{Explanation, OptimalTakes, Solution, TakeRange, reference::BackwardInduction},
};
use proptest::{collection::vec, prelude::*};

/// Returns the winner after a take, computed from the definition.
fn winner_after(game: &Game, reference: &BackwardInduction, take: u64) -> Seat {
    let mut after = game.first_position();
    after.take(take).unwrap();
    reference.winner(&after)
}

/// Merges ranges that touch.
fn join_ranges(ranges: impl IntoIterator<Item = TakeRange>) -> Vec<TakeRange> {
    let mut joined: Vec<TakeRange> = Vec::new();
    for range in ranges {
        match joined.last_mut() {
            Some(last) if last.hi + 1 == range.lo => last.hi = range.hi,
            _ => joined.push(range),
        }
    }
    joined
}

proptest! {
    #[test]
    fn every_take_is_explained_once(game in games(2..=8, 1..=4, 1..=20)) {
        let explanation = Explanation::of_game(&game, 0);
        let reference = BackwardInduction::new(&game);
        let winner = reference.winner(&game.first_position());
        prop_assert_eq!(explanation.winner, winner);
        let mut next = 1;
        for option in &explanation.options {
            prop_assert_eq!(option.takes.lo, next);
            next = option.takes.hi + 1;
            for take in option.takes.lo..=option.takes.hi {
                prop_assert_eq!(option.winner, winner_after(&game, &reference, take));
            }
            for seat in game.matrix.seats().iter() {
                let ranks = |winner| i64::try_from(game.matrix.rank(seat, winner)).unwrap();
                let fall = ranks(option.winner) - ranks(winner);
                let seat_change = |changes: &[lastnim_core::oracle::RankChange]| {
                    changes.iter().find(|change| change.seat == seat).map_or(0, |change| i64::from(change.ranks))
                };
                prop_assert_eq!(seat_change(&option.worse_for) - seat_change(&option.better_for), fall);
                if seat == game.first_seat() {
                    prop_assert_eq!(i64::from(option.regret), fall);
                }
            }
        }
        prop_assert_eq!(next, game.first_position().counters() + 1);
        let neighbours = explanation.options.windows(2);
        prop_assert!(neighbours.into_iter().all(|pair| pair[0].winner != pair[1].winner));
    }

    #[test]
    fn explanations_of_giant_piles_are_short(
        matrix in matrices(2..=MAX_SEATS),
        piles in vec(MAX_COUNTERS - 40..=MAX_COUNTERS, 1..=MAX_PILES),
    ) {
        let game = Game::new(Piles::parse(&piles).unwrap(), matrix, 0, Ending::ToMoveWins).unwrap();
        let explanation = Explanation::of_game(&game, 100);
        let optimal: OptimalTakes = Solution::new(&game).optimal_takes(&game.first_position());
        let options = &explanation.options;
        prop_assert!(options.len() <= game.matrix.seats().get() + 1);
        let optimal_ranges =
            join_ranges(options.iter().filter(|option| option.is_optimal()).map(|option| option.takes));
        prop_assert_eq!(optimal_ranges, optimal.as_slice());
        prop_assert_eq!((options[0].takes.lo, options[options.len() - 1].takes.hi), (1, game.first_position().counters()));
    }

    #[test]
    fn the_best_line_is_made_of_smallest_optimal_takes(
        game in games(2..=6, 1..=5, 1..=9),
        max_plies in 0..=50_usize,
    ) {
        let (line, solution) = (Explanation::of_game(&game, max_plies).line, Solution::new(&game));
        let mut position = game.first_position();
        for (before, take) in &line.plies {
            prop_assert_eq!(before, &position);
            prop_assert_eq!(Some(*take), solution.optimal_takes(&position).smallest());
            position.take(*take).unwrap();
        }
        prop_assert_eq!(&line.end, &position);
        prop_assert_eq!(solution.winner(&position), solution.winner(&game.first_position()));
        prop_assert!(position.is_over() || line.plies.len() == max_plies);
        prop_assert!(line.plies.len() <= max_plies);
    }
}

#[test]
fn a_game_that_is_over_needs_no_explanation() {
    let game = Game::parse(&[0], &[vec![0, 1], vec![1, 0]], 1, Ending::ToMoveWins).unwrap();
    let explanation = Explanation::of_game(&game, 10);
    assert!(explanation.options.is_empty() && explanation.line.plies.is_empty());
    assert_eq!((explanation.winner, &explanation.line.end), (game.first_seat(), &explanation.position));
}
