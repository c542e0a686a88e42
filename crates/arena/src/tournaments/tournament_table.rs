//! The tournaments that are not over.

use crate::tournaments::tournament_handle::TournamentHandle;
use lastnim_core::game::TournamentId;
use std::collections::BTreeMap;
use std::sync::{Arc, PoisonError, RwLock, RwLockReadGuard};
use tokio::sync::Mutex;

/// The unfinished tournaments, by id.
#[derive(Debug, Default)]
pub(crate) struct TournamentTable {
    live: RwLock<BTreeMap<TournamentId, Arc<TournamentHandle>>>,
    creating: Arc<Mutex<()>>,
}

impl TournamentTable {
    /// Returns the lock that is held while a tournament is created, so that two callers cannot both pass the check of
    /// the limit at the same time.
    pub(crate) fn creating(&self) -> &Arc<Mutex<()>> {
        &self.creating
    }

    pub(crate) fn read(&self) -> RwLockReadGuard<'_, BTreeMap<TournamentId, Arc<TournamentHandle>>> {
        self.live.read().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn insert(&self, id: TournamentId, handle: Arc<TournamentHandle>) {
        self.live.write().unwrap_or_else(PoisonError::into_inner).insert(id, handle);
    }

    /// Removes a finished tournament.
    pub(crate) fn remove(&self, id: TournamentId) {
        self.live.write().unwrap_or_else(PoisonError::into_inner).remove(&id);
    }
}
