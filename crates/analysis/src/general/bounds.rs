//! Limits on the memory of a search, and the error returned when a search reaches a limit.

use lastnim_core::oracle::HaltReason;
use std::fmt;
use thiserror::Error;

/// Limits on the memory of a search. A [`Budget`](lastnim_core::oracle::Budget) limits its steps.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MemoryBounds {
    /// Maximum number of positions, solved or in progress.
    pub states: u32,
    /// Maximum memory that these positions may use, in bytes; it is estimated, not measured.
    pub bytes: u64,
}

impl Default for MemoryBounds {
    /// Allows ten million states in 1 GiB.
    fn default() -> Self {
        Self { states: 10_000_000, bytes: 1 << 30 }
    }
}

/// A limit that a search reached.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum ExceededBound {
    /// The limit on the number of positions.
    #[error("the search needs more than {0} states")]
    States(u32),
    /// The limit on memory, in bytes.
    #[error("the search needs more than {0} bytes of memory")]
    Bytes(u64),
    /// The limit on steps or on time; also used if the caller no longer wants the answer.
    #[error(transparent)]
    Work(HaltReason),
}

impl ExceededBound {
    /// Returns advice to the user, in the imperative.
    pub fn advice(self) -> &'static str {
        match self {
            Self::States(_) => "allow more states, or ask for fewer or smaller piles",
            Self::Bytes(_) => "allow more memory, or ask for fewer or smaller piles",
            Self::Work(HaltReason::OutOfSteps { .. }) => {
                "allow more steps, or ask for fewer or smaller piles"
            }
            Self::Work(HaltReason::Stopped { .. }) => "allow more time, or ask for fewer or smaller piles",
        }
    }
}

/// The error returned when a search stops at a limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub struct SearchStopped {
    /// The limit that the search reached.
    pub bound: ExceededBound,
    /// Number of positions solved before the search stopped.
    pub states: u64,
}

impl fmt::Display for SearchStopped {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { bound, states } = self;
        write!(f, "{bound} (states solved so far: {states}): {}", bound.advice())
    }
}
