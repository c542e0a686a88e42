//! Errors of a store.

use lastnim_core::game::{MatchId, TournamentId};
use thiserror::Error;

/// Why a store could not read or write.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum StoreError {
    /// The database cannot be used now, because the disk is full, the database is locked, or the connection was lost. A
    /// retry may succeed.
    #[error("the store cannot be used now: {0}")]
    Unavailable(String),
    /// The stored data differs from the data that was written.
    #[error("{what} in the store is damaged: {why}")]
    Damaged {
        /// What is damaged.
        what: String,
        /// What is wrong with it.
        why: String,
    },
    /// The match was quarantined, because its record is damaged or it cannot be finished.
    #[error("match {id} is quarantined: {why}")]
    Quarantined {
        /// The match.
        id: MatchId,
        /// Why it was quarantined.
        why: String,
    },
    /// The record of the match was removed to save space.
    #[error(
        "the record of match {0} was pruned: its setup, result, figures, last hash and signature are kept, but its events are not"
    )]
    Pruned(MatchId),
    /// The in-memory store has dropped matches of the tournament to make room.
    #[error(
        "the server has forgotten some matches of tournament {0}: its store is in memory, and keeps finished matches only up to the limits --kept-matches and --kept-events"
    )]
    Forgotten(TournamentId),
    /// The files or tables of the database are corrupt.
    #[error("the database is corrupt: {0}")]
    Corrupt(String),
    /// The database files were moved or deleted, so writes would be lost.
    #[error("{0}")]
    Gone(String),
    /// The database lacks commits that it had confirmed, for example because a replica without them was promoted.
    #[error("the database has lost commits: {0}")]
    LostCommits(String),
    /// Another server uses the database, or has taken it over from this server.
    #[error("the store belongs to another server: {0}")]
    Taken(String),
    /// The tables were made by another version of the program.
    #[error(
        "the store's tables have version {found}, but this program reads version {wanted}: use the version of lastnim that made them, or name another store"
    )]
    OtherVersion {
        /// The version of the tables.
        found: i64,
        /// The version that this program reads.
        wanted: i64,
    },
    /// The URL of a store is invalid, or names a store that cannot be opened.
    #[error("{0}")]
    Unusable(String),
    /// The database rejects a change permanently, because of a bug in this program.
    #[error("the store rejected a change: {0}")]
    Refused(String),
    /// The writer has broken down, because of a bug in this program.
    #[error("the store can no longer be written to: {0}")]
    Broken(String),
}

impl StoreError {
    /// Returns whether a retry may succeed.
    pub fn is_transient(&self) -> bool {
        matches!(self, Self::Unavailable(_))
    }
}
