//! The end of a tournament for one bot.

use lastnim_core::game::TournamentId;
use lastnim_tournament::TournamentState;

/// How a tournament ended, and the bot's result.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct TournamentEnd {
    /// The tournament.
    pub tournament: TournamentId,
    /// Its title.
    pub title: String,
    /// How it ended: finished or cancelled.
    pub state: TournamentState,
    /// The bot's place, from 1; tied bots share it.
    pub place: u32,
    /// Its points.
    pub points: f64,
    /// Matches played.
    pub matches: u32,
    /// Matches won.
    pub wins: u32,
    /// The number of bots in the standings.
    pub bots: u64,
}
