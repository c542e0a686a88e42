//! Whether a model thinks before it answers.

use lastnim_config::text_settings;
use std::{fmt, str::FromStr};
use thiserror::Error;

/// Whether a model thinks in its reply before it gives the JSON object.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Thinking {
    /// It does not think in its reply; a reasoning model has already thought.
    #[default]
    None,
    /// It thinks in plain text, without a schema, and then gives the object. A second call, after an unusable
    /// answer, uses the schema, because by then the conversation contains the model's thoughts.
    Before,
}

/// A word that is not a value of this setting.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("{0:?}: expected none or before")]
pub struct ThinkingError(String);

impl fmt::Display for Thinking {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::None => "none",
            Self::Before => "before",
        })
    }
}

impl FromStr for Thinking {
    type Err = ThinkingError;

    fn from_str(word: &str) -> Result<Self, ThinkingError> {
        match word {
            "none" => Ok(Self::None),
            "before" => Ok(Self::Before),
            _ => Err(ThinkingError(word.to_owned())),
        }
    }
}

text_settings!(Thinking);
