//! Playing a hand in the browser: a visitor takes a seat against house bots, as a guest that the server makes, or the seats of a bot whose token it holds.
//!
//! A guest is whoever has the cookie of these pages, and nothing else is kept of it. The session of either is one like a bot's, which the server keeps
//! ([`GuestHands`](lastnim_rpc::GuestHands), [`BotHands`](lastnim_rpc::BotHands)); what stands on a page comes from the record of the match, as on any other.

mod actions;
mod bot_seats;
mod bot_tournaments;
mod clock_words;
mod hand;
mod hand_page;
mod new_hand_page;
mod opponents;
mod play_pages;
mod player;
mod typed_hand;
mod typed_row;
mod verdict;

pub(super) use play_pages::{show_bot_play_page, show_play_page, take_bot_play_form, take_play_form};
