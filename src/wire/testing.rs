//! Games and settings of all kinds, for the properties of this floor.

use crate::{
    game::{AllianceMatrix, BySeat, Ending, Game, MAX_COUNTERS, Piles, Row, SeatCount},
    tournament::{Alliance, Concurrency, Scoring, Settings, SettingsDraft},
};
use proptest::prelude::*;

fn seats() -> impl Strategy<Value = SeatCount> {
    (2..=32_usize).prop_map(|seats| SeatCount::new(seats).unwrap())
}

fn row(seats: SeatCount) -> impl Strategy<Value = Row> {
    let offsets: Vec<u64> = (0..seats.get() as u64).collect();
    Just(offsets).prop_shuffle().prop_map(move |offsets| Row::parse(&offsets, seats).unwrap())
}

fn matrix(seats: SeatCount) -> impl Strategy<Value = AllianceMatrix> {
    prop::collection::vec(row(seats), seats.get())
        .prop_map(|rows| AllianceMatrix::from_rows(BySeat::try_from(rows).unwrap()).unwrap())
}

fn piles() -> impl Strategy<Value = Piles> {
    let counters = prop_oneof![1..10_u64, 1..=MAX_COUNTERS];
    prop::collection::vec(counters, 1..6).prop_map(|counters| Piles::parse(&counters).unwrap())
}

fn ending() -> impl Strategy<Value = Ending> {
    prop::sample::select(Ending::ALL.as_slice())
}

/// Any game, not begun or over.
pub(crate) fn game() -> impl Strategy<Value = Game> {
    let over = Just(Piles::parse_partly_emptied(&[0]).unwrap());
    let piles = prop_oneof![9 => piles(), 1 => over];
    (seats().prop_flat_map(matrix), piles, any::<prop::sample::Index>(), ending()).prop_map(
        |(matrix, piles, first, ending)| {
            let first = first.index(matrix.seats().get());
            Game::new(piles, matrix, first, ending).unwrap()
        },
    )
}

fn alliance(seats: SeatCount) -> impl Strategy<Value = Alliance> {
    prop_oneof![
        Just(Alliance::Declared),
        Just(Alliance::Standard),
        Just(Alliance::Random),
        matrix(seats).prop_map(Alliance::Given),
    ]
}

/// Any settings.
pub(crate) fn settings() -> impl Strategy<Value = Settings> {
    let cross = seats().prop_flat_map(|seats| {
        (Just(seats), alliance(seats), prop::option::of(seats.get()..seats.get() + 4))
    });
    (
        cross,
        "[a-zA-Z0-9][ -~é]{0,99}",
        prop::collection::vec(piles(), 1..5),
        ending(),
        prop::sample::select(Scoring::ALL.as_slice()),
        1..=Concurrency::MAX,
        any::<u64>(),
    )
        .prop_map(
            |((seats, alliance, start_at), title, positions, ending, scoring, concurrency, seed)| {
                Settings::new(SettingsDraft {
                    title: title.parse().unwrap(),
                    seats,
                    positions,
                    ending,
                    alliance,
                    scoring,
                    concurrency: Concurrency::new(concurrency).unwrap(),
                    start_at,
                    seed,
                })
                .unwrap()
            },
        )
}
