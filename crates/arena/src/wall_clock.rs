//! The one place where the server reads the time.

use crate::running_time::RunningTime;
use lastnim_core::referee::Timestamp;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::{Duration, SystemTime, UNIX_EPOCH};
use tokio::time::Instant;

/// Signs of life for each time that they may be missing for.
const SIGNS_PER_THRESHOLD: u32 = 4;

/// Gaps in one interval of the log that are a warning in sum. Shorter ones belong to a busy machine.
const WARNED_GAP: Duration = Duration::from_secs(1);

/// How long the log says nothing of further gaps after it has named one.
const LOG_REPEAT_INTERVAL: Duration = Duration::from_secs(1);

/// Tells the time: that of the system when the server started, or that of what happened last if the system's clock was
/// set back since; carried on by a clock that never steps back, and that stands still while the server does not run
/// (see [`RunningTime`]). It falls behind the system's time by as much, until the next start.
#[derive(Debug, Clone)]
pub struct WallClock {
    shared: Arc<ClockShared>,
}

#[derive(Debug)]
struct ClockShared {
    started: Instant,
    started_at: Timestamp,
    running: Mutex<RunningTime>,
    standstills: Mutex<Standstills>,
}

/// Times in which the server did not run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Standstills {
    /// How many there were.
    pub count: u64,
    /// How long they took in all.
    pub total: Duration,
}

impl WallClock {
    /// Starts at a date, and no earlier than `last`, when something happened already. Time for which the runtime
    /// shows no sign of life for longer than `stall_threshold` does not count.
    ///
    /// # Panics
    /// Outside a runtime: the signs of life come from a task of its own.
    pub fn start(date: SystemTime, last: Timestamp, stall_threshold: Duration) -> Self {
        let since_epoch = date.duration_since(UNIX_EPOCH).unwrap_or(Duration::ZERO);
        let micros = u64::try_from(since_epoch.as_micros()).unwrap_or(u64::MAX);
        let shared = Arc::new(ClockShared {
            started: Instant::now(),
            started_at: last.max(Timestamp::from_micros(micros)),
            running: Mutex::new(RunningTime::start(stall_threshold)),
            standstills: Mutex::default(),
        });
        tokio::spawn(send_heartbeats(Arc::downgrade(&shared), stall_threshold / SIGNS_PER_THRESHOLD));
        Self { shared }
    }

    /// Returns the time now.
    pub fn now(&self) -> Timestamp {
        let mut running = self.shared.lock_running_time();
        self.shared.started_at + running.running_at(self.shared.started.elapsed())
    }

    /// Returns whether a stream that ends now may have been lost because the server stood still.
    pub fn may_lose_streams(&self) -> bool {
        self.shared.lock_running_time().may_lose_streams(self.shared.started.elapsed())
    }

    /// Returns the times so far in which the server did not run.
    pub fn standstills(&self) -> Standstills {
        *self.shared.lock_standstills()
    }

    /// Returns the runtime's own instant at which a time is reached, if the server runs until then.
    pub fn instant(&self, at: Timestamp) -> Instant {
        Instant::now() + at.since(self.now())
    }
}

impl ClockShared {
    fn lock_running_time(&self) -> MutexGuard<'_, RunningTime> {
        self.running.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn lock_standstills(&self) -> MutexGuard<'_, Standstills> {
        self.standstills.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn note_heartbeat(&self) -> Option<Duration> {
        let gap = self.lock_running_time().note_heartbeat(self.started.elapsed())?;
        let mut standstills = self.lock_standstills();
        standstills.count += 1;
        standstills.total += gap;
        Some(gap)
    }
}

/// Shows the runtime's signs of life for as long as there is a clock, and says in the log what was left out.
async fn send_heartbeats(clock: Weak<ClockShared>, period: Duration) {
    let mut unlogged = UnloggedGaps::default();
    let mut logged_at: Option<Instant> = None;
    loop {
        tokio::time::sleep(period).await;
        let Some(clock) = clock.upgrade() else { return };
        if let Some(gap) = clock.note_heartbeat() {
            unlogged.count += 1;
            unlogged.total += gap;
        }
        if unlogged.count > 0 && logged_at.is_none_or(|at| at.elapsed() >= LOG_REPEAT_INTERVAL) {
            let UnloggedGaps { count, total } = std::mem::take(&mut unlogged);
            if total >= WARNED_GAP {
                tracing::warn!(
                    gaps = count,
                    ?total,
                    "the server did not run for a while, which no bot pays for"
                );
            } else {
                tracing::debug!(gaps = count, ?total, "the server ran late, which no bot pays for");
            }
            logged_at = Some(Instant::now());
        }
    }
}

/// Gaps that the log has not named yet.
#[derive(Debug, Default)]
struct UnloggedGaps {
    count: u32,
    total: Duration,
}
