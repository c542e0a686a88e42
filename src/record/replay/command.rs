//! `lastnim record replay`.

use super::report::{MAX_COLUMNS, ReplayStep, ReplaySteps, end_section, head_section};
use crate::{
    CommandExit, CommandResult, Failure, batch,
    form::stdout_terminal,
    record::transcript::{MatchQuestions, read_questions},
    record_input, screen,
};
use clap::Args;
use lastnim_core::{referee::Record, shown_number::shown_number};
use lastnim_proto::{
    json::MessageJson,
    record::{RecordFlaw, read_until_flaw},
    record_file::read_record,
};
use lastnim_report::Section;
use std::{
    io::{self, BufRead as _, IsTerminal as _, Write as _},
    path::{Path, PathBuf},
};

/// Replays a record take by take with the oracle's view
///
/// Each take shows the piles, the clock, the optimal takes, the winner under optimal play before and after, and the cost of the
/// take. On a terminal it waits for Enter after each take; enter q to quit.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub struct ReplayArgs {
    /// A record as JSON or text; - for standard input
    #[arg(value_name = "FILE|-")]
    file: PathBuf,
    /// Shows what the model said under each row and take, from a transcript or folder; may be repeated
    #[arg(long, value_name = "FILE|DIR", conflicts_with = "json")]
    transcript: Vec<PathBuf>,
    /// Shows only this take, counted from 1
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..), conflicts_with_all = ["from", "to"])]
    take: Option<u32>,
    /// Starts at this take
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    from: Option<u32>,
    /// Ends at this take
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    to: Option<u32>,
    /// Waits for Enter after each take even if the output is not a terminal
    #[arg(long, conflicts_with_all = ["all", "json"])]
    step: bool,
    /// Does not wait, even on a terminal
    #[arg(long)]
    all: bool,
    /// Prints JSON, one line for each take
    #[arg(long)]
    json: bool,
}

const EXAMPLES: &str = "\
Examples:
  lastnim record replay record.json
  lastnim record replay record.json --from 2
  lastnim record replay record.json --take 2 --json
  lastnim record replay record.json --transcript cup.run
  lastnim record get $MATCH | lastnim record replay -

A damaged record is shown up to its first flaw, with exit code 1. This command does not check signatures, but
`lastnim record verify` does. With --transcript, a reason is cut to one line; its label is `unproved` if the record does not
prove it. `lastnim record transcript` shows whole questions and replies.";

/// The maximum width of a model's reason, in terminal columns: the rest of the line after its label.
const MAX_REASON_COLUMNS: usize = 66;

impl ReplayArgs {
    fn shows_take(&self, number: u64) -> bool {
        let from = self.take.or(self.from).map_or(0, u64::from);
        let to = self.take.or(self.to).map_or(u64::MAX, u64::from);
        (from..=to).contains(&number)
    }

    /// Returns whether to wait after each take.
    fn waits_after_take(&self) -> Result<bool, Failure> {
        let piped = self.file == Path::new("-");
        if self.step && piped {
            return Err(Failure::input(
                "--step: the record is read from standard input, so the keyboard cannot be used: name a file instead",
            ));
        }
        let terminal = io::stdin().is_terminal() && io::stdout().is_terminal();
        Ok(self.step || (terminal && !piped && !self.all && !self.json && self.take.is_none()))
    }
}

pub fn run(args: &ReplayArgs) -> CommandResult {
    let waits = args.waits_after_take()?;
    let (record, flaw) = read_record_file(&args.file)?;
    if flaw.is_none() {
        check_takes(args, &record)?;
    }
    let published = match args.transcript.as_slice() {
        [] => MatchQuestions::new(),
        files => read_questions(files, &record)?,
    };
    let damage_failure = |flaw: RecordFlaw| Failure::runtime(flaw, record_input::input_name(&args.file));
    let is_shown = |step: &ReplayStep<'_>| args.shows_take(shown_number(step.ply()));
    let mut shown = ReplaySteps::of_record(&record).filter(is_shown).peekable();
    let mut output = screen::stdout();
    if args.json {
        for step in shown {
            batch::print_json_line(&mut output, &MessageJson::of(&step.to_message(&record)))?;
        }
        return flaw.map_or(Ok(CommandExit::Done), |flaw| Err(damage_failure(flaw)));
    }
    let terminal = stdout_terminal().wrapped_at(MAX_COLUMNS);
    let write = |output: &mut screen::Stdout, section: &Section| {
        output.write_all(terminal.section_text(section).as_bytes()).map_err(Failure::Output)
    };
    let row_questions = published.get(&None).into_iter().flatten();
    let row_questions =
        row_questions.filter_map(|asked| Some((asked.seat(), asked.reason_fact(MAX_REASON_COLUMNS)?)));
    write(&mut output, &head_section(&record, &row_questions.collect::<Vec<_>>()))?;
    if waits && io::stderr().is_terminal() {
        // A write error is ignored: the keys work without the hint.
        let _ = writeln!(screen::stderr(), "\nPress Enter to continue, or enter q to quit.");
    }
    while let Some(step) = shown.next() {
        writeln!(output).map_err(Failure::Output)?;
        let asked = published.get(&Some(step.ply())).into_iter().flatten();
        let reasons = asked.filter_map(|question| question.reason_fact(MAX_REASON_COLUMNS));
        write(&mut output, &step.to_section(&record).facts(reasons))?;
        if waits && shown.peek().is_some() && !wait_for_enter(&mut output)? {
            return Ok(CommandExit::Done);
        }
    }
    if let Some(flaw) = flaw {
        return Err(damage_failure(flaw));
    }
    if args.take.is_none() && args.to.is_none_or(|to| to >= record.state().ply()) {
        writeln!(output).map_err(Failure::Output)?;
        write(&mut output, &end_section(&record))?;
    }
    Ok(CommandExit::Done)
}

fn read_record_file(file: &Path) -> Result<(Record, Option<RecordFlaw>), Failure> {
    let what = record_input::input_name(file);
    let text = record_input::read_single_document(file)?;
    let given = read_record(&text).map_err(|error| Failure::input(format!("{what}: {error}")))?;
    read_until_flaw(&given).map_err(|flaw| Failure::runtime(flaw, what))
}

fn check_takes(args: &ReplayArgs, record: &Record) -> Result<(), Failure> {
    for (flag, given) in [("--take", args.take), ("--from", args.from)] {
        check_take_number(flag, given, record.state().ply())?;
    }
    match (args.from, args.to) {
        (Some(from), Some(to)) if from > to => Err(Failure::input(format!(
            "--from {from} --to {to}: the first take is after the last: exchange them"
        ))),
        _ => Ok(()),
    }
}

/// Refuses the number of a take that the match does not have.
pub fn check_take_number(flag: &str, given: Option<u32>, takes: u32) -> Result<(), Failure> {
    let Some(given) = given.filter(|&given| given > takes) else { return Ok(()) };
    let takes = match takes {
        0 => "no takes".to_owned(),
        1 => "only take 1".to_owned(),
        takes => format!("the takes 1 to {takes}"),
    };
    Err(Failure::input(format!("{flag} {given}: the match has {takes}")))
}

/// Waits for Enter. Returns false if the user entered q or the input has ended.
fn wait_for_enter(output: &mut impl io::Write) -> Result<bool, Failure> {
    output.flush().map_err(Failure::Output)?;
    let mut line = String::new();
    let read = io::stdin().lock().read_line(&mut line);
    let read = read.map_err(|error| Failure::runtime(error, "standard input"))?;
    Ok(read > 0 && !line.trim().eq_ignore_ascii_case("q"))
}
