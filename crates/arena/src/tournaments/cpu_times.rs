//! What a tournament costs the server besides its matches.

use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// What is done for a tournament besides its matches.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum CpuTask {
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

/// How long each task took so far. The clock runs on when the kernel has a thread wait, so that on a busy machine it shows
/// more than was worked.
#[derive(Debug, Default)]
pub(crate) struct CpuTimes {
    /// By task, in nanoseconds.
    spent: [AtomicU64; 5],
}

impl CpuTimes {
    /// Does a task.
    pub(crate) fn measure<T>(&self, task: CpuTask, work: impl FnOnce() -> T) -> T {
        let began = Instant::now();
        let done = work();
        self.add_time(task, began.elapsed());
        done
    }

    /// Counts a task that was done.
    pub(crate) fn add_time(&self, task: CpuTask, took: Duration) {
        let nanos = u64::try_from(took.as_nanos()).unwrap_or(u64::MAX);
        self.spent[task as usize].fetch_add(nanos, Ordering::Relaxed);
    }

    /// Returns how long a task took so far.
    fn spent(&self, task: CpuTask) -> Duration {
        Duration::from_nanos(self.spent[task as usize].load(Ordering::Relaxed))
    }
}

impl fmt::Display for CpuTimes {
    /// Writes the milliseconds of each task.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (word, task) in [
            ("planning", CpuTask::Planning),
            ("pairing", CpuTask::Pairing),
            ("counting", CpuTask::Counting),
            ("ranking", CpuTask::Ranking),
            ("rating", CpuTask::Rating),
        ] {
            let space = if task == CpuTask::Planning { "" } else { " " };
            write!(f, "{space}{word}={:.1}ms", self.spent(task).as_secs_f64() * 1e3)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_chore_has_its_own_time() {
        let cpu_times = CpuTimes::default();
        cpu_times.add_time(CpuTask::Pairing, Duration::from_micros(1_500));
        cpu_times.add_time(CpuTask::Pairing, Duration::from_micros(500));
        cpu_times.add_time(CpuTask::Rating, Duration::from_secs(2));
        assert_eq!(
            cpu_times.to_string(),
            "planning=0.0ms pairing=2.0ms counting=0.0ms ranking=0.0ms rating=2000.0ms"
        );
        assert_eq!(cpu_times.measure(CpuTask::Planning, || 7), 7);
    }
}
