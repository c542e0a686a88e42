//! Round robins.

use super::{planned::GroupTables, subsets};
use crate::{FieldError, MAX_MATCHES};
use lastnim_core::game::SeatCount;

/// The tables of a round robin: every set of n bots, on every position.
///
/// Groups are numbered from 0: by set of bots, in lexicographic order of names, then by position.
#[derive(Debug, Clone)]
pub(super) struct RoundRobin {
    field: usize,
    seats: SeatCount,
    positions: usize,
    groups: u64,
}

impl RoundRobin {
    /// Plans the tables of a field of this size.
    ///
    /// # Errors
    /// If the field is too small for a match, or would play more than [`MAX_MATCHES`] matches.
    pub(super) fn new(field: usize, seats: SeatCount, positions: usize) -> Result<Self, FieldError> {
        let groups = Self::count_groups(field, seats, positions)?;
        Ok(Self { field, seats, positions, groups })
    }

    /// Returns the number of groups for a field of this size.
    pub(super) fn count_groups(field: usize, seats: SeatCount, positions: usize) -> Result<u64, FieldError> {
        if field < seats.get() {
            return Err(FieldError::TooFewBots { field_size: field, seats });
        }
        subsets::count_subsets(field, seats.get(), MAX_MATCHES)
            .and_then(|sets| sets.checked_mul(positions as u64))
            .filter(|&groups| {
                groups.checked_mul(seats.get() as u64).is_some_and(|matches| matches <= MAX_MATCHES)
            })
            .ok_or(FieldError::TooManyMatches { field_size: field, seats, positions })
    }
}

impl GroupTables for RoundRobin {
    fn group_count(&self) -> u64 {
        self.groups
    }

    fn table_of_group(&self, group: u64) -> (Vec<usize>, usize) {
        let positions = self.positions as u64;
        (subsets::nth_subset(self.field, self.seats.get(), group / positions), (group % positions) as usize)
    }
}
