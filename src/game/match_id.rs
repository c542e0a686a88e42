//! The name of a match.

use std::{fmt, str::FromStr};
use thiserror::Error;
use uuid::Uuid;

/// Identifies a match: a UUID of version 7, so that ids rise with the time at which matches were created.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct MatchId(Uuid);

/// A word that names no match.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("match id {0:?}: it is a UUID such as 01890a5d-ac96-774b-bcce-b302099a8057")]
pub struct MatchIdError(pub String);

impl MatchId {
    /// The characters of an id.
    pub const CHARS: usize = uuid::fmt::Hyphenated::LENGTH;

    /// Makes an id from a time in milliseconds since 1970-01-01 UTC and ten random bytes.
    pub fn new(unix_ms: u64, random: &[u8; 10]) -> Self {
        Self(uuid::Builder::from_unix_timestamp_millis(unix_ms, random).into_uuid())
    }
}

impl FromStr for MatchId {
    type Err = MatchIdError;

    fn from_str(word: &str) -> Result<Self, MatchIdError> {
        let refused = || MatchIdError(word.chars().take(2 * Self::CHARS).collect());
        if word.len() != Self::CHARS {
            return Err(refused());
        }
        word.parse().map(Self).map_err(|_| refused())
    }
}

impl fmt::Display for MatchId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.0.hyphenated(), f)
    }
}

impl fmt::Debug for MatchId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "MatchId({self})")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_round_trip_and_rise_with_time() {
        let early = MatchId::new(1_700_000_000_000, &[7; 10]);
        let late = MatchId::new(1_700_000_000_001, &[0; 10]);
        assert!(early < late);
        assert_eq!(early.to_string().parse(), Ok(early));
        assert!("01890a5d".parse::<MatchId>().is_err());
        assert!("{01890a5dac96774bbcceb302099a8057}".parse::<MatchId>().is_err());
    }
}
