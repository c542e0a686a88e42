//! A line of the standings.

use super::{ConfidenceInterval, MeanEstimate, PlaceRange, PlayedVersion, RatingMeasure, TieBreak};
use lastnim_core::game::BotName;

/// A bot's line of the standings.
#[derive(Debug, Clone, PartialEq)]
pub struct Standing {
    /// The place, from 1. Bots share a place if no tie-break has decided between them.
    pub place: u32,
    /// The places that the bot may hold by its strength. `None` in a knockout, for bots that are unrated, disqualified or
    /// withdrawn, if some ratings cannot be compared, with more than 1,000 rated bots, and if comparing
    /// them would be too much work.
    pub place_range: Option<PlaceRange>,
    /// The tie-break that put the bot behind the bot one line above, or in an earlier round of a knockout behind the
    /// last bot that advanced. `None` if no tie-break was needed, and for bots that share their place.
    pub tie_break: Option<TieBreak>,
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
    /// With dealt rows: the mean satisfaction, minus the satisfaction that optimal play would have given if every seat
    /// had declared its dealt row, -1 to 1. `None` before the first match.
    pub relative_satisfaction: Option<f64>,
    /// The share of the bot's own takes that were optimal, 0 to 1; `None` before the first take.
    pub accuracy: Option<f64>,
    /// Ranks that the bot lost by its own mistakes per match; `None` before the first take.
    pub regret_per_match: Option<f64>,
    /// Ranks that the bot gained by others' mistakes per match; negative if these cost it ranks. `None` before the
    /// first match.
    pub luck_per_match: Option<f64>,
    /// Matches in which the bot lost its seat, including no-shows.
    pub forfeits: u32,
    /// Matches for which the bot never connected.
    pub no_shows: u32,
    /// The bot's rating, by the measure that follows from the scoring; `None` until the bot is rated, and for a bot
    /// that has always been a no-show.
    pub rating: Option<StandingRating>,
    /// The bot's plain Elo rating in points, from matches between two bots; `None` before its first such match.
    pub elo: Option<f64>,
    /// Ranks that the bot lost by its own mistakes per attended match, with a 95% interval; `None` until this is
    /// computed.
    pub skill: Option<MeanEstimate>,
    /// The versions of the bot that have played; empty if it never declared a version.
    pub versions: Vec<PlayedVersion>,
    /// Whether the bot is disqualified and so ranked behind the others.
    pub is_disqualified: bool,
    /// Whether the bot has withdrawn and so is ranked behind those that stayed.
    pub is_withdrawn: bool,
}

impl Standing {
    /// Returns whether the bot is neither disqualified nor withdrawn.
    pub fn competes(&self) -> bool {
        !self.is_disqualified && !self.is_withdrawn
    }
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
    /// The number of the bot's island, from 0. No chain of matches connects bots on different islands, so they cannot
    /// be compared.
    pub island: u32,
}
