//! Actions that organisers take on running tournaments: the events, and the rulings that follow from them.

mod event;
mod reason;
mod rulings;

pub use event::{DisqualifiedResults, OpenMatches, TournamentEvent, VoidedMatch};
pub use reason::{Reason, ReasonError};
pub use rulings::Rulings;
