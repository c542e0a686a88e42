//! What a sequential test asks, and how sure it has to be.

use super::GroupCount;
use lastnim_core::game::BotName;
use thiserror::Error;

/// A sequential test: is the candidate better than the baseline?
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SprtSettings {
    /// The bot that may be better.
    pub candidate: BotName,
    /// The bot that it is held against, another one.
    pub baseline: BotName,
    /// What better means.
    pub measure: SprtMeasure,
    /// What is told apart.
    pub effects: EffectBounds,
    /// How often it may be wrong.
    pub errors: ErrorRates,
    /// The groups after which it ends undecided.
    pub groups: GroupCount,
}

/// What one bot is better than another by, a match.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum SprtMeasure {
    /// Points, as the tournament scores them.
    Points,
    /// Ranks not lost by its own takes, counted up to n - 1 a match: the regret of the one less that of the other. A bot that
    /// errs less is better, whatever luck makes of it.
    Regret,
}

/// By how much the candidate is better, a match: at most `none` if it is no better, at least `some` if it is.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct EffectBounds {
    none: f64,
    some: f64,
}

/// How often a test may be wrong.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ErrorRates {
    alpha: f64,
    beta: f64,
}

/// Numbers that no test can be made of.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum SprtError {
    /// The effects are in the wrong order, or no effects at all.
    #[error("effects of {none} and {some}: both are from -31 to 31, the smaller first")]
    Effects {
        /// The effect that is none.
        none: f64,
        /// The effect that is some.
        some: f64,
    },
    /// It could as well be guessed.
    #[error("error rates of {alpha} and {beta}: each is from 0.0001 to 0.5")]
    ErrorRates {
        /// The chance to call the candidate better when it is not.
        alpha: f64,
        /// The chance to call it no better when it is.
        beta: f64,
    },
    /// A bot is not held against itself.
    #[error("{0} is held against itself: candidate and baseline are two bots")]
    OneBot(BotName),
}

impl SprtSettings {
    /// Checks that two bots are held against each other.
    ///
    /// # Errors
    /// If the candidate is the baseline.
    pub fn check(&self) -> Result<(), SprtError> {
        if self.candidate == self.baseline {
            return Err(SprtError::OneBot(self.candidate.clone()));
        }
        Ok(())
    }
}

// They are finite, and so equal to themselves.
impl Eq for EffectBounds {}
impl Eq for ErrorRates {}

impl EffectBounds {
    /// The largest effect there can be: all ranks of a match with 32 seats.
    const MAX: f64 = 31.0;

    /// Accepts two effects, the smaller first: points or ranks a match, negative where the candidate is worse.
    ///
    /// # Errors
    /// If they are in another order, equal, or larger than any match allows.
    pub fn new(none: f64, some: f64) -> Result<Self, SprtError> {
        if none < some && none >= -Self::MAX && some <= Self::MAX {
            Ok(Self { none, some })
        } else {
            Err(SprtError::Effects { none, some })
        }
    }

    /// Returns the most by which the candidate is better if it is no better.
    pub fn none(self) -> f64 {
        self.none
    }

    /// Returns the least by which the candidate is better if it is.
    pub fn some(self) -> f64 {
        self.some
    }
}

impl ErrorRates {
    /// Accepts two rates from 0.0001 to 0.5.
    ///
    /// # Errors
    /// Any others are given back.
    pub fn new(alpha: f64, beta: f64) -> Result<Self, SprtError> {
        let range = 0.0001..=0.5;
        if range.contains(&alpha) && range.contains(&beta) {
            Ok(Self { alpha, beta })
        } else {
            Err(SprtError::ErrorRates { alpha, beta })
        }
    }

    /// Returns how often a candidate that is no better may be called better.
    pub fn alpha(self) -> f64 {
        self.alpha
    }

    /// Returns how often a candidate that is better may be called no better.
    pub fn beta(self) -> f64 {
        self.beta
    }
}

impl Default for ErrorRates {
    fn default() -> Self {
        Self { alpha: 0.05, beta: 0.05 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn refusals_say_what_would_be_right() {
        let effects = |none, some| EffectBounds::new(none, some).unwrap_err().to_string();
        assert_eq!(effects(0.1, 0.1), "effects of 0.1 and 0.1: both are from -31 to 31, the smaller first");
        assert!(effects(f64::NAN, 0.0).starts_with("effects of NaN and 0"));
        assert!(effects(0.0, f64::INFINITY).starts_with("effects of 0 and inf"));
        let rates = |alpha, beta| ErrorRates::new(alpha, beta).unwrap_err().to_string();
        assert_eq!(rates(0.0, 0.1), "error rates of 0 and 0.1: each is from 0.0001 to 0.5");
        assert!(rates(0.1, f64::NAN).starts_with("error rates of 0.1 and NaN"));
    }
}
