//! The open matches.

use crate::matches::match_handle::MatchHandle;
use lastnim_core::game::MatchId;
use lastnim_core::referee::MatchSetup;
use std::collections::BTreeMap;
use std::sync::{Arc, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};
use tokio::sync::Notify;
use tokio::sync::futures::Notified;

/// A match that runs, as the arena sees it.
#[derive(Debug, Clone)]
pub(crate) struct OpenMatch {
    /// Takes inputs for it.
    pub(crate) handle: MatchHandle,
    /// What was fixed before the first move.
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

    /// Locks the table for what begins a match.
    pub(crate) fn write(&self) -> RwLockWriteGuard<'_, BTreeMap<MatchId, OpenMatch>> {
        self.open.write().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes a match out, and wakes those who wait for one to end.
    pub(crate) fn remove(&self, id: MatchId) {
        self.write().remove(&id);
        self.ended.notify_waiters();
    }

    /// Waits for the next match that ends.
    pub(crate) fn next_end(&self) -> Notified<'_> {
        self.ended.notified()
    }
}
