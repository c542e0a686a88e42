//! Tests that the solutions of variants agree with searches of whole positions, for all small positions and for random
//! ones.

mod alliances;
mod passes;
mod random_seats;
mod ties;

use lastnim_core::game::{AllianceMatrix, BySeat, Ending, Piles, Position, Row, Seat, SeatCount};
use lastnim_core::oracle::TakeRange;

fn seat_count(seats: usize) -> SeatCount {
    SeatCount::new(seats).unwrap()
}

fn start_position(piles: &[u64], first: usize, seats: SeatCount) -> Position {
    Position::new(Piles::parse(piles).unwrap(), seats.seat(first).unwrap(), seats)
}

/// Returns all lists of piles that have 1 to `total` counters altogether.
fn small_piles(total: u64) -> Vec<Vec<u64>> {
    let mut all = vec![Vec::new()];
    for at in 0.. {
        let Some(piles) = all.get(at).cloned() else { break };
        let left = total - piles.iter().sum::<u64>();
        all.extend((1..=left).map(|pile| [&piles[..], &[pile]].concat()));
    }
    all.split_off(1)
}

/// Returns every way to assign one of the items to each of three seats.
fn all_triples<T: Clone>(items: &[T]) -> Vec<BySeat<T>> {
    let mut all = Vec::new();
    for one in items {
        for two in items {
            all.extend(
                items
                    .iter()
                    .map(|three| BySeat::try_from(vec![one.clone(), two.clone(), three.clone()]).unwrap()),
            );
        }
    }
    all
}

/// Returns all matrices of three seats.
fn matrices_of_three() -> Vec<AllianceMatrix> {
    let rows: Vec<Row> = lastnim_core::game::testing::permutations(seat_count(3));
    all_triples(&rows).into_iter().map(|rows| AllianceMatrix::from_rows(rows).unwrap()).collect()
}

fn takes_of(ranges: &[TakeRange]) -> Vec<u64> {
    assert!(ranges.windows(2).all(|pair| pair[0].hi + 1 < pair[1].lo), "{ranges:?}");
    ranges.iter().flat_map(|range| range.lo..=range.hi).collect()
}

/// A position in the form that the searches use: the nonempty piles and the seat to move.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
struct State {
    piles: Vec<u64>,
    to_move: Seat,
    seats: SeatCount,
}

impl State {
    fn new(piles: &[u64], to_move: Seat, seats: SeatCount) -> Self {
        Self { piles: piles.to_vec(), to_move, seats }
    }

    /// Returns the winner if no counter is left.
    fn winner(&self, ending: Ending) -> Option<Seat> {
        self.piles.is_empty().then(|| ending.winner(self.to_move, self.seats))
    }

    fn takes(&self) -> std::ops::RangeInclusive<u64> {
        1..=self.piles.last().copied().unwrap_or(0)
    }

    fn after_pass(&self) -> Self {
        Self { to_move: self.seats.next(self.to_move), ..self.clone() }
    }

    fn after(&self, take: u64) -> Self {
        let mut after = self.after_pass();
        let last = after.piles.last_mut().unwrap();
        *last -= take;
        if *last == 0 {
            after.piles.pop();
        }
        after
    }
}
