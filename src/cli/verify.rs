//! `lastnim verify`: whether records are whole, and who signed them.

use crate::{
    cli::{
        CommandExit, CommandResult, Failure, batch,
        record_input::{self, RecordDocument, RecordDocuments},
    },
    referee::PublicKey,
    wire::{
        record::{RecordFlaw, RecordJsonError, SealedRecord, verify_record},
        record_file::{LayoutDifference, RecordFileError, layout_difference, read_record},
    },
};
use clap::Args;
use serde::de::IgnoredAny;
use serde_json::{Value, json};
use std::{
    io::{self, Write},
    path::{Path, PathBuf},
};
use thiserror::Error;

/// Verifies records offline: that they are whole, keep the rules, and who signed them
///
/// Every event must carry the hash that follows from the hash before it and fit the match so far, and the signature must be
/// the signer's on the last hash; of what does not, the first is named. Besides, every byte must stand as lastnim writes it.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub struct VerifyArgs {
    /// Files with a record as JSON or text, or with a record of JSON in each line; - for standard input
    #[arg(value_name = "FILE|-", required = true)]
    files: Vec<PathBuf>,
    /// The public key of the server that you trust, as `lastnim key` prints it
    #[arg(long, value_name = "PUBLIC_KEY", value_parser = parse_key)]
    key: Option<PublicKey>,
    /// Accepts blanks, line breaks, orders of fields and forms of numbers that lastnim does not write
    #[arg(long)]
    any_layout: bool,
    /// Prints JSON, a line for each record
    #[arg(long)]
    json: bool,
}

