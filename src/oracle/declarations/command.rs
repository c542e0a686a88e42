//! `lastnim oracle declarations`.

use super::report;
use crate::{
    CommandExit, CommandResult, Failure,
    args::{game::GameArgs, row_output::RowOutputArgs},
};
use clap::{Args, Subcommand};
use lastnim_analysis::{BestDeclaration, Equilibria};
use lastnim_proto::{
    declaration::{self, best_declaration_message},
    json::MessageJson,
};

/// Finds the rows that seats should declare
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub struct DeclarationsArgs {
    #[command(subcommand)]
    question: DeclarationQuestion,
}

#[derive(Debug, Subcommand)]
enum DeclarationQuestion {
    Best(BestArgs),
    Equilibria(EquilibriaArgs),
}

/// Finds the best rows of a seat, given the rows of the others
#[derive(Debug, Args)]
struct BestArgs {
    #[command(flatten)]
    game: GameArgs,
    /// The seat that declares [default: every seat in turn]
    #[arg(long, value_name = "SEAT")]
    seat: Option<usize>,
    #[command(flatten)]
    shown: RowOutputArgs,
}

/// Finds the pure Nash equilibria of declarations, and whether the truth is one
#[derive(Debug, Args)]
struct EquilibriaArgs {
    #[command(flatten)]
    game: GameArgs,
    #[command(flatten)]
    shown: RowOutputArgs,
}

const EXAMPLES: &str = "\
Examples:
  lastnim oracle declarations best --piles 1,2,2 --matrix '0 2 1; 0 1 2; 0 2 1' --seat 1
  lastnim oracle declarations equilibria --piles 1,2,2 --matrix '0 2 1; 0 1 2; 0 2 1'

The matrix is what the seats truly prefer. Play is optimal for the declared rows, and each seat judges the winner by its
true row. Rank 0 is the best. In JSON counts are strings, because some are too large for an exact number.";

pub fn run(args: &DeclarationsArgs) -> CommandResult {
    match &args.question {
        DeclarationQuestion::Best(args) => find_best(args),
        DeclarationQuestion::Equilibria(args) => find_equilibria(args),
    }
}

fn find_best(args: &BestArgs) -> CommandResult {
    let game = args.game.parse_game()?;
    let seats = game.matrix.seats();
    let asked = match args.seat {
        Some(seat) => vec![seats.seat(seat).map_err(|error| Failure::input(format!("--seat: {error}")))?],
        None => seats.iter().collect(),
    };
    let found: Vec<_> = args.shown.time.run_within_limit(|budget| {
        asked.into_iter().map(|seat| BestDeclaration::find(&game, seat, budget)).collect()
    });
    for found in &found {
        args.shown.form().print_report(
            || MessageJson::of(&best_declaration_message(found, &game, args.shown.row_set_limits())),
            || report::best_report(&game, found, args.shown.examples),
        )?;
    }
    Ok(CommandExit::Done)
}

fn find_equilibria(args: &EquilibriaArgs) -> CommandResult {
    let game = args.game.parse_game()?;
    let found = args.shown.time.run_within_limit(|budget| Equilibria::find(&game, budget));
    let found = found.map_err(Failure::input)?;
    args.shown.form().print_report(
        || MessageJson::of(&declaration::equilibria_message(&found, &game, args.shown.examples)),
        || report::equilibria_report(&game, &found, args.shown.examples),
    )?;
    Ok(CommandExit::Done)
}
