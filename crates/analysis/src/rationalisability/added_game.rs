//! Games that are added one after the other, and how much of them is kept.

use lastnim_core::oracle::HaltReason;

/// How much is kept of many games.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct KeptGameLimits {
    /// The most leaves of rows. A game that would make them more is left out.
    pub most_leaves: usize,
    /// The most takes that are kept to look for the shortest contradiction, and again as many that narrowed the rows.
    pub most_takes: usize,
}

impl Default for KeptGameLimits {
    /// Keeps some megabytes at most.
    fn default() -> Self {
        Self { most_leaves: 1024, most_takes: 4096 }
    }
}

/// What became of a game that was added.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[must_use = "a game that was left out makes the rows inexact"]
pub enum AddedGame {
    /// Its takes count.
    Counted,
    /// It was left out, as it would make too many leaves.
    TooManyLeaves,
    /// It was left out, as too many games before it had to be kept.
    TooManyTakes,
    /// It was left out, as the budget did not last.
    Halted(HaltReason),
}
