//! Tests that the batch solver agrees with the solver for single positions.

use lastnim_core::game::testing::matrices;
use lastnim_core::{
    game::{AllianceMatrix, BySeat, Ending, MAX_COUNTERS, MAX_SEATS, Piles, Seat, SeatCount},
    oracle::{self, BatchSolver},
};
use proptest::{collection::vec, prelude::*, sample::select};

/// Solves positions in one batch.
fn solve_batch<P: AsRef<[u64]>>(batch: &mut BatchSolver, positions: &[P]) -> Vec<BySeat<Seat>> {
    let mut answers = Vec::new();
    batch.solve_positions(positions, |winners| answers.push(winners.to_by_seat()));
    answers
}

fn solve_one_by_one(positions: &[Vec<u64>], matrix: &AllianceMatrix, ending: Ending) -> Vec<BySeat<Seat>> {
    let winners = |piles: &Vec<u64>| {
        let nonempty: Vec<_> = piles
            .iter()
            .filter(|&&counters| counters > 0)
            .map(|&counters| counters.min(MAX_COUNTERS))
            .collect();
        let piles = if nonempty.is_empty() { vec![0] } else { nonempty };
        oracle::solve_winners(&Piles::parse_partly_emptied(&piles).unwrap(), matrix, ending)
    };
    positions.iter().map(winners).collect()
}

/// Generates the number of counters in a pile: usually small or 0, sometimes close to the maximum.
fn any_counters() -> impl Strategy<Value = u64> {
    prop_oneof![8 => 0..=5_u64, 4 => 0..=40_u64, 1 => u64::MAX - 40..=u64::MAX]
}

proptest! {
    #[test]
    fn a_batch_agrees_with_one_position_at_a_time(
        matrix in matrices(2..=MAX_SEATS),
        ending in select(&Ending::ALL[..]),
        positions in vec(vec(any_counters(), 0..=12), 0..=40),
    ) {
        let expected = solve_one_by_one(&positions, &matrix, ending);
        let mut batch = BatchSolver::new(&matrix, ending);
        prop_assert_eq!(&solve_batch(&mut batch, &positions), &expected, "while the tables are filled");
        prop_assert_eq!(&solve_batch(&mut batch, &positions), &expected, "once the tables are filled");
        for (piles, expected) in positions.iter().zip(&expected) {
            let winners = batch.solve_position(piles);
            prop_assert_eq!(&winners.to_by_seat(), expected);
            prop_assert!(winners.iter().eq(expected.iter().copied()));
            prop_assert!(matrix.seats().iter().all(|first| winners[first] == expected[first]));
        }
    }

    #[test]
    fn a_batch_agrees_for_equal_numbers_of_piles(
        matrix in matrices(2..=8),
        ending in select(&Ending::ALL[..]),
        positions in vec([any_counters(), any_counters(), any_counters(), any_counters(), any_counters(), any_counters(), any_counters()], 0..=70),
    ) {
        let expected = solve_one_by_one(&positions.iter().map(|piles| piles.to_vec()).collect::<Vec<_>>(), &matrix, ending);
        prop_assert_eq!(solve_batch(&mut BatchSolver::new(&matrix, ending), &positions), expected);
    }
}

#[test]
#[should_panic(expected = "seat 4 of 4 seats")]
fn a_nonexistent_seat_panics() {
    let mut batch =
        BatchSolver::new(&AllianceMatrix::standard(SeatCount::new(4).unwrap()), Ending::ToMoveWins);
    let fifth = SeatCount::new(5).unwrap().seat(4).unwrap();
    let _ = batch.solve_position(&[3, 1])[fifth];
}
