//! The key of a feed, which decides who shares it.

use crate::visitor::VisitorToken;
use lastnim_core::game::{MatchId, TournamentId};

/// What a feed shows, and to whom. Visitors without a token share feeds; each token has its own.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct FeedKey {
    pub topic: FeedTopic,
    /// The token of its watchers, if they have one.
    pub token: Option<VisitorToken>,
}

/// What a feed shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum FeedTopic {
    /// A match.
    Match(MatchId),
    Tournament(TournamentId),
    /// The home page.
    Home,
}
