//! What a sequential test has found.

use super::CapitalPoint;
use serde::{Deserialize, Serialize};

/// What a sequential test has found so far.
#[derive(Debug, Clone, PartialEq)]
pub struct SprtVerdict {
    /// The answer.
    pub answer: SprtAnswer,
    /// The logarithm of how much the results speak against the candidate being no better, or if they rather speak against its
    /// being better, that, negated: of what a bet at fair odds has become of 1.
    pub llr: f64,
    /// The ratio, logarithm as well, at which the candidate is called no better; negative.
    pub lower: f64,
    /// The ratio, logarithm as well, at which the candidate is called better.
    pub upper: f64,
    /// Groups that count; those that were played beyond the answer do not.
    pub groups: u64,
    /// By how much the candidate was better a match, on average over these groups; none before the first.
    pub effect: Option<f64>,
    /// How `llr` has moved: at most some hundred points, the groups of which grow. The last one is `llr` itself; a test that was over before this was kept has none.
    pub path: Vec<CapitalPoint>,
}

/// Whether the candidate is better than the baseline.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum SprtAnswer {
    /// It is not known yet.
    Open,
    /// The candidate is better.
    Better,
    /// The candidate is no better.
    NoBetter,
    /// All groups are played, and it is still not known.
    Undecided,
}
