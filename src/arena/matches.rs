//! Matches, those that are open and those that are over.

use super::arena::{Arena, Inner};
use super::error::ArenaError;
use super::match_task::{Admission, MatchHandle, MatchInput, MatchReport, MatchTask, Watched};
use super::outbox::{OutboxStream, outbox};
use crate::game::MatchId;
use crate::oracle::Audit;
use crate::referee::{MatchSetup, TimedEvent};
use crate::store::{MatchFilter, MatchSummary, StoredMatch};
use std::collections::HashMap;
use std::sync::{Arc, PoisonError, RwLockWriteGuard};
use std::time::Duration;
use tokio::sync::oneshot;

/// How long a tournament without a single open match waits before it looks for room again.
const LOOK_AGAIN: Duration = Duration::from_secs(1);

/// A match that has begun.
pub(super) struct BegunMatch<P> {
    /// Its id.
    pub(super) id: MatchId,
    /// Takes inputs for it.
    pub(super) handle: MatchHandle,
    /// Says when its beginning is stored.
    pub(super) stored: oneshot::Receiver<()>,
    /// Plays it to its end; it stands still until this is polled.
    pub(super) play: P,
}

/// A match as a watcher sees it: what happened so far, and the stream of what happens next.
#[derive(Debug)]
pub struct MatchWatch {
    /// The events so far that may be seen.
    pub so_far: Vec<TimedEvent>,
    /// The audit, if the match is over.
    pub audit: Option<Arc<Audit>>,
    /// Further events; `None` if the match is over.
    pub next: Option<OutboxStream<Watched>>,
}

/// The place of a match among the open ones. It is given back when the match is over, has broken down or is never
/// played.
#[derive(Debug)]
struct Entry {
    inner: Arc<Inner>,
    id: MatchId,
}

impl Drop for Entry {
    fn drop(&mut self) {
        self.inner.matches.write().unwrap_or_else(PoisonError::into_inner).remove(&self.id);
        self.inner.match_ended.notify_waiters();
    }
}

impl Arena {
    /// Starts an exhibition match.
    ///
    /// # Errors
    /// If a bot is not registered, the setup cannot be played, or there is no room.
    pub async fn create_match(&self, setup: MatchSetup) -> Result<MatchSummary, ArenaError> {
        for bot in &setup.bots {
            self.stored_bot(bot)?;
        }
        let BegunMatch { id, stored, play, .. } = self.begin_match(setup)?;
        tokio::spawn(async move {
            match play.await {
                Ok(_) => {}
                Err(ArenaError::Stopping) => tracing::info!(%id, "a match was cut"),
                Err(error) => tracing::error!(%error, %id, "a match was lost"),
            }
        });
        // Nobody is told of a match that is not stored. One that cannot be stored drops its end of this.
        let _stored_or_lost = stored.await;
        self.match_summary(id).map(|(summary, _)| summary)
    }

    /// Begins a match and returns the task that plays it.
    pub(super) fn begin_match(
        &self,
        setup: MatchSetup,
    ) -> Result<BegunMatch<impl Future<Output = Result<MatchReport, ArenaError>> + Send + use<>>, ArenaError>
    {
        let setup = setup.check().map_err(ArenaError::Setup)?;
        let inner = Arc::clone(&self.inner);
        let limit = inner.limits.open_matches;
        let id = inner.ids.next_match();
        let desks = setup.bots.map(|bot| inner.roster.desk(bot));
        let mut matches = self.matches_mut();
        // Under the lock, so that who stops the arena and then looks for open matches misses none.
        self.check_running()?;
        if matches.len() >= limit {
            return Err(ArenaError::Full { what: "open matches", limit });
        }
        let (handle, stored, task) =
            MatchTask::begin(id, setup, &desks, inner.clock, Arc::clone(&inner.store));
        matches.insert(id, handle.clone());
        drop(matches);
        let entry = Entry { inner, id };
        let play = async move {
            let _entry = entry;
            task.run().await
        };
        Ok(BegunMatch { id, handle, stored, play })
    }

    /// Waits until a match has ended, so that there may be room for another, or until it is time to look again.
    pub(super) async fn room_for_matches(&self) {
        let _looks_again = tokio::time::timeout(LOOK_AGAIN, self.inner.match_ended.notified()).await;
    }

    pub(super) fn matches_mut(&self) -> RwLockWriteGuard<'_, HashMap<MatchId, MatchHandle>> {
        self.inner.matches.write().unwrap_or_else(PoisonError::into_inner)
    }

    fn open_match(&self, id: MatchId) -> Option<MatchHandle> {
        self.inner.matches.read().unwrap_or_else(PoisonError::into_inner).get(&id).cloned()
    }

    /// Returns how many matches are open.
    pub fn open_matches(&self) -> usize {
        self.inner.matches.read().unwrap_or_else(PoisonError::into_inner).len()
    }

    /// Returns a match in brief and, if it is over, its audit.
    ///
    /// # Errors
    /// If there is none of that id.
    pub fn match_summary(&self, id: MatchId) -> Result<(MatchSummary, Option<Arc<Audit>>), ArenaError> {
        self.inner.store.summary(id).ok_or(ArenaError::NoSuchMatch(id))
    }

    /// Returns up to `most` matches that the filter admits, the newest first, those before `before`.
    pub fn matches(&self, filter: &MatchFilter, before: Option<MatchId>, most: usize) -> Vec<MatchSummary> {
        self.inner.store.summaries(filter, before, most)
    }

    /// Returns all that is kept of a match.
    ///
    /// # Errors
    /// If there is none of that id.
    pub fn stored_match(&self, id: MatchId) -> Result<StoredMatch, ArenaError> {
        self.inner.store.record(id)?.ok_or(ArenaError::NoSuchMatch(id))
    }

    /// Begins to watch a match.
    ///
    /// # Errors
    /// If there is none of that id.
    pub async fn watch_match(&self, id: MatchId) -> Result<MatchWatch, ArenaError> {
        if let Some(handle) = self.open_match(id) {
            let (sender, stream) = outbox(self.inner.limits.watcher_queue);
            let (admission, answer) = oneshot::channel();
            let most = self.inner.limits.watchers;
            if handle.send(MatchInput::Watch { admission, outbox: sender, most }).await {
                match answer.await {
                    Ok(Admission::Admitted { so_far }) => {
                        return Ok(MatchWatch { so_far, audit: None, next: Some(stream) });
                    }
                    Ok(Admission::Full) => {
                        return Err(ArenaError::Full { what: "watchers of this match", limit: most });
                    }
                    Ok(Admission::Over) | Err(_) => {}
                }
            }
        }
        let StoredMatch { record, audit } = self.stored_match(id)?;
        Ok(MatchWatch { so_far: record.open_events().cloned().collect(), audit, next: None })
    }
}
