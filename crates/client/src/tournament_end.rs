//! How a tournament ended, seen from one bot.

use lastnim_core::game::TournamentId;
use lastnim_tournament::TournamentState;

/// How a tournament ended, and where the bot came in it.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct TournamentEnd {
    /// The tournament.
    pub tournament: TournamentId,
    /// Its title.
    pub title: String,
    /// How it ended: finished or cancelled.
    pub state: TournamentState,
    /// The bot's own place, from 1; equal bots share it.
    pub place: u32,
    /// Its points.
    pub points: f64,
    /// Matches that it played.
    pub matches: u32,
    /// Matches that it won.
    pub wins: u32,
    /// How many bots have a line in the standings.
    pub bots: u64,
}
