//! The JSON format in which users give games to the program, with keys and numbers as people write them.
//!
//! The JSON that the program prints is derived from the protocol's messages instead; see [`lastnim_proto::json`].

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
    /// The text is not JSON, or the JSON has the wrong shape.
    #[error("{0}")]
    Shape(String),
    /// The text is JSON, but not an object.
    #[error("{given}: expected a document such as {example}")]
    NoObject {
        /// The value that was found instead of an object.
        given: JsonFlaw,
        /// An example of a valid document.
        example: &'static str,
    },
    /// The document has an unknown key.
    #[error(transparent)]
    UnknownKey(#[from] JsonFlaw),
    /// A value has the wrong type.
    #[error(transparent)]
    Value(#[from] MessageJsonError),
    /// A key is missing.
    #[error("{key} is missing: expected a document such as {example}")]
    Missing {
        /// The missing key.
        key: &'static str,
        /// An example of a valid document.
        example: &'static str,
    },
    /// The document has neither a matrix nor a number of seats.
    #[error("alliance_matrix is missing: give every row, or \"players\" for the standard matrix")]
    NoMatrix,
    /// The number of seats is out of range.
    #[error("players: {0}")]
    Players(#[from] SeatCountError),
    /// The matrix and `players` give different numbers of seats.
    #[error("{players} players, but a matrix of {rows} rows: expected the same number")]
    Rows {
        /// The number that `players` gives.
        players: usize,
        /// The number of rows in the matrix.
        rows: usize,
    },
    /// The ending is unknown.
    #[error(transparent)]
    Ending(#[from] EndingError),
    /// The numbers do not describe a valid game.
    #[error(transparent)]
    Game(#[from] GameError),
}
