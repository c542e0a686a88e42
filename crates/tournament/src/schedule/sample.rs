//! A balanced sample of a round robin.

use super::{balanced_tables::BalancedTables, pair_order, planned::GroupTables, subsets};
use crate::{FieldError, SeededDraw, Settings};
use lastnim_core::game::SeatCount;

/// The tables of a balanced sample of a round robin.
///
/// All bots sit in equally many groups and all positions are played equally often, give or take one. With two seats,
/// all pairs meet equally often, give or take one. With more seats, that is impossible for some fields and unknown for
/// others, so the tables come from a search (see [`BalancedTables`]). If there are more groups than sets of bots, the
/// first groups contain each set equally often, and only the tables of the remaining groups come from the search.
///
/// With more than two seats, it stores four bytes per match of the groups that come from the search. No other memory
/// grows with the number of groups.
#[derive(Debug)]
pub(super) struct BalancedSample {
    field: usize,
    seats: usize,
    seed: u64,
    positions: usize,
    groups: u64,
    /// With two seats: the bot for each index that `pair_order` returns.
    labels: Vec<usize>,
    /// With more than two seats: how many of the first groups contain each set equally often, and the number of sets.
    balanced_groups: (u64, u64),
    /// With more than two seats: the tables of the remaining groups.
    remaining_tables: BalancedTables,
}

/// Used in place of the number of a group in the draws of a sample. No group has this number, so they are independent
/// of all other draws.
const SAMPLE_DRAW_TAG: u64 = 0x7361_6d70_6c65_2020;
/// The largest field of a sample with more than two seats.
const MAX_FIELD: usize = 4_096;
/// Maximum product of the numbers of bots, groups and seats in a search. A search of this size takes some seconds.
const MAX_WORK: u64 = 1 << 30;

impl BalancedSample {
    /// Finds this many groups for a field of this size; [`check_groups`](Self::check_groups) must have accepted them.
    pub(super) fn new(settings: &Settings, field: usize, groups: u64) -> Self {
        let (seats, seed) = (settings.seats.get(), settings.seed);
        let mut labels = Vec::new();
        let (balanced_groups, remaining_tables) = if seats == 2 {
            labels = (0..field).collect();
            SeededDraw::from_numbers([seed, SAMPLE_DRAW_TAG]).shuffle(&mut labels);
            ((groups, 1), 0)
        } else {
            Self::split_groups(field, seats, groups)
        };
        let remaining_tables = BalancedTables::find(field, seats, remaining_tables, seed);
        let positions = settings.positions.count();
        Self { field, seats, seed, positions, groups, labels, balanced_groups, remaining_tables }
    }

    /// Checks that a sample of this many groups can be found.
    ///
    /// # Errors
    /// If the search for its tables would take too long.
    pub(super) fn check_groups(field: usize, seats: SeatCount, groups: u64) -> Result<(), FieldError> {
        if seats.get() == 2 {
            return Ok(());
        }
        let (_, remaining_tables) = Self::split_groups(field, seats.get(), groups);
        let work = (field as u64)
            .checked_mul(remaining_tables)
            .and_then(|work| work.checked_mul(seats.get() as u64));
        let is_small = field <= MAX_FIELD && work.is_some_and(|work| work <= MAX_WORK);
        if remaining_tables == 0 || is_small {
            Ok(())
        } else {
            Err(FieldError::SampleTooLarge { field_size: field, groups })
        }
    }

    /// Splits the groups into balanced ones, in which each set of bots occurs equally often, and the rest. Returns
    /// `((balanced, sets), rest)`, where `sets` is the number of sets of bots. If there are more sets than groups, it
    /// returns `((0, 1), groups)`.
    fn split_groups(field: usize, seats: usize, groups: u64) -> ((u64, u64), u64) {
        match subsets::count_subsets(field, seats, groups) {
            Some(all) => ((groups - groups % all, all), groups % all),
            None => ((0, 1), groups),
        }
    }
}

impl GroupTables for BalancedSample {
    fn group_count(&self) -> u64 {
        self.groups
    }

