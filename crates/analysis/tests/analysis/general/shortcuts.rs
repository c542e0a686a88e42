//! Tests that certain simplifications of positions are unsound, some of them only for more than two seats. For each,
//! the expected result is the first position for which it gives wrong winners.
//!
//! The solver agrees with brute force up to and including that position.

use super::{brute_force::winners_by_brute_force, data::all_vectors, solve_winners};
use lastnim_analysis::general::{
    PileSizes, Rules,
    rulesets::{CircularNim, EndNim, Kayles, Nim},
};
use lastnim_core::game::{AllianceMatrix, Ending, SeatCount};

/// Returns the first position whose winners change when `shorten` is applied to it. Also checks that the solver agrees
/// with brute force up to and including that position.
fn first_counterexample<R: Rules<Position = PileSizes>>(
    rules: &R,
    seats: usize,
    shorten: impl Fn(&[u32]) -> Vec<u32>,
    positions: impl Iterator<Item = Vec<u32>>,
) -> Option<Vec<u32>> {
    let matrix = AllianceMatrix::standard(SeatCount::new(seats).unwrap());
    let brute_force_winners = |piles: &[u32]| {
        winners_by_brute_force(rules, &PileSizes::from(piles.to_vec()), &matrix, Ending::LastMoverWins)
    };
    for piles in positions {
        let expected = brute_force_winners(&piles);
        let solved = solve_winners(rules, &matrix, Ending::LastMoverWins, [PileSizes::from(piles.clone())]);
        assert_eq!(solved, std::slice::from_ref(&expected), "{piles:?} with {seats} seats");
        if brute_force_winners(&shorten(&piles)) != expected {
            return Some(piles);
        }
    }
    None
}

/// Returns whether the piles are sorted. If the order of the piles does not matter, it is enough to examine the sorted
/// ones.
#[expect(clippy::ptr_arg, reason = "it is passed to a filter of vectors")]
fn is_ascending(piles: &Vec<u32>) -> bool {
    piles.is_sorted()
}

fn nim_sum(piles: &[u32]) -> Vec<u32> {
    vec![piles.iter().fold(0, |sum, size| sum ^ size)]
}

fn without_equal_pairs(piles: &[u32]) -> Vec<u32> {
    let mut left: Vec<u32> = Vec::new();
    for &size in piles {
        match left.iter().position(|&other| other == size) {
            Some(pair) => drop(left.remove(pair)),
            None => left.push(size),
        }
    }
    left
}

/// Replaces each row by the shortest one with the same Grundy value, for example a row of 4 by a single stone.
fn shorten_by_grundy_value(rows: &[u32]) -> Vec<u32> {
    const SHORTEST_EQUIVALENT: [u32; 5] = [0, 1, 2, 3, 1];
    rows.iter().map(|&row| SHORTEST_EQUIVALENT[row as usize]).collect()
}

fn cap_piles_at(max: u32) -> impl Fn(&[u32]) -> Vec<u32> {
    move |piles| piles.iter().map(|&size| size.min(max)).collect()
}

#[test]
fn the_nim_sum_is_valid_only_for_two_seats() {
    let piles = || all_vectors(2, 4).filter(is_ascending);
    assert_eq!(first_counterexample(&Nim, 2, nim_sum, piles()), None);
    assert_eq!(first_counterexample(&Nim, 3, nim_sum, piles()), Some(vec![1, 1]));
}

#[test]
fn equal_piles_cancel_only_for_two_seats() {
    let piles = || all_vectors(3, 3).filter(is_ascending);
    assert_eq!(first_counterexample(&Nim, 2, without_equal_pairs, piles()), None);
    assert_eq!(first_counterexample(&Nim, 3, without_equal_pairs, piles()), Some(vec![0, 1, 1]));
}

#[test]
fn grundy_values_replace_parts_only_for_two_seats() {
    let rows = || all_vectors(2, 4).filter(is_ascending);
    assert_eq!(first_counterexample(&Kayles, 2, shorten_by_grundy_value, rows()), None);
    assert_eq!(first_counterexample(&Kayles, 3, shorten_by_grundy_value, rows()), Some(vec![0, 4]));
}

#[test]
fn a_pile_is_worth_more_than_n_counters_in_nim() {
    let piles = all_vectors(2, 4).filter(is_ascending);
    assert_eq!(first_counterexample(&Nim, 2, cap_piles_at(2), piles), Some(vec![2, 3]));
    let three_piles = [vec![2, 3, 4], vec![3, 3, 3], vec![3, 3, 4]];
    assert_eq!(first_counterexample(&Nim, 3, cap_piles_at(3), three_piles.into_iter()), Some(vec![3, 3, 4]));
}

#[test]
fn a_pile_is_worth_more_than_n_counters_in_end_nim() {
    assert_eq!(first_counterexample(&EndNim, 2, cap_piles_at(2), all_vectors(2, 4)), Some(vec![3, 2]));
}

#[test]
fn a_pile_is_worth_more_than_n_counters_in_moore_s_nim() {
    // In a circle of three piles, all piles are adjacent. So this is Moore's Nim in which a move may take from up to
    // two piles.
    let moore = CircularNim::parse(2, &PileSizes::from(vec![0; 3])).unwrap();
    let piles = all_vectors(3, 3).filter(is_ascending);
    assert_eq!(first_counterexample(&moore, 2, cap_piles_at(2), piles), Some(vec![2, 2, 3]));
}
