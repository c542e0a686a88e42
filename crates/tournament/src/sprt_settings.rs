//! Settings for sequential tests.

use super::GroupCount;
use lastnim_core::game::BotName;
use thiserror::Error;

/// The settings of a sequential test, which asks whether the candidate is better than the baseline.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SprtSettings {
    /// The bot that may be better.
    pub candidate: BotName,
    /// The bot that the candidate is compared with.
    pub baseline: BotName,
    /// The measure of "better".
    pub measure: SprtMeasure,
    /// The effects to distinguish.
    pub effects: EffectBounds,
    /// The error rates.
    pub errors: ErrorRates,
    /// The number of groups after which the test ends undecided.
    pub groups: GroupCount,
}

/// The measure of the difference between two bots, per match.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum SprtMeasure {
    /// Points, as the tournament scores them.
    Points,
    /// The ranks that a bot loses by its own takes, capped at n - 1 per match. The difference is the baseline's regret
    /// minus the candidate's, so luck does not matter.
    Regret,
}

/// Bounds on how much better the candidate is per match: by at most `none` if it counts as no better, and by at least
/// `some` if it counts as better.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct EffectBounds {
    none: f64,
    some: f64,
}

/// The error rates of a test.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ErrorRates {
    alpha: f64,
    beta: f64,
}

/// Why a test is invalid.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum SprtError {
    /// The effects are not ascending, or out of range.
    #[error(
        "a gain of {some} as better and {none} as no better: expected numbers from -31 to 31, the first above the second"
    )]
    Effects {
        /// The effect of a candidate that is no better.
        none: f64,
        /// The effect of a better candidate.
        some: f64,
    },
    /// The error rates are out of range.
    #[error("alpha {alpha} and beta {beta}: expected numbers from 0.0001 to 0.5")]
    ErrorRates {
        /// The probability of calling the candidate better when it is not.
        alpha: f64,
        /// The probability of calling the candidate no better when it is better.
        beta: f64,
    },
    /// A bot is compared with itself.
    #[error("{0} is both the candidate and the baseline: expected two different bots")]
    SameBot(BotName),
}

impl SprtSettings {
    /// Checks that candidate and baseline differ.
    ///
    /// # Errors
    /// If they are the same bot.
    pub fn check(&self) -> Result<(), SprtError> {
        if self.candidate == self.baseline {
            return Err(SprtError::SameBot(self.candidate.clone()));
        }
        Ok(())
    }
}

// The values are finite, so every value equals itself.
impl Eq for EffectBounds {}
impl Eq for ErrorRates {}

impl EffectBounds {
    /// The largest possible effect: all ranks of a match with 32 seats.
    const MAX: f64 = 31.0;

    /// Accepts two ascending effects in points or ranks per match; negative if the candidate is worse.
    ///
    /// # Errors
    /// If they are not ascending, or out of range.
    pub fn new(none: f64, some: f64) -> Result<Self, SprtError> {
        if none < some && none >= -Self::MAX && some <= Self::MAX {
            Ok(Self { none, some })
        } else {
            Err(SprtError::Effects { none, some })
        }
    }

    /// Returns the maximum effect of a candidate that is no better.
    pub fn none(self) -> f64 {
        self.none
    }

    /// Returns the minimum effect of a better candidate.
    pub fn some(self) -> f64 {
        self.some
    }
}

impl ErrorRates {
    /// Accepts two rates from 0.0001 to 0.5.
    ///
    /// # Errors
    /// If a rate is out of range.
    pub fn new(alpha: f64, beta: f64) -> Result<Self, SprtError> {
        let range = 0.0001..=0.5;
        if range.contains(&alpha) && range.contains(&beta) {
            Ok(Self { alpha, beta })
        } else {
            Err(SprtError::ErrorRates { alpha, beta })
        }
    }

    /// Returns the rate at which a candidate that is no better may be called better.
    pub fn alpha(self) -> f64 {
        self.alpha
    }

    /// Returns the rate at which a better candidate may be called no better.
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
    fn errors_say_what_is_expected() {
        let effects = |none, some| EffectBounds::new(none, some).unwrap_err().to_string();
        assert_eq!(
            effects(0.1, 0.1),
            "a gain of 0.1 as better and 0.1 as no better: expected numbers from -31 to 31, the first above the second"
        );
        assert!(effects(f64::NAN, 0.0).starts_with("a gain of 0 as better and NaN as no better"));
        assert!(effects(0.0, f64::INFINITY).starts_with("a gain of inf as better and 0 as no better"));
        let rates = |alpha, beta| ErrorRates::new(alpha, beta).unwrap_err().to_string();
        assert_eq!(rates(0.0, 0.1), "alpha 0 and beta 0.1: expected numbers from 0.0001 to 0.5");
        assert!(rates(0.1, f64::NAN).starts_with("alpha 0.1 and beta NaN"));
    }
}
