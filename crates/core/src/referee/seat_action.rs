//! What a bot does in a match.

use super::{NoteHash, NoteHashError};
use crate::game::Row;

/// What a bot sends for its seat, before anybody has held it against the match.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SeatAction {
    /// It declares a row.
    Declare {
        /// What should be a permutation of 0..n-1.
        offsets: Vec<u64>,
        /// What it adds to the row, or why that is unusable.
        note_hash: Result<Option<NoteHash>, NoteHashError>,
    },
    /// It takes counters.
    Take {
        /// The ply that the take is for.
        ply: u32,
        /// Counters.
        take: u64,
        /// What it adds to the take, or why that is unusable.
        note_hash: Result<Option<NoteHash>, NoteHashError>,
    },
    /// It gives up its seat.
    Resign,
}

impl SeatAction {
    /// Declares a row.
    pub fn declare(row: &Row, note_hash: Option<NoteHash>) -> Self {
        let offsets = row.offsets().iter().copied().map(u64::from).collect();
        Self::Declare { offsets, note_hash: Ok(note_hash) }
    }

    /// Takes counters at a ply.
    pub fn take(ply: u32, take: u64, note_hash: Option<NoteHash>) -> Self {
        Self::Take { ply, take, note_hash: Ok(note_hash) }
    }

    /// Names it in words.
    pub fn describe(&self) -> String {
        match self {
            Self::Declare { .. } => "a row".to_owned(),
            Self::Take { ply, take, .. } => format!("a take of {take} at ply {ply}"),
            Self::Resign => "a resignation".to_owned(),
        }
    }
}
