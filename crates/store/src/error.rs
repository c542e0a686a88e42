//! Why a store does not do what it should.

use lastnim_core::game::{MatchId, TournamentId};
use thiserror::Error;

/// Why something could not be kept, or not be read.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum StoreError {
    /// The database can do nothing now: its disk is full, it is locked, or the connection is lost. Later it may.
    #[error("the store cannot be used now: {0}")]
    Unavailable(String),
    /// What is kept is not what was written.
    #[error("{what} in the store is damaged: {why}")]
    Damaged {
        /// What is.
        what: String,
        /// How that shows.
        why: String,
    },
    /// The match was quarantined because its record is damaged.
    #[error("match {id} is quarantined: {why}")]
    Quarantined {
        /// The match.
        id: MatchId,
        /// The damage that was found.
        why: String,
    },
    /// The record of the match was removed to save room.
    #[error(
        "the record of match {0} was pruned: its setup, result, figures, last hash and signature are kept, and its events are not"
    )]
    Pruned(MatchId),
    /// Matches of a tournament were forgotten, as there was no room in memory.
    #[error(
        "the server has forgotten matches of tournament {0}: it keeps what is over in memory, and of that only so much (--kept-matches, --kept-events)"
    )]
    Forgotten(TournamentId),
    /// The files or tables of the database are not intact, whatever is read from them.
    #[error("the database is corrupt: {0}")]
    Corrupt(String),
    /// The files of the database are not under their names any more: what is written now would be lost.
    #[error("{0}")]
    Gone(String),
    /// Another server uses the database, or has taken it over from this one.
    #[error("the store belongs to another server: {0}")]
    Taken(String),
    /// The tables were made by another version of the program.
    #[error(
        "the tables of the store are of version {found}, and this program reads version {wanted}: use the lastnim that made them, or name another store"
    )]
    OtherVersion {
        /// The version found.
        found: i64,
        /// The version that this program reads.
        wanted: i64,
    },
    /// The name of a store cannot be read, or names one that cannot be opened at all.
    #[error("{0}")]
    Unusable(String),
    /// The database refuses a change for good: a defect of this program.
    #[error("the store refuses a change: {0}")]
    Refused(String),
    /// What writes to the store has broken down: a defect of this program.
    #[error("the store can be written to no longer: {0}")]
    Broken(String),
}

impl StoreError {
    /// Returns whether the same may succeed later.
    pub fn is_transient(&self) -> bool {
        matches!(self, Self::Unavailable(_))
    }
}
