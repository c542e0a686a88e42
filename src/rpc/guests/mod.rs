//! Guests: who may play in a browser, how much, and the sessions that the server keeps for them.

mod begun_matches;
mod guest_hands;
mod guest_session;
mod hand_news;

pub use guest_hands::GuestHands;
pub use hand_news::{HandNews, HandRefusal};
