//! Permutation tests of many sums at once.

use super::replicates::REPLICATES;

/// Sums whose standard deviation is at most this many ranks count as all the same: they differ only by rounding.
const MAX_ROUNDING_DEVIATION: f64 = 1e-6;

/// An observed sum, compared with its own replicates.
#[derive(Debug, Clone, Copy)]
pub(super) struct TestedSum {
    /// The observed sum, as a number of standard deviations above the mean.
    standardised: f64,
    p_value: f64,
}

/// The result of the test of one sum.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct PermutationResult {
    /// The one-sided p-value of this sum alone.
    pub(super) p_value: f64,
    /// The p-value corrected for the tests of all other sums.
    pub(super) p_corrected: f64,
}

/// The tests of many sums with the same permutations of the same groups.
///
/// After all sums have been standardised, each observed sum is compared with the maximum over all sums in each
/// replicate. Source: Westfall and Young, "Resampling-Based Multiple Testing" (1993), single step.
#[derive(Debug, Clone)]
pub(super) struct PermutationTests {
    /// By replicate: the largest of all sums, each as a number of standard deviations above its own mean.
    largest: Vec<f64>,
}

/// Returns the share of sums, among the replicates and the observed one, that are at least as large as the observed
/// one. Sums that are equal up to rounding count too.
fn p_value(replicates: impl Iterator<Item = f64>, observed: f64) -> f64 {
    let hits = replicates.filter(|&sum| sum >= observed - 1e-9).count();
    f64::from((1 + hits) as u32) / f64::from((1 + REPLICATES) as u32)
}

/// Returns the p-value of an observed sum as the only test. `sums` has the observed sum first and then its replicates;
/// the result is `None` if they are all the same.
pub(super) fn uncorrected_p_value(sums: &[f64]) -> Option<f64> {
    let (mean, deviation) = mean_and_deviation(sums)?;
    let standardise = |sum: f64| (sum - mean) / deviation;
    Some(p_value(sums[1..].iter().map(|&sum| standardise(sum)), standardise(sums[0])))
}

/// Returns the mean and the standard deviation of sums, in ranks; `None` if they are all the same.
fn mean_and_deviation(sums: &[f64]) -> Option<(f64, f64)> {
    let all = f64::from(sums.len() as u32);
    let mean = sums.iter().sum::<f64>() / all;
    let deviation = (sums.iter().map(|sum| (sum - mean).powi(2)).sum::<f64>() / all).sqrt();
    (deviation > MAX_ROUNDING_DEVIATION).then_some((mean, deviation))
}

impl PermutationTests {
    pub(super) fn new() -> Self {
        Self { largest: vec![f64::NEG_INFINITY; REPLICATES] }
    }

    /// Adds an observed sum, which comes first, and its replicates, in ranks. Returns `None` if they are all the same.
    pub(super) fn add_sums(&mut self, sums: &[f64]) -> Option<TestedSum> {
        let (mean, deviation) = mean_and_deviation(sums)?;
        let standardise = |sum: f64| (sum - mean) / deviation;
        let observed = standardise(sums[0]);
        let mut hits = 0_u32;
        for (largest, &sum) in self.largest.iter_mut().zip(&sums[1..]) {
            let sum = standardise(sum);
            *largest = largest.max(sum);
            hits += u32::from(sum >= observed - 1e-9);
        }
        let p_value = f64::from(1 + hits) / f64::from((1 + REPLICATES) as u32);
        Some(TestedSum { standardised: observed, p_value })
    }

    /// Returns the result for a sum, once all sums have been added.
    pub(super) fn result(&self, sum: TestedSum) -> PermutationResult {
        let p_corrected = p_value(self.largest.iter().copied(), sum.standardised);
        PermutationResult { p_value: sum.p_value, p_corrected }
    }

    /// Returns the threshold, in standard deviations, that a sum must exceed for its corrected p-value to be at most
    /// `p_corrected`.
    pub(super) fn critical_value(&self, p_corrected: f64) -> f64 {
        let mut largest = self.largest.clone();
        largest.sort_by(|one, other| other.total_cmp(one));
        let hits = |&at: &usize| {
            f64::from((2 + at) as u32) <= p_corrected * f64::from((1 + REPLICATES) as u32) + 1e-9
        };
        largest[(0..REPLICATES - 1).take_while(hits).count()]
    }
}
