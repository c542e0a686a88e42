//! What a search may hold in memory, and where it stopped.

use lastnim_core::oracle::HaltReason;
use std::fmt;
use thiserror::Error;

/// How much a search may hold in memory; its steps are bounded by a [`Budget`](lastnim_core::oracle::Budget).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MemoryBounds {
    /// The most positions that are known or being solved.
    pub states: u32,
    /// The most bytes that they take, about.
    pub bytes: u64,
}

impl Default for MemoryBounds {
    /// Allows ten million states in 1 GiB.
    fn default() -> Self {
        Self { states: 10_000_000, bytes: 1 << 30 }
    }
}

/// A bound that a search met.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum ExceededBound {
    /// On positions.
    #[error("it takes more than {0} states")]
    States(u32),
    /// On memory.
    #[error("it takes more than {0} bytes of memory")]
    Bytes(u64),
    /// On steps or time, or nobody wanted the answer any more.
    #[error(transparent)]
    Work(HaltReason),
}

impl ExceededBound {
    /// Returns what would help, as an imperative.
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

/// A search that met a bound before its end.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub struct SearchStopped {
    /// The bound.
    pub bound: ExceededBound,
    /// The positions that were solved till then.
    pub states: u64,
}

impl fmt::Display for SearchStopped {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { bound, states } = self;
        write!(f, "{bound} ({states} solved till then): {}", bound.advice())
    }
}
