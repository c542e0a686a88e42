//! Seats and the number of seats in a game.

use serde::{Deserialize, Serialize};
use std::fmt;
use thiserror::Error;

/// Minimum number of seats in a game.
pub const MIN_SEATS: usize = 2;
/// Maximum number of seats in a game.
pub const MAX_SEATS: usize = 32;

/// The number of seats in a game, 2 to 32.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "u8")]
pub struct SeatCount(u8);

/// A number of seats that is less than 2 or more than 32.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("{0} seat{s}: expected {MIN_SEATS} to {MAX_SEATS}", s = if *.0 == 1 { "" } else { "s" })]
pub struct SeatCountError(pub usize);

impl SeatCount {
    /// Creates a number of seats, which must be 2 to 32.
    ///
    /// # Errors
    /// If `seats` is any other number.
    pub fn new(seats: usize) -> Result<Self, SeatCountError> {
        match u8::try_from(seats) {
            Ok(count) if (MIN_SEATS..=MAX_SEATS).contains(&seats) => Ok(Self(count)),
            _ => Err(SeatCountError(seats)),
        }
    }

    /// Returns the number, 2 to 32.
    pub fn get(self) -> usize {
        usize::from(self.0)
    }

    /// Iterates over the seats 0, 1, ..., n-1.
    pub fn iter(self) -> impl DoubleEndedIterator<Item = Seat> + ExactSizeIterator {
        (0..self.0).map(Seat)
    }

    /// Returns the seat with this number.
    ///
    /// # Errors
    /// If the number is n or more.
    pub fn seat(self, index: usize) -> Result<Seat, SeatError> {
        match u8::try_from(index) {
            Ok(seat) if seat < self.0 => Ok(Seat(seat)),
            _ => Err(SeatError { seat: index, seats: self }),
        }
    }

    /// Returns the seat `offset` places after `seat`, in cyclic order.
    pub fn seat_at_offset(self, seat: Seat, offset: usize) -> Seat {
        Seat(((seat.index() + offset) % self.get()) as u8)
    }

    /// Returns the seat after `seat` in playing order.
    pub fn next(self, seat: Seat) -> Seat {
        let next = seat.0 + 1;
        Seat(if next < self.0 { next } else { 0 })
    }

    /// Returns how many places seat `to` comes after seat `from` in cyclic order, 0 to n-1.
    pub fn distance_between(self, from: Seat, to: Seat) -> usize {
        (to.index() + self.get() - from.index()) % self.get()
    }
}

impl TryFrom<u8> for SeatCount {
    type Error = SeatCountError;

    fn try_from(seats: u8) -> Result<Self, SeatCountError> {
        Self::new(seats.into())
    }
}

impl fmt::Display for SeatCount {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// A seat, numbered from 0 in playing order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Seat(u8);

/// A number that is not the number of a seat of the game.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("seat {seat}: expected 0 to {}", seats.get() - 1)]
pub struct SeatError {
    /// The number given.
    pub seat: usize,
    /// The number of seats in the game.
    pub seats: SeatCount,
}

impl Seat {
    /// Seat 0, which moves first unless a game says otherwise.
    pub const FIRST: Self = Self(0);

    /// Returns the number of the seat, 0 to n-1.
    pub fn index(self) -> usize {
        usize::from(self.0)
    }
}

impl fmt::Display for Seat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl From<Seat> for u32 {
    fn from(seat: Seat) -> Self {
        Self::from(seat.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_outside_2_to_32_are_rejected() {
        for bad in [0, 1, 33, 256, 258, usize::MAX] {
            assert_eq!(SeatCount::new(bad), Err(SeatCountError(bad)));
        }
        for good in MIN_SEATS..=MAX_SEATS {
            assert_eq!(SeatCount::new(good).unwrap().get(), good);
        }
    }

    #[test]
    fn a_seat_number_must_be_below_the_seat_count() {
        let three = SeatCount::new(3).unwrap();
        assert_eq!(three.seat(2).unwrap().index(), 2);
        let refused = three.seat(3).unwrap_err();
        assert_eq!(refused.to_string(), "seat 3: expected 0 to 2");
        assert!(three.seat(256).is_err());
    }

    #[test]
    fn the_distance_between_two_seats_is_their_offset() {
        let seats = SeatCount::new(7).unwrap();
        for from in seats.iter() {
            for offset in 0..7 {
                assert_eq!(seats.distance_between(from, seats.seat_at_offset(from, offset)), offset);
            }
        }
    }
}
