//! The rows that explain a seat's takes, game after game.

use super::{
    AddedGame, Contradiction, KeptGameLimits, belief::BelievedRow, knowledge::CommonKnowledgeRow,
    takes_of_seat::TakesOfSeat,
};
use crate::RowSet;
use lastnim_core::{
    game::{Game, IllegalTake, Row, Seat, SeatCount},
    oracle::{Budget, PlayedTake},
};
use thiserror::Error;

/// What the others are taken to know of the row that explains a seat's takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum KnowledgeReading {
    /// The row is common knowledge: a take is explained by a row if it is optimal in the game with that row in place
    /// of the seat's, in which everybody, the seat itself at later plies included, plays optimally by the rows.
    CommonKnowledge,
    /// The others believe the declared row: what each take leads to is what the oracle says of the game as declared,
    /// and a take is explained by a row if the row ranks the winner that it led to before every other winner that
    /// another take led to at that ply.
    DeclaredBelieved,
}

/// What the seat declared in the games.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DeclaredRow {
    /// No game was added.
    Nothing,
    /// The same row in each.
    Always(Row),
    /// Different rows in different games.
    Various,
}

/// The rows under which every take of a seat was optimal, over one or many games, which are added one after the other.
///
/// The games may have the seat at different places: a row is one of offsets from the seat, and the same in all of
/// them. Only the takes of the seat's own bot count, not the steward's. Memory is bounded by [`KeptGameLimits`], however many
/// games there are.
///
/// ```
/// use lastnim_analysis::{KnowledgeReading, RationalisableRows};
/// use lastnim_core::{game::{Ending, Game}, oracle::{Budget, PlayedTake}};
///
/// let rows = vec![vec![0, 1], vec![0, 1]];
/// let game = Game::parse(&[3], &rows, 0, Ending::ToMoveWins).unwrap();
/// let mut explained = RationalisableRows::new(game.matrix.seats(), KnowledgeReading::CommonKnowledge);
/// // Seat 0 wins by leaving 1. It takes 1 instead, as if it wished that the other seat won.
/// let takes = [PlayedTake::by_bot(1), PlayedTake::by_bot(1), PlayedTake::by_bot(1)];
/// explained.add_game(&game, game.first_seat(), &takes, &mut Budget::unbounded()).unwrap();
/// let rows: Vec<_> = explained.rows().rows().map(|row| row.to_string()).collect();
/// assert_eq!(rows, ["1 0"]);
/// ```
#[derive(Debug, Clone)]
pub struct RationalisableRows {
    seats: SeatCount,
    declared: DeclaredRow,
    games: u64,
    takes: u64,
    games_left_out: u64,
    known: RowKnowledge,
}

#[derive(Debug, Clone)]
enum RowKnowledge {
    CommonKnowledge(CommonKnowledgeRow),
    DeclaredBelieved(BelievedRow),
}

/// A game that cannot be added.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum AddGameError {
    /// It has another number of seats than the games before.
    #[error("a game of {given} seats after games of {seats}: a row is for one number of seats")]
    Seats {
        /// The seats of the game.
        given: SeatCount,
        /// The seats of the games before.
        seats: SeatCount,
    },
    /// The seat is none of the game's.
    #[error("seat {seat}: the seats are 0 to {}", seats.get() - 1)]
    Seat {
        /// The seat.
        seat: Seat,
        /// The seats of the game.
        seats: SeatCount,
    },
    /// A take is against the rules.
    #[error("ply {ply}: {error}")]
    IllegalTake {
        /// The number of the take, from 0.
        ply: u32,
        /// What is wrong with it.
        error: IllegalTake,
    },
}

impl RationalisableRows {
    /// Starts with all n! rows.
    pub fn new(seats: SeatCount, reading: KnowledgeReading) -> Self {
        Self::with_limits(seats, reading, KeptGameLimits::default())
    }

