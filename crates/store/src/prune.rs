//! Removes the records of old matches, so that a store does not grow forever.

use super::{Change, Store, StoreError};
use lastnim_core::game::{MatchId, TournamentId};
use lastnim_core::referee::Timestamp;

/// The maximum number of matches whose records are removed in one transaction. Such a transaction delays takes by a few
/// milliseconds.
pub const MAX_PRUNED_AT_ONCE: usize = 64;

/// Selects the matches whose records are removed: the finished and signed matches that meet all of these conditions.
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
    /// Returns whether the filter limits the removal by age or by number. Requests without such a limit are refused, as
    /// a guard against mistakes.
    pub fn is_bounded(&self) -> bool {
        self.over_before < Timestamp::from_micros(i64::MAX as u64) || self.keep_newest > 0
    }
}

/// Selects a page of matches whose records may be removed, the oldest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PrunePage {
    /// The filter that these matches pass.
    pub filter: PruneFilter,
    /// The page starts after this match.
    pub after: Option<MatchId>,
    /// The maximum number of matches on the page.
    pub limit: usize,
}

/// Removes the records of the matches that the filter selects, from a store without a running server. Returns the
/// number of these matches.
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
