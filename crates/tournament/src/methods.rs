//! The version of the methods by which a tournament is paired, rated and judged.

use super::LadderPairing;
use thiserror::Error;

/// The version of the methods by which a tournament is paired, rated and judged: whatever could be worked out in another way,
/// with another result, from the same matches.
///
/// A tournament keeps the version with which it was created, so that it goes on, and is reproduced from its records, as it
/// was. What changes such a method adds a version here, and leaves what the older ones do as it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum MethodsVersion {
    /// The methods of version 0.1.
    V1,
    /// By turns, the bot with the most uncertain rating and the bot that has waited longest host the tables of a ladder; skill
    /// has intervals that hold where errors are rare; what the model says of the error of a rating is drawn with random signs in
    /// place of normal numbers.
    V2,
}

/// A version of the methods that this program does not know.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("version {0} of the methods: this program knows 1 to {newest}", newest = MethodsVersion::NEWEST.number())]
pub struct MethodsVersionError(pub u32);

impl MethodsVersion {
    /// The version of tournaments that say nothing about it: they were created by version 0.1.
    pub const OLDEST: Self = Self::V1;
    /// The version of new tournaments.
    pub const NEWEST: Self = Self::V2;

    /// Returns the version of a number.
    ///
    /// # Errors
    /// If it is not known.
    pub fn of_number(number: u32) -> Result<Self, MethodsVersionError> {
        match number {
            1 => Ok(Self::V1),
            2 => Ok(Self::V2),
            _ => Err(MethodsVersionError(number)),
        }
    }

    /// Returns the number, from 1.
    pub const fn number(self) -> u32 {
        match self {
            Self::V1 => 1,
            Self::V2 => 2,
        }
    }

    /// Returns how the tables of a ladder are drawn that does not say it.
    pub fn ladder_pairing(self) -> LadderPairing {
        if self == Self::V1 { LadderPairing::LeastCertain } else { LadderPairing::ByTurns }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_numbered_from_1_without_a_gap() {
        let newest = MethodsVersion::NEWEST.number();
        for number in 1..=newest {
            assert_eq!(MethodsVersion::of_number(number).unwrap().number(), number);
        }
        assert_eq!(MethodsVersion::OLDEST.number(), 1);
        for unknown in [0, newest + 1, u32::MAX] {
            let refused = MethodsVersion::of_number(unknown).unwrap_err().to_string();
            assert_eq!(
                refused,
                format!("version {unknown} of the methods: this program knows 1 to {newest}")
            );
        }
    }
}
