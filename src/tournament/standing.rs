//! One bot's line of the standings.

use crate::game::BotName;

/// One bot's line of the standings.
#[derive(Debug, Clone, PartialEq)]
pub struct Standing {
    /// The place, from 1; equal bots share it.
    pub place: u32,
    /// The bot.
    pub bot: BotName,
    /// The sum of its points.
    pub points: f64,
    /// Matches played.
    pub matches: u32,
    /// Matches won.
    pub wins: u32,
    /// The mean satisfaction, 0 to 1; a match in which the seat was lost counts as 0. None before the first match.
    pub satisfaction: Option<f64>,
    /// The share of its own takes that were optimal, 0 to 1; none before the first take.
    pub accuracy: Option<f64>,
    /// Ranks lost by own mistakes, a match; none before the first match.
    pub regret_per_match: Option<f64>,
    /// Ranks gained from others' mistakes, a match; negative where they cost. None before the first match.
    pub luck_per_match: Option<f64>,
    /// Matches in which its seat was lost, no-shows included.
    pub forfeits: u32,
    /// Matches to which it never came.
    pub no_shows: u32,
}
