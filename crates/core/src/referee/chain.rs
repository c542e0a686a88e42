//! The hash chain over the events of a record.
//!
//! The chain begins with a hash of the match: BLAKE3 of the text `lastnim event chain v1\n` followed by the 16 bytes of
//! the match id. The hash of an event is keyed BLAKE3 of its canonical bytes (see `canonical.rs`), with the previous
//! hash as the key. So the hash of an event covers the match, the event, and every event before it. A key takes no
//! space in the hashed input, so one block of BLAKE3 is enough for a take without a note hash.
//!
//! A record whose rows are not revealed never shows these hashes, since they would let anyone find a row by trying all
//! rows. Nor does a record in which dealt rows or messages are still secret, since a reader could not check the hashes.
//! The public events of such a record have a separate chain, which begins with `lastnim public chain v1\n` and leaves
//! out the secret events.

use super::TimedEvent;
use super::canonical::CanonicalBytes;
use crate::game::MatchId;
use crate::game::base64_text::Base64;
use std::fmt;

/// The text hashed before the match id. It keeps the hashes of this chain distinct from all other hashes.
const CHAIN_PREFIX: &[u8] = b"lastnim event chain v1\n";
/// The text hashed before the match id for the chain of public events.
const PUBLIC_CHAIN_PREFIX: &[u8] = b"lastnim public chain v1\n";

/// The hash of an event and of every event before it. Its text form is base64.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct EventHash([u8; Self::BYTES]);

impl EventHash {
    /// Length in bytes.
    pub const BYTES: usize = 32;

    /// Returns the hash that precedes the first event of a match.
    pub fn before_first_event(id: MatchId) -> Self {
        Self::of_prefix(CHAIN_PREFIX, id)
    }

    /// Returns the hash that precedes the first event of a match in the chain of public events.
    pub fn before_first_public_event(id: MatchId) -> Self {
        Self::of_prefix(PUBLIC_CHAIN_PREFIX, id)
    }

    fn of_prefix(prefix: &[u8], id: MatchId) -> Self {
        let mut bytes = CanonicalBytes::default();
        bytes.write_raw(prefix);
        bytes.write_raw(id.as_bytes());
        Self(*blake3::hash(bytes.as_slice()).as_bytes())
    }

    /// Returns the hash of `event`, the next event after the one with this hash.
    #[must_use]
    pub fn hash_of_next(&self, event: &TimedEvent) -> Self {
        let mut bytes = CanonicalBytes::default();
        bytes.write_event(event);
        Self(*blake3::keyed_hash(&self.0, bytes.as_slice()).as_bytes())
    }

    /// Creates a hash from its bytes.
    pub fn from_bytes(bytes: [u8; Self::BYTES]) -> Self {
        Self(bytes)
    }

    /// Returns the bytes of the hash.
    pub fn as_bytes(&self) -> &[u8; Self::BYTES] {
        &self.0
    }
}

impl fmt::Display for EventHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        Base64(&self.0).fmt(f)
    }
}

impl fmt::Debug for EventHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "EventHash({self})")
    }
}
