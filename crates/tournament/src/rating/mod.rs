//! Ratings: the strengths of bots, with their uncertainty.
//!
//! Ratings measure what the scoring rewards; see [`RatingMeasure`]. With scoring by wins, a match only shows which bots
//! played and which one won: the order of the losers means nothing, and duplicate groups cancel the effect of seats;
//! see [`Ratings`]. With scoring by satisfaction, bots are compared at comparable positions; see
//! [`SatisfactionRatings`]. Both kinds of ratings are determined, bit for bit, by the set of matches and a seed.

mod distributions;
mod elo;
mod elo_by_number;
mod groups;
mod information;
mod interval;
mod islands;
mod lead;
mod luce;
mod measure;
mod normal;
mod online;
mod random_signs;
mod rated_match;
mod rated_matches;
mod rated_results;
mod rating;
mod ratings;
mod ratio;
mod resampling;
mod satisfaction_ratings;
mod satisfaction_scores;
mod skill;
mod student;
mod tables;
#[cfg(test)]
pub(super) mod testing;
#[cfg(test)]
mod tests;
mod update;

pub(crate) use distributions::gamma_cdf;
pub use elo::EloRatings;
pub use elo_by_number::EloByNumber;
pub use interval::ConfidenceInterval;
pub use lead::{SpreadBelief, StrengthLead, adjust_p_values};
pub use measure::RatingMeasure;
pub use online::{OnlineRatings, StrengthBelief};
pub use rated_match::RatedMatch;
pub use rated_matches::RatedMatches;
pub use rated_results::{RatedResults, StrengthRatings};
pub use rating::Rating;
pub use ratings::{RatedBot, Ratings};
pub use ratio::RatioSums;
pub use resampling::{ReplicateCount, ReplicatesError, Resampling};
pub use satisfaction_ratings::{SatisfactionRating, SatisfactionRatings};
pub use satisfaction_scores::SatisfactionScores;
pub use skill::{MeanEstimate, RegretTally, SkillEstimate};
