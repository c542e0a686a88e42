//! `lastnim serve`: a server for bots.

mod command;
mod config_file;
mod flags;
mod former_key;
mod hand_over;
mod listening;
mod opening;
mod recovering_server;
mod settings;
mod standby;

pub use command::{ServeArgs, run};
pub use config_file::apply_config_text;
pub use settings::ServeSettings;
