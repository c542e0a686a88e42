//! A game: a position, the preferences of all seats, and the ending.

use super::{AllianceMatrix, AllianceMatrixError, Ending, Piles, PilesError, Position, Seat, SeatError};
use thiserror::Error;

/// Everything that optimal play depends on: piles, preferences, first seat and ending.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Game {
    /// The piles.
    pub piles: Piles,
    /// The preferences, which also give the number of seats.
    pub matrix: AllianceMatrix,
    /// The seat that moves first; always a seat of the matrix.
    first: Seat,
    /// The rule that decides who wins when no counter is left.
    pub ending: Ending,
}

/// Why numbers do not describe a game.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum GameError {
    /// The piles are invalid.
    #[error(transparent)]
    Piles(#[from] PilesError),
    /// The matrix is invalid.
    #[error(transparent)]
    Matrix(#[from] AllianceMatrixError),
    /// The first seat does not exist.
    #[error("first: {0}")]
    First(#[from] SeatError),
}

impl Game {
    /// Creates a game.
    ///
    /// # Errors
    /// If the matrix has no seat `first`.
    pub fn new(
        piles: Piles,
        matrix: AllianceMatrix,
        first: usize,
        ending: Ending,
    ) -> Result<Self, SeatError> {
        let first = matrix.seats().seat(first)?;
        Ok(Self { piles, matrix, first, ending })
    }

    /// Parses a game that may be in progress or over. Piles that are already empty are zeros at the end.
    ///
    /// # Errors
    /// If a number is invalid. The error names the first one.
    pub fn parse(piles: &[u64], rows: &[Vec<u64>], first: usize, ending: Ending) -> Result<Self, GameError> {
        let piles = Piles::parse_partly_emptied(piles)?;
        let matrix = AllianceMatrix::parse(rows)?;
        Ok(Self::new(piles, matrix, first, ending)?)
    }

    /// Returns the seat that moves first.
    pub fn first_seat(&self) -> Seat {
        self.first
    }

    /// Returns the start position.
    pub fn first_position(&self) -> Position {
        Position::new(self.piles.clone(), self.first, self.matrix.seats())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_part_of_a_game_is_validated() {
        let rows = vec![vec![0, 1], vec![0, 1]];
        let parse = |piles: &[u64], rows: &[Vec<u64>], first| {
            Game::parse(piles, rows, first, Ending::default()).map_err(|error| error.to_string())
        };
        assert!(parse(&[1, 2], &rows, 1).is_ok());
        assert_eq!(parse(&[1, 2], &rows, 2), Err("first: seat 2: expected 0 to 1".into()));
        assert_eq!(parse(&[], &rows, 0), Err("0 piles: expected 1 to 1024".into()));
        assert_eq!(parse(&[1], &[], 0), Err("an alliance matrix for 0 seats: expected 2 to 32".into()));
    }
}
