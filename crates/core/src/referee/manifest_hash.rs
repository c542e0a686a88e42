//! The hash of a tournament manifest, which the server signs.

use crate::game::base64_text::Base64;
use std::fmt;

/// The prefix that separates manifest hashes from all others.
const ORIGIN: &[u8] = b"lastnim tournament manifest v1\n";

/// The hash of all lines of a manifest but the last, which is the signature: BLAKE3 of the text `lastnim tournament
/// manifest v1\n` and the unchanged bytes of these lines, including newlines. As text it is base64.
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

    /// Returns its bytes.
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
        hasher.update(ORIGIN);
        Self(hasher)
    }
}

impl ManifestHasher {
    /// Adds the next bytes of the lines, newlines included; they may be split anywhere.
    pub fn update(&mut self, bytes: &[u8]) {
        self.0.update(bytes);
    }

    /// Returns the hash of the bytes so far.
    pub fn hash(&self) -> ManifestHash {
        ManifestHash(*self.0.finalize().as_bytes())
    }
}
