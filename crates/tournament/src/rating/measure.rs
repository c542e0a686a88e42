//! The quantities that ratings can measure.

use serde::{Deserialize, Serialize};

/// The quantity that ratings measure. It follows from the scoring, so that ratings do not contradict the scores.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum RatingMeasure {
    /// Wins, by Luce's model, in points: at any table, a bot with 400 more points than another wins ten times as often.
    Wins,
    /// Satisfaction at comparable positions: how far a bot's satisfaction per match is above the mean of the field.
    Satisfaction,
}
