//! `lastnim check`: tests and measures a bot's program. Each subcommand has its own folder.

mod benchmark;
mod conformance;

pub use benchmark::RECORDS_FILE;

use crate::{CommandResult, OwnCommand};
use clap::{Args, Subcommand};

/// Tests a bot's program, and measures how well it plays
#[derive(Debug, Args)]
pub struct CheckArgs {
    #[command(subcommand)]
    command: CheckCommand,
}

#[derive(Debug, Subcommand)]
enum CheckCommand {
    Conformance(conformance::ConformanceArgs),
    Benchmark(benchmark::BenchmarkArgs),
}

pub fn run(args: &CheckArgs, own: &OwnCommand) -> CommandResult {
    match &args.command {
        CheckCommand::Conformance(args) => conformance::run(args, own),
        CheckCommand::Benchmark(args) => benchmark::run(args, own),
    }
}
