//! What belongs to one server.

use lastnim_core::game::{MatchId, TournamentId};
use std::fmt;

/// What has one owner at a time: a tournament with all of its matches, or a match of none. Who owns it writes what happens to it, and
/// nobody else does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Owned {
    /// A tournament and all of its matches.
    Tournament(TournamentId),
    /// A match that belongs to no tournament.
    Exhibition(MatchId),
}

impl fmt::Display for Owned {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Tournament(id) => write!(f, "tournament {id}"),
            Self::Exhibition(id) => write!(f, "exhibition {id}"),
        }
    }
}
