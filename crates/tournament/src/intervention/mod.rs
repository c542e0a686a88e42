//! What an organiser does to a tournament that runs: its events, and what they come to.

mod event;
mod reason;
mod rulings;

pub use event::{DisqualifiedResults, OpenMatches, TournamentEvent, VoidedMatch};
pub use reason::{Reason, ReasonError};
pub use rulings::Rulings;
