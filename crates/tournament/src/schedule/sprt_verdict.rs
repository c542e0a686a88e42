//! Verdicts of sequential tests.

use super::CapitalPoint;
use serde::{Deserialize, Serialize};

/// The state of a sequential test.
#[derive(Debug, Clone, PartialEq)]
pub struct SprtVerdict {
    /// The answer.
    pub answer: SprtAnswer,
    /// The logarithm of the larger capital of the two bets, which start at 1 and have fair odds: positive if the bet on
    /// better has the larger capital, negated if the bet on no better has it.
    pub llr: f64,
    /// The value of `llr` at which the candidate is called no better; negative.
    pub lower: f64,
    /// The value of `llr` at which the candidate is called better.
    pub upper: f64,
    /// Number of groups judged, including those ignored because of a cancelled match. Groups played after the answer
    /// are not counted.
    pub groups: u64,
    /// By how much the candidate was better per match, on average over the judged groups without a cancelled match;
    /// `None` before the first such group.
    pub effect: Option<f64>,
    /// How the capitals changed over time: at most 129 points, in ascending order of groups. The last point is the
    /// current one, from which `llr` follows. Empty before the first judged group.
    pub path: Vec<CapitalPoint>,
}

/// Whether the candidate is better than the baseline.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum SprtAnswer {
    /// The answer is not known yet.
    Open,
    /// The candidate is better.
    Better,
    /// The candidate is no better.
    NoBetter,
    /// All groups have been played without an answer.
    Undecided,
}
