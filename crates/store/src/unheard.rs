//! Ends that a bot has not acknowledged.

use lastnim_core::game::MatchId;

/// Missed match ends that are counted but not sent (at most 10,000).
pub const MAX_COUNTED_ENDS: usize = 10_000;

/// The finished matches of a bot whose ends it has not acknowledged.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct UnheardMatches {
    /// The newest ones, the newest first.
    pub newest: Vec<MatchId>,
    /// The number of further ones, up to [`MAX_COUNTED_ENDS`].
    pub more: u64,
}
