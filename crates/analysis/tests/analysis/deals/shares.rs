//! Tests how often lies and pacts pay in random games.

use lastnim_analysis::{BestDeclaration, deals::Incentives};
use lastnim_core::game::{Ending, Game};
use lastnim_core::oracle::Budget;
use proptest::{prelude::*, strategy::ValueTree as _, test_runner::TestRunner};

/// The shares of the examined games that have each property, from 0 to 1.
#[derive(Debug, Default)]
struct Shares {
    truth_is_equilibrium: f64,
    /// The share of the seats in these games that gain by a lie.
    seat_gains_by_lying: f64,
    pair_has_good_pact: f64,
}

/// Examines random games with piles of 1 to n+1 counters. Each row is drawn from all permutations, or from those that
/// put the seat itself first.
fn sample_shares(seats: usize, piles: usize, self_first: bool, games: u32) -> Shares {
    let row = Just((u64::from(self_first)..seats as u64).collect::<Vec<_>>()).prop_shuffle();
    let row = row.prop_map(move |row| if self_first { [vec![0], row].concat() } else { row });
    let game = (prop::collection::vec(1..=seats as u64 + 1, piles), prop::collection::vec(row, seats));
    let (mut runner, mut shares) = (TestRunner::deterministic(), Shares::default());
    for _ in 0..games {
        let (piles, rows) = game.new_tree(&mut runner).unwrap().current();
        let game = Game::parse(&piles, &rows, 0, Ending::ToMoveWins).unwrap();
        let found = Incentives::find(&game, 2, &mut Budget::unbounded()).unwrap();
        let liars =
            found.best_declarations.iter().map(|lie| f64::from(u8::from(!lie.is_truth_best()))).sum::<f64>();
        let has_pact = found.groups.iter().any(|group| !group.outcomes.is_empty());
        shares.truth_is_equilibrium +=
            f64::from(u8::from(found.best_declarations.iter().all(BestDeclaration::is_truth_best)))
                / f64::from(games);
        shares.seat_gains_by_lying += liars / f64::from(u32::try_from(seats).unwrap()) / f64::from(games);
        shares.pair_has_good_pact += f64::from(u8::from(has_pact)) / f64::from(games);
    }
    shares
}

#[test]
fn lies_and_pacts_pay_off_as_often_as_documented() {
    for (seats, piles, self_first, expected) in [
        (3, 8, true, [0.47, 0.18, 0.28]),
        (4, 5, true, [0.58, 0.15, 0.53]),
        (3, 8, false, [0.88, 0.04, 0.09]),
        (4, 5, false, [0.79, 0.06, 0.29]),
    ] {
        let shares = sample_shares(seats, piles, self_first, 500);
        let found = [shares.truth_is_equilibrium, shares.seat_gains_by_lying, shares.pair_has_good_pact];
        for ((found, expected), tolerance) in found.iter().zip(expected).zip([0.05, 0.02, 0.05]) {
            assert!(
                (found - expected).abs() < tolerance,
                "{seats} seats, {piles} piles: {shares:?}, but {expected} is published"
            );
        }
    }
}
