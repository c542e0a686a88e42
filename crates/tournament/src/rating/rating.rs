//! The strength of a bot and the scale on which it is shown.

use std::{f64::consts::LN_10, fmt};

/// The strength of a bot as a logarithm `theta`: each of the bots at a table wins with probability
/// `e^theta / sum e^theta`.
///
/// A bot of strength 0 is as strong as the virtual opponent. Ratings are shown on a scale like Elo's,
/// `1500 + 400 / ln 10 * theta`: if one of two bots at a table is 400 points ahead, it wins ten times as often as the
/// other.
#[derive(Debug, Clone, Copy, PartialEq, PartialOrd, Default)]
pub struct Rating(f64);

impl Rating {
    /// The number of points at strength 0.
    pub const ANCHOR: f64 = 1500.0;
    /// A bot that leads another by this many points wins ten times as often.
    pub const POINTS_PER_TENFOLD: f64 = 400.0;

    /// Creates a rating from a strength.
    pub fn of_strength(theta: f64) -> Self {
        Self(theta)
    }

    /// Creates a rating from points.
    pub fn of_points(points: f64) -> Self {
        Self((points - Self::ANCHOR) * LN_10 / Self::POINTS_PER_TENFOLD)
    }

    /// Returns the strength.
    pub fn strength(self) -> f64 {
        self.0
    }

    /// Returns the rating in points, 1500 for strength 0.
    pub fn points(self) -> f64 {
        Self::ANCHOR + self.0 * Self::POINTS_PER_TENFOLD / LN_10
    }

    /// Returns the probability, 0 to 1, that a bot with this rating wins against one with the other rating at a table
    /// of two.
    pub fn chance_against(self, other: Self) -> f64 {
        1.0 / (1.0 + (other.0 - self.0).exp())
    }
}

impl fmt::Display for Rating {
    /// Writes the points, as an integer unless a precision is given.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:.*}", f.precision().unwrap_or(0), self.points())
    }
}
