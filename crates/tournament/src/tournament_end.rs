//! The end of a tournament, as reported to one of its bots.

use super::{Standing, TournamentState};
use lastnim_core::game::TournamentId;

/// The end of a tournament, as reported to one of its bots.
#[derive(Debug, Clone, PartialEq)]
pub struct TournamentEnd {
    /// The tournament.
    pub id: TournamentId,
    /// The title of the tournament.
    pub title: String,
    /// How the tournament ended: finished or cancelled.
    pub state: TournamentState,
    /// The bot's line in the final standings.
    pub standing: Standing,
    /// The number of bots in the standings.
    pub bots: u64,
}
