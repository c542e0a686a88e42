//! The one place where the server reads the time.

use crate::referee::Timestamp;
use std::time::{Duration, SystemTime, UNIX_EPOCH};
use tokio::time::Instant;

/// Tells the time: that of the system when the server started, or that of what happened last if the system's clock was
/// set back since; carried on by a clock that never steps back.
#[derive(Debug, Clone, Copy)]
pub struct WallClock {
    started: Instant,
    started_at: Timestamp,
}

impl WallClock {
    /// Reads the system's time once. It starts no earlier than `last`, when something happened already.
    pub fn start(last: Timestamp) -> Self {
        let since_epoch = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or(Duration::ZERO);
        let micros = u64::try_from(since_epoch.as_micros()).unwrap_or(u64::MAX);
        Self { started: Instant::now(), started_at: last.max(Timestamp::from_micros(micros)) }
    }

    /// Returns the time now.
    pub fn now(&self) -> Timestamp {
        self.started_at + self.started.elapsed()
    }

    /// Returns the runtime's own instant of a time.
    pub fn instant(&self, at: Timestamp) -> Instant {
        self.started + at.since(self.started_at)
    }
}
