//! `lastnim oracle`: answers questions about positions exactly. Each subcommand has its own folder.

mod dataset;
mod deals;
mod declarations;
mod sequence;
mod solve;
mod tree;

pub use solve::RulesetArgs;

use crate::CommandResult;
use clap::{Args, Subcommand};

/// Answers exact questions about positions: solve, tree, declarations and more
#[derive(Debug, Args)]
pub struct OracleArgs {
    #[command(subcommand)]
    command: OracleCommand,
}

#[derive(Debug, Subcommand)]
enum OracleCommand {
    Solve(solve::SolveArgs),
    Tree(tree::TreeArgs),
    Declarations(declarations::DeclarationsArgs),
    Deals(deals::DealsArgs),
    Sequence(sequence::SequenceArgs),
    Dataset(dataset::DatasetArgs),
}

pub fn run(args: &OracleArgs) -> CommandResult {
    match &args.command {
        OracleCommand::Solve(args) => solve::run(args),
        OracleCommand::Tree(args) => tree::run(args),
        OracleCommand::Declarations(args) => declarations::run(args),
        OracleCommand::Deals(args) => deals::run(args),
        OracleCommand::Sequence(args) => sequence::run(args),
        OracleCommand::Dataset(args) => dataset::run(args),
    }
}
