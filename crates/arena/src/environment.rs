//! The arena's access to the system.

use futures_core::future::BoxFuture;
use lastnim_core::referee::Timestamp;
use std::fmt;
use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};
use tokio::runtime::Handle;
use tokio::task::{JoinHandle, spawn, spawn_blocking};

/// Fills a buffer with random bytes.
type FillRandom = dyn Fn(&mut [u8]) + Send + Sync;

/// An arena's clock, its source of random bytes, and its threads for long-running work. Everything else depends only on
/// these, the store and the inputs, so that a simulation can reproduce a run.
#[derive(Clone)]
pub struct Environment {
    date: Arc<dyn Fn() -> SystemTime + Send + Sync>,
    random: Arc<FillRandom>,
    long_task_mode: LongTaskMode,
}

/// Where long-running work is executed.
#[derive(Debug, Clone, Copy)]
enum LongTaskMode {
    /// On blocking threads, apart from those that handle messages.
    OnThreads,
    /// In tasks, so that the order of events is reproducible.
    InTasks,
}

impl Environment {
    /// Creates an environment for simulations. It uses the given clock and random bytes, and runs all work in tasks.
    pub fn new(
        date: impl Fn() -> SystemTime + Send + Sync + 'static,
        random: impl Fn(&mut [u8]) + Send + Sync + 'static,
    ) -> Self {
        Self { date: Arc::new(date), random: Arc::new(random), long_task_mode: LongTaskMode::InTasks }
    }

    /// Returns the time that the system's clock shows. Unlike the server's clock, it may jump.
    pub(crate) fn date(&self) -> Timestamp {
        let since_epoch = (self.date)().duration_since(UNIX_EPOCH).unwrap_or_default();
        Timestamp::from_micros(u64::try_from(since_epoch.as_micros()).unwrap_or(u64::MAX))
    }

    /// Executes long-running work that may wait. The future is boxed, so that this code is compiled once for all kinds
    /// of work.
    pub fn spawn_long_task(&self, work: BoxFuture<'static, ()>) -> JoinHandle<()> {
        match self.long_task_mode {
            LongTaskMode::OnThreads => {
                let runtime = Handle::current();
                spawn_blocking(move || runtime.block_on(work))
            }
            LongTaskMode::InTasks => spawn(work),
        }
    }

    /// Executes long-running work that never waits.
    pub(crate) fn spawn_computation<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> JoinHandle<T> {
        match self.long_task_mode {
            LongTaskMode::OnThreads => spawn_blocking(work),
            LongTaskMode::InTasks => spawn(async move { work() }),
        }
    }

    /// Fills a buffer with random bytes.
    pub(crate) fn fill_random(&self, bytes: &mut [u8]) {
        (self.random)(bytes);
    }
}

impl Default for Environment {
    /// Uses the system's clock and random bytes, and runs long-running work on separate threads.
    fn default() -> Self {
        let fill_randomly =
            |bytes: &mut [u8]| getrandom::fill(bytes).expect("the system has a random source");
        Self { long_task_mode: LongTaskMode::OnThreads, ..Self::new(SystemTime::now, fill_randomly) }
    }
}

impl fmt::Debug for Environment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Environment").finish_non_exhaustive()
    }
}
