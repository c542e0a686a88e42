//! What a tournament costs the server besides its matches.

use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// What is done for a tournament besides its matches.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Chore {
    /// Planning the schedule.
    Planning,
    /// Finding the next match and what it is to be.
    Pairing,
    /// Telling a result to the schedule, the standings and whoever watches.
    Counting,
    /// Putting the standings in order.
    Ranking,
    /// Rating the bots.
    Rating,
}

/// How long each chore took so far. The clock runs on when the kernel has a thread wait, so that on a busy machine it shows
/// more than was worked.
#[derive(Debug, Default)]
pub(super) struct Upkeep {
    /// By chore, in nanoseconds.
    spent: [AtomicU64; 5],
}

impl Upkeep {
    /// Does a chore.
    pub(super) fn of<T>(&self, chore: Chore, work: impl FnOnce() -> T) -> T {
        let began = Instant::now();
        let done = work();
        self.add(chore, began.elapsed());
        done
    }

    /// Counts a chore that was done.
    pub(super) fn add(&self, chore: Chore, took: Duration) {
        let nanos = u64::try_from(took.as_nanos()).unwrap_or(u64::MAX);
        self.spent[chore as usize].fetch_add(nanos, Ordering::Relaxed);
    }

    /// Returns how long a chore took so far.
    fn spent(&self, chore: Chore) -> Duration {
        Duration::from_nanos(self.spent[chore as usize].load(Ordering::Relaxed))
    }
}

impl fmt::Display for Upkeep {
    /// Writes the milliseconds of each chore.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (word, chore) in [
            ("planning", Chore::Planning),
            ("pairing", Chore::Pairing),
            ("counting", Chore::Counting),
            ("ranking", Chore::Ranking),
            ("rating", Chore::Rating),
        ] {
            let space = if chore == Chore::Planning { "" } else { " " };
            write!(f, "{space}{word}={:.1}ms", self.spent(chore).as_secs_f64() * 1e3)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_chore_has_its_own_time() {
        let upkeep = Upkeep::default();
        upkeep.add(Chore::Pairing, Duration::from_micros(1_500));
        upkeep.add(Chore::Pairing, Duration::from_micros(500));
        upkeep.add(Chore::Rating, Duration::from_secs(2));
        assert_eq!(
            upkeep.to_string(),
            "planning=0.0ms pairing=2.0ms counting=0.0ms ranking=0.0ms rating=2000.0ms"
        );
        assert_eq!(upkeep.of(Chore::Planning, || 7), 7);
    }
}
