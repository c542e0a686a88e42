//! Playing in the browser: a visitor plays a game against house bots as a guest, or takes the seats of a bot with its
//! token.
//!
//! A guest is known only by the cookie of these pages. Guests and bots have sessions that the server keeps
//! ([`GuestGames`](lastnim_rpc::GuestGames), [`BotGames`](lastnim_rpc::BotGames)); the content of a page comes from the
//! record of the match.

mod actions;
mod bot_seats;
mod bot_tournaments;
mod game;
mod game_input;
mod game_page;
mod new_game_page;
mod opponents;
mod play_pages;
mod player;
mod typed_row;
mod verdict;

pub(super) use play_pages::{handle_bot_play_form, handle_play_form, show_bot_play_page, show_play_page};
