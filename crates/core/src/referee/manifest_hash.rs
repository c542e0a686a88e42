//! The hash of a tournament manifest, which the server signs.

use crate::game::base64_text::Base64;
use std::fmt;

/// The prefix that separates manifest hashes from all other hashes.
const HASH_PREFIX: &[u8] = b"lastnim tournament manifest v1\n";

/// The hash of a manifest without its last line, which is the signature. It is the BLAKE3 hash of the text `lastnim
/// tournament manifest v1\n` followed by the unchanged bytes of the other lines, including newlines. Its text form is
/// base64.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct ManifestHash([u8; Self::BYTES]);

/// Hashes a manifest line by line.
#[derive(Debug, Clone)]
pub struct ManifestHasher(blake3::Hasher);

impl ManifestHash {
    /// Length in bytes.
    pub const BYTES: usize = 32;

    /// Creates a hash from its bytes.
    pub fn from_bytes(bytes: [u8; Self::BYTES]) -> Self {
        Self(bytes)
    }

    /// Returns the bytes of the hash.
    pub fn as_bytes(&self) -> &[u8; Self::BYTES] {
        &self.0
    }
}

impl fmt::Display for ManifestHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        Base64(&self.0).fmt(f)
    }
}

impl fmt::Debug for ManifestHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ManifestHash({self})")
    }
}

impl Default for ManifestHasher {
    fn default() -> Self {
        let mut hasher = blake3::Hasher::new();
        hasher.update(HASH_PREFIX);
        Self(hasher)
    }
}

impl ManifestHasher {
    /// Adds the next bytes of the lines, including newlines. The bytes may be split between calls at any point.
    pub fn update(&mut self, bytes: &[u8]) {
        self.0.update(bytes);
    }

    /// Returns the hash of all bytes added so far.
    pub fn hash(&self) -> ManifestHash {
        ManifestHash(*self.0.finalize().as_bytes())
    }
}
