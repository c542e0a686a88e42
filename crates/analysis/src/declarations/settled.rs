//! Completeness of an answer.

use lastnim_core::oracle::HaltReason;

/// Whether an answer covers all cases.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Completeness {
    /// The answer covers all cases.
    Complete,
    /// The budget ran out: the answer covers only some cases.
    Partial {
        /// Minimum number of cases covered.
        settled: u128,
        /// Number of cases in total.
        all: u128,
        /// Why it stopped.
        halt: HaltReason,
    },
}

impl Completeness {
    /// Returns whether all cases are covered.
    pub fn is_complete(self) -> bool {
        self == Self::Complete
    }
}
