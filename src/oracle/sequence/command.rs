//! `lastnim oracle sequence`.

use crate::{
    CommandExit, CommandResult, Failure,
    args::limits::{self, LimitArgs},
    form::{CsvArgs, FormatArgs},
    text::numbers,
};
use clap::Args;
use lastnim_analysis::general::{GrundySequence, Ruleset, SequenceGame, SequenceGameError};
use lastnim_proto::{grundy_sequence::check_listed_size, pb};
use lastnim_report::grundy_sequence::sequence_report;

/// Lists the outcomes and Grundy values of a game by pile size, with a proved period
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub struct SequenceArgs {
    /// The game: nim, fibonacci-nim, kayles, subtraction, digits or stone-piles
    #[arg(long, value_name = "NAME")]
    game: Ruleset,
    /// The largest pile, at most 100,000
    #[arg(long, default_value_t = 40, value_name = "N")]
    to: u32,
    /// subtraction: the numbers that may be taken
    #[arg(long, value_name = "N,N,..")]
    set: Option<String>,
    /// subtraction: the largest number that may be taken, instead of --set (bounded Nim)
    #[arg(long, value_name = "N", conflicts_with = "set")]
    max: Option<u64>,
    #[command(flatten)]
    limits: LimitArgs,
    #[command(flatten)]
    csv: CsvArgs,
    #[command(flatten)]
    form: FormatArgs,
}

const EXAMPLES: &str = "Examples:
  lastnim oracle sequence --game kayles --to 100
  lastnim oracle sequence --game subtraction --set 1,3,4
  lastnim oracle sequence --game subtraction --max 3 --json
  lastnim oracle sequence --game kayles --to 100000 --csv > kayles.csv

Two seats each want to win, and the last mover wins. A pile is P (the previous mover wins) if its Grundy value is 0, and N
(the next mover wins) otherwise. docs/reference/games.md says when a period is proved.";

pub fn run(args: &SequenceArgs) -> CommandResult {
    let set = numbers::read_numbers(args.set.as_deref().unwrap_or_default(), "set")?;
    let game = SequenceGame::parse(args.game, &set, args.max).map_err(|error| {
        Failure::input(match &error {
            SequenceGameError::Numbers(error) => {
                limits::describe_number_error(error, |name| format!("--{name}"))
            }
            SequenceGameError::NoSequence { .. } => error.to_string(),
        })
    })?;
    let to = check_listed_size(args.to).map_err(|error| Failure::input(format!("--to: {error}")))?;
    let name = game.to_string();
    let sequence =
        args.limits.run_within_limits(|bounds, budget| GrundySequence::compute(game, to, bounds, budget));
    let sequence = sequence.map_err(|stopped| {
        Failure::input(format!("{name} to {to}: {}", args.limits.describe_exceeded_limit(stopped)))
    })?;
    let listed = pb::ListGrundyValuesResponse::from(&sequence);
    args.csv.print_message_report(args.form.form(), &listed, || sequence_report(&listed))?;
    Ok(CommandExit::Done)
}
