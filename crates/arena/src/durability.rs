//! How soon a match lasts.

use lastnim_config::text_settings;
use std::{fmt, str::FromStr};
use thiserror::Error;

/// When the events of a match are written to a store that outlasts the process.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Durability {
    /// Before they are announced: nothing that a bot has heard of is ever lost.
    #[default]
    Ply,
    /// When the match ends: a server that dies takes its open matches along, and plays their pairings anew.
    Match,
}

/// A word that names no durability.
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
