//! How robust the winner under optimal play is, in two separate senses.
//!
//! - **Robust to spite**: the rank that a seat can guarantee itself when others stop playing for their own rows and
//!   play against it ([`Robustness`]). The winner under optimal play is an equilibrium outcome, not a forced win.
//! - **Robust to error**: the outcome when some takes are random ([`ErrorOutlook`]).

mod coalition_search;
mod error_outlook;
mod error_rate;
mod seat_robustness;

pub use coalition_search::{Coalition, SmallestCoalition};
pub(crate) use error_outlook::rank_as_number;
pub use error_outlook::{ErrorOutlook, ErrorOutlookError, MAX_ERRING_COUNTERS, SeatErrorOutlook};
pub use error_rate::{ErrorRate, ErrorRateError};
pub use seat_robustness::{Robustness, SeatRobustness};
pub(crate) use seat_robustness::{coalition_matrix, search_coalitions};
