//! `lastnim record`: the signed records of matches. Each subcommand has its own file or folder here.

mod export;
mod fetch;
mod format_args;
pub mod key;
pub mod replay;
pub mod standings;
mod tables;
pub mod transcript;
pub mod verify;

pub use fetch::fetch_one_record;
pub use tables::ExportedMatch;
pub use verify::{RecordLayout, verify_document_as_json};

use crate::CommandResult;
use clap::{Args, Subcommand};

/// Fetches, verifies, replays and exports the signed records of matches
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  lastnim record get $MATCH | lastnim record verify -
  lastnim record list --tournament $ID
  lastnim record export --tournament $ID --dir records")]
pub struct RecordArgs {
    #[command(subcommand)]
    command: RecordCommand,
}

#[derive(Debug, Subcommand)]
enum RecordCommand {
    Get(fetch::GetArgs),
    List(fetch::ListArgs),
    Export(export::ExportArgs),
    Verify(verify::VerifyArgs),
    Replay(replay::ReplayArgs),
    Transcript(transcript::TranscriptArgs),
    Standings(standings::StandingsArgs),
    Tables(tables::TablesArgs),
    Key(key::KeyArgs),
}

pub fn run(args: &RecordArgs) -> CommandResult {
    match &args.command {
        RecordCommand::Get(args) => fetch::get_record(args),
        RecordCommand::List(args) => fetch::list_records(args),
        RecordCommand::Export(args) => export::run(args),
        RecordCommand::Verify(args) => verify::run(args),
        RecordCommand::Replay(args) => replay::run(args),
        RecordCommand::Transcript(args) => transcript::run(args),
        RecordCommand::Standings(args) => standings::run(args),
        RecordCommand::Tables(args) => tables::run(args),
        RecordCommand::Key(args) => key::run(args),
    }
}
