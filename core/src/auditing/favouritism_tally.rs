//! The favours of an ordered pair, observed and permuted.

use super::{
    MIN_GROUPS,
    estimate::to_float,
    group::{GroupCounter, GroupKey},
    place_sums::{FavourSums, KINDS, MoverHabits},
    replicates::{ByReplicate, REPLICATES, ReplicateSums},
};
use std::{
    iter::repeat,
    ops::{AddAssign, Sub},
};

/// A sum as it was observed, and in each replicate.
#[derive(Debug, Clone)]
struct PermutedSum<Wide> {
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
    const NOTHING: Self = Self { observed: 0, everywhere: 0, replicates: None };

    /// Adds the number of the place that is held in fact, and in each replicate that of the one held there.
    fn add_permuted(&mut self, mut numbers: Vec<Wide>, held: usize, permuted: &ByReplicate<u16>) {
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
    fn add_to(&self, sums: &mut [f64], factor: f64) {
        sums[0] += to_float(self.observed) * factor;
        let replicates = self.replicates.iter().flat_map(ReplicateSums::sums).chain(repeat(0));
        for (sum, replicate) in sums[1..].iter_mut().zip(replicates) {
            *sum += to_float(self.everywhere + replicate) * factor;
        }
    }
}

/// The favours of an ordered pair, as they come together.
#[derive(Debug, Clone)]
pub(super) struct FavouritismTally {
    groups: GroupCounter,
    favours: PermutedSum<i64>,
    /// By kind of place: the errors.
    errors: [PermutedSum<i32>; KINDS],
}

impl FavouritismTally {
    pub(super) fn new() -> Self {
        Self {
            groups: GroupCounter::up_to(MIN_GROUPS),
            favours: PermutedSum::NOTHING,
            errors: [PermutedSum::NOTHING; KINDS],
        }
    }

    /// Adds a group, or a part of it: the places of all bots that might change them, and which of them the other of this
    /// pair has in fact and in each replicate.
    pub(super) fn add_group(
        &mut self,
        group: GroupKey,
        places: &[FavourSums],
        held: usize,
        permuted: &ByReplicate<u16>,
    ) {
        self.groups.add_group(group);
        self.favours.add_permuted(places.iter().map(FavourSums::total_favour).collect(), held, permuted);
        for (kind, errors) in self.errors.iter_mut().enumerate() {
            if places.iter().any(|place| place.errors[kind] > 0) {
                errors.add_permuted(places.iter().map(|place| place.errors[kind]).collect(), held, permuted);
            }
        }
    }

    /// Returns what was observed and each replicate, without what habits explain; none of too few groups.
    pub(super) fn observed_and_permuted(&self, habits: &MoverHabits) -> Option<Vec<f64>> {
        if !self.groups.is_full() {
            return None;
        }
        let mut sums = vec![0.0; 1 + REPLICATES];
        self.favours.add_to(&mut sums, 1.0);
        for (kind, errors) in self.errors.iter().enumerate() {
            errors.add_to(&mut sums, -habits.mean_favour(kind));
        }
        Some(sums)
    }

    /// Returns the groups that can be used, [`MIN_GROUPS`] standing for that or more.
    pub(super) fn group_count(&self) -> u64 {
        self.groups.count().get().min(MIN_GROUPS as u64)
    }

    /// Returns the errors that were observed.
    pub(super) fn observed_errors(&self) -> i64 {
        self.errors.iter().map(|errors| errors.observed).sum()
    }
}
