//! Removes records, so that a store does not grow for ever.

use super::{Change, Store, StoreError};
use lastnim_core::game::{MatchId, TournamentId};
use lastnim_core::referee::Timestamp;

/// The maximum number of matches whose records are removed in one transaction, which delays takes by a few
/// milliseconds.
pub const MAX_PRUNED_AT_ONCE: usize = 64;

/// Selects the matches whose records are removed: those that meet all conditions. They must be finished and signed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PruneFilter {
    /// Only matches of this tournament.
    pub tournament: Option<TournamentId>,
    /// Only matches that ended before this time.
    pub over_before: Timestamp,
    /// How many of the newest matches keep their records.
    pub keep_newest: u64,
}

impl PruneFilter {
    /// Returns whether an age or a number limits the removal, as a guard against mistakes.
    pub fn is_bounded(&self) -> bool {
        self.over_before < Timestamp::from_micros(i64::MAX as u64) || self.keep_newest > 0
    }
}

/// A page of matches whose records may be removed, the oldest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PrunePage {
    /// The filter.
    pub filter: PruneFilter,
    /// The page starts after this match.
    pub after: Option<MatchId>,
    /// The maximum number of matches.
    pub limit: usize,
}

/// Removes the records of matches from a store without a running server, and returns the number of matches.
///
/// # Errors
/// If the store cannot be read or written. Records removed before the error stay removed.
pub async fn prune_store(store: &dyn Store, filter: PruneFilter, now: Timestamp) -> Result<u64, StoreError> {
    let (mut pruned, mut after) = (0, None);
    loop {
        let page = PrunePage { filter, after, limit: MAX_PRUNED_AT_ONCE };
        let ids = store.prunable_matches(&page).await?;
        let Some(&last) = ids.last() else { return Ok(pruned) };
        after = Some(last);
        pruned += ids.len() as u64;
        store.write(&[Change::RecordsPruned { ids, at: now }]).await?;
    }
}
