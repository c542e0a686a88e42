//! Matches requested by a tournament.

use lastnim_core::game::{BotName, BySeat};

/// A match requested by a tournament: the bots, their seats and the position.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Pairing {
    /// The number of the match in its tournament, from 0.
    pub number: u64,
    /// The number of the duplicate group, from 0. In a group, the same bots play the same position in every rotation.
    pub group: u64,
    /// The index of the position, from 0.
    pub position: usize,
    /// The bots by seat.
    pub bots: BySeat<BotName>,
    /// The number of seats by which the bots are shifted from their seats in the first match of the group, 0 to n - 1.
    pub rotation: usize,
}
