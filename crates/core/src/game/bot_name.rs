//! The name of a bot.

use serde::{Deserialize, Serialize};
use std::{fmt, str::FromStr, sync::Arc};
use thiserror::Error;

/// The name of a bot: 1 to 32 of the characters a-z, 0-9, `-`, `_` and `.`, beginning with a letter or digit.
///
/// The name is also the bot's id. It is cheap to clone.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String")]
pub struct BotName(Arc<str>);

/// A word that is not a valid bot name.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("bot name {0:?}: expected 1 to {max} of the characters a-z, 0-9, '-', '_' and '.', beginning with a letter or digit", max = BotName::MAX_CHARS)]
pub struct BotNameError(pub String);

impl BotName {
    /// The maximum length in characters.
    pub const MAX_CHARS: usize = 32;
    /// Returns the name.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for BotName {
    type Err = BotNameError;

    fn from_str(word: &str) -> Result<Self, BotNameError> {
        let alphanumeric = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit();
        let is_allowed = |byte: u8| alphanumeric(byte) || matches!(byte, b'-' | b'_' | b'.');
        let fits = word.len() <= Self::MAX_CHARS
            && word.bytes().next().is_some_and(alphanumeric)
            && word.bytes().all(is_allowed);
        if fits {
            Ok(Self(word.into()))
        } else {
            Err(BotNameError(word.chars().take(2 * Self::MAX_CHARS).collect()))
        }
    }
}

impl TryFrom<String> for BotName {
    type Error = BotNameError;

    fn try_from(word: String) -> Result<Self, BotNameError> {
        word.parse()
    }
}

impl fmt::Display for BotName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.0)
    }
}

impl fmt::Debug for BotName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "BotName({self})")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_round_trip() {
        for name in ["a", "greedy-2", "0x.y_z", &"b".repeat(32)] {
            assert_eq!(name.parse::<BotName>().unwrap().to_string(), name);
        }
        for bad in ["", "-a", "A", "a b", "naïve", &"b".repeat(33)] {
            assert!(bad.parse::<BotName>().is_err(), "{bad:?}");
        }
    }
}
