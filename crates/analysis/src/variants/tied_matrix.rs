//! The preferences of all seats, with ties.

use super::{TiedRow, TiedRowError};
use lastnim_core::game::{BySeat, RowError, Seat, SeatCount, SeatCountError};
use std::fmt;
use thiserror::Error;

/// The rows of all seats, with ties.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct TiedMatrix(BySeat<TiedRow>);

/// Why some rows do not form a matrix with ties.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum TiedMatrixError {
    /// No game has this number of seats.
    #[error("an alliance matrix for {0}")]
    Seats(#[from] SeatCountError),
    /// A row is invalid.
    #[error("row {row} of the alliance matrix: {error}")]
    Row {
        /// The seat whose row is invalid, from 0.
        row: usize,
        /// Why the row is invalid.
        error: TiedRowError,
    },
}

impl TiedMatrix {
    /// Parses n rows. Each row is a list of groups that together contain each of the n offsets once.
    ///
    /// # Errors
    /// If no game has this number of seats, or a row is invalid; the error names the first invalid row.
    pub fn parse(rows: &[Vec<Vec<u64>>]) -> Result<Self, TiedMatrixError> {
        let seats = SeatCount::new(rows.len())?;
        let rows = rows.iter().enumerate().map(|(row, groups)| {
            TiedRow::parse(groups, seats).map_err(|error| TiedMatrixError::Row { row, error })
        });
        Ok(Self(rows.collect::<Result<Vec<_>, _>>()?.try_into()?))
    }

    /// Builds a matrix from one row per seat.
    ///
    /// # Errors
    /// Names the first row that has the wrong number of offsets.
    pub fn from_rows(rows: BySeat<TiedRow>) -> Result<Self, TiedMatrixError> {
        let seats = rows.seats();
        if let Some((seat, row)) = rows.enumerate().find(|(_, row)| row.seats() != seats) {
            let error = RowError::Length { given: row.seats().get(), seats }.into();
            return Err(TiedMatrixError::Row { row: seat.index(), error });
        }
        Ok(Self(rows))
    }

    /// Returns the number of seats.
    pub fn seats(&self) -> SeatCount {
        self.0.seats()
    }

    /// Returns the rows, by seat.
    pub fn rows(&self) -> &BySeat<TiedRow> {
        &self.0
    }

    /// Returns the place, from 0 (best), of the group that contains `winner` in the row of `seat`.
    pub fn rank(&self, seat: Seat, winner: Seat) -> usize {
        self.0[seat].rank(seat, winner)
    }
}

impl fmt::Display for TiedMatrix {
    /// Writes the rows, separated by semicolons: `0 1=2; 0 1 2; 0=2 1`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (place, row) in self.0.iter().enumerate() {
            write!(f, "{}{row}", if place == 0 { "" } else { "; " })?;
        }
        Ok(())
    }
}

impl fmt::Debug for TiedMatrix {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "TiedMatrix({self})")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_name_the_row() {
        let refused = TiedMatrix::parse(&[vec![vec![0], vec![1]], vec![vec![1, 1]]]).unwrap_err();
        assert_eq!(
            refused.to_string(),
            "row 1 of the alliance matrix: offset 1 appears twice in the row, at places 0 and 1: each of 0 to 1 must appear once"
        );
        let refused = TiedMatrix::parse(&[vec![vec![0]]]).unwrap_err();
        assert_eq!(refused.to_string(), "an alliance matrix for 1 seat: expected 2 to 32");
        let two = TiedRow::parse(&[vec![0, 1]], SeatCount::new(2).unwrap()).unwrap();
        assert!(TiedMatrix::from_rows(BySeat::filled(SeatCount::new(3).unwrap(), &two)).is_err());
    }
}
