//! Guests: who may play in a browser, how much, and the sessions that the server keeps for them.

mod begun_matches;
mod guest_hands;
mod guest_session;
mod hand_status;
mod hand_statuses;

pub use guest_hands::GuestHands;
pub use hand_status::{HandRefusal, HandStatus};
