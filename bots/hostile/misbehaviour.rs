//! The ways to misbehave.

use std::{fmt, str::FromStr};
use thiserror::Error;

/// One way to misbehave.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Misbehaviour {
    /// Takes nothing, one counter too many, or 2^64 - 1.
    IllegalTakes,
    /// Takes at plies that are past.
    StalePlies,
    /// Takes at plies that are to come.
    FuturePlies,
    /// Takes while another seat is to move.
    OutOfTurn,
    /// Acts in matches and joins tournaments that do not exist, and under ids that are none.
    UnknownMatches,
    /// Declares rows that are short, repeated, out of range, empty or absent, in time and out of time.
    GarbageRows,
    /// Sends messages without an action, and pongs that nobody asked for.
    EmptyMessages,
    /// Declares one row, then another.
    DeclareTwice,
    /// Resigns, and then goes on as if it had not.
    Resign,
    /// Lets its clock run out.
    Stall,
    /// Sends hundreds of takes without reading a thing.
    Flood,
    /// Drops the stream in mid-match and comes back.
    DropStream,
    /// Closes its sending side in mid-match and waits.
    HalfClose,
    /// Opens a second session beside the first.
    TwoSessions,
}

/// A word that names no way to misbehave.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("misbehaviour {0:?}: there are {names}", names = Misbehaviour::ALL.map(Misbehaviour::name).join(", "))]
pub struct MisbehaviourError(pub String);

impl Misbehaviour {
    /// All of them.
    pub const ALL: [Self; 14] = [
        Self::IllegalTakes,
        Self::StalePlies,
        Self::FuturePlies,
        Self::OutOfTurn,
        Self::UnknownMatches,
        Self::GarbageRows,
        Self::EmptyMessages,
        Self::DeclareTwice,
        Self::Resign,
        Self::Stall,
        Self::Flood,
        Self::DropStream,
        Self::HalfClose,
        Self::TwoSessions,
    ];

    /// Returns its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::IllegalTakes => "illegal-takes",
            Self::StalePlies => "stale-plies",
            Self::FuturePlies => "future-plies",
            Self::OutOfTurn => "out-of-turn",
            Self::UnknownMatches => "unknown-matches",
            Self::GarbageRows => "garbage-rows",
            Self::EmptyMessages => "empty-messages",
            Self::DeclareTwice => "declare-twice",
            Self::Resign => "resign",
            Self::Stall => "stall",
            Self::Flood => "flood",
            Self::DropStream => "drop-stream",
            Self::HalfClose => "half-close",
            Self::TwoSessions => "two-sessions",
        }
    }
}

impl fmt::Display for Misbehaviour {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for Misbehaviour {
    type Err = MisbehaviourError;

    fn from_str(word: &str) -> Result<Self, MisbehaviourError> {
        Self::ALL
            .into_iter()
            .find(|misbehaviour| misbehaviour.name() == word)
            .ok_or_else(|| MisbehaviourError(word.to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_round_trip() {
        for misbehaviour in Misbehaviour::ALL {
            assert_eq!(misbehaviour.to_string().parse(), Ok(misbehaviour));
        }
        assert!("kindness".parse::<Misbehaviour>().is_err());
    }
}
