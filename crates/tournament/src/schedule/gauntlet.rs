//! One bot against the field.

use super::{opponents::OpponentRotation, planned::GroupTables};
use crate::Settings;

/// The tables of a gauntlet: one bot sits at all of them, the others take turns.
///
/// As many tables as there are opponents, at which each of them sits n - 1 times, are played on the first position, as many on
/// the next position, and so on, round and round. So at any time all opponents have sat equally often, up to one table.
#[derive(Debug, Clone)]
pub(super) struct Gauntlet {
    bot: usize,
    opponents: OpponentRotation,
    positions: u64,
    groups: u64,
}

impl Gauntlet {
    /// Plans so many groups of a bot, given by its place in a field of this size.
    pub(super) fn new(settings: &Settings, bot: usize, field: usize, groups: u64) -> Self {
        let others = (0..field).filter(|&other| other != bot).collect();
        let opponents = OpponentRotation::new(others, settings.seats.get() - 1, settings.seed);
        Self { bot, opponents, positions: settings.positions.count() as u64, groups }
    }

    /// Returns how many groups there are if each opponent sits at n - 1 tables on every position; none if that cannot be counted.
    pub(super) fn group_count(field: usize, positions: usize) -> Option<u64> {
        (field as u64).checked_sub(1)?.checked_mul(positions as u64)
    }
}

impl GroupTables for Gauntlet {
    fn group_count(&self) -> u64 {
        self.groups
    }

    fn table_of_group(&self, group: u64) -> (Vec<usize>, usize) {
        let position = group / self.opponents.tables_per_turn() % self.positions;
        (std::iter::once(self.bot).chain(self.opponents.table(group)).collect(), position as usize)
    }
}
