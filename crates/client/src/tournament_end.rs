//! The end of a tournament for one bot.

use lastnim_core::game::TournamentId;
use lastnim_tournament::TournamentState;

/// How a tournament ended, and the bot's result.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct TournamentEnd {
    /// The tournament.
    pub tournament: TournamentId,
    /// The tournament's title.
    pub title: String,
    /// Whether the tournament finished or was cancelled.
    pub state: TournamentState,
    /// The bot's place, from 1; tied bots share it.
    pub place: u32,
    /// The bot's points.
    pub points: f64,
    /// The number of matches that the bot played.
    pub matches: u32,
    /// The number of matches that the bot won.
    pub wins: u32,
    /// The number of bots in the standings.
    pub bots: u64,
}
