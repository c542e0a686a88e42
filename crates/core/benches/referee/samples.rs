//! The samples of the measured times, with their median and minimum.

use rustix::time::{ClockId, clock_gettime};
use std::{collections::BTreeMap, time::Duration};

/// A figure and the number of open matches with which it was measured.
type SampleKey = (&'static str, usize);

/// The samples of every figure, in ns per ply.
#[derive(Default)]
pub(crate) struct Samples(BTreeMap<SampleKey, Vec<f64>>);

impl Samples {
    /// Adds one sample: the processor time of `work`, divided by the number of takes that it makes.
    pub(crate) fn measure(&mut self, key: SampleKey, takes: usize, work: impl FnOnce()) {
        let start = processor_time();
        work();
        let took = processor_time().saturating_sub(start);
        let takes = u32::try_from(takes).expect("a sample has fewer than a billion takes");
        self.0.entry(key).or_default().push(1e9 * took.as_secs_f64() / f64::from(takes));
    }

    /// Returns the median of a figure; `None` if the figure was not measured.
    pub(crate) fn median(&self, key: SampleKey) -> Option<f64> {
        let mut sorted = self.0.get(&key)?.clone();
        sorted.sort_by(f64::total_cmp);
        sorted.get(sorted.len() / 2).copied()
    }

    /// Returns the median and, in parentheses, the minimum, which is least affected by other load on the machine.
    pub(crate) fn summary(&self, key: SampleKey) -> String {
        let least = self.0.get(&key).and_then(|samples| samples.iter().copied().reduce(f64::min));
        match (self.median(key), least) {
            (Some(median), Some(least)) => format!("{median:6.1} ({least:6.1})"),
            _ => "none".to_owned(),
        }
    }
}

/// Returns the processor time of this thread.
fn processor_time() -> Duration {
    clock_gettime(ClockId::ThreadCPUTime).try_into().expect("a thread's time is not negative")
}
