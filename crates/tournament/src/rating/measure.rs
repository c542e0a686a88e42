//! Measures of ratings.

use serde::{Deserialize, Serialize};

/// What ratings measure. It follows from the scoring, so ratings do not contradict the scores.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum RatingMeasure {
    /// Wins, by Luce's model, in points: 400 more points mean ten times as many wins at any table.
    Wins,
    /// Satisfaction, in comparable positions: how far a bot's satisfaction per match is above the mean of the field.
    Satisfaction,
}
