//! The time that the server spends on a tournament, apart from its matches.

use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// A kind of work that a director does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum CpuTask {
    Planning,
    /// Finding and preparing the next match.
    Pairing,
    /// Reporting a result to the schedule, the standings and watchers.
    Counting,
    /// Sorting the standings.
    Ranking,
    /// Rating the bots.
    Rating,
}

/// The time spent on each task. It is wall-clock time: on a busy machine it includes waiting for the CPU.
#[derive(Debug, Default)]
pub(crate) struct CpuTimes {
    /// The time spent on each task, in nanoseconds.
    spent: [AtomicU64; 5],
}

impl CpuTimes {
    /// Runs a task, and adds the time that it took.
    pub(crate) fn measure<T>(&self, task: CpuTask, work: impl FnOnce() -> T) -> T {
        let began = Instant::now();
        let done = work();
        self.add_time(task, began.elapsed());
        done
    }

    pub(crate) fn add_time(&self, task: CpuTask, took: Duration) {
        let nanos = u64::try_from(took.as_nanos()).unwrap_or(u64::MAX);
        self.spent[task as usize].fetch_add(nanos, Ordering::Relaxed);
    }

    /// Returns the time spent on a task.
    pub(crate) fn spent(&self, task: CpuTask) -> Duration {
        Duration::from_nanos(self.spent[task as usize].load(Ordering::Relaxed))
    }
}

impl fmt::Display for CpuTimes {
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
    fn time_is_summed_separately_for_each_task() {
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
