//! The preferences of one seat.

use super::{MAX_SEATS, Seat, SeatCount, SeatCountError};
use serde::{Deserialize, Serialize};
use std::fmt;
use thiserror::Error;

/// A seat's preferences: a permutation of the offsets 0 to n-1, with the most preferred winner first.
///
/// Offset `k` of seat `i` means the seat `(i + k) mod n`. Source: El-Seidy, El Kady and Nassr (2019), Definition 2.3.
///
/// Rows sort by their offsets, in lexicographic order.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "Vec<u64>", into = "Vec<u64>")]
pub struct Row {
    offsets: Box<[u8]>,
    ranks: Box<[u8]>,
}

/// Why offsets do not form a row.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum RowError {
    /// No game has this number of seats.
    #[error("a row for {0}")]
    Seats(SeatCountError),
    /// There are too many or too few offsets.
    #[error(
        "a row of {given} offset{s}: expected {seats}, the offsets 0 to {} in order of preference",
        seats.get() - 1,
        s = if *given == 1 { "" } else { "s" }
    )]
    Length {
        /// The number of offsets given.
        given: usize,
        /// The number of seats in the game.
        seats: SeatCount,
    },
    /// An offset is out of range.
    #[error("offset {offset} at place {place} of the row: expected 0 to {} with {seats} seats", seats.get() - 1)]
    Range {
        /// The offset.
        offset: u64,
        /// The place of the offset in the row, from 0.
        place: usize,
        /// The number of seats in the game.
        seats: SeatCount,
    },
    /// An offset occurs twice.
    #[error("offset {offset} appears twice in the row, at places {first} and {second}: each of 0 to {} must appear once", seats.get() - 1)]
    Repeated {
        /// The offset.
        offset: u64,
        /// The first place at which the offset occurs, from 0.
        first: usize,
        /// The second place at which the offset occurs, from 0.
        second: usize,
        /// The number of seats in the game.
        seats: SeatCount,
    },
}

impl Row {
    /// Parses a permutation of the offsets 0 to n-1.
    ///
    /// # Errors
    /// If there are too many or too few offsets, or an offset is out of range or occurs twice. The error names the
    /// first such offset and its place.
    pub fn parse(offsets: &[u64], seats: SeatCount) -> Result<Self, RowError> {
        let n = seats.get();
        if offsets.len() != n {
            return Err(RowError::Length { given: offsets.len(), seats });
        }
        let mut places: [Option<usize>; MAX_SEATS] = [None; MAX_SEATS];
        for (place, &offset) in offsets.iter().enumerate() {
            let index = usize::try_from(offset).ok().filter(|&index| index < n).ok_or(RowError::Range {
                offset,
                place,
                seats,
            })?;
            if let Some(first) = places[index].replace(place) {
                return Err(RowError::Repeated { offset, first, second: place, seats });
            }
        }
        let ranks = places[..n].iter().flatten().map(|&place| place as u8).collect();
        Ok(Self { offsets: offsets.iter().map(|&offset| offset as u8).collect(), ranks })
    }

    /// Returns the row 0, 1, ..., n-1: the seat itself first, then the other seats in playing order.
    pub fn standard(seats: SeatCount) -> Self {
        let identity: Box<[u8]> = (0..seats.get() as u8).collect();
        Self { ranks: identity.clone(), offsets: identity }
    }

    /// Returns the row that starts with the offset `ally` (modulo n), followed by the other offsets in ascending order.
    pub fn favouring(ally: usize, seats: SeatCount) -> Self {
        let ally = ally % seats.get();
        let mut offsets = vec![ally as u64];
        offsets.extend((0..seats.get()).filter(|&offset| offset != ally).map(|offset| offset as u64));
        Self::parse(&offsets, seats).expect("each offset occurs once")
    }

    /// Returns the number of seats.
    pub fn seats(&self) -> SeatCount {
        SeatCount::new(self.offsets.len()).expect("a row has 2 to 32 offsets")
    }

    /// Returns the offsets, most preferred first.
    pub fn offsets(&self) -> &[u8] {
        &self.offsets
    }

    /// Returns the place, 0 (best) to n-1, of the winner at this offset.
    ///
    /// # Panics
    /// If `offset` is n or more.
    pub fn rank_of_offset(&self, offset: usize) -> usize {
        usize::from(self.ranks[offset])
    }

    /// Returns the place, 0 (best) to n-1, of `winner` in this row, which belongs to `seat`.
    pub fn rank(&self, seat: Seat, winner: Seat) -> usize {
        self.rank_of_offset(self.seats().distance_between(seat, winner))
    }
}

impl TryFrom<Vec<u64>> for Row {
    type Error = RowError;

    fn try_from(offsets: Vec<u64>) -> Result<Self, RowError> {
        Self::parse(&offsets, SeatCount::new(offsets.len()).map_err(RowError::Seats)?)
    }
}

impl From<Row> for Vec<u64> {
    fn from(row: Row) -> Self {
        row.offsets.iter().map(|&offset| offset.into()).collect()
    }
}

impl fmt::Display for Row {
    /// Writes the offsets, separated by spaces.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (place, offset) in self.offsets.iter().enumerate() {
            write!(f, "{}{offset}", if place == 0 { "" } else { " " })?;
        }
        Ok(())
    }
}

impl fmt::Debug for Row {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Row({self})")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn three_seats() -> SeatCount {
        SeatCount::new(3).unwrap()
    }

    #[test]
    fn the_rank_of_an_offset_is_its_place_in_the_row() {
        let row = Row::parse(&[2, 0, 1], three_seats()).unwrap();
        for (rank, &offset) in row.offsets().iter().enumerate() {
            assert_eq!(row.rank_of_offset(usize::from(offset)), rank);
        }
        let seat = three_seats().seat(2).unwrap();
        assert_eq!(row.rank(seat, three_seats().seat(1).unwrap()), 0, "offset 2 of seat 2 is seat 1");
    }

    #[test]
    fn errors_name_the_invalid_offset() {
        let message = |offsets: &[u64]| Row::parse(offsets, three_seats()).unwrap_err().to_string();
        assert_eq!(
            message(&[0, 1]),
            "a row of 2 offsets: expected 3, the offsets 0 to 2 in order of preference"
        );
        assert_eq!(message(&[0, 3, 1]), "offset 3 at place 1 of the row: expected 0 to 2 with 3 seats");
        assert_eq!(
            message(&[0, 1, 0]),
            "offset 0 appears twice in the row, at places 0 and 2: each of 0 to 2 must appear once"
        );
        assert!(Row::parse(&[0, 1, u64::MAX], three_seats()).is_err());
        assert!(Row::parse(&[0, 1, 258], three_seats()).is_err());
    }

    #[test]
    fn a_row_that_favours_an_ally_begins_with_the_ally() {
        assert_eq!(Row::favouring(2, three_seats()).to_string(), "2 0 1");
        assert_eq!(Row::favouring(3, three_seats()), Row::standard(three_seats()));
    }
}
