//! Sums that are kept for each replicate of a bootstrap or permutation test.

use serde::{Deserialize, Serialize};

/// The number of replicates of every bootstrap and permutation test: with 999, the 2.5% and 97.5% quantiles are the
/// 25th and the 975th values in ascending order, and the smallest p-value is 1 in 1,000.
pub const REPLICATES: usize = 999;

/// A value for each replicate.
pub(super) type ByReplicate<T> = [T; REPLICATES];

/// Maximum weight that a replicate gives a number.
pub(super) const MAX_WEIGHT: i16 = 8;

/// All sums are below this, so they are exact as floats, and the sum of two of them does not overflow.
pub(super) const SUM_LIMIT: u64 = 1 << 53;

/// Maximum absolute value of a number that is added to a 16-bit sum. Ten such numbers fit, even with the maximum
/// weight.
const MAX_SMALL: u64 = 400;

/// For each replicate, a sum of integers. It is exact, and so it does not depend on the order of addition.
///
/// Small numbers are added to 16-bit sums, which vectorise well. These sums are moved to the wide sums before any of
/// them could overflow.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(try_from = "Vec<i64>", into = "Vec<i64>")]
pub(super) struct ReplicateSums {
    wide: Box<ByReplicate<i64>>,
    small: Box<ByReplicate<i16>>,
    /// An upper bound on the absolute values of the small sums.
    reach: u64,
}

impl TryFrom<Vec<i64>> for ReplicateSums {
    type Error = &'static str;

    fn try_from(sums: Vec<i64>) -> Result<Self, Self::Error> {
        let wide = sums.into_boxed_slice().try_into().map_err(|_| "the number of replicates is wrong")?;
        Ok(Self { wide, ..Self::new() })
    }
}

impl From<ReplicateSums> for Vec<i64> {
    fn from(sums: ReplicateSums) -> Self {
        sums.sums().collect()
    }
}

impl ReplicateSums {
    pub(super) fn new() -> Self {
        Self { wide: Box::new([0; REPLICATES]), small: Box::new([0; REPLICATES]), reach: 0 }
    }

    /// Adds the sums of other numbers.
    pub(super) fn add_sums(&mut self, other: &Self) {
        for (sum, more) in self.wide.iter_mut().zip(other.sums()) {
            *sum += more;
        }
    }

    /// Returns the sum in each replicate.
    pub(super) fn sums(&self) -> impl Iterator<Item = i64> {
        self.wide.iter().zip(self.small.iter()).map(|(&wide, &small)| wide + i64::from(small))
    }

    /// Returns whether all sums are below [`SUM_LIMIT`].
    pub(super) fn are_below_limit(&self) -> bool {
        self.wide.iter().zip(self.small.iter()).all(|(&wide, &small)| {
            wide.checked_add(small.into()).is_some_and(|sum| sum.unsigned_abs() < SUM_LIMIT)
        })
    }

    /// Moves the small sums to the wide sums if adding numbers of up to `max_addend` could overflow them.
    fn widen_if_needed(&mut self, max_addend: u64) {
        self.reach += max_addend;
        if self.reach > i16::MAX.unsigned_abs().into() {
            for (wide, small) in self.wide.iter_mut().zip(self.small.iter_mut()) {
                *wide += i64::from(*small);
                *small = 0;
            }
            self.reach = max_addend;
        }
    }

    /// Adds a number to the sum of each replicate, multiplied by the replicate's weight, which is at most
    /// [`MAX_WEIGHT`].
    pub(super) fn add_weighted(&mut self, weights: &ByReplicate<i16>, number: i64) {
        if number.unsigned_abs() <= MAX_SMALL {
            self.widen_if_needed(number.unsigned_abs() * u64::from(MAX_WEIGHT.unsigned_abs()));
            let number = number as i16;
            for (sum, &weight) in self.small.iter_mut().zip(weights) {
                *sum += weight * number;
            }
        } else {
            for (sum, &weight) in self.wide.iter_mut().zip(weights) {
                *sum += i64::from(weight) * number;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use lastnim_tournament::SeededDraw;

    #[test]
    fn sums_of_any_numbers_are_exact() {
        let mut draw = SeededDraw::new(1, 1);
        let mut weighted = ReplicateSums::new();
        let mut expected = [0_i64; REPLICATES];
        for step in 0..600 {
            let drawn: ByReplicate<u64> = std::array::from_fn(|_| draw.number_below(9));
            let bound = [3, 400, 401, 1 << 24][step % 4];
            let number = draw.number_below(bound).cast_signed() - bound.cast_signed() / 3;
            weighted.add_weighted(&drawn.map(|weight| weight as i16), number);
            for (expected, &weight) in expected.iter_mut().zip(&drawn) {
                *expected += weight.cast_signed() * number;
            }
        }
        assert!(weighted.sums().eq(expected));
    }
}
