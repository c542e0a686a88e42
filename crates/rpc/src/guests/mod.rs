//! People who play in a browser, as guests or with the token of a bot: their rights, limits and sessions.

mod bot_hands;
mod guest_hands;
mod hand_session;
mod hand_status;
mod hand_statuses;

pub use bot_hands::{BotHands, HeldSeats};
pub use guest_hands::GuestHands;
pub use hand_status::{HandRefusal, HandStatus};
