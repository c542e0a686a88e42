//! The time that bots have to come back to a server that was away.

use lastnim_core::referee::Timestamp;
use std::sync::{PoisonError, RwLock};
use std::time::Duration;

/// Until when bots that were there before the server came back may still return; never on a server that is new.
#[derive(Debug, Default)]
pub(crate) struct ReturnGrace(RwLock<Option<Timestamp>>);

impl ReturnGrace {
    /// Begins the time in which bots may return before a match that begins holds anything against them.
    pub(crate) fn begin(&self, until: Timestamp) {
        *self.0.write().unwrap_or_else(PoisonError::into_inner) = Some(until);
    }

    /// Returns what is left of that time.
    pub(crate) fn left(&self, now: Timestamp) -> Duration {
        let until = *self.0.read().unwrap_or_else(PoisonError::into_inner);
        until.map_or(Duration::ZERO, |until| until.since(now))
    }
}
