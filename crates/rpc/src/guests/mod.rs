//! People who play in a browser: guests, and whoever holds the token of a bot. Who may play, how much, and the sessions that the server keeps for them.

mod bot_hands;
mod guest_hands;
mod hand_session;
mod hand_status;
mod hand_statuses;

pub use bot_hands::{BotHands, HeldSeats};
pub use guest_hands::GuestHands;
pub use hand_status::{HandRefusal, HandStatus};
