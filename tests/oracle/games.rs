//! Random games.

use lastnim::game::{AllianceMatrix, Ending, Game, Piles};
use proptest::{collection::vec, prelude::*, sample::select};
use std::ops::RangeInclusive;

/// Any game with so many seats, piles, and counters a pile.
pub(crate) fn games(
    seats: RangeInclusive<usize>,
    piles: RangeInclusive<usize>,
    counters: RangeInclusive<u64>,
) -> impl Strategy<Value = Game> {
    (matrices(seats), vec(counters, piles), any::<prop::sample::Index>(), select(&Ending::ALL[..])).prop_map(
        |(matrix, piles, first, ending)| {
            let first = first.index(matrix.seats().get());
            Game::new(Piles::parse(&piles).unwrap(), matrix, first, ending).unwrap()
        },
    )
}

/// Any alliance matrix with so many seats.
pub(crate) fn matrices(seats: RangeInclusive<usize>) -> impl Strategy<Value = AllianceMatrix> {
    seats
        .prop_flat_map(|seats| {
            let row: Vec<u64> = (0..seats as u64).collect();
            vec(Just(row).prop_shuffle(), seats)
        })
        .prop_map(|rows| AllianceMatrix::parse(&rows).unwrap())
}
