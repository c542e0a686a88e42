//! Ratings: how strong bots are, from matches that have one winner each, and how sure that is.
//!
//! What a match says is who sat at the table and who won: the order of those that did not win means nothing, and neither
//! do seats, which duplicate groups cancel. [`Ratings`] are a function of the set of matches and a seed, bit for bit.

mod elo;
mod elo_by_number;
mod groups;
mod interval;
mod islands;
mod luce;
mod normal;
mod online;
mod rated_match;
mod rated_matches;
mod rating;
mod ratings;
mod resampling;
mod skill;
mod student;
#[cfg(test)]
pub(super) mod testing;
#[cfg(test)]
mod tests;
mod update;

pub use elo::EloRatings;
pub use elo_by_number::EloByNumber;
pub use interval::ConfidenceInterval;
pub use online::{OnlineRatings, StrengthBelief};
pub use rated_match::RatedMatch;
pub use rated_matches::RatedMatches;
pub use rating::Rating;
pub use ratings::{RatedBot, Ratings};
pub use resampling::{ReplicateCount, ReplicatesError, Resampling};
pub use skill::{MeanEstimate, RegretTally, SkillEstimate};
