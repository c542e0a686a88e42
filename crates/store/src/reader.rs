//! Reads facts about a store as a whole, even while a server writes to it.

use super::{Store, StoreError};
use async_trait::async_trait;
use lastnim_core::game::{MatchId, TournamentId};
use lastnim_core::referee::Timestamp;
use lastnim_tournament::MatchOutcome;
use serde::Serialize;

/// A read-only view of a database.
#[async_trait]
pub trait StoreReader: Store {
    /// Checks all pages of the database, and returns a description of each fault. Returns nothing for PostgreSQL, which
    /// checks its pages itself.
    async fn check_pages(&self) -> Result<Vec<String>, StoreError>;

    /// Returns the size of the database.
    async fn size(&self) -> Result<StoreSize, StoreError>;

    /// Counts the matches of each tournament, and the exhibitions together. The last entry is the one with the newest
    /// match.
    async fn match_counts(&self) -> Result<Vec<MatchCounts>, StoreError>;

    /// Returns the stored figures of a match; `None` if it was cancelled or is not over.
    async fn outcome(&self, id: MatchId) -> Result<Option<MatchOutcome>, StoreError>;
}

/// The size of a database.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
pub struct StoreSize {
    /// The total size in bytes.
    pub bytes: u64,
    /// The part of this size that is free for reuse, in bytes.
    pub free_bytes: u64,
}

/// The match counts of one tournament, or of all exhibitions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MatchCounts {
    /// The tournament; `None` for exhibitions.
    pub tournament: Option<TournamentId>,
    /// The number of all matches.
    pub matches: u64,
    /// The number of unfinished matches.
    pub unfinished: u64,
    /// The number of quarantined matches.
    pub quarantined: u64,
    /// The number of matches whose records were removed.
    pub pruned: u64,
    /// The number of takes in finished matches.
    pub plies: u64,
    /// When the oldest match was created.
    pub oldest: Timestamp,
    /// When the newest match was created.
    pub newest: Timestamp,
}
