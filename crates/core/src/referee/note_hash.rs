//! What a bot may add to a row or a take.

use crate::game::Base64Error;
use crate::game::base64_text::{self, Base64};
use std::{fmt, str::FromStr};
use thiserror::Error;

/// The hash of a note that a bot keeps to itself, such as the transcript from which a take came. The record holds it, so
/// that the bot can show the note later and nobody can say that it was written afterwards. How it is made is the bot's own
/// affair. As text it is base64.
///
/// Few events have one: it lies elsewhere, so that every event without it is a third smaller.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct NoteHash(Box<[u8; Self::BYTES]>);

/// Bytes of the wrong number for a note hash.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("a note hash of {given} bytes: it has {}, or is left out", NoteHash::BYTES)]
pub struct NoteHashError {
    /// How many bytes there are.
    pub given: usize,
}

impl NoteHash {
    /// The bytes of a note hash.
    pub const BYTES: usize = 32;

    /// Takes the bytes of a hash.
    pub fn from_bytes(bytes: [u8; Self::BYTES]) -> Self {
        Self(Box::new(bytes))
    }

    /// Reads an optional note hash, where no bytes mean that there is none.
    ///
    /// # Errors
    /// If there are bytes, but not as many as a hash has.
    pub fn parse_optional(bytes: &[u8]) -> Result<Option<Self>, NoteHashError> {
        if bytes.is_empty() {
            return Ok(None);
        }
        bytes
            .try_into()
            .map(|bytes| Some(Self::from_bytes(bytes)))
            .map_err(|_| NoteHashError { given: bytes.len() })
    }

    /// Returns its bytes.
    pub fn as_bytes(&self) -> &[u8; Self::BYTES] {
        &self.0
    }
}

impl FromStr for NoteHash {
    type Err = Base64Error;

    fn from_str(text: &str) -> Result<Self, Base64Error> {
        base64_text::decode_base64("note hash", text).map(Self::from_bytes)
    }
}

impl fmt::Display for NoteHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        Base64(self.as_bytes()).fmt(f)
    }
}

impl fmt::Debug for NoteHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "NoteHash({self})")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_has_all_of_its_bytes_or_none() {
        let hash = NoteHash::from_bytes([7; 32]);
        assert_eq!(NoteHash::parse_optional(&[7; 32]), Ok(Some(hash.clone())));
        assert_eq!(NoteHash::parse_optional(&[]), Ok(None));
        assert_eq!(hash.to_string().parse(), Ok(hash));
        for given in [1, 31, 33, 64, 1_000_000] {
            let refused = NoteHash::parse_optional(&vec![7; given]).unwrap_err();
            assert_eq!(
                refused.to_string(),
                format!("a note hash of {given} bytes: it has 32, or is left out")
            );
        }
    }
}
