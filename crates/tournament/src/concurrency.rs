//! Limits on concurrent matches.

use std::fmt;
use thiserror::Error;

/// A number of concurrent matches, 1 to 10,000; 64 by default.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Concurrency(u16);

/// A number of concurrent matches that is out of range.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("{0} concurrent matches: expected 1 to {max}", max = Concurrency::MAX)]
pub struct ConcurrencyError(pub usize);

impl Concurrency {
    /// Maximum number of concurrent matches.
    pub const MAX: usize = 10_000;

    /// Accepts a number from 1 to 10,000.
    ///
    /// # Errors
    /// If the number is out of range; the error contains it.
    pub fn new(matches: usize) -> Result<Self, ConcurrencyError> {
        match u16::try_from(matches) {
            Ok(count) if (1..=Self::MAX).contains(&matches) => Ok(Self(count)),
            _ => Err(ConcurrencyError(matches)),
        }
    }

    /// Returns the number, 1 to 10,000.
    pub fn get(self) -> usize {
        usize::from(self.0)
    }
}

impl Default for Concurrency {
    fn default() -> Self {
        Self(64)
    }
}

impl fmt::Display for Concurrency {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_outside_1_to_10_000_are_rejected() {
        for bad in [0, 10_001, 65_536, 65_537, usize::MAX] {
            assert_eq!(Concurrency::new(bad), Err(ConcurrencyError(bad)));
        }
        for good in [1, 64, 10_000] {
            assert_eq!(Concurrency::new(good).unwrap().get(), good);
        }
    }
}
