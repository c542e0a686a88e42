//! `lastnim check benchmark`: plays a bot on a frozen set of positions, and signs a card with its losses.
//!
//! The set, its scores and the card are in `lastnim_benchmark`. `player` is the bot, `benchmark_run` plays its matches,
//! and `run_folder` keeps an interrupted run; `model_tally` counts the failures of a language model.

mod benchmark_run;
mod command;
mod model_tally;
mod player;
mod run_folder;

pub use command::{BenchmarkArgs, run};
pub use run_folder::RECORDS_FILE;
