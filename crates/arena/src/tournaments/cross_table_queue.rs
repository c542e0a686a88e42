//! Callers that wait for cross-tables.

use crate::error::ArenaError;
use lastnim_core::game::TournamentId;
use lastnim_tournament::BotComparison;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::sync::{Mutex as Turn, watch};

/// The result of computing a cross-table.
pub(crate) type CrossTableResult = Result<Arc<Vec<BotComparison>>, ArenaError>;

/// The requested cross-tables. Each is computed once for all its callers.
#[derive(Debug, Default)]
pub(crate) struct CrossTableQueue {
    /// The lock that is held while a cross-table is computed.
    pub(crate) turn: Arc<Turn<()>>,
    /// The wanted cross-tables; the receivers of each are the waiting callers.
    wanted: Mutex<HashMap<TournamentId, CrossTableSender>>,
}

/// Sends one cross-table to its callers.
pub(crate) type CrossTableSender = Arc<watch::Sender<Option<CrossTableResult>>>;

impl CrossTableQueue {
    /// Locks the requests, by tournament.
    pub(crate) fn lock(&self) -> MutexGuard<'_, HashMap<TournamentId, CrossTableSender>> {
        self.wanted.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Removes a cross-table that no caller waits for; returns whether it is gone.
    pub(crate) fn remove_if_unwanted(&self, id: TournamentId) -> bool {
        let mut wanted = self.lock();
        let is_unwanted = wanted.get(&id).is_none_or(|wanted| wanted.receiver_count() == 0);
        if is_unwanted {
            wanted.remove(&id);
        }
        is_unwanted
    }

    /// Sends a result to all its callers.
    pub(crate) fn send_result(&self, id: TournamentId, answer: CrossTableResult) {
        if let Some(wanted) = self.lock().remove(&id) {
            wanted.send_replace(Some(answer));
        }
    }
}
