//! `lastnim tournament`: the tournaments of a server, and those of a file.

mod command;
mod intervention;

pub use command::{TournamentArgs, run};
