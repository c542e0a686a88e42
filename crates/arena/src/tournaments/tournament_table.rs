//! The tournaments that are not over.

use crate::tournaments::tournament_handle::TournamentHandle;
use lastnim_core::game::TournamentId;
use std::collections::BTreeMap;
use std::sync::{Arc, PoisonError, RwLock, RwLockReadGuard};
use tokio::sync::Mutex;

/// The tournaments that are not over, by id.
#[derive(Debug, Default)]
pub(crate) struct TournamentTable {
    live: RwLock<BTreeMap<TournamentId, Arc<TournamentHandle>>>,
    creating: Arc<Mutex<()>>,
}

impl TournamentTable {
    /// The lock on creating tournaments. Without it, two at once could both pass the check of the limit.
    pub(crate) fn creating(&self) -> &Arc<Mutex<()>> {
        &self.creating
    }

    /// Locks the table for reading.
    pub(crate) fn read(&self) -> RwLockReadGuard<'_, BTreeMap<TournamentId, Arc<TournamentHandle>>> {
        self.live.read().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds a tournament.
    pub(crate) fn insert(&self, id: TournamentId, handle: Arc<TournamentHandle>) {
        self.live.write().unwrap_or_else(PoisonError::into_inner).insert(id, handle);
    }

    /// Removes a tournament that is over.
    pub(crate) fn remove(&self, id: TournamentId) {
        self.live.write().unwrap_or_else(PoisonError::into_inner).remove(&id);
    }
}
