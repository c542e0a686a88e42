//! The open matches.

use crate::matches::match_handle::MatchHandle;
use lastnim_core::game::MatchId;
use lastnim_core::referee::MatchSetup;
use std::collections::BTreeMap;
use std::sync::{Arc, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};
use tokio::sync::Notify;
use tokio::sync::futures::Notified;

/// A match in progress.
#[derive(Debug, Clone)]
pub(crate) struct OpenMatch {
    /// Where its inputs go.
    pub(crate) handle: MatchHandle,
    /// Its setup.
    pub(crate) setup: Arc<MatchSetup>,
}

/// The matches that are open, by id.
#[derive(Debug, Default)]
pub(crate) struct MatchTable {
    open: RwLock<BTreeMap<MatchId, OpenMatch>>,
    ended: Notify,
}

impl MatchTable {
    /// Locks the table for reading.
    pub(crate) fn read(&self) -> RwLockReadGuard<'_, BTreeMap<MatchId, OpenMatch>> {
        self.open.read().unwrap_or_else(PoisonError::into_inner)
    }

    /// Locks the table for writing.
    pub(crate) fn write(&self) -> RwLockWriteGuard<'_, BTreeMap<MatchId, OpenMatch>> {
        self.open.write().unwrap_or_else(PoisonError::into_inner)
    }

    /// Removes a match and wakes everybody who waits for a match to end.
    pub(crate) fn remove(&self, id: MatchId) {
        self.write().remove(&id);
        self.ended.notify_waiters();
    }

    /// Waits until the next match ends.
    pub(crate) fn next_end(&self) -> Notified<'_> {
        self.ended.notified()
    }
}
