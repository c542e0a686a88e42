//! The errors that are reported if JSON does not match a message.

use lastnim_core::game::find_closest_word;
use serde_json::Value;
use std::fmt;
use thiserror::Error;

/// The maximum number of characters of a value that an error message shows.
const MAX_CHARACTERS: usize = 40;

/// A mistake in JSON, and the path to the value that has it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MessageJsonError {
    path: String,
    flaw: JsonFlaw,
}

/// What is wrong with a value.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum JsonFlaw {
    /// The message has no such field.
    #[error("unknown key {given:?}: {}expected one of {}", suggest_name(given, keys), quoted_list(keys))]
    UnknownKey {
        /// The key, shortened if long.
        given: String,
        /// The keys that the message has.
        keys: Vec<String>,
    },
    /// The enumeration has no such value.
    #[error("unknown word {given:?}: {}expected one of {}", suggest_name(given, words), quoted_list(words))]
    UnknownEnumValue {
        /// The given name, shortened if long.
        given: String,
        /// The names of the enumeration's values.
        words: Vec<String>,
    },
    /// The value has the wrong type.
    #[error("{given} is not {expected}")]
    WrongType {
        /// The value, shortened if long.
        given: String,
        /// The expected type.
        expected: &'static str,
    },
    /// The number is out of the range of its type.
    #[error("{given} is out of range: expected {lowest} to {highest}")]
    OutOfRange {
        /// The number.
        given: String,
        /// The smallest valid number.
        lowest: String,
        /// The largest valid number.
        highest: String,
    },
    /// The key appears twice, or both names of the field are used as keys.
    #[error("the key {key:?} appears twice")]
    DuplicateKey {
        /// The name of the field.
        key: String,
    },
    /// Two alternatives of one `oneof` are set.
    #[error("{one:?} and {other:?} are alternatives: give only one")]
    TwoAlternatives {
        /// The key of the first alternative.
        one: String,
        /// The key of the second alternative.
        other: String,
    },
}

impl JsonFlaw {
    /// Creates the error for a key that the message does not have.
    pub fn unknown_key(given: &str, keys: Vec<String>) -> Self {
        Self::UnknownKey { given: shorten_value(given), keys }
    }

    pub(super) fn unknown_enum_value(given: &str, words: Vec<String>) -> Self {
        Self::UnknownEnumValue { given: shorten_value(given), words }
    }

    /// Creates the error for a value of the wrong type.
    pub fn wrong_type(given: &Value, expected: &'static str) -> Self {
        Self::WrongType { given: shorten_value(&given.to_string()), expected }
    }

    pub(super) fn out_of_range(given: &Value, lowest: impl fmt::Display, highest: impl fmt::Display) -> Self {
        let given = shorten_value(&given.to_string());
        Self::OutOfRange { given, lowest: lowest.to_string(), highest: highest.to_string() }
    }
}

impl From<JsonFlaw> for MessageJsonError {
    fn from(flaw: JsonFlaw) -> Self {
        Self { path: String::new(), flaw }
    }
}

impl MessageJsonError {
    /// Returns what is wrong with the value.
    pub fn flaw(&self) -> &JsonFlaw {
        &self.flaw
    }

    /// Adds the key of an object member to the path.
    #[must_use = "returns the error with a longer path"]
    pub fn in_member(mut self, key: &str) -> Self {
        let dot = if self.path.is_empty() || self.path.starts_with('[') { "" } else { "." };
        self.path = format!("{key}{dot}{}", self.path);
        self
    }

    /// Adds the index of a list element to the path.
    #[must_use = "returns the error with a longer path"]
    pub fn in_element(mut self, index: usize) -> Self {
        let dot = if self.path.is_empty() || self.path.starts_with('[') { "" } else { "." };
        self.path = format!("[{index}]{dot}{}", self.path);
        self
    }
}

impl fmt::Display for MessageJsonError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.path.is_empty() {
            write!(f, "{}: ", self.path)?;
        }
        self.flaw.fmt(f)
    }
}

impl std::error::Error for MessageJsonError {}

fn shorten_value(text: &str) -> String {
    let mut short: String = text.chars().take(MAX_CHARACTERS).collect();
    if short.len() < text.len() {
        short.push_str("..");
    }
    short
}

fn suggest_name(given: &str, known: &[String]) -> String {
    let meant = find_closest_word(given, known.iter().map(String::as_str));
    meant.map_or_else(String::new, |meant| format!("did you mean {meant:?}? "))
}

fn quoted_list(words: &[String]) -> String {
    words.iter().map(|word| format!("{word:?}")).collect::<Vec<_>>().join(", ")
}
