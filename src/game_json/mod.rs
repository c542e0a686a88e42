//! The JSON in which games are given to the program: keys and numbers as people write them.
//!
//! Printed JSON follows from the messages ([`lastnim_proto::json`]) instead.

mod matrix;
mod played_game;
mod reading;

pub use matrix::MatrixJson;
pub use played_game::{PlayedGameJson, parse_game};
pub use reading::{KnownKeys, ValueShape, read_json, read_known_json, read_some_keys};

use lastnim_core::game::{EndingError, GameError, SeatCountError};
use lastnim_proto::json::{JsonFlaw, MessageJsonError};
use thiserror::Error;

/// JSON that is not a valid document.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum JsonError {
    /// It is not JSON, or has the wrong shape.
    #[error("{0}")]
    Shape(String),
    /// It is JSON but not an object.
    #[error("{given}, as in {example}")]
    NoObject {
        /// What was given instead of an object.
        given: JsonFlaw,
        /// A valid document.
        example: &'static str,
    },
    /// It has an unknown key.
    #[error(transparent)]
    UnknownKey(#[from] JsonFlaw),
    /// A value has the wrong type.
    #[error(transparent)]
    Value(#[from] MessageJsonError),
    /// A key is missing.
    #[error("{key} is missing, as in {example}")]
    Missing {
        /// The key.
        key: &'static str,
        /// A valid document.
        example: &'static str,
    },
    /// The document has neither a matrix nor a number of seats.
    #[error("alliance_matrix is missing: give every row, or \"players\" for the standard matrix")]
    NoMatrix,
    /// The number of seats is out of range.
    #[error("players: {0}")]
    Players(#[from] SeatCountError),
    /// The matrix is for a different number of seats.
    #[error("{players} players, but a matrix of {rows} rows: expected the same number")]
    Rows {
        /// The seats.
        players: usize,
        /// The rows.
        rows: usize,
    },
    /// The ending is unknown.
    #[error(transparent)]
    Ending(#[from] EndingError),
    /// The numbers are not a game.
    #[error(transparent)]
    Game(#[from] GameError),
}
