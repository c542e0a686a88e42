//! Serves people who play in a browser, as guests or with the token of a bot: their rights, limits and sessions.

mod bot_games;
mod game_session;
mod game_status;
mod game_statuses;
mod guest_games;
mod guest_places;

pub use bot_games::BotGames;
pub use game_status::{GameRefusal, GameStatus};
pub use guest_games::GuestGames;
pub use guest_places::GuestLimits;
