//! Sums over duplicate groups that come in parts.

use super::{
    MatchGroup,
    bootstrap::{BootstrapSums, BootstrapWeights, RatioEstimator},
};

/// Sums over duplicate groups, to which the matches of a group are added one by one. It costs least when they follow each other.
#[derive(Debug, Clone)]
pub(super) struct GroupedSums<const SUMS: usize> {
    seed: u64,
    sums: BootstrapSums<SUMS>,
    open: Option<(MatchGroup, [i64; SUMS])>,
}

impl<const SUMS: usize> GroupedSums<SUMS> {
    /// Begins with nothing; the seed is that of the bootstrap.
    pub(super) fn new(seed: u64) -> Self {
        Self { seed, sums: BootstrapSums::new(), open: None }
    }

    /// Adds what a part of a group comes to.
    pub(super) fn add_part(&mut self, group: MatchGroup, part: &[i64; SUMS]) {
        if self.open.as_ref().is_some_and(|(open, _)| *open != group) {
            self.close_group();
        }
        let (_, sums) = self.open.get_or_insert((group, [0; SUMS]));
        for (sum, part) in sums.iter_mut().zip(part) {
            *sum += part;
        }
    }

    /// Counts the group that is open. More of it may come later.
    pub(super) fn close_group(&mut self) {
        if let Some((group, sums)) = self.open.take() {
            self.sums.add_group(group.key(), &BootstrapWeights::of_group(self.seed, &group), &sums);
        }
    }

    /// Returns one of the sums over all groups that are closed.
    pub(super) fn sum(&self, index: usize) -> i64 {
        self.sums.sum(index)
    }

    /// Returns what the ratio of two sums is estimated from, the first in units so many times as large.
    pub(super) fn ratio_sums(&self, above: usize, below: usize, unit: f64) -> Option<RatioEstimator> {
        self.sums.ratio_sums(above, below, unit)
    }
}
