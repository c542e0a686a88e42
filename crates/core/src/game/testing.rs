//! Settings and random games for the property tests of all crates.

use super::{AllianceMatrix, Ending, Game, Piles, Row, Seat, SeatCount};
use proptest::{collection::vec, prelude::*, sample::select};
use std::ops::RangeInclusive;

/// The number of cases that `proptest` runs for a property by default.
const DEFAULT_CASES: u32 = 256;

/// Returns settings for a slow property: `usual` cases, scaled by `PROPTEST_CASES` / 256. `ProptestConfig::with_cases`
/// would ignore that variable.
pub fn cases(usual: u32) -> ProptestConfig {
    let asked = ProptestConfig::default();
    let cases = u64::from(usual) * u64::from(asked.cases) / u64::from(DEFAULT_CASES);
    ProptestConfig { cases: u32::try_from(cases).unwrap_or(u32::MAX).max(1), ..asked }
}

/// Generates games whose numbers of seats, piles and counters per pile lie in these ranges.
pub fn games(
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

/// Generates alliance matrices whose number of seats lies in this range.
pub fn matrices(seats: RangeInclusive<usize>) -> impl Strategy<Value = AllianceMatrix> {
    seats
        .prop_flat_map(|seats| {
            let row: Vec<u64> = (0..seats as u64).collect();
            vec(Just(row).prop_shuffle(), seats)
        })
        .prop_map(|rows| AllianceMatrix::parse(&rows).unwrap())
}

/// Returns all n! rows, in no particular order.
pub fn permutations(seats: SeatCount) -> Vec<Row> {
    let orders = (0..seats.get() as u64).fold(vec![Vec::new()], |orders: Vec<Vec<u64>>, offset| {
        let insert_offset = |order: &Vec<u64>| {
            let order = order.clone();
            (0..=order.len()).map(move |place| {
                let mut order = order.clone();
                order.insert(place, offset);
                order
            })
        };
        orders.iter().flat_map(insert_offset).collect()
    });
    orders.iter().map(|order| Row::parse(order, seats).unwrap()).collect()
}

/// Returns a copy of `game` in which `seat` has the given row.
pub fn with_row(game: &Game, seat: Seat, row: &Row) -> Game {
    let mut game = game.clone();
    game.matrix = game.matrix.with_row(seat, row.clone());
    game
}
