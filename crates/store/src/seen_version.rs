//! The versions of a bot over time.

use lastnim_core::game::BotVersion;
use lastnim_core::referee::Timestamp;

/// The versions of a bot that are kept, those that were seen last.
pub const MAX_SEEN_VERSIONS: usize = 64;

/// A version that a bot said, and when.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SeenVersion {
    /// The version.
    pub version: BotVersion,
    /// When a session began that said it, the first that is known.
    pub first_seen: Timestamp,
    /// When the last one did.
    pub last_seen: Timestamp,
}
