//! Formats whose matches are all known in advance.

use super::{Schedule, ScheduleStep, TotalMatches, numbers::NumberSequence, seating::SeatAssigner};
use crate::checkpoint::{CheckpointError, ReportedResults, ensure_valid};
use crate::{MatchResult, Pairing, Settings};
use lastnim_core::game::BotName;
use std::fmt;

/// The bots and the position of each duplicate group, computed from the group's number.
pub(super) trait GroupTables: fmt::Debug + Send + Sync {
    /// Returns the number of groups.
    fn group_count(&self) -> u64;

    /// Returns the bots of a group, as indexes into the field sorted by name, and the position that the group plays.
    fn table_of_group(&self, group: u64) -> (Vec<usize>, usize);
}

/// Hands out matches that do not depend on results, numbered by group, then rotation.
///
/// Matches are not stored, and the order in which bots joined does not matter. With a limit on matches per bot, groups
/// begin in an order in which neighbours have few bots in common; their numbers stay the same.
#[derive(Debug)]
pub(super) struct PlannedSchedule<T> {
    tables: T,
    field: Vec<BotName>,
    seating: SeatAssigner,
    order: GroupOrder,
    /// The steps that were handed out. A step is the place of a match in the order in which matches begin.
    steps: NumberSequence,
}

impl<T: GroupTables> PlannedSchedule<T> {
    /// Plans the matches of a field sorted by name.
    pub(super) fn new(settings: &Settings, field: Vec<BotName>, tables: T) -> Self {
        let groups = tables.group_count();
        let order = if settings.bot_concurrency.is_some() {
            GroupOrder::spread_evenly(groups)
        } else {
            GroupOrder::in_sequence(groups)
        };
        Self {
            tables,
            field,
            seating: SeatAssigner::of_settings(settings),
            order,
            steps: NumberSequence::default(),
        }
    }

    fn match_count(&self) -> u64 {
        self.tables.group_count() * self.seating.seats() as u64
    }

    fn skip_number(&mut self, number: u64) {
        if number < self.match_count() {
            let n = self.seating.seats() as u64;
            self.steps.leave_out(self.order.step_of_group(number / n) * n + number % n);
        }
    }
}

impl<T: GroupTables> Schedule for PlannedSchedule<T> {
    fn next(&mut self) -> ScheduleStep {
        let n = self.seating.seats() as u64;
        let number = self
            .steps
            .next_below(self.match_count())
            .map(|step| self.order.group_at_step(step / n) * n + step % n);
        number
            .and_then(|number| self.pairing_of_number(number))
            .map_or(ScheduleStep::Over, ScheduleStep::Match)
    }

    fn report_result(&mut self, result: &MatchResult) {
        if self.pairing_of_number(result.number).is_some_and(|pairing| pairing.bots == result.bots) {
            self.skip_number(result.number);
        }
    }

    fn skip_open_match(&mut self, number: u64) {
        self.skip_number(number);
    }

    fn pairing_of_number(&self, number: u64) -> Option<Pairing> {
        (number < self.match_count()).then(|| {
            let (table, position) = self.tables.table_of_group(number / self.seating.seats() as u64);
            self.seating.make_rotated_pairing(number, position, table.iter().map(|&bot| &self.field[bot]))
        })
    }

    fn total_matches(&self) -> TotalMatches {
        TotalMatches::Exactly(self.match_count())
    }

    fn depends_on_results(&self) -> bool {
        false
    }

    /// Returns an empty state if matches begin in the order of their numbers: the reported results are then the whole
    /// state. Otherwise returns `None`: results may be missing anywhere among the others, and finding them is no faster
    /// than counting all results again.
    fn save(&self) -> Option<Vec<u8>> {
        self.order.is_in_sequence().then(Vec::new)
    }

    fn restore(&mut self, state: &[u8], reported: &ReportedResults) -> Result<(), CheckpointError> {
        if !self.order.is_in_sequence() {
            return Err(CheckpointError::Unsupported);
        }
        self.steps = reported.numbers().clone();
        ensure_valid(state.is_empty(), "trailing bytes")
    }
}

/// The order in which groups begin: each step adds `stride`, modulo the number of groups.
#[derive(Debug, Clone, Copy)]
struct GroupOrder {
    groups: u64,
    stride: u64,
    /// The modular inverse of the stride.
    inverse: u64,
}

impl GroupOrder {
    fn in_sequence(groups: u64) -> Self {
        Self { groups, stride: 1, inverse: 1 }
    }

    /// Returns whether groups begin in the order of their numbers.
    fn is_in_sequence(self) -> bool {
        self.stride == 1
    }

    /// Spreads the groups that begin in consecutive steps far apart. The stride is close to the number of groups
    /// divided by the golden ratio, so that the groups of any run of steps are spread evenly.
    fn spread_evenly(groups: u64) -> Self {
        let golden = ((u128::from(groups) * 0x9e37_79b9_7f4a_7c15) >> 64) as u64;
        let mut strides =
            (golden.max(1)..=groups).filter_map(|stride| Some((stride, modular_inverse(stride, groups)?)));
        strides.next().map_or(Self::in_sequence(groups), |(stride, inverse)| Self { groups, stride, inverse })
    }

    /// Returns the group that begins at a step.
    fn group_at_step(&self, step: u64) -> u64 {
        self.multiply_modulo(step, self.stride)
    }

    /// Returns the step at which a group begins.
    fn step_of_group(&self, group: u64) -> u64 {
        self.multiply_modulo(group, self.inverse)
    }

    fn multiply_modulo(&self, number: u64, by: u64) -> u64 {
        (u128::from(number) * u128::from(by) % u128::from(self.groups.max(1))) as u64
    }
}

/// Returns the inverse of `number` modulo `modulus`; `None` if the two have a common divisor.
///
/// Source: the extended Euclidean algorithm.
fn modular_inverse(number: u64, modulus: u64) -> Option<u64> {
    let (mut last, mut rest) = (i128::from(modulus), i128::from(number));
    let (mut last_factor, mut factor) = (0_i128, 1_i128);
    while rest != 0 {
        let quotient = last / rest;
        (last, rest) = (rest, last - quotient * rest);
        (last_factor, factor) = (factor, last_factor - quotient * factor);
    }
    (last == 1).then(|| last_factor.rem_euclid(i128::from(modulus)) as u64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::HashSet;

    proptest! {
        #[test]
        fn every_group_is_begun_once(groups in 1..2_000_u64) {
            let order = GroupOrder::spread_evenly(groups);
            let begun: HashSet<u64> = (0..groups).map(|step| order.group_at_step(step)).collect();
            prop_assert_eq!(begun.len() as u64, groups);
            prop_assert!((0..groups).all(|step| order.step_of_group(order.group_at_step(step)) == step));
        }
    }

    #[test]
    fn consecutive_groups_are_far_apart() {
        let order = GroupOrder::spread_evenly(2_016);
        let mut first: Vec<u64> = (0..20).map(|step| order.group_at_step(step)).collect();
        first.sort_unstable();
        assert!(first.windows(2).all(|two| two[1] - two[0] > 2_016 / 40), "{first:?}");
    }
}
