//! The rows that explain a seat's takes in several games.

use super::{
    AddGameOutcome, Contradiction, StoredGameLimits, belief::BelievedRow, knowledge::CommonKnowledgeRow,
    seat_takes::SeatTakes,
};
use crate::RowSet;
use lastnim_core::{
    game::{Game, IllegalTake, Row, Seat, SeatCount},
    oracle::{Budget, PlayedTake},
    shown_number::shown_number,
};
use thiserror::Error;

/// The assumption about what the other seats know of the row that explains a seat's takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum KnowledgeReading {
    /// The row is common knowledge. A row explains a take if the take is optimal in the game in which this row replaces
    /// the seat's declared row. In that game everyone, including the seat itself at later plies, plays optimally.
    CommonKnowledge,
    /// The other seats believe the declared row, so each take leads to the winner that it has in the declared game. A
    /// row explains a take if it ranks this winner before every other winner to which a take at that ply could have
    /// led.
    DeclaredBelieved,
}

/// The rows that the seat declared in the added games.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DeclaredRow {
    /// No game was added.
    Nothing,
    /// The same row in each game.
    Always(Row),
    /// Different rows in different games.
    Various,
}

/// The rows under which every take of a seat was optimal, in all games that were added.
///
/// The seat's number may differ between games, because a row consists of offsets from the seat. Only the takes of the
/// seat's own bot count, not the steward's. [`StoredGameLimits`] bounds the memory, no matter how many games are added.
///
/// ```
/// use lastnim_analysis::{KnowledgeReading, RationalisableRows};
/// use lastnim_core::{game::{Ending, Game}, oracle::{Budget, PlayedTake}};
///
/// let rows = vec![vec![0, 1], vec![0, 1]];
/// let game = Game::parse(&[3], &rows, 0, Ending::ToMoveWins).unwrap();
/// let mut explained = RationalisableRows::new(game.matrix.seats(), KnowledgeReading::CommonKnowledge);
/// // Seat 0 wins by leaving 1. It takes 1 instead, as if it wanted the other seat to win.
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

/// Why a game cannot be added.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum AddGameError {
    /// The game has a different number of seats from the earlier games.
    #[error(
        "a game with {given} seats after games with {seats}: all games must have the same number of seats"
    )]
    Seats {
        /// The number of seats of the game.
        given: SeatCount,
        /// The number of seats in the earlier games.
        seats: SeatCount,
    },
    /// The game has no such seat.
    #[error("seat {seat}: expected 0 to {}", seats.get() - 1)]
    Seat {
        /// The seat.
        seat: Seat,
        /// The number of seats of the game.
        seats: SeatCount,
    },
    /// A take is illegal.
    #[error("take {}: {error}", shown_number(*ply))]
    IllegalTake {
        /// The ply of the take, from 0.
        ply: u32,
        /// The reason why the take is illegal.
        error: IllegalTake,
    },
}

impl RationalisableRows {
    /// Creates the set of all n! rows.
    pub fn new(seats: SeatCount, reading: KnowledgeReading) -> Self {
        Self::with_limits(seats, reading, StoredGameLimits::default())
    }

    /// Creates the set of all n! rows, with the given limits.
    pub fn with_limits(seats: SeatCount, reading: KnowledgeReading, limits: StoredGameLimits) -> Self {
        let known = match reading {
            KnowledgeReading::CommonKnowledge => {
                RowKnowledge::CommonKnowledge(CommonKnowledgeRow::new(seats, limits))
            }
            KnowledgeReading::DeclaredBelieved => RowKnowledge::DeclaredBelieved(BelievedRow::new(seats)),
        };
        Self { seats, declared: DeclaredRow::Nothing, games: 0, takes: 0, games_left_out: 0, known }
    }

    /// Adds a finished or unfinished game, and keeps only the rows that also explain the seat's takes in it.
    ///
    /// A game is left out if the budget runs out, or if it would exceed the [`StoredGameLimits`]. The set may then
    /// contain too many rows, but never too few. Each level of a pile costs one step of the budget for each leaf.
    ///
    /// # Errors
    /// If the game has a different number of seats, lacks this seat, or has an illegal take; nothing is changed then.
    pub fn add_game(
        &mut self,
        game: &Game,
        seat: Seat,
        played: &[PlayedTake],
        budget: &mut Budget<'_>,
    ) -> Result<AddGameOutcome, AddGameError> {
        let seats = game.matrix.seats();
        if seats != self.seats {
            return Err(AddGameError::Seats { given: seats, seats: self.seats });
        }
        if seat.index() >= seats.get() {
            return Err(AddGameError::Seat { seat, seats });
        }
        let takes = SeatTakes::replay(game, seat, played)
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
        self.games_left_out += u64::from(added != AddGameOutcome::Counted);
        Ok(added)
    }

    /// Returns the rows that explain every take, or a superset of them if games were left out.
    pub fn rows(&self) -> &RowSet {
        match &self.known {
            RowKnowledge::CommonKnowledge(known) => known.rows(),
            RowKnowledge::DeclaredBelieved(known) => known.rows(),
        }
    }

    /// Returns the assumption about what the others know of the row.
    pub fn reading(&self) -> KnowledgeReading {
        match self.known {
            RowKnowledge::CommonKnowledge(_) => KnowledgeReading::CommonKnowledge,
            RowKnowledge::DeclaredBelieved(_) => KnowledgeReading::DeclaredBelieved,
        }
    }

    /// Returns the rows that the seat declared.
    pub fn declared(&self) -> &DeclaredRow {
        &self.declared
    }

    /// Returns whether the row that the seat declared in every game explains every take; `None` if it declared
    /// no row or different rows.
    pub fn is_declared_rational(&self) -> Option<bool> {
        match &self.declared {
            DeclaredRow::Always(row) => Some(self.rows().contains(row)),
            DeclaredRow::Nothing | DeclaredRow::Various => None,
        }
    }

    /// Returns the number of games added, including those left out.
    pub fn game_count(&self) -> u64 {
        self.games
    }

    /// Returns the number of takes that the seat's own bot made in these games.
    pub fn take_count(&self) -> u64 {
        self.takes
    }

    /// Returns the number of games left out: the rows are exact only if it is 0.
    pub fn games_left_out(&self) -> u64 {
        self.games_left_out
    }

    /// Returns a smallest set of takes that no single row explains; `None` if some row explains all takes.
    ///
    /// The budget limits the search for a smallest set. If it runs out, the answer is still a contradiction, but
    /// perhaps not a smallest one. A step is one level of a pile, or one take examined.
    pub fn contradiction(&self, budget: &mut Budget<'_>) -> Option<Contradiction> {
        match &self.known {
            RowKnowledge::CommonKnowledge(known) => known.contradiction(budget),
            RowKnowledge::DeclaredBelieved(known) => known.contradiction(),
        }
    }
}