    /// Starts with all n! rows, and keeps within other limits.
    pub fn with_limits(seats: SeatCount, reading: KnowledgeReading, limits: KeptGameLimits) -> Self {
        let known = match reading {
            KnowledgeReading::CommonKnowledge => {
                RowKnowledge::CommonKnowledge(CommonKnowledgeRow::new(seats, limits))
            }
            KnowledgeReading::DeclaredBelieved => RowKnowledge::DeclaredBelieved(BelievedRow::new(seats)),
        };
        Self { seats, declared: DeclaredRow::Nothing, games: 0, takes: 0, games_left_out: 0, known }
    }

    /// Adds a game, played to its end or not: what remains are the rows that explain the seat's takes in it too.
    ///
    /// A game for which the budget does not last, or which would make more leaves than [`KeptGameLimits`] allow, is left out:
    /// the rows are then perhaps too many, but none is missing. A step is one level of a pile for one leaf.
    ///
    /// # Errors
    /// If the game has other seats or an illegal take; then nothing has changed.
    pub fn add_game(
        &mut self,
        game: &Game,
        seat: Seat,
        played: &[PlayedTake],
        budget: &mut Budget<'_>,
    ) -> Result<AddedGame, AddGameError> {
        let seats = game.matrix.seats();
        if seats != self.seats {
            return Err(AddGameError::Seats { given: seats, seats: self.seats });
        }
        if seat.index() >= seats.get() {
            return Err(AddGameError::Seat { seat, seats });
        }
        let takes = TakesOfSeat::replay(game, seat, played)
            .map_err(|(ply, error)| AddGameError::IllegalTake { ply, error })?;
        let row = &game.matrix[seat];
        self.declared = match std::mem::replace(&mut self.declared, DeclaredRow::Various) {
            DeclaredRow::Nothing => DeclaredRow::Always(row.clone()),
            DeclaredRow::Always(before) if before == *row => DeclaredRow::Always(before),
            _ => DeclaredRow::Various,
        };
        let number = self.games;
        self.games += 1;
        self.takes += takes.all;
        let added = match &mut self.known {
            RowKnowledge::CommonKnowledge(known) => known.add_game(number, takes, budget),
            RowKnowledge::DeclaredBelieved(known) => known.add_game(number, &takes),
        };
        self.games_left_out += u64::from(added != AddedGame::Counted);
        Ok(added)
    }

    /// Returns the rows that explain every take; more than these, if games were left out.
    pub fn rows(&self) -> &RowSet {
        match &self.known {
            RowKnowledge::CommonKnowledge(known) => known.rows(),
            RowKnowledge::DeclaredBelieved(known) => known.rows(),
        }
    }

    /// Returns the reading.
    pub fn reading(&self) -> KnowledgeReading {
        match self.known {
            RowKnowledge::CommonKnowledge(_) => KnowledgeReading::CommonKnowledge,
            RowKnowledge::DeclaredBelieved(_) => KnowledgeReading::DeclaredBelieved,
        }
    }

    /// Returns what the seat declared.
    pub fn declared(&self) -> &DeclaredRow {
        &self.declared
    }

    /// Returns whether the row that the seat declared in every game explains every take; none if there is no such row.
    pub fn is_declared_rational(&self) -> Option<bool> {
        match &self.declared {
            DeclaredRow::Always(row) => Some(self.rows().contains(row)),
            DeclaredRow::Nothing | DeclaredRow::Various => None,
        }
    }

    /// Returns how many games were added.
    pub fn games(&self) -> u64 {
        self.games
    }

    /// Returns how many takes of the seat's own bot they have.
    pub fn takes(&self) -> u64 {
        self.takes
    }

    /// Returns how many games were left out: the rows are exact only if none was.
    pub fn games_left_out(&self) -> u64 {
        self.games_left_out
    }

    /// Returns the fewest takes that no row explains together; none if there is a row that explains all.
    ///
    /// The budget is for the proof that there are no fewer: without it the answer is still a contradiction. A step is
    /// one level of a pile, or one set of takes that is looked at.
    pub fn contradiction(&self, budget: &mut Budget<'_>) -> Option<Contradiction> {
        match &self.known {
            RowKnowledge::CommonKnowledge(known) => known.contradiction(budget),
            RowKnowledge::DeclaredBelieved(known) => known.contradiction(),
        }
    }
}
