//! A histogram of durations.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// The upper bounds of the buckets, in microseconds; one more bucket has no upper bound.
const BOUNDS_US: [u64; 13] = [
    500, 1_000, 2_500, 5_000, 10_000, 25_000, 50_000, 100_000, 250_000, 500_000, 1_000_000, 2_500_000,
    10_000_000,
];

/// Counts durations by length. Only one thread adds to it, so it needs no lock.
#[derive(Debug, Default)]
pub struct LatencyHistogram {
    counts: [AtomicU64; BOUNDS_US.len() + 1],
    sum_us: AtomicU64,
}

/// The counts of a histogram.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LatencyCounts {
    /// The upper bound of each bucket, with the number of durations up to that bound.
    pub up_to: Vec<(Duration, u64)>,
    /// The number of durations.
    pub count: u64,
    /// The sum of all durations.
    pub sum: Duration,
}

impl LatencyHistogram {
    pub(super) fn add(&self, took: Duration) {
        let micros = u64::try_from(took.as_micros()).unwrap_or(u64::MAX);
        let bucket = BOUNDS_US.partition_point(|&bound| bound < micros);
        self.counts[bucket].fetch_add(1, Ordering::Relaxed);
        self.sum_us.fetch_add(micros, Ordering::Relaxed);
    }

    pub(super) fn counts(&self) -> LatencyCounts {
        let mut count = 0;
        let mut up_to = Vec::with_capacity(BOUNDS_US.len());
        for (counted, bound) in self.counts.iter().zip(BOUNDS_US) {
            count += counted.load(Ordering::Relaxed);
            up_to.push((Duration::from_micros(bound), count));
        }
        count += self.counts[BOUNDS_US.len()].load(Ordering::Relaxed);
        LatencyCounts { up_to, count, sum: Duration::from_micros(self.sum_us.load(Ordering::Relaxed)) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_are_counted_up_to_each_bound() {
        let histogram = LatencyHistogram::default();
        for micros in [0, 500, 501, 1_000, 9_999_999, 10_000_001] {
            histogram.add(Duration::from_micros(micros));
        }
        for _ in 0..3 {
            histogram.add(Duration::from_millis(7));
        }
        let counted = histogram.counts();
        let up_to = |micros| counted.up_to.iter().find(|(bound, _)| bound.as_micros() == micros).unwrap().1;
        assert_eq!([500, 1_000, 5_000, 10_000, 10_000_000].map(up_to), [2, 4, 4, 7, 8]);
        assert_eq!(counted.count, 9);
        assert_eq!(counted.sum, Duration::from_micros(2_001 + 9_999_999 + 10_000_001 + 21_000));
        assert!(counted.up_to.is_sorted());
    }
}
