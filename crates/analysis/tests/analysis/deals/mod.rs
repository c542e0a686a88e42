//! Tests that the measures of deals agree with a brute force that follows their definitions and shares no code with
//! the library.

mod brute_force;
mod incentives;
mod measures;
mod play;
mod shares;
mod talk_audits;

use brute_force::{Order, SmallMatch};
use lastnim_analysis::deals::Deal;
use lastnim_core::game::testing::games;
use lastnim_core::game::{AllianceMatrix, Ending, Game, Pact, Row, Seat, SeatCount};
use proptest::{collection::vec, prelude::*, sample::Index};

/// A pact as plain numbers: each member with the pairs of seats that it must put in this order.
type PactTerms = Vec<(usize, Vec<(usize, usize)>)>;

/// Returns the seats in the order in which the row of `seat` prefers them.
fn order_of(seat: usize, row: &Row) -> Order {
    let n = row.offsets().len();
    row.offsets().iter().map(|&offset| (seat + usize::from(offset)) % n).collect()
}

fn orders_of(matrix: &AllianceMatrix) -> Vec<Order> {
    matrix.rows().iter().enumerate().map(|(seat, row)| order_of(seat, row)).collect()
}

fn small_match(game: &Game) -> SmallMatch {
    SmallMatch {
        seats: game.matrix.seats().get(),
        piles: game.piles.as_slice().to_vec(),
        first: game.first_seat().index(),
        last_mover_wins: game.ending == Ending::LastMoverWins,
    }
}

fn seat_at(seats: SeatCount, index: usize) -> Seat {
    seats.seat(index).unwrap()
}

/// Generates a deal, and the terms of its pacts.
fn deals(
    seats: std::ops::RangeInclusive<usize>,
    piles: std::ops::RangeInclusive<usize>,
    counters: std::ops::RangeInclusive<u64>,
) -> impl Strategy<Value = (Deal, Vec<PactTerms>)> {
    games(seats, piles, counters).prop_flat_map(|game| {
        let n = game.matrix.seats().get();
        let declared = vec(declared_row(n), n);
        (Just(game), declared, vec(pact_terms(n), 0..=3)).prop_map(|(game, declared, pacts)| {
            let rows: Vec<Vec<u64>> = game
                .matrix
                .rows()
                .iter()
                .zip(declared)
                .map(|(dealt, lie)| {
                    lie.unwrap_or_else(|| dealt.offsets().iter().map(|&offset| offset.into()).collect())
                })
                .collect();
            let declared = AllianceMatrix::parse(&rows).unwrap();
            let parsed = pacts.iter().map(|terms| Pact::parse(declared.seats(), terms).unwrap()).collect();
            (Deal::new(game, declared, parsed).unwrap(), pacts)
        })
    })
}

/// Generates the row that a seat declares; `None` means its dealt row.
fn declared_row(n: usize) -> impl Strategy<Value = Option<Vec<u64>>> {
    prop::option::of(Just((0..n as u64).collect::<Vec<_>>()).prop_shuffle())
}

/// Generates a pact of 2 to n members. Each has up to 3 relations, which do not contradict each other.
fn pact_terms(n: usize) -> impl Strategy<Value = PactTerms> {
    let all: Vec<usize> = (0..n).collect();
    let constraint = (Just(all.clone()).prop_shuffle(), vec([any::<Index>(), any::<Index>()], 0..=3));
    (Just(all).prop_shuffle(), 2..=n, vec(constraint, n)).prop_map(move |(members, size, constraints)| {
        let relations = |(order, pairs): (Vec<usize>, Vec<[Index; 2]>)| {
            let places = pairs.iter().map(|pair| pair.map(|index| index.index(n)));
            let ordered = places.filter(|[one, other]| one != other);
            ordered.map(|[one, other]| (order[one.min(other)], order[one.max(other)])).collect()
        };
        members.into_iter().take(size).zip(constraints.into_iter().map(relations)).collect()
    })
}
