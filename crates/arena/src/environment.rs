//! What an arena takes from the system around it.

use futures_core::future::BoxFuture;
use std::fmt;
use std::sync::Arc;
use std::time::SystemTime;
use tokio::runtime::Handle;
use tokio::task::{JoinHandle, spawn, spawn_blocking};

/// Fills a buffer with random bytes.
type FillRandom = dyn Fn(&mut [u8]) + Send + Sync;

/// The date and the random bytes of an arena, and where work is done that takes long. Everything else that it does follows from
/// these, from its store and from what it is sent: a simulation gives its own, and the same run can be had again.
#[derive(Clone)]
pub struct Environment {
    date: Arc<dyn Fn() -> SystemTime + Send + Sync>,
    random: Arc<FillRandom>,
    long_work: LongWork,
}

/// Where work is done that takes long.
#[derive(Debug, Clone, Copy)]
enum LongWork {
    /// On threads of its own, beside those that carry messages.
    OnThreads,
    /// In tasks like any other, so that everything happens in an order that can be had again.
    InTasks,
}

impl Environment {
    /// Takes both from functions, and does all work in tasks: for simulations.
    pub fn new(
        date: impl Fn() -> SystemTime + Send + Sync + 'static,
        random: impl Fn(&mut [u8]) + Send + Sync + 'static,
    ) -> Self {
        Self { date: Arc::new(date), random: Arc::new(random), long_work: LongWork::InTasks }
    }

    /// Returns the date.
    pub(crate) fn date(&self) -> SystemTime {
        (self.date)()
    }

    /// Runs long work that may wait for something. It is boxed, so that a task is compiled once rather than once per kind of work.
    pub fn spawn_long(&self, work: BoxFuture<'static, ()>) -> JoinHandle<()> {
        match self.long_work {
            LongWork::OnThreads => {
                let runtime = Handle::current();
                spawn_blocking(move || runtime.block_on(work))
            }
            LongWork::InTasks => spawn(work),
        }
    }

    /// Does work that takes long.
    pub(crate) fn spawn_work<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> JoinHandle<T> {
        match self.long_work {
            LongWork::OnThreads => spawn_blocking(work),
            LongWork::InTasks => spawn(async move { work() }),
        }
    }

    /// Fills a buffer with random bytes.
    pub(crate) fn fill_random(&self, bytes: &mut [u8]) {
        (self.random)(bytes);
    }
}

impl Default for Environment {
    /// Takes both from the system, and does work that takes long on threads of its own.
    fn default() -> Self {
        let random = |bytes: &mut [u8]| getrandom::fill(bytes).expect("the system has a random source");
        Self { long_work: LongWork::OnThreads, ..Self::new(SystemTime::now, random) }
    }
}

impl fmt::Debug for Environment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Environment").finish_non_exhaustive()
    }
}
