//! How much of an answer is certain.

use lastnim_core::oracle::HaltReason;

/// Whether an answer covers everything that was asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Completeness {
    /// It does.
    Complete,
    /// The budget did not last: it covers some cases, and says nothing of the others.
    Partial {
        /// The cases that it covers, at least.
        settled: u128,
        /// All cases.
        all: u128,
        /// Why it stopped.
        halt: HaltReason,
    },
}

impl Completeness {
    /// Returns whether everything is settled.
    pub fn is_complete(self) -> bool {
        self == Self::Complete
    }
}
