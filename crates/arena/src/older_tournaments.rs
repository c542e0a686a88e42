//! Tournaments that an older version of the program has ended, which kept less of them.

use super::arena::Arena;
use super::error::ArenaError;
use lastnim_core::game::TournamentId;
use lastnim_store::StoredTournament;
use lastnim_tournament::BoundedCrossTable;
use std::time::Duration;

/// Tournaments that are read from the store in one go.
const PAGE: usize = 100;
/// How long is waited before it is looked again whether nothing is played.
const LOOK_INTERVAL: Duration = Duration::from_secs(1);

impl Arena {
    /// Begins to compare the bots of tournaments whose comparison is not kept: one tournament after the other, the newest first,
    /// while no match is played. It runs in the background, and requests do not wait for it.
    pub fn begin_comparing_older_tournaments(&self) {
        if self.inner.store.is_durable() {
            let arena = self.clone();
            self.inner.tasks.spawn(async move {
                if let Err(error) = arena.compare_older_tournaments().await {
                    tracing::warn!(%error, "how the bots of older tournaments compare is worked out when somebody asks");
                }
            });
        }
    }

    pub(super) async fn compare_older_tournaments(&self) -> Result<(), ArenaError> {
        let mut before = None;
        loop {
            let page = self.inner.store.tournaments(before, PAGE).await?;
            let Some(last) = page.last() else { return Ok(()) };
            before = Some(last.id);
            for stored in page.iter().filter(|stored| Self::is_compared_at_its_end(stored)) {
                if !self.has_kept_comparison(stored.id).await?
                    && self.compare_while_idle(stored.id).await?.is_none()
                {
                    return Ok(());
                }
            }
        }
    }

    fn is_compared_at_its_end(stored: &StoredTournament) -> bool {
        let has_played = stored.over.as_ref().is_some_and(|over| over.played > 0);
        has_played && stored.field.len() <= BoundedCrossTable::MAX_BOTS
    }

    async fn has_kept_comparison(&self, id: TournamentId) -> Result<bool, ArenaError> {
        let kept = self.usable_checkpoint(id).await?;
        Ok(kept.is_some_and(|checkpoint| checkpoint.comparisons(id).is_ok()))
    }

    /// Compares the bots of a tournament and keeps that; begins anew whenever something was played meanwhile. `None` if the server
    /// stops.
    async fn compare_while_idle(&self, id: TournamentId) -> Result<Option<()>, ArenaError> {
        loop {
            while self.open_match_count() > 0 {
                tokio::select! {
                    biased;
                    () = self.wait_until_stopped() => return Ok(None),
                    () = tokio::time::sleep(LOOK_INTERVAL) => {}
                }
            }
            if self.is_stopped() {
                return Ok(None);
            }
            let arena = self.clone();
            let is_idle = move || arena.open_match_count() == 0 && !arena.is_stopped();
            let arena = self.clone();
            let compare = async move { arena.compare_by_results(id, &is_idle).await };
            let Ok(compared) = self.inner.environment.spawn_long(compare).await else { return Ok(None) };
            if let Some(found) = compared? {
                self.keep_worked_out(id, &found).await;
                return Ok(Some(()));
            }
        }
    }
}
