//! The capital of each of the two bets in a sequential test.

use serde::{Deserialize, Serialize};

/// The logarithm of the capital of each of the two bets in a sequential test. Both capitals start at 1, and the first
/// one that reaches its bound decides the test.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct BetCapitals {
    /// The logarithm of the capital of the bet that the candidate is better.
    pub better: f64,
    /// The logarithm of the capital of the bet that the candidate is no better.
    pub no_better: f64,
}

impl BetCapitals {
    /// Returns the logarithm of the larger capital, negated if it belongs to the bet that the candidate is no better; 0
    /// if neither has grown.
    pub fn llr(self) -> f64 {
        if self.better >= self.no_better { self.better.max(0.0) } else { -self.no_better.max(0.0) }
    }
}
