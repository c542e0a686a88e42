//! `lastnim audit --transcript`: language models held against the rules, against optimal play and against what they cost.

use super::{BotAuditArgs, count_records};
use crate::{
    CommandExit, CommandResult, Failure,
    form::{CsvArgs, OutputForm},
    remote::ServerArgs,
    transcript_files::list_transcripts,
};
use lastnim_auditing::AuditSubject;
use lastnim_llm::{AskedQuestions, ModelMeasurer};
use lastnim_proto::json::message_to_json;
use lastnim_report::model_report::model_report;
use std::{
    fs::File,
    io::BufReader,
    path::{Path, PathBuf},
};

/// Measures the models of transcripts over the matches of files, or of the server where no file is named.
pub fn run(
    args: &BotAuditArgs,
    files: &[PathBuf],
    server: &ServerArgs,
    csv: CsvArgs,
    form: OutputForm,
) -> CommandResult {
    let measurer = ModelMeasurer::new(read_questions(&args.transcripts)?, args.interval_seed());
    let (measurer, read) = count_records(measurer, &AuditSubject::Field, args, files, server)?;
    if measurer.counted_matches() == 0 {
        let what = "no record that counts is of a match of the transcripts";
        return Err(Failure::Runtime(anyhow::Error::msg(format!("{what}: {}", read.sentences().join(" ")))));
    }
    let found = measurer.into_report();
    let json = || {
        let mut report = message_to_json(&found);
        report["records"] = read.json();
        report
    };
    csv.print_report(form, json, || model_report(&found, read.sentences()))?;
    Ok(if read.refused_count() == 0 { CommandExit::Done } else { CommandExit::SomeRefused })
}

/// Reads what was asked and answered in transcripts, files and folders of them.
pub fn read_questions(given: &[PathBuf]) -> Result<AskedQuestions, Failure> {
    let mut asked = AskedQuestions::default();
    for file in list_transcripts(given)? {
        read_transcript_file(&mut asked, &file)?;
    }
    Ok(asked)
}

fn read_transcript_file(asked: &mut AskedQuestions, file: &Path) -> Result<(), Failure> {
    let name = file.display().to_string();
    let read = File::open(file).and_then(|opened| asked.read_file(&name, BufReader::new(opened)));
    read.map_err(|error| Failure::runtime(error, name))
}
