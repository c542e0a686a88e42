//! The flags of `lastnim oracle sequence`, and what answers them.

use crate::{
    CommandExit, CommandResult, Failure,
    args::limits::{self, LimitArgs},
    form::{CsvArgs, FormArgs},
    text::numbers,
};
use clap::Args;
use lastnim_analysis::general::{GrundySequence, Ruleset, SequenceGame, SequenceGameError};
use lastnim_proto::{grundy_sequence::check_listed_size, pb};
use lastnim_report::grundy_sequence::sequence_report;

/// Lists the outcomes and Grundy values of a game by the size of its piles, with their period where one is proved
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub struct SequenceArgs {
    /// The game: nim, fibonacci-nim, kayles, subtraction, digits or stone-piles
    #[arg(long, value_name = "NAME")]
    game: Ruleset,
    /// The largest pile, at most 100,000
    #[arg(long, default_value_t = 40, value_name = "N")]
    to: u32,
    /// What may be taken from a pile of subtraction
    #[arg(long, value_name = "N,N,..")]
    set: Option<String>,
    /// The most that may be taken from a pile of subtraction, and any less: bounded Nim, in place of --set
    #[arg(long, value_name = "N", conflicts_with = "set")]
    max: Option<u64>,
    #[command(flatten)]
    limits: LimitArgs,
    #[command(flatten)]
    csv: CsvArgs,
    #[command(flatten)]
    form: FormArgs,
}

const EXAMPLES: &str = "Examples:
  lastnim oracle sequence --game kayles --to 100
  lastnim oracle sequence --game subtraction --set 1,3,4
  lastnim oracle sequence --game subtraction --max 3 --json
  lastnim oracle sequence --game kayles --to 100000 --csv > kayles.csv

Two seats each want to win, and the last mover does. A pile is P (the seat that is not to move wins) if its Grundy value is 0, and N (the seat to
move wins) otherwise; a position of several piles has the nim-sum of their values. A period is claimed only if it is proved. For kayles it is by
the theorem of Guy and Smith on octal games: if the values repeat after p sizes for all sizes from s to 2s + p + 1, they do for ever. For
subtraction a row of as many values as its largest number that comes again is enough. For digits, stone-piles and fibonacci-nim no number of values is
known to prove anything of the others.";

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
    let sequence = sequence
        .map_err(|stopped| Failure::input(format!("{name} to {to}: {}", args.limits.limit_met(stopped))))?;
    let listed = pb::ListGrundyValuesResponse::from(&sequence);
    args.csv.print_message_report(args.form.form(), &listed, || sequence_report(&listed))?;
    Ok(CommandExit::Done)
}
