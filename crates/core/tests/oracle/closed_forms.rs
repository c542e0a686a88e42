//! Tests the oracle against the closed forms of Liu and Yang (2017) for the standard alliance matrix, as printed in
//! El-Seidy, El Kady and Nassr (2019), on all positions with a few small piles.
//!
//! The paper leaves some points open. The forms are correct only if it is read as follows:
//! - For n > N + 1, no formula is printed; the value is N.
//! - The printed values N, d + 1 and d + 2 can be n or more, but a value is always below n, so they are meant modulo n.
//! - The piles are numbered from 1, from the left; the last pile, which is in play, is `x_N`. If the piles are numbered
//!   from 0 or from the right, the forms are wrong.
//! - For N > 2n - 1, only the form for MLNim(6,3) is printed.

use lastnim_core::{
    game::{AllianceMatrix, Ending, Game, Piles, SeatCount},
    oracle::{self, reference::BackwardInduction},
};

/// The maximum number of counters in any pile of these tests. Piles of n or more counters are all equivalent, and the
/// forms distinguish only piles of one counter from larger ones.
const MAX_COUNTERS: u64 = 3;

/// Checks a closed form against the fast path and the reference on every position of `count` piles, and returns the
/// number of positions.
fn check_form(count: usize, n: usize, form: impl Fn(&dyn Fn(usize) -> u64) -> usize) -> usize {
    let matrix = AllianceMatrix::standard(SeatCount::new(n).unwrap());
    let positions = all_positions(count);
    for piles in &positions {
        let game = Game::new(Piles::parse(piles).unwrap(), matrix.clone(), 0, Ending::ToMoveWins).unwrap();
        let expected = form(&|index| piles[index - 1]) % n;
        let winners = oracle::solve_winners(&game.piles, &matrix, game.ending);
        for (first, &winner) in winners.enumerate() {
            assert_eq!(matrix.seats().distance_between(first, winner), expected, "{game:?}, first {first}");
        }
        assert_eq!(&winners, BackwardInduction::new(&game).winners(&game.first_position()), "{game:?}");
    }
    positions.len()
}

fn all_positions(count: usize) -> Vec<Vec<u64>> {
    let all = MAX_COUNTERS.pow(count as u32);
    (0..all)
        .map(|number| {
            (0..count as u32).map(|pile| 1 + number / MAX_COUNTERS.pow(pile) % MAX_COUNTERS).collect()
        })
        .collect()
}

#[test]
fn the_closed_form_holds_for_fewer_than_n_minus_1_piles() {
    for n in 3..=8 {
        for count in 1..n - 1 {
            assert!(check_form(count, n, |_| count) > 0);
        }
    }
}

#[test]
fn the_closed_form_holds_for_n_minus_1_piles() {
    for n in 2..=7 {
        check_form(n - 1, n, |x| if x(n - 1) == 1 { n - 1 } else { 0 });
    }
}

#[test]
fn the_closed_form_holds_for_n_plus_d_piles_if_n_is_at_least_d_plus_3() {
    for n in 3..=5 {
        for d in 0..=n - 3 {
            check_form(n + d, n, |x| if x(n - 1) == 1 { d } else { d + 1 });
        }
    }
}

#[test]
fn the_closed_form_holds_for_n_plus_d_piles_if_n_is_d_plus_2() {
    for n in 3..=5 {
        let d = n - 2;
        check_form(n + d, n, |x| match (x(n - 1), x(n + d)) {
            (1, _) => d,
            (_, 1) => d + 1,
            _ => d + 2,
        });
    }
}

#[test]
fn the_closed_form_holds_for_n_plus_d_piles_if_n_is_d_plus_1() {
    for n in 3..=4 {
        let d = n - 1;
        check_form(n + d, n, |x| match (x(n - 1), x(n + d), x(n + d - 1)) {
            (1, 1, _) => d,
            (1, _, _) | (_, _, 1) => d + 1,
            _ => d + 2,
        });
    }
}

#[test]
fn the_closed_form_holds_for_six_piles_and_three_seats() {
    let positions = check_form(6, 3, |x| match (x(2) > 1, x(4) > 1, x(5) > 1, x(6) > 1) {
        (true, true, _, false) => 2,
        (true, true, _, true) | (false, _, false, _) => 0,
        (false, _, true, _) | (true, false, _, _) => 1,
    });
    assert_eq!(positions, 729);
}

#[test]
fn the_piles_are_numbered_from_1_and_from_the_left() {
    // With 2 piles and 3 seats, the value depends only on whether x_2 is 1. These values show that x_2 is the right
    // pile, so the piles are numbered from 1 and from the left.
    let matrix = AllianceMatrix::standard(SeatCount::new(3).unwrap());
    let value = |piles: &[u64]| {
        let winners = oracle::solve_winners(&Piles::parse(piles).unwrap(), &matrix, Ending::ToMoveWins);
        winners.as_slice()[0].index()
    };
    assert_eq!((value(&[2, 1]), value(&[1, 2])), (2, 0));
}
