//! Who waits for which cross-table.

use crate::error::ArenaError;
use lastnim_core::game::TournamentId;
use lastnim_tournament::BotComparison;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::sync::{Mutex as Turn, watch};

/// What a cross-table comes to.
pub(crate) type CrossTableResult = Result<Arc<Vec<BotComparison>>, ArenaError>;

/// The cross-tables that somebody waits for. Each tournament's is worked out once, however many wait for it.
#[derive(Debug, Default)]
pub(crate) struct CrossTableQueue {
    /// Held while one is worked out.
    pub(crate) turn: Arc<Turn<()>>,
    /// Those who wait are the receivers.
    wanted: Mutex<HashMap<TournamentId, CrossTableSender>>,
}

/// Tells those who wait for one cross-table.
pub(crate) type CrossTableSender = Arc<watch::Sender<Option<CrossTableResult>>>;

impl CrossTableQueue {
    /// Returns what is waited for, by tournament.
    pub(crate) fn lock(&self) -> MutexGuard<'_, HashMap<TournamentId, CrossTableSender>> {
        self.wanted.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes out a cross-table that nobody waits for any more, and returns whether there is none.
    pub(crate) fn remove_if_unwanted(&self, id: TournamentId) -> bool {
        let mut wanted = self.lock();
        let is_unwanted = wanted.get(&id).is_none_or(|wanted| wanted.receiver_count() == 0);
        if is_unwanted {
            wanted.remove(&id);
        }
        is_unwanted
    }

    /// Tells an answer to all who wait for it.
    pub(crate) fn send_result(&self, id: TournamentId, answer: CrossTableResult) {
        if let Some(wanted) = self.lock().remove(&id) {
            wanted.send_replace(Some(answer));
        }
    }
}
