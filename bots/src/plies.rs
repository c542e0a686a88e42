//! How many plies a bot looks ahead.

use super::name_number::parse_name_number;
use std::{fmt, str::FromStr};
use thiserror::Error;

/// The horizon of [`Minimax`](super::Minimax) in plies, 1 to 8, including the bot's own take.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Plies(u8);

/// A word that is not a number of plies from 1 to 8.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("PLIES {0:?}: expected a whole number from 1 to {max}, as in minimax-3", max = Plies::MAX)]
pub struct PliesError(pub String);

impl Plies {
    /// The largest horizon.
    pub const MAX: Self = Self(8);
    /// The number of plies that messages give as an example.
    pub(super) const EXAMPLE: Self = Self(3);

    /// Returns the number of plies.
    pub fn get(self) -> u8 {
        self.0
    }
}

impl fmt::Display for Plies {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl FromStr for Plies {
    type Err = PliesError;

    fn from_str(text: &str) -> Result<Self, PliesError> {
        let plies = parse_name_number(text, Self::MAX.0.into()).and_then(|plies| u8::try_from(plies).ok());
        plies.map(Self).ok_or_else(|| PliesError(text.to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn depths_of_1_to_8_plies_are_accepted() {
        for plies in 1..=8 {
            let parsed: Plies = plies.to_string().parse().unwrap();
            assert_eq!((parsed.get(), parsed.to_string()), (plies, plies.to_string()));
        }
        for bad in ["", "0", "9", "+3", "-1", "3.0", "many", "256"] {
            let refused = bad.parse::<Plies>().unwrap_err().to_string();
            let expected = format!("PLIES {bad:?}: expected a whole number from 1 to 8, as in minimax-3");
            assert_eq!(refused, expected);
        }
    }
}
