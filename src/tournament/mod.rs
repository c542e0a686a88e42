//! `lastnim tournament`: the tournaments of a server, and those of a file.

mod command;
mod intervention;
mod manifest;
mod named;
mod watch;

pub use command::{TournamentArgs, run};
