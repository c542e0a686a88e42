//! The versions of a bot over time.

use lastnim_core::game::BotVersion;
use lastnim_core::referee::Timestamp;

/// The maximum number of versions kept for a bot; the oldest are dropped.
pub const MAX_SEEN_VERSIONS: usize = 64;

/// A version that a bot reported, and when it first and last did so.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SeenVersion {
    /// The version.
    pub version: BotVersion,
    /// The start of the first known session with it.
    pub first_seen: Timestamp,
    /// The start of the last session with it.
    pub last_seen: Timestamp,
}
