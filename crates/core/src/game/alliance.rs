//! The preferences of all seats.

use super::{BySeat, Row, RowError, Seat, SeatCount, SeatCountError};
use std::{fmt, ops::Index};
use thiserror::Error;

/// The rows of all seats.
///
/// Source: El-Seidy, El Kady and Nassr (2019), Definition 2.3.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct AllianceMatrix(BySeat<Row>);

/// Why rows do not form an alliance matrix.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum AllianceMatrixError {
    /// No game has this number of seats.
    #[error("an alliance matrix for {}", .0)]
    Seats(SeatCountError),
    /// A row is invalid.
    #[error("row {row} of the alliance matrix: {error}")]
    Row {
        /// The row's seat, from 0.
        row: usize,
        /// Why the row is invalid.
        error: RowError,
    },
}

impl AllianceMatrix {
    /// Parses n rows of n offsets each.
    ///
    /// # Errors
    /// If a row is invalid, or the number of rows is not 2 to 32. The error names the first invalid row.
    pub fn parse(rows: &[Vec<u64>]) -> Result<Self, AllianceMatrixError> {
        let seats = SeatCount::new(rows.len()).map_err(AllianceMatrixError::Seats)?;
        let rows = rows
            .iter()
            .enumerate()
            .map(|(row, offsets)| {
                Row::parse(offsets, seats).map_err(|error| AllianceMatrixError::Row { row, error })
            })
            .collect::<Result<Vec<_>, _>>()?;
        Ok(Self(rows.try_into().map_err(AllianceMatrixError::Seats)?))
    }

    /// Builds a matrix from one row per seat.
    ///
    /// # Errors
    /// If a row has the wrong number of offsets. The error names the first such row.
    pub fn from_rows(rows: BySeat<Row>) -> Result<Self, AllianceMatrixError> {
        let seats = rows.seats();
        if let Some((seat, row)) = rows.enumerate().find(|(_, row)| row.seats() != seats) {
            let error = RowError::Length { given: row.offsets().len(), seats };
            return Err(AllianceMatrixError::Row { row: seat.index(), error });
        }
        Ok(Self(rows))
    }

    /// Returns the standard alliance matrix: every seat prefers itself, and then the seats that follow it in playing
    /// order.
    pub fn standard(seats: SeatCount) -> Self {
        Self(BySeat::filled(seats, &Row::standard(seats)))
    }

    /// Returns the matrix with the row of one seat replaced.
    ///
    /// # Panics
    /// If the row is for another number of seats.
    #[must_use]
    pub fn with_row(mut self, seat: Seat, row: Row) -> Self {
        assert_eq!(row.seats(), self.seats(), "a row has an offset for each seat of its matrix");
        self.0[seat] = row;
        self
    }

    /// Returns the number of seats.
    pub fn seats(&self) -> SeatCount {
        self.0.seats()
    }

    /// Returns the rows by seat.
    pub fn rows(&self) -> &BySeat<Row> {
        &self.0
    }

    /// Returns the place, 0 (best) to n-1, of `winner` in the row of `seat`.
    pub fn rank(&self, seat: Seat, winner: Seat) -> usize {
        self.0[seat].rank(seat, winner)
    }
}

impl Index<Seat> for AllianceMatrix {
    type Output = Row;

    fn index(&self, seat: Seat) -> &Row {
        &self.0[seat]
    }
}

impl fmt::Display for AllianceMatrix {
    /// Writes the rows, separated by semicolons: `0 2 1; 0 1 2; 0 2 1`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (place, row) in self.0.iter().enumerate() {
            write!(f, "{}{row}", if place == 0 { "" } else { "; " })?;
        }
        Ok(())
    }
}

impl fmt::Debug for AllianceMatrix {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "AllianceMatrix({self})")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_name_the_row() {
        let refused = AllianceMatrix::parse(&[vec![0, 1], vec![1, 1]]).unwrap_err();
        assert_eq!(
            refused.to_string(),
            "row 1 of the alliance matrix: offset 1 appears twice in the row, at places 0 and 1: each of 0 to 1 must appear once"
        );
        let refused = AllianceMatrix::parse(&[vec![0]]).unwrap_err();
        assert_eq!(refused.to_string(), "an alliance matrix for 1 seat: expected 2 to 32");
        let four = SeatCount::new(4).unwrap();
        let three = SeatCount::new(3).unwrap();
        assert!(AllianceMatrix::from_rows(BySeat::filled(four, &Row::standard(three))).is_err());
    }

    #[test]
    fn display_matches_the_input_format() {
        let matrix = AllianceMatrix::parse(&[vec![0, 2, 1], vec![0, 1, 2], vec![2, 0, 1]]).unwrap();
        assert_eq!(matrix.to_string(), "0 2 1; 0 1 2; 2 0 1");
    }
}
