//! The JSON in which games are given to the program: keys and numbers as people write them.
//!
//! What is printed is no business of this module: it follows from messages ([`wire::json`](lastnim_proto::json)).

mod matrix;
mod played_game;
mod reading;

pub use matrix::MatrixJson;
pub use played_game::{PlayedGameJson, parse_game};
pub use reading::{KnownKeys, ValueShape, read_json, read_known_json, read_some_keys};

use lastnim_core::game::{EndingError, GameError, SeatCountError};
use lastnim_proto::json::{JsonFlaw, MessageJsonError};
use thiserror::Error;

/// JSON that is not what was asked for.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum JsonError {
    /// It is no JSON, or of another shape.
    #[error("{0}")]
    Shape(String),
    /// It is JSON, but no object.
    #[error("{given}, as in {example}")]
    NoObject {
        /// What it is.
        given: JsonFlaw,
        /// A document as it should be.
        example: &'static str,
    },
    /// It has a key that nobody reads.
    #[error(transparent)]
    UnknownKey(#[from] JsonFlaw),
    /// A value does not fit.
    #[error(transparent)]
    Value(#[from] MessageJsonError),
    /// A key is not there.
    #[error("{key} is missing, as in {example}")]
    Missing {
        /// The key.
        key: &'static str,
        /// A document as it should be.
        example: &'static str,
    },
    /// There is neither a matrix nor a number of seats.
    #[error("alliance_matrix is missing: give every row, or \"players\" for the standard matrix")]
    NoMatrix,
    /// There cannot be so many seats.
    #[error("players: {0}")]
    Players(#[from] SeatCountError),
    /// The matrix is one for another number of seats.
    #[error("{players} players and a matrix of {rows} rows: it has one for each")]
    Rows {
        /// The seats.
        players: usize,
        /// The rows.
        rows: usize,
    },
    /// There is no such ending.
    #[error(transparent)]
    Ending(#[from] EndingError),
    /// The numbers are no game.
    #[error(transparent)]
    Game(#[from] GameError),
}
