//! The number of playouts before each take.

use crate::name_number::parse_name_number;
use std::{fmt, str::FromStr};
use thiserror::Error;

/// The number of playouts that [`Mcts`](super::Mcts) runs before each take, 1 to 100,000.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Playouts(u32);

/// A word that is not a number of playouts from 1 to 100,000.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("PLAYOUTS {0:?}: expected a whole number from 1 to {max}, as in mcts-1000", max = Playouts::MAX)]
pub struct PlayoutsError(pub String);

impl Playouts {
    /// Maximum number of playouts per take.
    pub const MAX: Self = Self(100_000);
    /// The example that error messages give.
    pub(crate) const EXAMPLE: Self = Self(1_000);

    /// Returns the number of playouts.
    pub fn get(self) -> u32 {
        self.0
    }
}

impl fmt::Display for Playouts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl FromStr for Playouts {
    type Err = PlayoutsError;

    fn from_str(text: &str) -> Result<Self, PlayoutsError> {
        let playouts = parse_name_number(text, Self::MAX.0);
        playouts.map(Self).ok_or_else(|| PlayoutsError(text.to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_of_1_to_100000_playouts_are_accepted() {
        for playouts in [1, 1_000, 100_000] {
            let parsed: Playouts = playouts.to_string().parse().unwrap();
            assert_eq!((parsed.get(), parsed.to_string()), (playouts, playouts.to_string()));
        }
        for bad in ["", "0", "100001", "+3", "-1", "1e3", "99999999999"] {
            let refused = bad.parse::<Playouts>().unwrap_err().to_string();
            let expected =
                format!("PLAYOUTS {bad:?}: expected a whole number from 1 to 100000, as in mcts-1000");
            assert_eq!(refused, expected);
        }
    }
}
