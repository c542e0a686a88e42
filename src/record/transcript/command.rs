//! `lastnim record transcript`.

use super::{
    folded_text::TextLength,
    match_questions::{MatchQuestions, fetch_published_questions, read_questions},
    publishing::PublishingAction,
    question_report::ShownQuestion,
};
use crate::{
    CommandExit, CommandResult, Failure, batch,
    form::stdout_terminal,
    record::fetch_one_record,
    record::replay::{MAX_COLUMNS, ReplaySteps, check_take_number, end_section, head_section},
    record_input,
    remote::{RemoteServer, ServerArgs},
    runtime, screen,
};
use clap::Args;
use lastnim_core::{game::MatchId, referee::Record, shown_number::shown_number};
use lastnim_proto::{json::message_to_json, record::verify_record, record_file::read_record};
use lastnim_report::Section;
use serde_json::{Value, json};
use std::{
    io::Write as _,
    path::{Path, PathBuf},
};

/// Shows what language models were asked and what they replied, with the position of each take
///
/// For each row and take it shows the prompt, every reply and retry, what the bot did, and whether the record proves these
/// lines, with the oracle's view as in `lastnim record replay`.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES, args_conflicts_with_subcommands = true, subcommand_negates_reqs = true)]
pub struct TranscriptArgs {
    #[command(subcommand)]
    action: Option<PublishingAction>,
    /// The id of a match on the server, or a file with its record; - for standard input
    #[arg(value_name = "MATCH|FILE|-", required = true)]
    of: Option<String>,
    /// A transcript or a folder of them; may be repeated [default: the one published on the server]
    #[arg(long, value_name = "FILE|DIR")]
    transcript: Vec<PathBuf>,
    /// Shows only this take, counted from 1
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    take: Option<u32>,
    /// Shows every text completely instead of its first lines
    #[arg(long)]
    full: bool,
    /// Prints JSON: a line for the rows, then a line for each take, with complete texts
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    server: ServerArgs,
}

const EXAMPLES: &str = "\
Examples:
  lastnim record transcript record.json --transcript m1.transcript.jsonl
  lastnim record transcript $MATCH --transcript cup.run --take 3 --full
  lastnim record transcript record.json --transcript cup.run --json
  lastnim record transcript publish cup.run --server http://127.0.0.1:7600
  lastnim record transcript $MATCH --server http://127.0.0.1:7600

Characters that could control a terminal are escaped, such as \\u001b. This does not check who signed: `lastnim record verify
--transcript` does that.";

pub fn run(args: &TranscriptArgs) -> CommandResult {
    if let Some(action) = &args.action {
        return action.run();
    }
    let record = read_match(args)?;
    let mut questions = match args.transcript.as_slice() {
        [] => read_published_questions(&args.server, &record)?,
        files => read_questions(files, &record)?,
    };
    let steps: Vec<_> = ReplaySteps::of_record(&record).collect();
    check_take_number("--take", args.take, steps.len() as u32)?;
    let only = args.take.map(|number| number - 1);
    if let Some(ply) = only.filter(|&ply| !questions.contains_key(&Some(ply))) {
        let number = shown_number(ply);
        screen::print_note(format_args!("the transcripts have no question about take {number}"));
    }
    let row_questions = questions.remove(&None).unwrap_or_default();
    let mut output = screen::stdout();
    let is_shown = |ply: u32| only.is_none_or(|only| only == ply);
    if args.json {
        if only.is_none() {
            batch::print_json_line(&mut output, &step_json(&record, &Value::Null, &row_questions))?;
        }
        for step in steps.iter().filter(|step| is_shown(step.ply())) {
            let asked = questions.remove(&Some(step.ply())).unwrap_or_default();
            let board = message_to_json(&step.to_message(&record));
            batch::print_json_line(&mut output, &step_json(&record, &board, &asked))?;
        }
        return Ok(CommandExit::Done);
    }
    let length = if args.full { TextLength::Whole } else { TextLength::Cut };
    let terminal = stdout_terminal().wrapped_at(MAX_COLUMNS);
    let add_questions = |section: Section, asked: &[ShownQuestion]| {
        asked.iter().fold(section, |section, question| question.add_to(section, length))
    };
    let mut sections = Vec::new();
    if only.is_none() {
        sections.push(head_section(&record, &[]));
        if !row_questions.is_empty() {
            sections.push(add_questions(Section::with_heading("rows"), &row_questions));
        }
    }
    for step in steps.iter().filter(|step| is_shown(step.ply())) {
        let asked = questions.remove(&Some(step.ply())).unwrap_or_default();
        sections.push(add_questions(step.to_section(&record), &asked));
    }
    if only.is_none() {
        // These questions are from turns that ended without a take, because the seat was lost or the match ended.
        for (ply, asked) in questions {
            let heading = format!("take {}: not made", shown_number(ply.unwrap_or_default()));
            sections.push(add_questions(Section::with_heading(heading), &asked));
        }
        sections.push(end_section(&record));
    }
    let texts: Vec<_> = sections.iter().map(|section| terminal.section_text(section)).collect();
    output.write_all(texts.join("\n").as_bytes()).map_err(Failure::Output)?;
    Ok(CommandExit::Done)
}

/// Reads the record from a file, or from the server if a match is named.
fn read_match(args: &TranscriptArgs) -> Result<Record, Failure> {
    let match_name = args.of.as_deref().unwrap_or_default();
    if let Ok(id) = match_name.parse::<MatchId>() {
        let mut fetched = None;
        runtime::run_on_runtime(Some(1), async {
            let remote = RemoteServer::connect(&args.server).await?;
            fetched = Some(fetch_one_record(&remote, id).await?.into_record());
            Ok(CommandExit::Done)
        })?;
        return fetched.ok_or_else(|| Failure::input(format!("match {id}: the server has no record")));
    }
    let file = Path::new(match_name);
    let what = record_input::input_name(file);
    let text = record_input::read_single_document(file)?;
    let given = read_record(&text).map_err(|error| Failure::input(format!("{what}: {error}")))?;
    Ok(verify_record(&given).map_err(|flaw| Failure::runtime(flaw, what))?.into_record())
}

/// Reads the questions of a match that were published on a server.
fn read_published_questions(server: &ServerArgs, record: &Record) -> Result<MatchQuestions, Failure> {
    let id = record.id();
    let mut found = MatchQuestions::new();
    runtime::run_on_runtime(Some(1), async {
        let remote = RemoteServer::connect(server).await?;
        found = fetch_published_questions(&remote, id, Some(record)).await?;
        Ok(CommandExit::Done)
    })?;
    if found.is_empty() {
        return Err(Failure::input(format!(
            "no transcript of match {id} was published on the server: name a file with --transcript"
        )));
    }
    Ok(found)
}

fn step_json(record: &Record, board: &Value, asked: &[ShownQuestion]) -> Value {
    let asked: Vec<_> = asked.iter().map(ShownQuestion::to_json).collect();
    json!({ "match_id": record.id().to_string(), "replay": board, "questions": asked })
}
