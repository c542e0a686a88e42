//! Sums over duplicate groups that arrive in parts.

use super::{
    MatchGroup,
    bootstrap::{BootstrapSums, BootstrapWeights, RatioEstimator},
};

/// Sums over duplicate groups whose matches are added one by one. Adding them is fastest if the matches of a group are
/// consecutive.
#[derive(Debug, Clone)]
pub(super) struct GroupedSums<const SUMS: usize> {
    seed: u64,
    sums: BootstrapSums<SUMS>,
    open: Option<(MatchGroup, [i64; SUMS])>,
}

impl<const SUMS: usize> GroupedSums<SUMS> {
    /// Creates empty sums; the seed is for the bootstrap.
    pub(super) fn new(seed: u64) -> Self {
        Self { seed, sums: BootstrapSums::new(), open: None }
    }

    /// Adds a part of a group.
    pub(super) fn add_part(&mut self, group: MatchGroup, part: &[i64; SUMS]) {
        if self.open.as_ref().is_some_and(|(open, _)| *open != group) {
            self.close_group();
        }
        let (_, sums) = self.open.get_or_insert((group, [0; SUMS]));
        for (sum, part) in sums.iter_mut().zip(part) {
            *sum += part;
        }
    }

    /// Adds the open group to the sums. More parts of it may be added later.
    pub(super) fn close_group(&mut self) {
        if let Some((group, sums)) = self.open.take() {
            self.sums.add_group(group.key(), &BootstrapWeights::of_group(self.seed, &group), &sums);
        }
    }

    /// Returns the sum at an index over all closed groups.
    pub(super) fn sum(&self, index: usize) -> i64 {
        self.sums.sum(index)
    }

    /// Returns the estimator of the ratio of two sums, with the numerator divided by `unit`; `None` if the denominator
    /// is 0.
    pub(super) fn ratio_estimator(
        &self,
        numerator: usize,
        denominator: usize,
        unit: f64,
    ) -> Option<RatioEstimator> {
        self.sums.ratio_estimator(numerator, denominator, unit)
    }
}
