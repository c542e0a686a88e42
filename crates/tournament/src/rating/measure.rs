//! What ratings are measured by.

use serde::{Deserialize, Serialize};

/// What ratings are measured by: what the matches are scored by, so that a rating never contradicts the score.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum RatingMeasure {
    /// Who won, by Luce's model, in points: at any table, 400 more win ten times as often.
    Wins,
    /// The satisfaction of a match, 0 to 1, at like positions: how far it lies above the mean of the field.
    Satisfaction,
}
