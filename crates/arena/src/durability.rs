//! The durability of matches: when their events are written to the store.

use lastnim_config::text_settings;
use std::{fmt, str::FromStr};
use thiserror::Error;

/// When the events of a match are written to a durable store.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Durability {
    /// Before they are announced, so that bots never see an event that a crash can undo.
    #[default]
    Ply,
    /// When the match ends. If the server crashes, its open matches are lost, and their pairings are played again.
    Match,
}

/// The error for an unknown durability.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("durability {0:?}: expected ply or match")]
pub struct DurabilityError(String);

impl fmt::Display for Durability {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Ply => "ply",
            Self::Match => "match",
        })
    }
}

impl FromStr for Durability {
    type Err = DurabilityError;

    fn from_str(word: &str) -> Result<Self, DurabilityError> {
        match word {
            "ply" => Ok(Self::Ply),
            "match" => Ok(Self::Match),
            other => Err(DurabilityError(other.to_owned())),
        }
    }
}

text_settings!(Durability);
