//! One match that a tournament asks for.

use lastnim_core::game::{BotName, BySeat};

/// One match that a tournament asks for: who plays, where they sit, and on which position.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Pairing {
    /// The number of the match in its tournament, from 0.
    pub number: u64,
    /// The duplicate group, from 0: the matches of the same bots on the same position in every rotation.
    pub group: u64,
    /// The index of the position, from 0.
    pub position: usize,
    /// Who sits where.
    pub bots: BySeat<BotName>,
    /// How many seats further down the bots sit than in the first match of the group, 0 to n-1.
    pub rotation: usize,
}
