//! `lastnim audit models`, which measures language models by their transcripts and records.

use super::{RecordsArgs, count_records, exit_of_refusals};
use crate::{
    CommandResult, Failure,
    form::{CsvArgs, FormatArgs},
    transcript_files::list_transcripts,
};
use clap::Args;
use lastnim_auditing::AuditSubject;
use lastnim_client::text_input::TextInput;
use lastnim_llm::{AskedQuestions, ModelMeasurer};
use lastnim_proto::json::message_to_json;
use lastnim_report::model_report::model_report;
use std::{
    io::BufReader,
    path::{Path, PathBuf},
};

/// Measures how language models kept to the rules, how they played and what they cost
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  lastnim audit models --transcript cup.run --tournament $ID
  lastnim audit models --transcript m1.transcript.jsonl --csv records

A match counts only if its record proves its transcript. docs/how-to/use-language-models.md explains the figures.")]
pub struct ModelAuditArgs {
    /// A transcript, or a folder of transcripts; may be given several times
    #[arg(long = "transcript", value_name = "FILE|DIR", required = true)]
    transcripts: Vec<PathBuf>,
    #[command(flatten)]
    records: RecordsArgs,
    #[command(flatten)]
    csv: CsvArgs,
    #[command(flatten)]
    form: FormatArgs,
}

pub fn run(args: &ModelAuditArgs) -> CommandResult {
    let measurer = ModelMeasurer::new(read_questions(&args.transcripts)?, args.records.seed);
    let (measurer, read) = count_records(measurer, &AuditSubject::Field, None, &args.records)?;
    if measurer.match_count() == 0 {
        let what = "none of the records that count belongs to a match in the transcripts";
        return Err(Failure::Runtime(anyhow::Error::msg(format!("{what}. {}", read.sentences().join(" ")))));
    }
    let found = measurer.into_report();
    let json = || {
        let mut report = message_to_json(&found);
        report["records"] = read.json();
        report
    };
    args.csv.print_report(args.form.form(), json, || model_report(&found, read.sentences()))?;
    Ok(exit_of_refusals(&read))
}

/// Reads questions and answers from transcript files, and from folders of transcript files.
pub fn read_questions(given: &[PathBuf]) -> Result<AskedQuestions, Failure> {
    let mut asked = AskedQuestions::default();
    for file in list_transcripts(given)? {
        read_transcript_file(&mut asked, &file)?;
    }
    Ok(asked)
}

fn read_transcript_file(asked: &mut AskedQuestions, file: &Path) -> Result<(), Failure> {
    let name = file.display().to_string();
    let read = TextInput::open(file).and_then(|opened| asked.read_file(&name, BufReader::new(opened)));
    read.map_err(|error| Failure::runtime(error, name))
}
