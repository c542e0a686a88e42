//! The number of passes in a game.

use std::{fmt, str::FromStr};
use thiserror::Error;

/// Maximum number of passes.
pub const MAX_PASSES: u32 = 1_000;

/// The number of passes that all seats share.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PassCount(u32);

/// A number of passes that is out of range.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("{0:?} is not a number of passes: expected 0 to {MAX_PASSES}")]
pub struct PassCountError(pub String);

impl PassCount {
    /// Creates a number of passes, at most [`MAX_PASSES`].
    ///
    /// # Errors
    /// If the number is larger.
    pub fn new(passes: u32) -> Result<Self, PassCountError> {
        if passes <= MAX_PASSES { Ok(Self(passes)) } else { Err(PassCountError(passes.to_string())) }
    }

    /// Returns the number of passes.
    pub fn get(self) -> u32 {
        self.0
    }
}

impl FromStr for PassCount {
    type Err = PassCountError;

    fn from_str(text: &str) -> Result<Self, PassCountError> {
        text.parse()
            .ok()
            .and_then(|passes| Self::new(passes).ok())
            .ok_or_else(|| PassCountError(text.to_owned()))
    }
}

impl fmt::Display for PassCount {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn at_most_a_thousand_passes_are_accepted() {
        for good in ["0", "2", "1000"] {
            assert_eq!(good.parse::<PassCount>().unwrap().to_string(), good);
        }
        for bad in ["", "-1", "1001", "two", "4294967296"] {
            let refused = bad.parse::<PassCount>().unwrap_err().to_string();
            assert_eq!(refused, format!("{bad:?} is not a number of passes: expected 0 to 1000"));
        }
    }
}
