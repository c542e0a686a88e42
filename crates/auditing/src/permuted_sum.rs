//! A sum as observed and with permuted names.

use super::{
    estimate::to_float,
    replicates::{ByReplicate, ReplicateSums},
};
use std::{
    iter::repeat,
    ops::{AddAssign, Sub},
};

/// An observed sum and its replicates.
#[derive(Debug, Clone)]
pub(super) struct PermutedSum<Wide> {
    observed: i64,
    /// The part that is the same in every replicate.
    everywhere: i64,
    /// The rest; `None` until there is some.
    replicates: Option<ReplicateSums<Wide>>,
}

impl<Wide> PermutedSum<Wide>
where
    Wide: Copy + Default + AddAssign + Sub<Output = Wide> + PartialEq + From<i16> + Into<i64>,
{
    pub(super) const NOTHING: Self = Self { observed: 0, everywhere: 0, replicates: None };

    /// Adds the number of the actual place, and in each replicate that of the permuted place.
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

    /// Adds the observed sum and each replicate, times a factor, to `sums`.
    pub(super) fn add_to(&self, sums: &mut [f64], factor: f64) {
        sums[0] += to_float(self.observed) * factor;
        let replicates = self.replicates.iter().flat_map(ReplicateSums::sums).chain(repeat(0));
        for (sum, replicate) in sums[1..].iter_mut().zip(replicates) {
            *sum += to_float(self.everywhere + replicate) * factor;
        }
    }
}
