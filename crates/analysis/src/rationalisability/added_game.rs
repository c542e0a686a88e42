//! The result of adding a game, and limits on the data kept for all games.

use lastnim_core::oracle::HaltReason;

/// Limits on the memory for many games.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct KeptGameLimits {
    /// Maximum number of leaves in the set of rows. A game that would exceed it is left out.
    pub max_leaves: usize,
    /// Maximum number of takes that are kept for finding the shortest contradiction. In addition, up to as many takes
    /// that narrowed the rows are kept.
    pub max_takes: usize,
}

impl Default for KeptGameLimits {
    /// A few megabytes.
    fn default() -> Self {
        Self { max_leaves: 1024, max_takes: 4096 }
    }
}

/// The result of adding a game.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[must_use = "if a game was left out, the rows are not exact"]
pub enum AddedGame {
    /// The game was added, and its takes count.
    Counted,
    /// The game was left out: the rows would have too many leaves.
    TooManyLeaves,
    /// The game was left out: too many takes are already kept.
    TooManyTakes,
    /// The game was left out: the budget ran out.
    Halted(HaltReason),
}
