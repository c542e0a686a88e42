//! Which records are removed, so that a store does not grow for ever.

use super::{Change, Store, StoreError};
use lastnim_core::game::{MatchId, TournamentId};
use lastnim_core::referee::Timestamp;

/// Matches whose records are removed in one transaction. Takes that come meanwhile wait for it: it is a few milliseconds.
pub const MAX_PRUNED_AT_ONCE: usize = 64;

/// Which matches lose their records: all that every part says. Only those that are over and signed ever do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PruneFilter {
    /// Only those of this tournament.
    pub tournament: Option<TournamentId>,
    /// Only those that ended before.
    pub over_before: Timestamp,
    /// How many of the newest matches that still have records are left alone.
    pub keep_newest: u64,
}

impl PruneFilter {
    /// Returns whether it may remove anything that a mistake would not: an age or a number is given.
    pub fn is_bounded(&self) -> bool {
        self.over_before < Timestamp::from_micros(i64::MAX as u64) || self.keep_newest > 0
    }
}

/// A page of matches whose records may be removed: those behind a match, the oldest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PrunePage {
    /// Which.
    pub filter: PruneFilter,
    /// The match behind which it begins.
    pub after: Option<MatchId>,
    /// How many matches it has at most.
    pub most: usize,
}

/// Removes the records of matches from a store that nobody plays on, and returns of how many.
///
/// # Errors
/// If the store cannot be read or written. What was removed by then is.
pub async fn prune_store(store: &dyn Store, filter: PruneFilter, now: Timestamp) -> Result<u64, StoreError> {
    let (mut pruned, mut after) = (0, None);
    loop {
        let page = PrunePage { filter, after, most: MAX_PRUNED_AT_ONCE };
        let ids = store.prunable_matches(&page).await?;
        let Some(&last) = ids.last() else { return Ok(pruned) };
        after = Some(last);
        pruned += ids.len() as u64;
        store.write(&[Change::RecordsPruned { ids, at: now }]).await?;
    }
}
