//! The hashes of private notes, which bots can attach to rows and takes.

use crate::game::Base64Error;
use crate::game::base64_text::{self, Base64};
use std::{fmt, str::FromStr};
use thiserror::Error;

/// The hash of a bot's private note, such as the transcript of the reasoning behind a take. Since the record contains
/// the hash, the bot can publish the note later and prove that it was not written afterwards. The bot decides how to
/// compute the hash. Its text form is base64.
///
/// The bytes are boxed because few events have a note hash, and boxing makes all other events a third smaller.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct NoteHash(Box<[u8; Self::BYTES]>);

/// A note hash of the wrong length.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error(
    "a note hash of {given} byte{s}: expected {} bytes, or no note hash",
    NoteHash::BYTES,
    s = if *given == 1 { "" } else { "s" }
)]
pub struct NoteHashError {
    /// The number of bytes given.
    pub given: usize,
}

impl NoteHash {
    /// Length in bytes.
    pub const BYTES: usize = 32;

    /// Creates a hash from its bytes.
    pub fn from_bytes(bytes: [u8; Self::BYTES]) -> Self {
        Self(Box::new(bytes))
    }

    /// Parses an optional note hash; an empty slice means no hash.
    ///
    /// # Errors
    /// If the number of bytes is neither 0 nor the length of a hash.
    pub fn parse_optional(bytes: &[u8]) -> Result<Option<Self>, NoteHashError> {
        if bytes.is_empty() {
            return Ok(None);
        }
        bytes
            .try_into()
            .map(|bytes| Some(Self::from_bytes(bytes)))
            .map_err(|_| NoteHashError { given: bytes.len() })
    }

    /// Returns the bytes of the hash.
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
    fn an_optional_hash_is_empty_or_has_32_bytes() {
        let hash = NoteHash::from_bytes([7; 32]);
        assert_eq!(NoteHash::parse_optional(&[7; 32]), Ok(Some(hash.clone())));
        assert_eq!(NoteHash::parse_optional(&[]), Ok(None));
        assert_eq!(hash.to_string().parse(), Ok(hash));
        for given in [1, 31, 33, 64, 1_000_000] {
            let refused = NoteHash::parse_optional(&vec![7; given]).unwrap_err();
            assert_eq!(
                refused.to_string(),
                format!(
                    "a note hash of {given} byte{}: expected 32 bytes, or no note hash",
                    if given == 1 { "" } else { "s" }
                )
            );
        }
    }
}
