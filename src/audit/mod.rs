//! `lastnim audit`: compares played matches with the oracle. Each subcommand has its own file or folder.

mod bot_audit;
mod history;
mod match_audit;
mod match_input;
mod rationalise;

pub use bot_audit::{list_files, models::read_questions};
pub use match_input::audit_record_as_json;

use crate::CommandResult;
use clap::{Args, Subcommand};

/// Compares played matches with optimal play
#[derive(Debug, Args)]
pub struct AuditArgs {
    #[command(subcommand)]
    command: AuditCommand,
}

#[derive(Debug, Subcommand)]
enum AuditCommand {
    Match(match_audit::MatchAuditArgs),
    Bot(bot_audit::BotAuditArgs),
    Field(bot_audit::FieldAuditArgs),
    Models(bot_audit::models::ModelAuditArgs),
    Rationalise(rationalise::RationaliseArgs),
    History(history::HistoryArgs),
}

pub fn run(args: &AuditArgs) -> CommandResult {
    match &args.command {
        AuditCommand::Match(args) => match_audit::run(args),
        AuditCommand::Bot(args) => bot_audit::audit_bot(args),
        AuditCommand::Field(args) => bot_audit::audit_field(args),
        AuditCommand::Models(args) => bot_audit::models::run(args),
        AuditCommand::Rationalise(args) => rationalise::run(args),
        AuditCommand::History(args) => history::run(args),
    }
}
