//! Removes the records of finished matches, so that the store does not grow for ever.

use crate::arena::Arena;
use crate::error::ArenaError;
use futures_core::future::BoxFuture;
use lastnim_core::game::MatchId;
use lastnim_store::{Change, MAX_PRUNED_AT_ONCE, PruneFilter, PrunePage};
use tokio::sync::OwnedMutexGuard;

impl Arena {
    /// Removes the records of the finished matches that a filter selects, and returns the number of these matches.
    /// Their setups, results, figures, last hashes and signatures stay. Other matches can be played in the meantime.
    ///
    /// # Errors
    /// If the store cannot be read or written. Records removed before the error stay removed.
    pub async fn prune_records(&self, filter: PruneFilter) -> Result<u64, ArenaError> {
        let (mut pruned, mut after) = (0, None);
        while let Some((matches, last)) = self.prune_page(filter, after).await? {
            pruned += matches;
            after = Some(last);
        }
        tracing::info!(matches = pruned, "records pruned");
        Ok(pruned)
    }

    /// Removes the records of a few matches that come after the match `after`, the oldest first. Returns the number of
    /// matches and the last of them; `None` once all are removed. Holds a lock, so that concurrent calls do not count
    /// the same match twice.
    pub(crate) fn prune_page(
        &self,
        filter: PruneFilter,
        after: Option<MatchId>,
    ) -> BoxFuture<'static, Result<Option<(u64, MatchId)>, ArenaError>> {
        self.run_locked(&self.inner.record_lock, move |arena, held| async move {
            arena.prune_page_locked(held, filter, after).await
        })
    }

    async fn prune_page_locked(
        &self,
        _guard: OwnedMutexGuard<()>,
        filter: PruneFilter,
        after: Option<MatchId>,
    ) -> Result<Option<(u64, MatchId)>, ArenaError> {
        let page = PrunePage { filter, after, limit: MAX_PRUNED_AT_ONCE };
        let ids = self.inner.store.prunable_matches(&page).await?;
        let Some(&last) = ids.last() else { return Ok(None) };
        let matches = ids.len() as u64;
        self.commit(vec![Change::RecordsPruned { ids, at: self.now() }]).await?;
        Ok(Some((matches, last)))
    }
}
