//! The favours of an ordered pair, observed and permuted.

use super::{
    MIN_GROUPS,
    estimate::to_float,
    group::{GroupCounter, GroupKey},
    permuted_sum::PermutedSum,
    place_sums::{FavourSums, KINDS, MoverHabits},
    replicates::{ByReplicate, REPLICATES},
};
use std::collections::BTreeMap;

/// The favour of the other's place beyond the mean of the other places, times the number of other places, so that it is
/// an integer.
#[derive(Debug, Clone)]
struct ExcessSums {
    favours: i64,
    /// By kind of place: number of errors.
    errors: [i64; KINDS],
}

/// A running tally of the favours of an ordered pair.
#[derive(Debug, Clone)]
pub(super) struct FavouritismTally {
    groups: GroupCounter,
    /// By number of other places.
    excess: BTreeMap<usize, ExcessSums>,
    favours: PermutedSum<i64>,
    /// By kind of place: number of errors.
    errors: [PermutedSum<i32>; KINDS],
}

impl FavouritismTally {
    pub(super) fn new() -> Self {
        Self {
            groups: GroupCounter::up_to(MIN_GROUPS),
            excess: BTreeMap::new(),
            favours: PermutedSum::NOTHING,
            errors: [PermutedSum::NOTHING; KINDS],
        }
    }

    /// Adds a group, or a part of it: the places of all exchangeable bots, and the place of the pair's other bot,
    /// actual and in each replicate.
    pub(super) fn add_group(
        &mut self,
        group: GroupKey,
        places: &[FavourSums],
        held: usize,
        permuted: &ByReplicate<u16>,
    ) {
        self.groups.add_group(group);
        let beyond = |number: &dyn Fn(&FavourSums) -> i64| {
            number(&places[held]) * places.len().cast_signed() as i64 - places.iter().map(number).sum::<i64>()
        };
        let excess = self.excess.entry(places.len() - 1);
        let excess = excess.or_insert(ExcessSums { favours: 0, errors: [0; KINDS] });
        excess.favours += beyond(&FavourSums::total_favour);
        for (kind, errors) in excess.errors.iter_mut().enumerate() {
            *errors += beyond(&|place| place.errors[kind].into());
        }
        self.favours.add_permuted(places.iter().map(FavourSums::total_favour).collect(), held, permuted);
        for (kind, errors) in self.errors.iter_mut().enumerate() {
            if places.iter().any(|place| place.errors[kind] > 0) {
                errors.add_permuted(places.iter().map(|place| place.errors[kind]).collect(), held, permuted);
            }
        }
    }

    /// Returns the observed sum and each replicate, corrected for habits; `None` with too few groups.
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

    /// Returns the other's gain beyond the mean of the others that could have had its place, corrected for habits.
    pub(super) fn excess_favour(&self, habits: &MoverHabits) -> f64 {
        let by_others = self.excess.iter().map(|(&others, excess)| {
            let habitual = excess.errors.iter().enumerate();
            let habitual: f64 =
                habitual.map(|(kind, &errors)| to_float(errors) * habits.mean_favour(kind)).sum();
            (to_float(excess.favours) - habitual) / f64::from(others as u32)
        });
        by_others.sum()
    }

    /// Returns the maximum factor, over all groups, between a gain beyond the mean of the others and the gain beyond
    /// the mean of all places.
    pub(super) fn largest_factor(&self) -> f64 {
        let others = self.excess.keys().next().map_or(1.0, |&others| f64::from(others as u32));
        (others + 1.0) / others
    }

    /// Returns the number of usable groups, capped at [`MIN_GROUPS`].
    pub(super) fn group_count(&self) -> u64 {
        self.groups.count().get().min(MIN_GROUPS as u64)
    }
}
