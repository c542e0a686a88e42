//! A match with dealt rows.

use lastnim_core::game::{AllianceMatrix, Game, Pact, Seat, SeatCount};
use thiserror::Error;

/// The position, the dealt rows, the declared rows and the pacts of a match.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Deal {
    dealt: Game,
    declared: AllianceMatrix,
    pacts: Vec<Pact>,
}

/// Why the parts of a deal do not belong together.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum DealError {
    /// The number of declared rows differs from the number of dealt rows.
    #[error("{declared} declared rows: expected {dealt}, one for each dealt row")]
    Declared {
        /// The number of declared rows.
        declared: SeatCount,
        /// The number of dealt rows.
        dealt: SeatCount,
    },
    /// A pact belongs to a match with another number of seats.
    #[error("a pact for {pact} seats: expected one for {dealt}, since there are {dealt} dealt rows")]
    Pact {
        /// The number of seats in the match of the pact.
        pact: SeatCount,
        /// The number of dealt rows.
        dealt: SeatCount,
    },
}

impl Deal {
    /// Creates a deal. The rows of the game `dealt` are the dealt ones.
    ///
    /// # Errors
    /// If the declared rows or a pact are for another number of seats.
    pub fn new(dealt: Game, declared: AllianceMatrix, pacts: Vec<Pact>) -> Result<Self, DealError> {
        let seats = dealt.matrix.seats();
        if declared.seats() != seats {
            return Err(DealError::Declared { declared: declared.seats(), dealt: seats });
        }
        match pacts.iter().map(Pact::seats).find(|&of_pact| of_pact != seats) {
            Some(pact) => Err(DealError::Pact { pact, dealt: seats }),
            None => Ok(Self { dealt, declared, pacts }),
        }
    }

    /// Returns the game with the dealt rows.
    pub fn dealt_game(&self) -> &Game {
        &self.dealt
    }

    /// Returns the game with the declared rows, which is the one that is played.
    pub fn declared_game(&self) -> Game {
        self.game_with(self.declared.clone())
    }

    /// Returns the game with the dealt row of `seat` and the declared rows of all others.
    pub fn game_if_truthful(&self, seat: Seat) -> Game {
        let matrix = self.declared.clone().with_row(seat, self.dealt.matrix[seat].clone());
        self.game_with(matrix)
    }

    /// Returns the dealt rows.
    pub fn dealt(&self) -> &AllianceMatrix {
        &self.dealt.matrix
    }

    /// Returns the declared rows.
    pub fn declared(&self) -> &AllianceMatrix {
        &self.declared
    }

    /// Returns the pacts, in the order in which they were given.
    pub fn pacts(&self) -> &[Pact] {
        &self.pacts
    }

    fn game_with(&self, matrix: AllianceMatrix) -> Game {
        let mut game = self.dealt.clone();
        game.matrix = matrix;
        game
    }
}
