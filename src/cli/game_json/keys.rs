//! The keys of documents: those that nobody reads are refused, as they would be answered for what they do not say.

use crate::game::closest_word;
use serde_json::{Map, Value};
use std::fmt;
use thiserror::Error;

/// A key that nobody reads.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub struct UnknownKey {
    given: String,
    keys: &'static [&'static str],
}

/// The most characters of a key that are repeated.
const MAX_CHARACTERS: usize = 40;

impl UnknownKey {
    /// Finds a key of a document, if it is an object, that is none of these.
    pub fn find(document: &str, keys: &'static [&'static str]) -> Option<Self> {
        let given: Map<String, Value> = serde_json::from_str(document).ok()?;
        let unknown = given.keys().find(|key| !keys.contains(&key.as_str()))?;
        Some(Self { given: unknown.chars().take(MAX_CHARACTERS).collect(), keys })
    }
}

impl fmt::Display for UnknownKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "unknown key {:?}: ", self.given)?;
        if let Some(meant) = closest_word(&self.given, self.keys.iter().copied()) {
            write!(f, "did you mean {meant:?}? ")?;
        }
        let keys: Vec<_> = self.keys.iter().map(|key| format!("{key:?}")).collect();
        write!(f, "the keys are {}", keys.join(", "))
    }
}