    fn table_of_group(&self, group: u64) -> (Vec<usize>, usize) {
        let (balanced_groups, sets) = self.balanced_groups;
        let bots = if self.seats == 2 {
            pair_order::nth_pair(self.field, group).map(|bot| self.labels[bot]).to_vec()
        } else if group < balanced_groups {
            subsets::nth_subset(self.field, self.seats, group % sets)
        } else {
            self.remaining_tables.table(group - balanced_groups).collect()
        };
        // The groups are divided into runs with one group per position. Each run plays all positions in a random order.
        let mut positions: Vec<usize> = (0..self.positions).collect();
        let (run, place) = (group / self.positions as u64, (group % self.positions as u64) as usize);
        SeededDraw::from_numbers([self.seed, SAMPLE_DRAW_TAG, run]).shuffle(&mut positions);
        (bots, positions[place])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{AllianceSource, testing};
    use proptest::prelude::*;

    /// The minimum and maximum numbers of groups per bot, meetings per pair, and groups per position.
    struct Spread {
        sat: (u64, u64),
        met: (u64, u64),
        played: (u64, u64),
    }

    fn spread(field: usize, seats: usize, positions: u64, groups: u64) -> Spread {
        let settings = testing::settings(seats, positions, AllianceSource::Standard);
        BalancedSample::check_groups(field, settings.seats, groups).unwrap();
        let sample = BalancedSample::new(&settings, field, groups);
        let (mut sat, mut met) = (vec![0; field], vec![0; field * field]);
        let mut played = vec![0; positions as usize];
        for group in 0..sample.group_count() {
            let (table, position) = sample.table_of_group(group);
            assert_eq!(table.len(), seats);
            played[position] += 1;
            for (place, &one) in table.iter().enumerate() {
                sat[one] += 1;
                for &other in &table[..place] {
                    assert_ne!(one, other, "nobody sits twice at a table");
                    met[one.min(other) * field + one.max(other)] += 1;
                }
            }
        }
        let pairs =
            (0..field * field).filter(|pair| pair / field < pair % field).map(|pair| met[pair]).collect();
        let ends = |counts: Vec<u64>| (*counts.iter().min().unwrap(), *counts.iter().max().unwrap());
        Spread { sat: ends(sat), met: ends(pairs), played: ends(played) }
    }

    #[test]
    fn known_balanced_designs_are_found() {
        // These are the projective planes of order 2 and 3, the affine plane of order 4, and the Steiner triple systems
        // of 9 and 13 bots.
        for (field, seats, groups) in [(7, 3, 7), (13, 4, 13), (16, 4, 20), (9, 3, 12), (13, 3, 26)] {
            assert_eq!(spread(field, seats, 1, groups).met, (1, 1), "{groups} tables of {seats} of {field}");
        }
    }

    #[test]
    fn large_samples_are_found_quickly() {
        for (field, seats, matches) in [(400, 3, 10_000), (64, 4, 10_000), (2_000, 2, 100_000)] {
            let spread = spread(field, seats, 12, matches / seats as u64);
            for (counts, max) in [(spread.sat, 1), (spread.met, 2), (spread.played, 1)] {
                assert!(counts.1 - counts.0 <= max, "{field} bots: {counts:?}");
            }
        }
    }

    #[test]
    fn samples_that_take_too_long_are_rejected() {
        let (two, three) = (SeatCount::new(2).unwrap(), SeatCount::new(3).unwrap());
        assert!(BalancedSample::check_groups(4_097, three, 10).is_err());
        assert!(BalancedSample::check_groups(1_000, three, 3_000_000).is_err());
        assert_eq!(BalancedSample::check_groups(100_000, two, 3_000_000), Ok(()));
        assert_eq!(
            BalancedSample::check_groups(20, three, 3_000_000),
            Ok(()),
            "most groups belong to complete rounds of all sets"
        );
    }

    proptest! {
        #![proptest_config(lastnim_core::game::testing::cases(40))]

        #[test]
        fn two_bots_meet_equally_often(field in 2..30_usize, positions in 1..5_u64, groups in 1..300_u64) {
            let spread = spread(field, 2, positions, groups);
            for counts in [spread.sat, spread.met, spread.played] {
                prop_assert!(counts.1 - counts.0 <= 1, "{counts:?}");
            }
        }

        #[test]
        fn more_bots_meet_nearly_equally_often(
            seats in 3..6_usize, more in 0..12_usize, positions in 1..5_u64, groups in 1..80_u64,
        ) {
            let spread = spread(seats + more, seats, positions, groups);
            for (counts, max) in [(spread.sat, 1), (spread.met, 3), (spread.played, 1)] {
                prop_assert!(counts.1 - counts.0 <= max, "{counts:?}");
            }
        }

        #[test]
        fn matches_of_all_sets_of_bots_are_balanced(
            seats in 3..5_usize,
            more in 0..4_usize,
            times in 1..4_u64,
        ) {
            let sets = subsets::count_subsets(seats + more, seats, u64::MAX).unwrap();
            let spread = spread(seats + more, seats, 1, sets * times);
            prop_assert_eq!(spread.met.0, spread.met.1);
            prop_assert_eq!(spread.sat.0, spread.sat.1);
        }
    }
}
