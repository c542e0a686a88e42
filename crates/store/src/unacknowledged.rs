//! Match ends that a bot has not acknowledged.

use lastnim_core::game::MatchId;

/// The maximum number of missed match ends that are counted but not sent.
pub const MAX_COUNTED_ENDS: usize = 10_000;

/// The finished matches of a bot whose ends it has not acknowledged.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct UnacknowledgedMatches {
    /// The most recent of these matches, the newest first.
    pub newest: Vec<MatchId>,
    /// The number of older ones that are not in `newest`, at most [`MAX_COUNTED_ENDS`].
    pub more: u64,
}
