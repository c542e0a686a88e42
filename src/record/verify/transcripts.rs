//! Compares the transcripts of language models with the records of their matches.

use crate::Failure;
use lastnim_client::text_input::TextInput;
use lastnim_core::{referee::Record, shown_number::shown_number};
use lastnim_llm::{TranscriptQuestions, TranscriptVerdict, UnprovedAnswer};
use lastnim_report::words::count_with_noun;
use serde_json::{Value, json};
use std::{
    io::{self, BufReader, Write},
    path::PathBuf,
};

/// The maximum number of unproved answers shown for a record; further ones are only counted.
const MAX_SHOWN_ANSWERS: usize = 20;

/// The transcripts that records are compared with.
#[derive(Debug)]
pub struct GivenTranscripts {
    questions: TranscriptQuestions,
    /// The number of records with questions in the transcripts.
    matches: u64,
    /// The number of records with an answer that the transcripts do not prove.
    unproved: u64,
}

impl GivenTranscripts {
    /// Reads the transcripts; `None` if no file is given.
    pub fn read(files: &[PathBuf]) -> Result<Option<Self>, Failure> {
        if files.is_empty() {
            return Ok(None);
        }
        let mut questions = TranscriptQuestions::default();
        for file in files {
            let read = TextInput::open(file).and_then(|opened| questions.read_lines(BufReader::new(opened)));
            read.map_err(|error| Failure::runtime(error, file.display()))?;
        }
        Ok(Some(Self { questions, matches: 0, unproved: 0 }))
    }

    /// Compares a record with the transcripts; `None` if they have no question from its match.
    pub fn compare_with(&mut self, record: &Record) -> Option<TranscriptVerdict> {
        let verdict = self.questions.compare_with(record)?;
        self.matches += 1;
        self.unproved += u64::from(!verdict.unproved.is_empty());
        Some(verdict)
    }

    /// Returns a failure if the transcripts do not prove every answer in the compared records, or if no record was
    /// compared. Call this after the last record.
    pub fn failure(&self) -> Option<Failure> {
        let unread = match self.questions.unread_line_count() {
            0 => String::new(),
            lines => {
                format!("; {} of the transcripts cannot be read", count_with_noun(lines, "line", "lines"))
            }
        };
        let wrong = match (self.matches, self.unproved) {
            (0, _) => "the transcripts have no question from these matches".to_owned(),
            (_, 0) => return None,
            (matches, unproved) => {
                let records = count_with_noun(matches, "record", "records");
                format!("the transcripts do not prove all answers in {unproved} of {records}")
            }
        };
        Some(Failure::Runtime(anyhow::anyhow!("{wrong}{unread}")))
    }
}

/// Writes what transcripts prove about a record, in lines below the record's line.
pub fn write_transcript_verdict(
    verdict: Option<&TranscriptVerdict>,
    output: &mut impl Write,
) -> io::Result<()> {
    let Some(TranscriptVerdict { proved, unproved }) = verdict else {
        return writeln!(output, "  transcript: no questions from this match");
    };
    let all = count_with_noun(proved + unproved.len() as u64, "answer", "answers");
    writeln!(output, "  transcript: {proved} of {all} proved")?;
    for UnprovedAnswer { seat, ply, why } in unproved.iter().take(MAX_SHOWN_ANSWERS) {
        let place = ply.map_or_else(|| "row".to_owned(), |ply| format!("take {}", shown_number(ply)));
        writeln!(output, "  seat {seat}, {place}: {}", why.words())?;
    }
    match unproved.len().saturating_sub(MAX_SHOWN_ANSWERS) {
        0 => Ok(()),
        more => writeln!(output, "  and {more} more"),
    }
}

/// Creates the JSON of what transcripts prove about a record; null if they have no question from its match.
pub fn transcript_verdict_json(verdict: Option<&TranscriptVerdict>) -> Value {
    let Some(TranscriptVerdict { proved, unproved }) = verdict else { return Value::Null };
    let unproved: Vec<_> = unproved
        .iter()
        .map(|answer| json!({ "seat": answer.seat.index(), "ply": answer.ply, "why": answer.why.as_str() }))
        .collect();
    json!({ "proved": proved, "unproved": unproved })
}
