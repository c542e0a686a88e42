//! Strengths, and the scale on which they are shown.

use std::{f64::consts::LN_10, fmt};

/// The strength of a bot, as the logarithm `theta` of its share: of the bots at a table, each wins with chance
/// `e^theta / sum e^theta`.
///
/// A bot of strength 0 draws with the virtual opponent that every bot starts against. Strengths are shown on a scale like
/// Elo's, `1500 + 400 / ln 10 * theta`: of two bots at one table, one that is 400 points ahead wins ten times as often.
#[derive(Debug, Clone, Copy, PartialEq, PartialOrd, Default)]
pub struct Rating(f64);

impl Rating {
    /// The points of strength 0.
    pub const ANCHOR: f64 = 1500.0;
    /// The points that make a bot win ten times as often.
    pub const POINTS_A_TENFOLD: f64 = 400.0;

    /// Makes a rating of a strength.
    pub fn of_strength(theta: f64) -> Self {
        Self(theta)
    }

    /// Makes a rating of points.
    pub fn of_points(points: f64) -> Self {
        Self((points - Self::ANCHOR) * LN_10 / Self::POINTS_A_TENFOLD)
    }

    /// Returns the strength.
    pub fn strength(self) -> f64 {
        self.0
    }

    /// Returns the rating in points, 1500 for strength 0.
    pub fn points(self) -> f64 {
        Self::ANCHOR + self.0 * Self::POINTS_A_TENFOLD / LN_10
    }

    /// Returns the chance of this one to win against another at a table of two, 0 to 1.
    pub fn chance_against(self, other: Self) -> f64 {
        1.0 / (1.0 + (other.0 - self.0).exp())
    }
}

impl fmt::Display for Rating {
    /// Writes the points, in whole numbers unless a precision is given.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:.*}", f.precision().unwrap_or(0), self.points())
    }
}
