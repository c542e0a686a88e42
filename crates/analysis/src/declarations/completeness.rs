//! The completeness of an answer.

use lastnim_core::oracle::HaltReason;

/// Whether an answer covers all cases.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Completeness {
    /// The answer covers all cases.
    Complete,
    /// The budget ran out: the answer covers only some cases.
    Partial {
        /// The minimum number of cases that the answer covers.
        settled: u128,
        /// The total number of cases.
        all: u128,
        /// Why the search stopped.
        halt: HaltReason,
    },
}

impl Completeness {
    /// Returns whether all cases are covered.
    pub fn is_complete(self) -> bool {
        self == Self::Complete
    }
}
