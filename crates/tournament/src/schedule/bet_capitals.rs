//! What the two bets of a sequential test have made of their capitals.

use serde::{Deserialize, Serialize};

/// The logarithms of what the two bets of a sequential test have made of 1 each. One that has grown to its bound gives the answer.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct BetCapitals {
    /// Of the bet that the candidate is better.
    pub better: f64,
    /// Of the bet that the candidate is no better.
    pub no_better: f64,
}

impl BetCapitals {
    /// Returns the logarithm of the larger capital, negated if that was put on no better; 0 while neither has grown.
    pub fn llr(self) -> f64 {
        if self.better >= self.no_better { self.better.max(0.0) } else { -self.no_better.max(0.0) }
    }
}
