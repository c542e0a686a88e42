//! Stops the arena.

use crate::arena::Arena;
use crate::error::ArenaError;
use crate::matches::match_handle::MatchHandle;
use crate::matches::shard::MatchInput;
use crate::sessions::outbox::CloseReason;
use lastnim_proto::ServerEvent;
use std::time::Duration;

impl Arena {
    /// Stops the arena: no new match or session starts, and sessions are told how much time they have. Once no match is
    /// open, or the time is up, the matches that are still open are interrupted and all sessions are closed.
    pub async fn stop(&self, within: Duration) {
        self.inner.roster.close();
        self.inner.roster.for_each_session(|session| session.send(ServerEvent::Draining { within }));
        let no_match_open = async {
            loop {
                let ended = self.inner.matches.next_end();
                tokio::pin!(ended);
                ended.as_mut().enable();
                if self.open_match_count() == 0 {
                    break;
                }
                ended.await;
            }
        };
        let ended_in_time = tokio::time::timeout(within, no_match_open).await.is_ok();
        self.inner.stopped.cancel();
        if !ended_in_time {
            // Waiting commits fail now, because a match that waits for an unusable store would not handle the
            // interruption.
            self.inner.context.commits.fail_waiting_commits();
            let open: Vec<MatchHandle> =
                self.inner.matches.write().values().map(|open| open.handle.clone()).collect();
            for handle in open {
                handle.send(MatchInput::Interrupt);
            }
        }
        self.inner.roster.for_each_session(|session| session.close(CloseReason::ShuttingDown));
    }

    pub(crate) fn is_stopped(&self) -> bool {
        self.inner.stopped.is_cancelled()
    }

    /// Waits until [`stop`](Self::stop) was called and either no match is open any more or its time is up.
    pub async fn wait_until_stopped(&self) {
        self.inner.stopped.cancelled().await;
    }

    /// Returns an error once stopping has begun.
    ///
    /// # Errors
    /// If the arena is stopping.
    pub fn check_not_stopping(&self) -> Result<(), ArenaError> {
        if self.inner.roster.is_closed() { Err(ArenaError::Stopping) } else { Ok(()) }
    }
}
