//! One bot's line of the standings.

use super::{ConfidenceInterval, MeanEstimate, PlayedVersion, RatingMeasure};
use lastnim_core::game::BotName;

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
    /// How strong it is by what the matches are scored by; none before it was rated, and where it never showed up.
    pub rating: Option<StandingRating>,
    /// Its plain Elo, in points, where two bots play a match; none before its first.
    pub elo: Option<f64>,
    /// Ranks lost by own mistakes, a match to which it came, with 95% confidence; none before that was worked out.
    pub skill: Option<MeanEstimate>,
    /// The versions that played; none if it never said any.
    pub versions: Vec<PlayedVersion>,
    /// Whether it is out: it stands behind the others then.
    pub is_disqualified: bool,
}

/// A bot's rating, as the standings show it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct StandingRating {
    /// What it is measured by.
    pub measure: RatingMeasure,
    /// How strong it is: by wins in points, by satisfaction how far its satisfaction a match lies above the mean of the field.
    pub points: f64,
    /// Where that lies with 95% confidence.
    pub interval: ConfidenceInterval<f64>,
    /// The island, from 0: bots that no chain of matches joins lie on different ones, and cannot be compared.
    pub island: u32,
}
