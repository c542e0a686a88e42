//! How safe the winner under optimal play is, in two readings that are kept apart.
//!
//! - **Robust to spite**: what a seat is sure of when others stop playing for their own rows and play against it
//!   ([`Robustness`], [`GuaranteedRanks`]). The winner under optimal play is an equilibrium outcome, no forced win.
//! - **Robust to error**: what becomes of the seats when takes are made at random now and then ([`ErrorOutlook`]).

mod coalition_search;
mod error_outlook;
mod error_rate;
mod guaranteed_ranks;
mod seat_robustness;
mod take_guarantee;
mod take_safety;

pub use coalition_search::{Coalition, SmallestCoalition};
pub use error_outlook::{ErrorOutlook, ErrorOutlookError, MAX_ERRING_COUNTERS, SeatErrorOutlook};
pub use error_rate::{ErrorRate, ErrorRateError};
pub use guaranteed_ranks::GuaranteedRanks;
pub use seat_robustness::{Robustness, SeatRobustness};
pub use take_guarantee::{TakeGuarantee, TakeSafetyCounts};
pub use take_safety::{TakeRobustness, TakeSafety};
