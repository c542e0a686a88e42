//! The hash of a benchmark card, which the server signs.

use crate::game::base64_text::Base64;
use std::fmt;

/// The prefix that keeps card hashes distinct from all other hashes.
const HASH_PREFIX: &[u8] = b"lastnim benchmark card v1\n";

/// The hash of the first line of a card: BLAKE3 of the text `lastnim benchmark card v1\n` and the unchanged bytes of
/// the line, including its newline. Its text form is base64.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct CardHash([u8; Self::BYTES]);

impl CardHash {
    /// Length in bytes.
    pub const BYTES: usize = 32;

    /// Hashes a line, including its newline.
    pub fn of_line(line: &[u8]) -> Self {
        Self(*blake3::Hasher::new().update(HASH_PREFIX).update(line).finalize().as_bytes())
    }

    /// Returns the bytes of the hash.
    pub fn as_bytes(&self) -> &[u8; Self::BYTES] {
        &self.0
    }
}

impl fmt::Display for CardHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        Base64(&self.0).fmt(f)
    }
}

impl fmt::Debug for CardHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "CardHash({self})")
    }
}
