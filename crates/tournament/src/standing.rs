//! A line of the standings.

use super::{ConfidenceInterval, MeanEstimate, PlayedVersion, RatingMeasure};
use lastnim_core::game::BotName;

/// A bot's line of the standings.
#[derive(Debug, Clone, PartialEq)]
pub struct Standing {
    /// The place, from 1; tied bots share it.
    pub place: u32,
    /// The bot.
    pub bot: BotName,
    /// Total points.
    pub points: f64,
    /// Matches played.
    pub matches: u32,
    /// Matches won.
    pub wins: u32,
    /// The mean satisfaction, 0 to 1; a match with a lost seat counts as 0. `None` before the first match.
    pub satisfaction: Option<f64>,
    /// The share of its own takes that were optimal, 0 to 1; `None` before the first take.
    pub accuracy: Option<f64>,
    /// Ranks lost by its own mistakes per match; `None` before the first match.
    pub regret_per_match: Option<f64>,
    /// Ranks gained by others' mistakes per match; negative if they cost it ranks. `None` before the first match.
    pub luck_per_match: Option<f64>,
    /// Matches in which its seat was lost, including no-shows.
    pub forfeits: u32,
    /// Matches for which it never connected.
    pub no_shows: u32,
    /// Its rating, with the measure that follows from the scoring; `None` until it is rated, and for a bot that has
    /// always been a no-show.
    pub rating: Option<StandingRating>,
    /// Its plain Elo in points, from matches of two; `None` before its first such match.
    pub elo: Option<f64>,
    /// Ranks lost by its own mistakes per attended match, with 95% confidence; `None` until it is computed.
    pub skill: Option<MeanEstimate>,
    /// Its versions that have played; empty if it never declared a version.
    pub versions: Vec<PlayedVersion>,
    /// Whether it is disqualified and so ranked behind the others.
    pub is_disqualified: bool,
}

/// A bot's rating in the standings.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct StandingRating {
    /// The measure.
    pub measure: RatingMeasure,
    /// The rating: in points for wins; for satisfaction, how far its satisfaction per match is above the mean of the
    /// field.
    pub points: f64,
    /// The 95% confidence interval.
    pub interval: ConfidenceInterval<f64>,
    /// The island, from 0: no chain of matches joins bots of different islands, so they cannot be compared.
    pub island: u32,
}
