//! The actions of a bot in a match.

use super::{NoteHash, NoteHashError};
use crate::game::Row;

/// A bot's action for its seat, not yet checked against the match.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SeatAction {
    /// Declare a row.
    Declare {
        /// The offsets of the row, which should be a permutation of 0 to n - 1.
        offsets: Vec<u64>,
        /// The note hash, or why it is invalid.
        note_hash: Result<Option<NoteHash>, NoteHashError>,
    },
    /// Take counters.
    Take {
        /// The ply that the take is for.
        ply: u32,
        /// The number of counters.
        take: u64,
        /// The note hash, or why it is invalid.
        note_hash: Result<Option<NoteHash>, NoteHashError>,
    },
    /// Resign.
    Resign,
}

impl SeatAction {
    /// Creates a declaration.
    pub fn declare(row: &Row, note_hash: Option<NoteHash>) -> Self {
        let offsets = row.offsets().iter().copied().map(u64::from).collect();
        Self::Declare { offsets, note_hash: Ok(note_hash) }
    }

    /// Creates a take.
    pub fn take(ply: u32, take: u64, note_hash: Option<NoteHash>) -> Self {
        Self::Take { ply, take, note_hash: Ok(note_hash) }
    }

    /// Returns a short description, such as "a resignation".
    pub fn describe(&self) -> String {
        match self {
            Self::Declare { .. } => "a row".to_owned(),
            Self::Take { ply, take, .. } => format!("a take of {take} at ply {ply}"),
            Self::Resign => "a resignation".to_owned(),
        }
    }
}
