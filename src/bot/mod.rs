//! `lastnim bot`: registers bots, and runs house bots and language models.

mod kind;
mod llm;
mod registry;
mod run;
mod unknown_bot;

pub use unknown_bot::bot_refusal_failure;

use crate::CommandResult;
use clap::{Args, Subcommand};

/// Registers, lists and removes bots, and runs house bots and language models
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  TOKEN=$(lastnim bot register alice)
  lastnim bot run oracle --token $TOKEN --tournament $ID
  lastnim bot show alice
  lastnim bot rotate alice")]
pub struct BotArgs {
    #[command(subcommand)]
    command: BotCommand,
}

#[derive(Debug, Subcommand)]
enum BotCommand {
    Register(registry::RegisterArgs),
    List(registry::ListArgs),
    Show(registry::ShowArgs),
    Rotate(registry::RotateArgs),
    Remove(registry::RemoveArgs),
    Run(run::RunArgs),
}

pub fn run(args: BotArgs) -> CommandResult {
    match args.command {
        BotCommand::Register(args) => registry::register_bot(&args),
        BotCommand::List(args) => registry::list_bots(args),
        BotCommand::Show(args) => registry::show_bot(args),
        BotCommand::Rotate(args) => registry::rotate_token(&args),
        BotCommand::Remove(args) => registry::remove_bot(args),
        BotCommand::Run(args) => run::run(args),
    }
}
