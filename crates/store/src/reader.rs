//! What can be asked of a store as a whole, while nobody or somebody else writes to it.

use super::{Store, StoreError};
use async_trait::async_trait;
use lastnim_core::game::{MatchId, TournamentId};
use lastnim_core::referee::Timestamp;
use lastnim_tournament::MatchOutcome;
use serde::Serialize;

/// Looks at a database, and takes it from nobody.
#[async_trait]
pub trait StoreReader: Store {
    /// Looks through all pages of the database, and returns what is wrong with them. PostgreSQL looks after its own.
    async fn check_pages(&self) -> Result<Vec<String>, StoreError>;

    /// Returns how large the database is.
    async fn size(&self) -> Result<StoreSize, StoreError>;

    /// Counts the matches of each tournament, and those of none, the ones with the newest match last.
    async fn match_counts(&self) -> Result<Vec<MatchCounts>, StoreError>;

    /// Returns the figures that are kept of a match; none of one that was cancelled, or is not over.
    async fn outcome(&self, id: MatchId) -> Result<Option<MatchOutcome>, StoreError>;
}

/// How large a database is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
pub struct StoreSize {
    /// Its bytes.
    pub bytes: u64,
    /// Those of them that are free for what comes next.
    pub free_bytes: u64,
}

/// The matches of a tournament in numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MatchCounts {
    /// The tournament; none of exhibitions.
    pub tournament: Option<TournamentId>,
    /// All matches.
    pub matches: u64,
    /// Those that are not over.
    pub unfinished: u64,
    /// Those that are quarantined.
    pub quarantined: u64,
    /// Those whose records were removed.
    pub pruned: u64,
    /// The takes of those that are over.
    pub plies: u64,
    /// When the first of them was created.
    pub oldest: Timestamp,
    /// When the last of them was.
    pub newest: Timestamp,
}
