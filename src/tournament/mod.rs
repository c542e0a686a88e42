//! Tournaments: settings, pairings, what is drawn, scoring, standings.
//!
//! Everything here is pure: no I/O, no clock, no source of randomness. What is random derives from the tournament's
//! seed and the number of a match or group; a scheduler is rebuilt from the numbers of the matches played; standings
//! are a fold of results that does not depend on their order.

mod alliance;
mod concurrency;
mod cross_table;
mod draw;
mod match_result;
mod pairing;
mod rating;
mod round_robin;
mod scoring;
mod settings;
mod standing;
mod standings;
mod state;
mod subsets;
mod tally;
#[cfg(test)]
pub(crate) mod testing;
mod title;

pub use alliance::{Alliance, assigned_matrix};
pub use concurrency::{Concurrency, ConcurrencyError};
pub use cross_table::{CrossTable, Meeting};
pub use draw::Draw;
pub use match_result::{MatchResult, Outcome, SeatLoss, SeatResult};
pub use pairing::Pairing;
pub use rating::{
    Belief, Elo, Estimate, Interval, OnlineRatings, RatedBot, RatedMatch, RatedMatches, Rating, Ratings,
    Replicates, ReplicatesError, Resampling, Skill, Skills,
};
pub use round_robin::{MAX_MATCHES, RoundRobin, RoundRobinError};
pub use scoring::{Scoring, ScoringError};
pub use settings::{MAX_POSITIONS, Settings, SettingsDraft, SettingsError};
pub use standing::Standing;
pub use standings::Standings;
pub use state::State;
pub use title::{Title, TitleError};
