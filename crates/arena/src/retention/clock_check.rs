//! Checks whether the clock is reliable enough for removing records by age.

use crate::arena::Arena;
use crate::error::ArenaError;
use lastnim_core::referee::Timestamp;
use lastnim_store::{Change, ClockFit, ClockJump, Store, StoreError, StoredClock, approximate_duration};
use std::convert::Infallible;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;
use tokio::time::sleep;

/// How often the current time is written to the store.
const NOTE_INTERVAL: Duration = Duration::from_mins(10);
/// The pause before a failed write is repeated.
const RETRY_INTERVAL: Duration = Duration::from_secs(10);

/// The store's data about the clock, as read when the server started, and the clock jump that was found then, if any.
#[derive(Debug)]
pub(crate) struct StartClock {
    stored: StoredClock,
    /// The jump found at this start, until it has been written to the store.
    unstored_jump: Mutex<Option<ClockJump>>,
}

impl StartClock {
    /// Compares the clock with the latest time in a store, and logs a warning if the difference is implausible.
    pub(crate) async fn check(store: &dyn Store, now: Timestamp) -> Result<Self, StoreError> {
        let mut stored = store.clock().await?;
        let mut jump = None;
        match stored.fit(now) {
            ClockFit::Plausible => {}
            ClockFit::Behind(behind) => tracing::warn!(
                "the latest time in the store is {} ahead of the clock: no records are pruned by age until the clock reaches that time; make sure that the clock is right, stop the server and run `lastnim store repair-clock`",
                approximate_duration(behind)
            ),
            ClockFit::Ahead(ahead) => {
                tracing::warn!(
                    "the clock is {} ahead of the latest time in the store: the server was off, or the clock is wrong; this time does not count towards the age of records; to count it, make sure that the clock is right, stop the server and \
                    run `lastnim store repair-clock`",
                    approximate_duration(ahead)
                );
                jump = Some(ClockJump { found_at: now, length: ahead });
                stored.jumps.extend(jump);
            }
        }
        Ok(Self { stored, unstored_jump: Mutex::new(jump) })
    }

    /// Returns the time before which a match must have ended to be at least this old now; `None` while the latest time
    /// in the store is ahead of the clock.
    pub(crate) fn time_ago(&self, now: Timestamp, age: Duration) -> Option<Timestamp> {
        let is_behind = self.stored.latest.is_some_and(|latest| now < latest);
        (!is_behind).then(|| self.stored.time_ago(now, age))
    }

    fn unstored_jump(&self) -> Option<ClockJump> {
        *self.unstored_jump.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn clear_unstored_jump(&self) {
        *self.unstored_jump.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }
}

impl Arena {
    /// Writes the current time to the store regularly, for as long as the server runs.
    pub async fn note_time_regularly(&self) -> Infallible {
        loop {
            let pause = match self.note_time().await {
                Ok(()) => NOTE_INTERVAL,
                Err(error) => {
                    tracing::debug!(%error, "the current time could not be written to the store");
                    RETRY_INTERVAL
                }
            };
            sleep(pause).await;
        }
    }

    /// Writes the current time, and the jump found at this start, if any, to the store. Does nothing if the store is
    /// not durable.
    pub(crate) async fn note_time(&self) -> Result<(), ArenaError> {
        if !self.inner.store.is_durable() {
            return Ok(());
        }
        let clock = &self.inner.start_clock;
        let jump = clock.unstored_jump();
        let jumped =
            jump.map(|ClockJump { found_at, length }| Change::ClockSeen { at: found_at, jump: Some(length) });
        let seen = Change::ClockSeen { at: self.now(), jump: None };
        self.commit(jumped.into_iter().chain([seen]).collect()).await?;
        clock.clear_unstored_jump();
        Ok(())
    }
}
