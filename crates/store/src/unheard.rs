//! Ends that a bot has not confirmed to have heard.

use lastnim_core::game::MatchId;

/// Ends of matches beyond those that are told that are counted at most.
pub const MAX_COUNTED_ENDS: usize = 10_000;

/// The matches of a bot that are over and of whose ends it has not confirmed to have heard.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct UnheardMatches {
    /// The newest of them, the newest first.
    pub newest: Vec<MatchId>,
    /// How many more there are, counted up to [`MAX_COUNTED_ENDS`].
    pub more: u64,
}
