//! Sums by replicate.

use lastnim_core::game::MAX_SEATS;
use std::ops::AddAssign;

/// The number of replicates of every bootstrap and permutation test: with 999, the 2.5% and 97.5% quantiles are the
/// 25th and the 975th value, and the smallest p-value is 1 in 1,000.
pub const REPLICATES: usize = 999;

/// A value for each replicate.
pub(super) type ByReplicate<T> = [T; REPLICATES];

/// Maximum weight of a number in a replicate.
pub(super) const MAX_WEIGHT: i16 = 8;

/// Maximum absolute value of a number added in 16 bits: ten of them with the maximum weight fit.
const MAX_SMALL: u64 = 400;

/// Maximum number of places for the unrolled loop.
const MAX_UNROLLED_PLACES: usize = 8;

/// A sum by replicate, of integers, so that it is exact and does not depend on the order of addition.
///
/// Small numbers are added in 16 bits, which vectorise well, and are moved to the wide sums before any could overflow.
#[derive(Debug, Clone)]
pub(super) struct ReplicateSums<Wide> {
    wide: Box<ByReplicate<Wide>>,
    small: Box<ByReplicate<i16>>,
    /// An upper bound of the absolute small sums.
    reach: u64,
}

impl<Wide: Copy + Default + AddAssign + From<i16> + Into<i64>> ReplicateSums<Wide> {
    pub(super) fn new() -> Self {
        let (wide, small) = (Box::new([Wide::default(); REPLICATES]), Box::new([0; REPLICATES]));
        Self { wide, small, reach: 0 }
    }

    /// Adds, in each replicate, the number of its place.
    pub(super) fn add_by_place(&mut self, places: &ByReplicate<u16>, numbers: &[Wide]) {
        let furthest = numbers.iter().map(|&number| number.into().unsigned_abs()).max().unwrap_or(0);
        if furthest <= MAX_SMALL && numbers.len() <= MAX_UNROLLED_PLACES {
            self.widen_if_needed(furthest);
            for (place, &number) in (0..).zip(numbers) {
                let number = number.into() as i16;
                if number != 0 {
                    for (sum, &at) in self.small.iter_mut().zip(places) {
                        *sum += if at == place { number } else { 0 };
                    }
                }
            }
        } else {
            // With a power of two, the compiler can omit bounds checks.
            let mut by_place = [Wide::default(); MAX_SEATS];
            by_place[..numbers.len()].copy_from_slice(numbers);
            for (sum, &place) in self.wide.iter_mut().zip(places) {
                *sum += by_place[usize::from(place) % MAX_SEATS];
            }
        }
    }

    /// Returns the sum in each replicate.
    pub(super) fn sums(&self) -> impl Iterator<Item = i64> {
        self.wide.iter().zip(self.small.iter()).map(|(&wide, &small)| wide.into() + i64::from(small))
    }

    /// Moves the small sums if numbers up to `furthest` might overflow them.
    fn widen_if_needed(&mut self, furthest: u64) {
        self.reach += furthest;
        if self.reach > i16::MAX.unsigned_abs().into() {
            for (wide, small) in self.wide.iter_mut().zip(self.small.iter_mut()) {
                *wide += Wide::from(*small);
                *small = 0;
            }
            self.reach = furthest;
        }
    }
}

impl ReplicateSums<i64> {
    /// Adds a number in each replicate, times its weight there, at most [`MAX_WEIGHT`].
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
        let mut weighted = ReplicateSums::<i64>::new();
        let mut by_place = ReplicateSums::<i32>::new();
        let mut expected = [[0_i64; REPLICATES]; 2];
        for step in 0..600 {
            let drawn: ByReplicate<u64> = std::array::from_fn(|_| draw.number_below(9));
            let bound = [3, 400, 401, 1 << 24][step % 4];
            let number = draw.number_below(bound).cast_signed() - bound.cast_signed() / 3;
            weighted.add_weighted(&drawn.map(|weight| weight as i16), number);
            // Nine places use another code path than eight.
            let numbers = [number as i32, 1, 2, 3, 4, 5, -6, 0, 8];
            let numbers = &numbers[..8 + step / 300];
            let places = drawn.map(|place| place as u16 % numbers.len() as u16);
            by_place.add_by_place(&places, numbers);
            for (replicate, (&weight, &place)) in drawn.iter().zip(&places).enumerate() {
                expected[0][replicate] += weight.cast_signed() * number;
                expected[1][replicate] += i64::from(numbers[usize::from(place)]);
            }
        }
        assert!(weighted.sums().eq(expected[0]));
        assert!(by_place.sums().eq(expected[1]));
    }
}
