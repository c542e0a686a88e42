//! Capitals of the two bets of a sequential test.

use serde::{Deserialize, Serialize};

/// The logarithms of the capitals of the two bets of a sequential test, which start at 1. A capital that reaches its
/// bound gives the answer.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct BetCapitals {
    /// The bet that the candidate is better.
    pub better: f64,
    /// The bet that the candidate is no better.
    pub no_better: f64,
}

impl BetCapitals {
    /// Returns the logarithm of the larger capital, negated for the bet on no better; 0 if neither has grown.
    pub fn llr(self) -> f64 {
        if self.better >= self.no_better { self.better.max(0.0) } else { -self.no_better.max(0.0) }
    }
}