const EXAMPLES: &str = "\
Examples:
  lastnim verify record.json
  lastnim verify --key $(lastnim key) records/*
  lastnim record get $MATCH | lastnim verify -

Exit codes: 0 if every record verifies, 1 if one does not or cannot be read, 2 if the command line is wrong. Without --key it shows that a
record is whole and which key signed it, not that the key is that of the server you trust. A record of a match that is
not over, or was cancelled before its rows were revealed, has no signature, and so does not verify.";

/// Reads the key that is trusted.
fn parse_key(given: &str) -> Result<PublicKey, String> {
    given.parse().map_err(|error| {
        if Path::new(given).is_file() {
            format!("{error}; that is a file: give the key in it with --key \"$(cat {given})\"")
        } else {
            format!("{error}")
        }
    })
}

/// Why a record does not verify.
#[derive(Debug, Error)]
enum VerifyRefusal {
    #[error(transparent)]
    Read(io::Error),
    #[error("the record is cut off: its text ends at line {line}, column {column}")]
    CutOff { line: usize, column: usize },
    #[error("{0}")]
    Json(String),
    #[error(transparent)]
    File(#[from] RecordFileError),
    #[error(transparent)]
    Flaw(Box<RecordFlaw>),
    #[error("it is not signed: {0}")]
    Unsigned(&'static str),
    #[error("it is whole, but signed by another key: {0}")]
    OtherSigner(Box<PublicKey>),
    #[error(
        "only its layout differs from what lastnim writes, from line {}, column {} on{cause}; --any-layout accepts that",
        .at.line, .at.column
    )]
    Layout { at: LayoutDifference, cause: &'static str },
}

impl VerifyRefusal {
    fn word(&self) -> &'static str {
        match self {
            Self::Read(_) | Self::CutOff { .. } | Self::Json(_) | Self::File(_) => "unreadable",
            Self::Flaw(flaw) => flaw.kind().as_str(),
            Self::Unsigned(_) => "unsigned",
            Self::OtherSigner(_) => "other_signer",
            Self::Layout { .. } => "layout",
        }
    }

    fn event(&self) -> Option<usize> {
        match self {
            Self::Flaw(flaw) => flaw.event(),
            _ => None,
        }
    }
}

/// What a record came to.
struct RecordVerdict {
    match_id: Option<String>,
    judged: Result<SealedRecord, VerifyRefusal>,
}

pub fn run(args: &VerifyArgs) -> CommandResult {
    let mut output = io::stdout().lock();
    let (mut records, mut failed) = (0_u64, 0_u64);
    for file in &args.files {
        let name = record_input::input_name(file);
        let mut judged = |line: Option<u64>, verdict: &RecordVerdict| {
            records += 1;
            failed += u64::from(verdict.judged.is_err());
            let place = line.map_or_else(|| name.clone(), |line| format!("{name}:{line}"));
            if args.json {
                batch::print_json_line(&mut output, &verdict.json(&name, line, args.key))
            } else {
                verdict.print_verdict(&mut output, &place, args.key).map_err(Failure::Output)
            }
        };
        let mut documents = match RecordDocuments::open(file) {
            Ok(documents) => documents,
            Err(error) => {
                judged(None, &RecordVerdict::of_read_error(error))?;
                continue;
            }
        };
        loop {
            match documents.next() {
                Ok(None) => break,
                Ok(Some(document)) => {
                    let blank = document.line.is_some() && document.text.trim().is_empty();
                    if !(blank && args.any_layout) {
                        judged(document.line, &verify_document(&document, args))?;
                    }
                }
                Err(error) => {
                    let read_on = error.kind() == io::ErrorKind::InvalidData;
                    let line = documents.line_number().filter(|_| read_on);
                    judged(line, &RecordVerdict::of_read_error(error))?;
                    if !read_on {
                        break;
                    }
                }
            }
        }
    }
    if !args.json && args.key.is_none() && failed < records {
        let note = "This shows that the record is whole and which key signed it, not that this is the key of the server you\n\
                    trust: compare it with what that server's `lastnim key` prints, or give that with --key.";
        writeln!(output, "\n{note}").map_err(Failure::Output)?;
    }
    match (failed, records) {
        (0, _) => Ok(CommandExit::Done),
        (1, 1) => Err(Failure::Runtime(anyhow::anyhow!("the record does not verify"))),
        _ => Err(Failure::Runtime(anyhow::anyhow!("{failed} of {records} records do not verify"))),
    }
}

fn verify_document(document: &RecordDocument, args: &VerifyArgs) -> RecordVerdict {
    let given = match read_record(&document.text) {
        Ok(given) => given,
        Err(error) => {
            return RecordVerdict { match_id: None, judged: Err(refusal_of_parse_error(document, error)) };
        }
    };
    let refused = |flaw| VerifyRefusal::Flaw(Box::new(flaw));
    let judged = verify_record(&given).map_err(refused).and_then(|sealed| {
        let state = sealed.record().state();
        match (sealed.seal(), state.end(), state.game()) {
            (None, None, _) => return Err(VerifyRefusal::Unsigned("its match is not over")),
            (None, Some(_), None) => {
                return Err(VerifyRefusal::Unsigned("its match was cancelled before the rows were revealed"));
            }
            (None, Some(_), Some(_)) => return Err(VerifyRefusal::Unsigned("its signature was taken away")),
            (Some(seal), _, _) if args.key.is_some_and(|key| key != seal.signer) => {
                return Err(VerifyRefusal::OtherSigner(Box::new(seal.signer)));
            }
            (Some(_), _, _) => {}
        }
        match layout_difference(&document.text, sealed.record(), sealed.seal()) {
            Some(mut at) if !args.any_layout => {
                at.line += document.line_offset();
                Err(VerifyRefusal::Layout { at, cause: layout_cause(&document.text, &sealed) })
            }
            _ => Ok(sealed),
        }
    });
    RecordVerdict { match_id: Some(given.match_id), judged }
}

/// Says why a text is no record, by the lines of its file.
fn refusal_of_parse_error(document: &RecordDocument, error: RecordFileError) -> VerifyRefusal {
    let text = document.text.trim_ascii_end();
    let json_ends = || matches!(serde_json::from_str::<IgnoredAny>(text), Err(error) if error.is_eof());
    let last_line = text.lines().count();
    let cut_off = match &error {
        RecordFileError::Json(_) => json_ends(),
        RecordFileError::Text(error) => !document.text.ends_with('\n') && error.line >= last_line,
        _ => false,
    };
    match error {
        _ if cut_off => VerifyRefusal::CutOff {
            line: last_line + document.line_offset(),
            column: text.lines().last().unwrap_or_default().chars().count(),
        },
        // Its own line would be counted from the record's beginning; the file's stands before it.
        RecordFileError::Json(RecordJsonError::Shape(error)) if document.line.is_some() => {
            let (words, column) = (error.to_string(), error.column());
            let at = format!(" at line {} column {column}", error.line());
            VerifyRefusal::Json(format!("{} at column {column}", words.strip_suffix(&at).unwrap_or(&words)))
        }
        error => error.into(),
    }
}

/// Says what a difference of layout comes from, if it is the ends of lines.
fn layout_cause(text: &str, sealed: &SealedRecord) -> &'static str {
    let is_laid_out = |text: &str| layout_difference(text, sealed.record(), sealed.seal()).is_none();
    let unix = text.replace("\r\n", "\n");
    if is_laid_out(&unix) {
        ": lines end with CR LF instead of LF"
    } else if is_laid_out(&format!("{text}\n")) {
        ": the newline at the end is missing"
    } else if is_laid_out(&format!("{unix}\n")) {
        ": lines end with CR LF instead of LF, and the newline at the end is missing"
    } else {
        ""
    }
}

impl RecordVerdict {
    /// Judges a record that could not be read.
    fn of_read_error(error: io::Error) -> Self {
        Self { match_id: None, judged: Err(VerifyRefusal::Read(error)) }
    }

    fn print_verdict(&self, output: &mut impl Write, place: &str, key: Option<PublicKey>) -> io::Result<()> {
        let id = self.match_id.as_ref().map(|id| format!("match {id}: ")).unwrap_or_default();
        match &self.judged {
            Ok(sealed) => {
                let events = sealed.record().events().len();
                let signer = match (key, sealed.seal()) {
                    (None, Some(seal)) => format!("signed by {}", seal.signer),
                    _ => "signed by the given key".to_owned(),
                };
                writeln!(output, "{place}: {id}whole, {events} events, {signer}")
            }
            Err(refusal) => writeln!(output, "{place}: {id}{refusal}"),
        }
    }

    fn json(&self, file: &str, line: Option<u64>, key: Option<PublicKey>) -> Value {
        let sealed = self.judged.as_ref().ok();
        let refusal = self.judged.as_ref().err();
        let signer = match refusal {
            Some(VerifyRefusal::OtherSigner(signer)) => Some(**signer),
            _ => sealed.and_then(|sealed| sealed.seal()).map(|seal| seal.signer),
        };
        json!({
            "file": file,
            "line": line,
            "match_id": self.match_id,
            "verified": sealed.is_some(),
            "events": sealed.map(|sealed| sealed.record().events().len()),
            "head": sealed.map(|sealed| sealed.record().last_hash().to_string()),
            "signer": signer.map(|signer| signer.to_string()),
            "signed_by_key": key.and_then(|key| signer.map(|signer| signer == key)),
            "flaw": refusal.map(VerifyRefusal::word),
            "event": refusal.and_then(VerifyRefusal::event),
            "message": refusal.map(ToString::to_string),
        })
    }
}
