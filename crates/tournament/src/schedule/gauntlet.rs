//! One bot against the field.

use super::{opponents::OpponentRotation, planned::GroupTables, position_order::PositionOrder};
use crate::Settings;

/// The tables of a gauntlet: one bot sits at all of them, the others take turns.
///
/// The tables form blocks. A block has as many tables as there are opponents, and each opponent sits at n - 1 of them.
/// Each block plays one position. So at any time all opponents have sat equally often, give or take one.
#[derive(Debug, Clone)]
pub(super) struct Gauntlet {
    bot: usize,
    opponents: OpponentRotation,
    positions: PositionOrder,
    groups: u64,
}

impl Gauntlet {
    /// Plans a gauntlet with this many groups for the bot with index `bot` in a field of this size.
    pub(super) fn new(settings: &Settings, bot: usize, field: usize, groups: u64) -> Self {
        let others = (0..field).filter(|&other| other != bot).collect();
        let opponents = OpponentRotation::new(others, settings.seats.get() - 1, settings.seed);
        Self { bot, opponents, positions: PositionOrder::of_settings(settings), groups }
    }

    /// Returns the number of groups if each opponent sits at n - 1 tables on every position; `None` on overflow.
    pub(super) fn default_group_count(field: usize, positions: usize) -> Option<u64> {
        (field as u64).checked_sub(1)?.checked_mul(positions as u64)
    }
}

impl GroupTables for Gauntlet {
    fn group_count(&self) -> u64 {
        self.groups
    }

    fn table_of_group(&self, group: u64) -> (Vec<usize>, usize) {
        let position = self.positions.position_at_step(group / self.opponents.tables_per_turn());
        (std::iter::once(self.bot).chain(self.opponents.table(group)).collect(), position)
    }
}
