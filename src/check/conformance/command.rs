//! `lastnim check conformance`.

use super::{
    program_launcher::ProgramLauncher,
    report::{check_list_report, checks_json, outcome_report, outcomes_json},
};
use crate::{
    CommandExit, CommandResult, Failure, OwnCommand, args::time::duration_parser, form::FormatArgs,
    program_variables::PassedVariableArgs, progress::bar_style, runner::ProgramCommand, runtime,
};
use indicatif::ProgressBar;
use lastnim_conformance::{CHECKS, Check, CheckOutcome, CheckVerdict, Suite, find_check};
use lastnim_core::game::find_closest_word;
use std::{sync::Arc, time::Duration};

/// Checks that a bot's program follows the protocol
///
/// Each check starts the program with `LASTNIM_SERVER`, `LASTNIM_TOKEN` and `LASTNIM_TOURNAMENT` in its environment against a
/// scripted server on a free port of 127.0.0.1. A failed check says what was sent, what was expected, what was
/// received, and why it matters.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct ConformanceArgs {
    /// The bot's program and its arguments; `lastnim` means this program
    #[arg(value_name = "COMMAND", last = true, required_unless_present = "list")]
    command: Vec<String>,
    /// Runs only these checks; repeat it or separate names by commas
    #[arg(long, value_name = "NAME", value_delimiter = ',', value_parser = parse_check)]
    only: Vec<&'static Check>,
    /// Lists the checks without running them
    #[arg(long)]
    list: bool,
    /// How long the bot may take to connect, to answer, and to exit, 1s to 10m
    #[arg(long, value_name = "DURATION", default_value = "10s", value_parser = duration_parser(Duration::from_secs(1)..=Duration::from_mins(10)))]
    patience: Duration,
    /// The number of checks to run at the same time, each with its own bot process, 1 to 64
    #[arg(long, value_name = "N", default_value_t = 8, value_parser = clap::value_parser!(u64).range(1..=64))]
    jobs: u64,
    #[command(flatten)]
    passed: PassedVariableArgs,
    #[command(flatten)]
    form: FormatArgs,
}

const EXAMPLES: &str = "\
Examples:
  lastnim check conformance -- python3 mine.py
  lastnim check conformance --only seats,large-piles -- ./mine
  lastnim check conformance --json -- lastnim bot run greedy
  lastnim check conformance --list

Exit codes: 0 if every check passes, 1 if one fails, 2 for bad usage or an unknown program.";

/// Reads the name of a check.
fn parse_check(word: &str) -> Result<&'static Check, String> {
    find_check(word).ok_or_else(|| {
        let names: Vec<_> = CHECKS.iter().map(|check| check.name).collect();
        match find_closest_word(word, names.iter().copied()) {
            Some(meant) => format!("no check has this name; did you mean {meant}?"),
            None => format!("no check has this name; expected one of {}", names.join(", ")),
        }
    })
}

pub fn run(args: &ConformanceArgs, own: &OwnCommand) -> CommandResult {
    let form = args.form.form();
    let chosen =
        |check: &&Check| args.only.is_empty() || args.only.iter().any(|only| only.name == check.name);
    let checks: Vec<&'static Check> = CHECKS.iter().filter(chosen).collect();
    if args.list {
        form.print_report(|| checks_json(&checks), || check_list_report(&checks))?;
        return Ok(CommandExit::Done);
    }
    let program = ProgramCommand::find(&args.command, args.passed.variables(), own)?;
    let suite = Suite {
        launcher: Arc::new(ProgramLauncher(program)),
        patience: args.patience,
        jobs: args.jobs as usize,
    };
    runtime::run_on_runtime(None, async {
        let outcomes = tokio::select! {
            outcomes = run_suite(&suite, &checks) => outcomes,
            () = runtime::wait_for_interrupt() => {
                return Err(Failure::Runtime(anyhow::anyhow!("interrupted before all checks were done")));
            }
        };
        form.print_report(|| outcomes_json(&args.command, &outcomes), || outcome_report(&outcomes))?;
        let failed =
            outcomes.iter().filter(|outcome| matches!(outcome.verdict, CheckVerdict::Failed(_))).count();
        match failed {
            0 => Ok(CommandExit::Done),
            _ => Err(Failure::Runtime(anyhow::anyhow!("{failed} of {} checks failed", outcomes.len()))),
        }
    })
}

async fn run_suite(suite: &Suite, checks: &[&'static Check]) -> Vec<CheckOutcome> {
    // The bar is shown only on a terminal.
    let bar =
        ProgressBar::new(checks.len() as u64).with_style(bar_style("{bar:32} {pos}/{len} checks {msg}"));
    let outcomes = suite
        .run(checks, |outcome| {
            bar.inc(1);
            bar.set_message(outcome.check.name);
        })
        .await;
    bar.finish_and_clear();
    outcomes
}
