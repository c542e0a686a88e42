//! The bounded counts in tournament formats.

use super::{MAX_MATCHES, MAX_POSITIONS};
use std::fmt;
use thiserror::Error;

/// A number from 1 to `MAX`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct BoundedCount<const MAX: u64>(u64);

/// The number of duplicate groups in a whole tournament, 1 to 10,000,000.
pub type GroupCount = BoundedCount<MAX_MATCHES>;
/// The number of duplicate groups per table and round, 1 to 1,000.
pub type TableGroups = BoundedCount<{ MAX_POSITIONS as u64 }>;
/// The number of rounds, 1 to 1,000.
pub type RoundCount = BoundedCount<1_000>;
/// The number of consecutive matches, 1 to 1,000.
pub type Streak = BoundedCount<1_000>;

/// A number that is out of range.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("{given}: expected a number from 1 to {max}")]
pub struct CountError {
    /// The number given.
    pub given: u64,
    /// The maximum.
    pub max: u64,
}

impl<const MAX: u64> BoundedCount<MAX> {
    /// The minimum.
    pub const ONE: Self = Self(1);

    /// Accepts a number from 1 to `MAX`.
    ///
    /// # Errors
    /// If the number is out of range; the error contains it.
    pub fn new(given: u64) -> Result<Self, CountError> {
        if (1..=MAX).contains(&given) { Ok(Self(given)) } else { Err(CountError { given, max: MAX }) }
    }

    /// Returns the number.
    pub fn get(self) -> u64 {
        self.0
    }
}

impl<const MAX: u64> fmt::Display for BoundedCount<MAX> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_out_of_range_are_rejected() {
        for bad in [0, 1_001, u64::MAX] {
            assert_eq!(RoundCount::new(bad), Err(CountError { given: bad, max: 1_000 }));
        }
        for good in [1, 7, 1_000] {
            assert_eq!(RoundCount::new(good).unwrap().get(), good);
        }
        assert_eq!(GroupCount::new(0).unwrap_err().to_string(), "0: expected a number from 1 to 10000000");
    }
}
