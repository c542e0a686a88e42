//! The chain of hashes that ties the events of a record together.
//!
//! The chain begins with the match: BLAKE3 of the text `lastnim event chain v1\n` and the 16 bytes of the match's id. The
//! hash of an event is keyed BLAKE3 of the event's canonical bytes, as `canonical.rs` sets them out; the key is the hash
//! before it. So the hash of an event covers the match, the event, and every event before it. As a key, the hash before it
//! costs no block of its own: a take fits into one.
//!
//! A record whose rows are not revealed never shows these hashes: by the hash of an event that follows a row, somebody could
//! try all rows. Its public events have a chain of their own, which begins with `lastnim public chain v1\n` and leaves out
//! the events that hold a row.

use super::TimedEvent;
use super::canonical::CanonicalBytes;
use crate::game::MatchId;
use crate::game::base64_text::Base64;
use std::fmt;

/// What the chain of a match is hashed from, before the match's id: it tells these hashes from all others.
const ORIGIN: &[u8] = b"lastnim event chain v1\n";
/// The same for the chain of the public events alone.
const PUBLIC_ORIGIN: &[u8] = b"lastnim public chain v1\n";

/// The hash of an event and of every event before it. As text it is base64.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct EventHash([u8; Self::BYTES]);

impl EventHash {
    /// The bytes of a hash.
    pub const BYTES: usize = 32;

    /// Returns what the first event of a match follows.
    pub fn before_first_event(id: MatchId) -> Self {
        Self::of_origin(ORIGIN, id)
    }

    /// Returns what the first event of a match follows in the chain of the public events alone.
    pub fn before_first_public_event(id: MatchId) -> Self {
        Self::of_origin(PUBLIC_ORIGIN, id)
    }

    fn of_origin(origin: &[u8], id: MatchId) -> Self {
        let mut bytes = CanonicalBytes::default();
        bytes.write_raw(origin);
        bytes.write_raw(id.as_bytes());
        Self(*blake3::hash(bytes.as_slice()).as_bytes())
    }

    /// Returns the hash of an event that follows the event of this hash.
    #[must_use]
    pub fn hash_of_next(&self, event: &TimedEvent) -> Self {
        let mut bytes = CanonicalBytes::default();
        bytes.write_event(event);
        Self(*blake3::keyed_hash(&self.0, bytes.as_slice()).as_bytes())
    }

    /// Takes a hash that was kept.
    pub fn from_bytes(bytes: [u8; Self::BYTES]) -> Self {
        Self(bytes)
    }

    /// Returns its bytes.
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
