//! The grace period for bots to reconnect after a restart of the server.

use lastnim_core::referee::Timestamp;
use std::sync::{PoisonError, RwLock};
use std::time::Duration;

/// When the grace period ends; `None` if the server had nothing to resume when it started.
#[derive(Debug, Default)]
pub(crate) struct ReturnGrace(RwLock<Option<Timestamp>>);

impl ReturnGrace {
    /// Sets the end of the grace period. Until then, a match that begins does not charge an absent bot's clock.
    pub(crate) fn begin(&self, until: Timestamp) {
        *self.0.write().unwrap_or_else(PoisonError::into_inner) = Some(until);
    }

    /// Returns how much of the grace period is left.
    pub(crate) fn left(&self, now: Timestamp) -> Duration {
        let until = *self.0.read().unwrap_or_else(PoisonError::into_inner);
        until.map_or(Duration::ZERO, |until| until.since(now))
    }
}
