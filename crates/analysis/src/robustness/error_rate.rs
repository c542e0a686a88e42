//! Error rates.

use std::{fmt, str::FromStr};
use thiserror::Error;

/// The probability, 0 to 1, that a take is drawn at random.
#[derive(Debug, Clone, Copy, PartialEq, PartialOrd)]
pub struct ErrorRate(f64);

/// A text or number that is not an error rate.
#[derive(Debug, Clone, PartialEq, Error)]
#[error("{0:?} is not an error rate: expected a number from 0 to 1, such as 0.05")]
pub struct ErrorRateError(pub String);

impl ErrorRate {
    /// No take is drawn at random.
    pub const NONE: Self = Self(0.0);

    /// Creates an error rate from a probability.
    ///
    /// # Errors
    /// If the number is outside this range.
    pub fn new(probability: f64) -> Result<Self, ErrorRateError> {
        // Infinity and NaN are outside every range.
        if (0.0..=1.0).contains(&probability) {
            Ok(Self(probability))
        } else {
            Err(ErrorRateError(probability.to_string()))
        }
    }

    /// Returns the probability.
    pub fn get(self) -> f64 {
        self.0
    }
}

impl FromStr for ErrorRate {
    type Err = ErrorRateError;

    fn from_str(text: &str) -> Result<Self, ErrorRateError> {
        let refusal = |_| ErrorRateError(text.to_owned());
        text.parse()
            .map_err(refusal)
            .and_then(|rate| Self::new(rate).map_err(|_| ErrorRateError(text.to_owned())))
    }
}

impl fmt::Display for ErrorRate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rate_is_a_probability() {
        for good in ["0", "1", "0.05", "1e-3"] {
            assert!(good.parse::<ErrorRate>().is_ok(), "{good}");
        }
        for bad in ["", "-0.1", "1.0001", "5%", "NaN", "inf", "often"] {
            let refused = bad.parse::<ErrorRate>().unwrap_err().to_string();
            assert!(refused.starts_with(&format!("{bad:?} is not an error rate")), "{refused}");
        }
        assert!(ErrorRate::new(f64::NAN).is_err());
    }
}
