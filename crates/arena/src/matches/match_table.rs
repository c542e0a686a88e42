//! The open matches.

use crate::matches::match_handle::MatchHandle;
use lastnim_core::game::MatchId;
use lastnim_core::referee::MatchSetup;
use std::collections::BTreeMap;
use std::sync::{Arc, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};
use tokio::sync::Notify;
use tokio::sync::futures::Notified;

/// An open match: its handle and its setup.
#[derive(Debug, Clone)]
pub(crate) struct OpenMatch {
    pub(crate) handle: MatchHandle,
    pub(crate) setup: Arc<MatchSetup>,
}

/// The open matches by id.
#[derive(Debug, Default)]
pub(crate) struct MatchTable {
    open: RwLock<BTreeMap<MatchId, OpenMatch>>,
    ended: Notify,
}

impl MatchTable {
    pub(crate) fn read(&self) -> RwLockReadGuard<'_, BTreeMap<MatchId, OpenMatch>> {
        self.open.read().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn write(&self) -> RwLockWriteGuard<'_, BTreeMap<MatchId, OpenMatch>> {
        self.open.write().unwrap_or_else(PoisonError::into_inner)
    }

    /// Removes a match, and wakes all tasks that wait for a match to end.
    pub(crate) fn remove(&self, id: MatchId) {
        self.write().remove(&id);
        self.ended.notify_waiters();
    }

    /// Waits until the next match ends.
    pub(crate) fn next_end(&self) -> Notified<'_> {
        self.ended.notified()
    }
}
