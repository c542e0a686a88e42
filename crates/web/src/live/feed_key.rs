//! Which feed a visitor may share.

use crate::address::OracleView;
use crate::visitor::VisitorToken;
use lastnim_core::game::{MatchId, TournamentId};

/// What a feed shows, and to whom. What one visitor is shown another may not be: strangers share feeds, and a token has its own.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct FeedKey {
    /// What it shows.
    pub topic: FeedTopic,
    /// The token that its watchers have shown; none where they have shown none.
    pub token: Option<VisitorToken>,
}

/// What a feed shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum FeedTopic {
    /// A match, with what the oracle says or without.
    Match(MatchId, OracleView),
    /// A tournament.
    Tournament(TournamentId),
    /// What goes on.
    Home,
}
