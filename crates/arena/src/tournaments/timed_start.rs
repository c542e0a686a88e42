//! The start of tournaments at a given time.

use crate::arena::Arena;
use crate::error::ArenaError;
use crate::tournaments::tournament_handle::TournamentHandle;
use lastnim_tournament::TournamentState;
use std::sync::Arc;
use std::time::Duration;
use tokio::time::sleep;

/// How often the system's clock and the field are read. So a jump of the clock takes effect within this time.
const CHECK_INTERVAL: Duration = Duration::from_secs(1);

impl Arena {
    /// Lets an open tournament start when its start time has come, if it has one.
    pub(crate) fn start_on_time(&self, handle: &Arc<TournamentHandle>) {
        if handle.borrow_view().stored.settings.start_at.is_none() {
            return;
        }
        let (arena, handle) = (self.clone(), Arc::clone(handle));
        self.inner.tasks.spawn(async move {
            tokio::select! {
                biased;
                () = arena.wait_until_stopped() => {}
                () = arena.wait_and_start(&handle) => {}
            }
        });
    }

    /// Waits for the start time, and then until the tournament can start. The system's clock decides and not the
    /// server's, which falls behind while the server is stalled.
    async fn wait_and_start(&self, handle: &TournamentHandle) {
        let mut too_small = None;
        loop {
            let stored = handle.view().stored;
            let (TournamentState::Open, Some(start_at)) = (stored.state, stored.settings.start_at) else {
                return;
            };
            let left = start_at.since(self.inner.environment.date());
            if left.is_zero() && too_small.as_ref() != Some(&stored.field) {
                match self.start_tournament(stored.id).await {
                    Err(ArenaError::Field { id, error }) => {
                        tracing::info!(tournament = %id, %error, "the start time has passed: waiting for more bots");
                        too_small = Some(stored.field);
                    }
                    // The store has failed, so the start is tried again later.
                    Err(ArenaError::Store(_) | ArenaError::Delayed(_)) => {}
                    // The tournament has started or was cancelled, or the server is stopping.
                    _ => return,
                }
            }
            sleep(if left.is_zero() { CHECK_INTERVAL } else { left.min(CHECK_INTERVAL) }).await;
        }
    }
}
