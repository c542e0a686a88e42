//! What an arena takes from the system around it.

use std::fmt;
use std::sync::Arc;
use std::time::SystemTime;

/// The date and the random bytes of an arena. Everything else that it does follows from these, from its store and from what
/// it is sent: a simulation gives its own, and the same run can be had again.
#[derive(Clone)]
pub struct Environment {
    date: Arc<dyn Fn() -> SystemTime + Send + Sync>,
    random: Arc<RandomSource>,
}

/// Fills a buffer with random bytes.
type RandomSource = dyn Fn(&mut [u8]) + Send + Sync;

impl Environment {
    /// Takes both from functions.
    pub fn new(
        date: impl Fn() -> SystemTime + Send + Sync + 'static,
        random: impl Fn(&mut [u8]) + Send + Sync + 'static,
    ) -> Self {
        Self { date: Arc::new(date), random: Arc::new(random) }
    }

    /// Returns the date.
    pub(super) fn date(&self) -> SystemTime {
        (self.date)()
    }

    /// Fills a buffer with random bytes.
    pub(super) fn fill_random(&self, bytes: &mut [u8]) {
        (self.random)(bytes);
    }
}

impl Default for Environment {
    /// Takes both from the system.
    fn default() -> Self {
        Self::new(SystemTime::now, |bytes| getrandom::fill(bytes).expect("the system has a random source"))
    }
}

impl fmt::Debug for Environment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Environment").finish_non_exhaustive()
    }
}
