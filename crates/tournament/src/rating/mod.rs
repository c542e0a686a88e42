//! Ratings: how strong bots are, and how sure that is.
//!
//! They follow the scoring ([`RatingMeasure`]). Where wins are scored, what a match says is who sat at the table and who won: the
//! order of those that did not win means nothing, and neither do seats, which duplicate groups cancel ([`Ratings`]). Where
//! satisfaction is scored, bots are compared at like positions ([`SatisfactionRatings`]). Both are a function of the set of
//! matches and a seed, bit for bit.

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

pub use elo::EloRatings;
pub use elo_by_number::EloByNumber;
pub use interval::ConfidenceInterval;
pub use lead::{SpreadBelief, StrengthLead, adjust_for_all};
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
