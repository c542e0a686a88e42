//! The server's clock, which stands still while the server stalls.

use crate::running_time::RunningTime;
use lastnim_core::referee::Timestamp;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::Duration;
use tokio::time::Instant;

/// The number of heartbeats sent within one stall threshold.
const HEARTBEATS_PER_THRESHOLD: u32 = 4;

/// If the gaps in a log interval add up to at least this duration, they are logged as a warning. Shorter gaps are
/// normal on a busy machine.
const MIN_WARNED_GAP: Duration = Duration::from_secs(1);

/// The minimum time between two log lines about gaps.
const LOG_REPEAT_INTERVAL: Duration = Duration::from_secs(1);

/// The server's clock. It starts at the system's time and follows a monotonic clock that stands still while the server
/// stalls (see [`RunningTime`]). So each stall makes it fall further behind the system's time, until the server is
/// started again.
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

/// The number and the total duration of the server's stalls.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Standstills {
    /// The number of stalls.
    pub count: u64,
    /// The total duration of all stalls.
    pub total: Duration,
}

impl WallClock {
    /// Starts a clock that first shows `date`. A gap of more than `stall_threshold` between heartbeats does not count
    /// as time.
    ///
    /// # Panics
    /// If it is called outside a Tokio runtime, which the heartbeat task needs.
    pub fn start(date: Timestamp, stall_threshold: Duration) -> Self {
        let shared = Arc::new(ClockShared {
            started: Instant::now(),
            started_at: date,
            running: Mutex::new(RunningTime::start(stall_threshold)),
            standstills: Mutex::default(),
        });
        tokio::spawn(send_heartbeats(Arc::downgrade(&shared), stall_threshold / HEARTBEATS_PER_THRESHOLD));
        Self { shared }
    }

    pub fn now(&self) -> Timestamp {
        let mut running = self.shared.lock_running_time();
        self.shared.started_at + running.running_at(self.shared.started.elapsed())
    }

    /// Returns whether a stream that ends now may have been lost because the server stalled.
    pub fn may_lose_streams(&self) -> bool {
        self.shared.lock_running_time().may_lose_streams(self.shared.started.elapsed())
    }

    /// Returns the stalls so far.
    pub fn standstills(&self) -> Standstills {
        *self.shared.lock_standstills()
    }

    /// Returns the instant, on the runtime's clock, at which this clock will show the given time if the server does not
    /// stall.
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

/// Sends heartbeats for as long as the clock exists, and logs gaps.
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
            if total >= MIN_WARNED_GAP {
                tracing::warn!(
                    gaps = count,
                    ?total,
                    "the server was stalled; bots are not charged for this time"
                );
            } else {
                tracing::debug!(
                    gaps = count,
                    ?total,
                    "the server was delayed; bots are not charged for this time"
                );
            }
            logged_at = Some(Instant::now());
        }
    }
}

/// Gaps that are not logged yet.
#[derive(Debug, Default)]
struct UnloggedGaps {
    count: u32,
    total: Duration,
}
