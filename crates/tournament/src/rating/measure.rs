//! Measures of ratings.

use serde::{Deserialize, Serialize};

/// The measure of ratings. It is that of the scoring, so ratings do not contradict the scores.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum RatingMeasure {
    /// Wins, by Luce's model, in points: 400 more points mean ten times as many wins at any table.
    Wins,
    /// The satisfaction of a match, 0 to 1, at comparable positions: the distance from the mean of the field.
    Satisfaction,
}
