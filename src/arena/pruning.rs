//! Removes the records of matches that are over, so that a store does not grow for ever.

use super::arena::Arena;
use super::error::ArenaError;
use crate::store::{Change, MAX_PRUNED_AT_ONCE, PruneFilter, PrunePage};

impl Arena {
    /// Removes the records of matches, while others are played, and returns of how many. What they came to stays: their
    /// setups, results and figures, their last hashes and signatures.
    ///
    /// # Errors
    /// If the store cannot be read or written. What was removed by then is.
    pub async fn prune_records(&self, filter: PruneFilter) -> Result<u64, ArenaError> {
        let (mut pruned, mut after) = (0, None);
        loop {
            let page = PrunePage { filter, after, most: MAX_PRUNED_AT_ONCE };
            let ids = self.inner.store.prunable_matches(&page).await?;
            let Some(&last) = ids.last() else { break };
            after = Some(last);
            pruned += ids.len() as u64;
            self.commit(vec![Change::RecordsPruned { ids, at: self.now() }]).await?;
        }
        tracing::info!(matches = pruned, "records pruned");
        Ok(pruned)
    }
}
