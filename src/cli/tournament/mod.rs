//! `lastnim tournament`: the tournaments of a server, and those of a file.

mod command;

pub use command::{TournamentArgs, run};
