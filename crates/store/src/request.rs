//! Requests to create something, which their callers may repeat.

use lastnim_core::game::{BotName, MatchId, TournamentId};
use lastnim_core::referee::Timestamp;
use std::fmt;
use std::str::FromStr;
use std::sync::Arc;
use std::time::Duration;
use thiserror::Error;

/// How long a request can be repeated.
pub const REQUEST_LIFETIME: Duration = Duration::from_hours(24);
/// The maximum number of requests that a store keeps. The newest are kept.
pub const MAX_REQUESTS: usize = 100_000;
/// The maximum number of requests of one caller that a store keeps. The newest are kept.
pub const MAX_REQUESTS_PER_CALLER: usize = 1_000;

/// The id that a caller gives a request, so that the caller can repeat it: 1 to 64 visible ASCII characters, without
/// spaces.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RequestId(Arc<str>);

/// A word that is not a valid request id.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error(
    "{0:?}: expected 1 to {max} visible ASCII characters without spaces, such as a UUID",
    max = RequestId::MAX_CHARS
)]
pub struct RequestIdError(String);

impl RequestId {
    /// The maximum length in characters.
    pub const MAX_CHARS: usize = 64;

    /// Returns the id as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for RequestId {
    type Err = RequestIdError;

    fn from_str(word: &str) -> Result<Self, RequestIdError> {
        let fits = (1..=Self::MAX_CHARS).contains(&word.len()) && word.bytes().all(|b| b.is_ascii_graphic());
        if fits {
            Ok(Self(word.into()))
        } else {
            Err(RequestIdError(word.chars().take(2 * Self::MAX_CHARS).collect()))
        }
    }
}

impl fmt::Display for RequestId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Debug for RequestId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "RequestId({})", self.0)
    }
}

/// Identifies a request among those of all callers.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RequestKey {
    /// The calling bot; `None` for an admin.
    pub caller: Option<BotName>,
    /// The id that the caller chose.
    pub id: RequestId,
}

/// The BLAKE3 hash of a request without its id.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RequestHash([u8; Self::BYTES]);

impl RequestHash {
    /// The size of a hash in bytes.
    pub const BYTES: usize = 32;

    /// Hashes a request: the name of its method and its encoded message.
    pub fn of_request(method: &str, message: &[u8]) -> Self {
        let mut hasher = blake3::Hasher::new();
        hasher.update(method.as_bytes()).update(&[0]).update(message);
        Self(*hasher.finalize().as_bytes())
    }

    /// Creates a hash from its bytes.
    pub fn from_bytes(bytes: [u8; Self::BYTES]) -> Self {
        Self(bytes)
    }

    /// Returns its bytes.
    pub fn as_bytes(&self) -> &[u8; Self::BYTES] {
        &self.0
    }
}

/// What a request created.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Creation {
    /// A tournament.
    Tournament(TournamentId),
    /// A match.
    Match(MatchId),
}

impl fmt::Display for Creation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Tournament(id) => write!(f, "tournament {id}"),
            Self::Match(id) => write!(f, "match {id}"),
        }
    }
}

/// A request that was carried out, and what it created.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredRequest {
    /// Identifies the request.
    pub key: RequestKey,
    /// The hash of the request, which tells a repeated request from another one with the same id.
    pub hash: RequestHash,
    /// What it created.
    pub created: Creation,
    /// When.
    pub at: Timestamp,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_request_id_is_a_short_visible_word() {
        let longest = "x".repeat(RequestId::MAX_CHARS);
        for word in ["a", "0190c2f4-6f0e-7cc1-8c5b-0d8d7d4ae001", "~!\"'\\", &longest] {
            assert_eq!(word.parse::<RequestId>().unwrap().as_str(), word);
        }
        for word in ["", "a b", "\u{e9}", "\n", &format!("{longest}x")] {
            let refused = word.parse::<RequestId>().unwrap_err().to_string();
            assert!(refused.starts_with('"') && refused.contains("1 to 64 visible"), "{refused}");
        }
    }

    #[test]
    fn a_request_hash_covers_the_method_and_the_message() {
        let hashes = [("a", &b"bc"[..]), ("ab", b"c"), ("a", b"b")];
        let hashes = hashes.map(|(method, message)| RequestHash::of_request(method, message));
        assert!(hashes[0] != hashes[1] && hashes[0] != hashes[2]);
        assert_eq!(hashes[0], RequestHash::of_request("a", b"bc"));
    }
}
