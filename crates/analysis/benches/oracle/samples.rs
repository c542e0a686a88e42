//! Measures and stores the times of the benchmarks.

use criterion::{BenchmarkId, Criterion, SamplingMode};
use std::{cell::RefCell, collections::BTreeMap, hint::black_box, time::Instant};

/// Identifies a benchmark by its group, the size of its input and the solver.
type BenchmarkKey = (String, u32, &'static str);

/// The measured samples of each benchmark, in ns per call.
#[derive(Default)]
pub(crate) struct Samples(RefCell<BTreeMap<BenchmarkKey, Vec<f64>>>);

impl Samples {
    pub(crate) fn measure<T>(
        &self,
        criterion: &mut Criterion,
        place: (&str, u32),
        contender: &'static str,
        solve: impl FnMut() -> T,
    ) {
        self.sample(criterion, place, contender, SamplingMode::Auto, solve);
    }

    /// Measures a slow call. It takes few samples, each with the same number of calls.
    pub(crate) fn measure_slow<T>(
        &self,
        criterion: &mut Criterion,
        place: (&str, u32),
        contender: &'static str,
        solve: impl FnMut() -> T,
    ) {
        self.sample(criterion, place, contender, SamplingMode::Flat, solve);
    }

    fn sample<T>(
        &self,
        criterion: &mut Criterion,
        (group, size): (&str, u32),
        contender: &'static str,
        mode: SamplingMode,
        mut solve: impl FnMut() -> T,
    ) {
        let mut benchmarks = criterion.benchmark_group(group);
        if matches!(mode, SamplingMode::Flat) {
            benchmarks.sampling_mode(mode).sample_size(10);
        }
        benchmarks.bench_function(BenchmarkId::new(contender, size), |bencher| {
            bencher.iter_custom(|iterations| {
                let start = Instant::now();
                for _ in 0..iterations {
                    black_box(solve());
                }
                let elapsed = start.elapsed();
                let iterations = u32::try_from(iterations).expect("a sample has fewer than 2^32 iterations");
                let sample = 1e9 * elapsed.as_secs_f64() / f64::from(iterations);
                let mut samples = self.0.borrow_mut();
                samples.entry((group.to_owned(), size, contender)).or_default().push(sample);
                elapsed
            });
        });
        benchmarks.finish();
    }

    /// Returns the median time of a call, in ns; `None` if it was not measured.
    pub(crate) fn median(&self, group: &str, size: u32, contender: &'static str) -> Option<f64> {
        self.sorted_samples(group, size, contender).map(|samples| samples[samples.len() / 2])
    }

    /// Returns the shortest time of a call, in ns, which is disturbed least by other load on the machine; `None` if it
    /// was not measured.
    pub(crate) fn least(&self, group: &str, size: u32, contender: &'static str) -> Option<f64> {
        self.sorted_samples(group, size, contender).map(|samples| samples[0])
    }

    fn sorted_samples(&self, group: &str, size: u32, contender: &'static str) -> Option<Vec<f64>> {
        let mut samples = self.0.borrow().get(&(group.to_owned(), size, contender))?.clone();
        samples.sort_by(f64::total_cmp);
        Some(samples)
    }
}
