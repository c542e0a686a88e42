//! Permutation tests of many sums at once.

use super::replicates::REPLICATES;

/// The index of the critical value among the sorted maxima of the replicates: 1% lie beyond it.
const CRITICAL_REPLICATE: usize = REPLICATES - REPLICATES / 100 - 1;

/// Smaller deviations, in ranks, are rounding errors.
const ROUNDING: f64 = 1e-6;

/// An observed sum and its replicates.
#[derive(Debug, Clone)]
pub(super) struct PermutedSums {
    /// In standard deviations from the mean, the observed one first.
    standardised: Vec<f64>,
    deviation: f64,
}

/// The result for one sum.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct PermutationResult {
    /// The one-sided p-value of this sum alone.
    pub(super) p_value: f64,
    /// The p-value corrected for all sums.
    pub(super) p_corrected: f64,
    /// The standard deviation of the sum over the permutations.
    pub(super) deviation: f64,
}

/// The tests of many sums with the same permutations of the same groups.
#[derive(Debug, Clone)]
pub(super) struct PermutationTests {
    results: Vec<Option<PermutationResult>>,
    critical: f64,
}

impl PermutedSums {
    /// Standardises an observed sum and its replicates, in ranks; `None` if they are all the same.
    pub(super) fn new(sums: &[f64]) -> Option<Self> {
        let all = f64::from(sums.len() as u32);
        let mean = sums.iter().sum::<f64>() / all;
        let deviation = (sums.iter().map(|sum| (sum - mean).powi(2)).sum::<f64>() / all).sqrt();
        let standardised = sums.iter().map(|sum| (sum - mean) / deviation).collect();
        (deviation > ROUNDING).then_some(Self { standardised, deviation })
    }

    /// Returns the one-sided p-value of this sum alone.
    pub(super) fn p_value(&self) -> f64 {
        p_value(&self.standardised[1..], self.standardised[0])
    }
}

/// Returns the share of replicates that reach an observed sum. Sums that are equal up to rounding count as hits.
fn p_value(replicates: &[f64], observed: f64) -> f64 {
    let hits = replicates.iter().filter(|&&sum| sum >= observed - 1e-9).count();
    f64::from((1 + hits) as u32) / f64::from((1 + REPLICATES) as u32)
}

impl PermutationTests {
    /// Tests the available sums, each against its own replicates and against the maximum of all in each replicate.
    ///
    /// Source: Westfall and Young, "Resampling-Based Multiple Testing" (1993), single step.
    pub(super) fn of_sums(sums: &[Option<PermutedSums>]) -> Self {
        let mut largest = vec![f64::NEG_INFINITY; REPLICATES];
        for sums in sums.iter().flatten() {
            for (largest, &sum) in largest.iter_mut().zip(&sums.standardised[1..]) {
                *largest = largest.max(sum);
            }
        }
        let results = sums.iter().map(|sums| {
            let sums = sums.as_ref()?;
            Some(PermutationResult {
                p_value: sums.p_value(),
                p_corrected: p_value(&largest, sums.standardised[0]),
                deviation: sums.deviation,
            })
        });
        let results = results.collect();
        largest.sort_by(f64::total_cmp);
        let critical = largest[CRITICAL_REPLICATE];
        Self { results, critical }
    }

    /// Returns the results in the order of the sums.
    pub(super) fn results(&self) -> &[Option<PermutationResult>] {
        &self.results
    }

    /// Returns the threshold, in standard deviations, for significance after the correction.
    pub(super) fn critical(&self) -> f64 {
        self.critical
    }
}
