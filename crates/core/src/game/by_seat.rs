//! One value for each seat.

use super::{Seat, SeatCount, SeatCountError};
use serde::{Deserialize, Serialize};
use std::ops::{Index, IndexMut};

/// One `T` for each of 2 to 32 seats, indexed by [`Seat`].
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(try_from = "Vec<T>")]
pub struct BySeat<T>(Box<[T]>);

impl<T> BySeat<T> {
    /// Creates one value for each seat by calling `make`.
    pub fn from_fn(seats: SeatCount, make: impl FnMut(Seat) -> T) -> Self {
        Self(seats.iter().map(make).collect())
    }

    /// Returns the number of seats.
    pub fn seats(&self) -> SeatCount {
        SeatCount::new(self.0.len()).expect("a BySeat has 2 to 32 values")
    }

    /// Iterates over the values, in seat order.
    pub fn iter(&self) -> std::slice::Iter<'_, T> {
        self.0.iter()
    }

    /// Iterates over the seats and their values, in seat order.
    pub fn enumerate(&self) -> impl Iterator<Item = (Seat, &T)> {
        self.seats().iter().zip(self.0.iter())
    }

    /// Applies `make` to each value.
    pub fn map<U>(&self, make: impl FnMut(&T) -> U) -> BySeat<U> {
        BySeat(self.0.iter().map(make).collect())
    }

    /// Returns the values, in seat order.
    pub fn as_slice(&self) -> &[T] {
        &self.0
    }
}

impl<T: Clone> BySeat<T> {
    /// Creates a clone of `value` for each seat.
    pub fn filled(seats: SeatCount, value: &T) -> Self {
        Self::from_fn(seats, |_| value.clone())
    }
}

impl<T> TryFrom<Vec<T>> for BySeat<T> {
    type Error = SeatCountError;

    fn try_from(values: Vec<T>) -> Result<Self, SeatCountError> {
        SeatCount::new(values.len())?;
        Ok(Self(values.into_boxed_slice()))
    }
}

impl<T> Index<Seat> for BySeat<T> {
    type Output = T;

    fn index(&self, seat: Seat) -> &T {
        &self.0[seat.index()]
    }
}

impl<T> IndexMut<Seat> for BySeat<T> {
    fn index_mut(&mut self, seat: Seat) -> &mut T {
        &mut self.0[seat.index()]
    }
}

impl<'a, T> IntoIterator for &'a BySeat<T> {
    type Item = &'a T;
    type IntoIter = std::slice::Iter<'a, T>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}
