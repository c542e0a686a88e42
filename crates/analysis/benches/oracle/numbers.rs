//! Reproducible pseudorandom positions.

use lastnim_core::game::{AllianceMatrix, Piles, SeatCount};

/// A random number generator (xorshift64); the seed must not be 0.
pub(crate) struct RandomNumbers(pub(crate) u64);

impl RandomNumbers {
    pub(crate) fn next_below(&mut self, bound: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % bound
    }

    /// Draws `count` piles of 1 to `max_counters` counters each.
    pub(crate) fn piles(&mut self, count: u32, max_counters: u64) -> Piles {
        let counters: Vec<_> = (0..count).map(|_| 1 + self.next_below(max_counters)).collect();
        Piles::parse(&counters).expect("each pile has counters")
    }

    pub(crate) fn matrix(&mut self, seats: SeatCount) -> AllianceMatrix {
        let rows: Vec<_> = (0..seats.get())
            .map(|_| {
                let mut row: Vec<u64> = (0..seats.get() as u64).collect();
                for place in (1..row.len()).rev() {
                    row.swap(place, self.next_below(place as u64 + 1) as usize);
                }
                row
            })
            .collect();
        AllianceMatrix::parse(&rows).expect("each row is a permutation")
    }
}

pub(crate) fn new_seat_count(count: u32) -> SeatCount {
    SeatCount::new(count as usize).expect("there are 2 to 32 seats")
}
