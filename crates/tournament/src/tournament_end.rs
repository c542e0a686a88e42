//! The end of a tournament, as one of its bots is told of it.

use super::{Standing, TournamentState};
use lastnim_core::game::TournamentId;

/// The end of a tournament, as one of its bots is told of it.
#[derive(Debug, Clone, PartialEq)]
pub struct TournamentEnd {
    /// The tournament.
    pub id: TournamentId,
    /// Its title.
    pub title: String,
    /// How it ended.
    pub state: TournamentState,
    /// The bot's own line in the last standings.
    pub standing: Standing,
    /// The lines of the standings.
    pub bots: u64,
}
