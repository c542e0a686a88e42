//! `lastnim serve`: a server for bots.

mod command;
mod config_file;
mod flags;
mod former_key;
mod opening;
mod settings;

pub use command::{ServeArgs, run};
