//! The hash of the manifest of a tournament, which a server signs.

use crate::game::base64_text::Base64;
use std::fmt;

/// What a manifest is hashed from, before its own bytes: it tells these hashes from all others.
const ORIGIN: &[u8] = b"lastnim tournament manifest v1\n";

/// The hash of all lines of a manifest but the last, which holds the signature: BLAKE3 of the text
/// `lastnim tournament manifest v1\n` and the bytes of these lines as they stand, each with its newline. As text it is base64.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct ManifestHash([u8; Self::BYTES]);

/// Hashes the lines of a manifest, one after the other.
#[derive(Debug, Clone)]
pub struct ManifestHasher(blake3::Hasher);

impl ManifestHash {
    /// The bytes of a hash.
    pub const BYTES: usize = 32;

    /// Takes a hash that was kept.
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
    /// Adds the next bytes: a line with its newline, several, or a part of one.
    pub fn update(&mut self, bytes: &[u8]) {
        self.0.update(bytes);
    }

    /// Returns the hash of all bytes so far.
    pub fn hash(&self) -> ManifestHash {
        ManifestHash(*self.0.finalize().as_bytes())
    }
}
