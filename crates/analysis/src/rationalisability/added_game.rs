//! The result of adding a game, and limits on the data kept for all games.

use lastnim_core::oracle::HaltReason;

/// Limits on the data that is kept for all added games.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct StoredGameLimits {
    /// Maximum number of leaves in the set of rows. A game that would exceed it is left out.
    pub max_leaves: usize,
    /// Maximum number of takes kept from games that narrowed the rows; a game that would exceed it is left out. The
    /// same maximum applies separately to other games, whose takes only help to find a shorter contradiction and are
    /// dropped if they would exceed it.
    pub max_takes: usize,
}

impl Default for StoredGameLimits {
    /// Allows a few megabytes.
    fn default() -> Self {
        Self { max_leaves: 1024, max_takes: 4096 }
    }
}

/// The result of adding a game.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[must_use = "if a game was left out, the rows are not exact"]
pub enum AddGameOutcome {
    /// The game was added, and its takes were taken into account.
    Counted,
    /// The game was left out, because the set of rows would have too many leaves.
    TooManyLeaves,
    /// The game was left out, because too many takes would have to be kept.
    TooManyTakes,
    /// The game was left out, because the budget ran out.
    Halted(HaltReason),
}
