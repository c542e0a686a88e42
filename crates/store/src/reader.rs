//! Reads about a store as a whole, also while a server writes to it.

use super::{Store, StoreError};
use async_trait::async_trait;
use lastnim_core::game::{MatchId, TournamentId};
use lastnim_core::referee::Timestamp;
use lastnim_tournament::MatchOutcome;
use serde::Serialize;

/// A read-only view of a database.
#[async_trait]
pub trait StoreReader: Store {
    /// Checks all pages of the database, and returns what is wrong with them. PostgreSQL checks its pages itself.
    async fn check_pages(&self) -> Result<Vec<String>, StoreError>;

    /// Returns the size of the database.
    async fn size(&self) -> Result<StoreSize, StoreError>;

    /// Counts the matches of each tournament, and the exhibitions; the entry with the newest match is last.
    async fn match_counts(&self) -> Result<Vec<MatchCounts>, StoreError>;

    /// Returns the stored figures of a match; `None` if it was cancelled or is not over.
    async fn outcome(&self, id: MatchId) -> Result<Option<MatchOutcome>, StoreError>;
}

/// The size of a database.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
pub struct StoreSize {
    /// The size in bytes.
    pub bytes: u64,
    /// The bytes free for reuse.
    pub free_bytes: u64,
}

/// Match counts of one tournament.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MatchCounts {
    /// `None` for exhibitions.
    pub tournament: Option<TournamentId>,
    /// All matches.
    pub matches: u64,
    /// Unfinished matches.
    pub unfinished: u64,
    /// Quarantined matches.
    pub quarantined: u64,
    /// Matches whose records were removed.
    pub pruned: u64,
    /// The takes of finished matches.
    pub plies: u64,
    /// When the first match was created.
    pub oldest: Timestamp,
    /// When the last match was created.
    pub newest: Timestamp,
}
