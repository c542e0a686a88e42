//! The callers that are waiting for cross-tables to be computed.

use crate::error::ArenaError;
use lastnim_core::game::TournamentId;
use lastnim_tournament::BotComparison;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::sync::{Mutex as AsyncMutex, watch};

/// The result of computing a cross-table.
pub(crate) type CrossTableResult = Result<Arc<Vec<BotComparison>>, ArenaError>;

/// The cross-tables that callers have requested. Each is computed once for all callers that are waiting for it.
#[derive(Debug, Default)]
pub(crate) struct CrossTableQueue {
    /// The lock that is held while a cross-table is computed, so that only one is computed at a time.
    pub(crate) turn: Arc<AsyncMutex<()>>,
    /// One sender for each requested cross-table; its receivers are the callers that are waiting for it.
    requests: Mutex<HashMap<TournamentId, CrossTableSender>>,
}

/// Sends a cross-table to the callers that requested it.
pub(crate) type CrossTableSender = Arc<watch::Sender<Option<CrossTableResult>>>;

impl CrossTableQueue {
    pub(crate) fn lock(&self) -> MutexGuard<'_, HashMap<TournamentId, CrossTableSender>> {
        self.requests.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Removes the request for a tournament's cross-table if no caller is waiting for it. Returns whether the request
    /// is gone.
    pub(crate) fn remove_if_unwanted(&self, id: TournamentId) -> bool {
        let mut requests = self.lock();
        let is_unwanted = requests.get(&id).is_none_or(|requests| requests.receiver_count() == 0);
        if is_unwanted {
            requests.remove(&id);
        }
        is_unwanted
    }

    /// Sends a cross-table, or the error, to all callers that are waiting for it.
    pub(crate) fn send_result(&self, id: TournamentId, answer: CrossTableResult) {
        if let Some(requests) = self.lock().remove(&id) {
            requests.send_replace(Some(answer));
        }
    }
}
