//! A sum as it was observed, and with the names of the places permuted.

use super::{
    estimate::to_float,
    replicates::{ByReplicate, ReplicateSums},
};
use std::{
    iter::repeat,
    ops::{AddAssign, Sub},
};

/// A sum as it was observed, and in each replicate.
#[derive(Debug, Clone)]
pub(super) struct PermutedSum<Wide> {
    observed: i64,
    /// What was added in every replicate alike.
    everywhere: i64,
    /// The rest; none as long as there is none.
    replicates: Option<ReplicateSums<Wide>>,
}

impl<Wide> PermutedSum<Wide>
where
    Wide: Copy + Default + AddAssign + Sub<Output = Wide> + PartialEq + From<i16> + Into<i64>,
{
    pub(super) const NOTHING: Self = Self { observed: 0, everywhere: 0, replicates: None };

    /// Adds the number of the place that is held in fact, and in each replicate that of the one held there.
    pub(super) fn add_permuted(&mut self, mut numbers: Vec<Wide>, held: usize, permuted: &ByReplicate<u16>) {
        self.observed += numbers[held].into();
        let first = numbers[0];
        self.everywhere += first.into();
        if numbers.iter().any(|&number| number != first) {
            for number in &mut numbers {
                *number = *number - first;
            }
            self.replicates.get_or_insert_with(ReplicateSums::new).add_by_place(permuted, &numbers);
        }
    }

    /// Adds what was observed and each replicate, times a factor, to sums.
    pub(super) fn add_to(&self, sums: &mut [f64], factor: f64) {
        sums[0] += to_float(self.observed) * factor;
        let replicates = self.replicates.iter().flat_map(ReplicateSums::sums).chain(repeat(0));
        for (sum, replicate) in sums[1..].iter_mut().zip(replicates) {
            *sum += to_float(self.everywhere + replicate) * factor;
        }
    }
}
