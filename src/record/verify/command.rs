//! `lastnim record verify`: its flags and its verdict on records.

use super::{
    card::verify_card,
    manifest::verify_manifest,
    transcripts::{GivenTranscripts, transcript_verdict_json, write_transcript_verdict},
};
use crate::{
    CommandExit, CommandResult, Failure, batch,
    form::write_report,
    record_input::{self, InputFile, RecordDocument, RecordDocuments},
    screen,
    tournament::{MANIFEST_FILE, RECORDS_FOLDER},
};
use clap::Args;
use lastnim_core::referee::PublicKey;
use lastnim_proto::{
    record::{RecordFlaw, SealedRecord, verify_record},
    record_file::{LayoutDifference, RecordFileError, layout_difference, read_record},
};
use lastnim_report::Report;
use serde::de::IgnoredAny;
use serde_json::{Value, json};
use std::{
    io::{self, Write},
    path::{Path, PathBuf},
};
use thiserror::Error;

/// Verifies records, manifests and cards offline
///
/// It checks every hash, the rules, the signature and every byte of a record, and names the first flaw. With --records it names
/// each match of a manifest that is missing, added or changed, and recomputes the standings. The figures of a benchmark
/// card must follow from its records.
#[derive(Debug, Clone, Args)]
#[command(after_help = EXAMPLES)]
pub struct VerifyArgs {
    /// Records (JSON, lines of JSON or text), manifests, cards or an exported site; - for standard input
    #[arg(value_name = "FILE|DIR|-", required = true)]
    files: Vec<PathBuf>,
    /// The records of a manifest or a card, as files or folders [default: records.jsonl next to a card]
    #[arg(long, value_name = "FILE|DIR", num_args = 1..)]
    pub records: Vec<PathBuf>,
    /// A transcript to compare with the hashes in the records; may be repeated
    #[arg(long, value_name = "FILE", conflicts_with = "records")]
    transcript: Vec<PathBuf>,
    /// The public key of the server that you trust, as `lastnim record key` prints it
    #[arg(long, value_name = "PUBLIC_KEY", value_parser = parse_key)]
    pub key: Option<PublicKey>,
    /// Accepts any layout that the JSON mapping of proto3 allows, not only that of lastnim
    #[arg(long)]
    any_layout: bool,
    /// Prints JSON, one line for each record or manifest
    #[arg(long)]
    json: bool,
}

const EXAMPLES: &str = "\
Examples:
  lastnim record verify record.json
  lastnim record verify --key $(lastnim record key) records/*
  lastnim record get $MATCH | lastnim record verify -
  lastnim tournament manifest $ID --output cup.manifest
  lastnim record verify cup.manifest --records records --key $(lastnim record key)
  lastnim record verify record.json --transcript m1.transcript.jsonl
  lastnim record verify site                                    # from `lastnim tournament export-site`
  lastnim record verify benchmark.run/card.jsonl                # with the records beside it

Exit codes: 0 if everything verifies, 1 if something does not or cannot be read, 2 for bad usage. Without --key this shows
that a record is intact and which key signed it, not that the key belongs to the server you trust. With --transcript, 1
also means that the transcript does not prove an answer. docs/how-to/verify-records.md explains the verdicts.";

/// Reads the trusted key.
fn parse_key(given: &str) -> Result<PublicKey, String> {
    given.parse().map_err(|error| {
        if Path::new(given).is_file() {
            format!("{error}; this is a file: give the key in it with --key \"$(cat {given})\"")
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
    #[error("the record is truncated: its text ends at line {line}, column {column}")]
    CutOff { line: usize, column: usize },
    #[error(transparent)]
    File(#[from] RecordFileError),
    #[error(transparent)]
    Flaw(Box<RecordFlaw>),
    #[error("it is not signed: {0}")]
    Unsigned(&'static str),
    #[error("it is intact, but signed by another key: {0}")]
    OtherSigner(Box<PublicKey>),
    #[error(
        "only its layout differs from what lastnim writes, starting at line {}, column {}{cause}; --any-layout accepts this",
        .at.line, .at.column
    )]
    Layout { at: LayoutDifference, cause: &'static str },
}

impl VerifyRefusal {
    fn name(&self) -> &'static str {
        match self {
            Self::Read(_) | Self::CutOff { .. } | Self::File(_) => "unreadable",
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

/// The verdict on a record.
struct RecordVerdict {
    match_id: Option<String>,
    verification: Result<SealedRecord, VerifyRefusal>,
}

pub fn run(args: &VerifyArgs) -> CommandResult {
    let site = args.of_site();
    let args = site.as_ref().unwrap_or(args);
    if !args.records.is_empty() {
        return verify_with_records(args);
    }
    let mut transcripts = GivenTranscripts::read(&args.transcript)?;
    let mut output = screen::stdout();
    let mut counts = VerifiedCounts::default();
    let mut verified_kind = "record";
    for file in &args.files {
        let name = record_input::input_name(file);
        match InputFile::open(file) {
            Ok(InputFile::Records(documents)) => {
                verify_records(&name, documents, args, transcripts.as_mut(), &mut counts, &mut output)?;
            }
            Ok(InputFile::Card(mut input)) => {
                let verdict = verify_card(file, &mut *input, args)?;
                counts.note(verdict.is_verified());
                verified_kind = "card";
                print_document_verdict(|| verdict.json(), || verdict.report(), args, &mut output)?;
            }
            Ok(InputFile::Manifest(mut input)) => {
                let verdict = verify_manifest(&name, &mut *input, args)?;
                verified_kind = "manifest";
                counts.note(verdict.is_verified());
                print_document_verdict(|| verdict.json(), || verdict.report(), args, &mut output)?;
            }
            Err(error) => {
                counts.note(false);
                print_verdict(&RecordVerdict::of_read_error(error), &name, None, args, None, &mut output)?;
            }
        }
    }
    let VerifiedCounts { verified, failed } = counts;
    if verified > 0 {
        print_key_note(verified_kind, args, &mut output)?;
    }
    match (failed, failed + verified) {
        (0, _) => transcripts.and_then(|given| given.failure()).map_or(Ok(CommandExit::Done), Err),
        (1, 1) => Err(Failure::Runtime(anyhow::anyhow!("the {verified_kind} does not verify"))),
        (_, all) => {
            let documents = if verified_kind == "record" { "records" } else { "documents" };
            let verify = if failed == 1 { "does not verify" } else { "do not verify" };
            Err(Failure::Runtime(anyhow::anyhow!("{failed} of {all} {documents} {verify}")))
        }
    }
}

/// How many records, manifests and cards verify, and how many do not.
#[derive(Debug, Default)]
struct VerifiedCounts {
    verified: u64,
    failed: u64,
}

impl VerifiedCounts {
    fn note(&mut self, holds: bool) {
        *(if holds { &mut self.verified } else { &mut self.failed }) += 1;
    }
}

/// Verifies a manifest or a card with its records.
fn verify_with_records(args: &VerifyArgs) -> CommandResult {
    let [file] = args.files.as_slice() else {
        return Err(Failure::input("--records: give one manifest or card to compare the records with"));
    };
    let name = record_input::input_name(file);
    let mut output = screen::stdout();
    let (holds, what) = match InputFile::open(file).map_err(|error| Failure::runtime(error, &name))? {
        InputFile::Manifest(mut input) => {
            let verdict = verify_manifest(&name, &mut *input, args)?;
            print_document_verdict(|| verdict.json(), || verdict.report(), args, &mut output)?;
            (verdict.is_verified(), "manifest")
        }
        InputFile::Card(mut input) => {
            let verdict = verify_card(file, &mut *input, args)?;
            print_document_verdict(|| verdict.json(), || verdict.report(), args, &mut output)?;
            (verdict.is_verified(), "card")
        }
        InputFile::Records(_) => {
            let why = "not a manifest or a card: --records needs one, from `lastnim tournament manifest` or `lastnim check benchmark`";
            return Err(Failure::input(format!("{name}: {why}")));
        }
    };
    if !holds {
        return Err(Failure::Runtime(anyhow::anyhow!("the {what} does not verify with these records")));
    }
    print_key_note(what, args, &mut output)?;
    Ok(CommandExit::Done)
}

/// Explains what a signature cannot prove without a trusted key.
fn print_key_note(what: &str, args: &VerifyArgs, output: &mut impl Write) -> Result<(), Failure> {
    if args.json || args.key.is_some() {
        return Ok(());
    }
    let note = "is intact and which key signed it, not that this is the key of the server you\n\
                trust: compare it with what that server's `lastnim record key` prints, or give that key with --key.";
    writeln!(output, "\nThis shows that the {what} {note}").map_err(Failure::Output)
}

/// Prints the verdict on a document that is not a record.
fn print_document_verdict(
    json: impl FnOnce() -> Value,
    report: impl FnOnce() -> Report,
    args: &VerifyArgs,
    output: &mut impl Write,
) -> Result<(), Failure> {
    if args.json {
        batch::print_json_line(output, &json())
    } else {
        write_report(output, &report()).map_err(Failure::Output)
    }
}

fn print_verdict(
    verdict: &RecordVerdict,
    name: &str,
    line: Option<u64>,
    args: &VerifyArgs,
    transcripts: Option<&mut GivenTranscripts>,
    output: &mut impl Write,
) -> Result<(), Failure> {
    let sealed = verdict.verification.as_ref().ok();
    // A record that does not verify proves nothing about a transcript.
    let held = transcripts.zip(sealed).map(|(given, sealed)| given.compare_with(sealed.record()));
    if args.json {
        let mut json = verdict.json(name, line, args.key);
        if let Some(held) = &held {
            json["transcript"] = transcript_verdict_json(held.as_ref());
        }
        return batch::print_json_line(output, &json);
    }
    let place = line.map_or_else(|| name.to_owned(), |line| format!("{name}:{line}"));
    verdict.print_verdict(output, &place, args.key).map_err(Failure::Output)?;
    match held {
        Some(held) => write_transcript_verdict(held.as_ref(), output).map_err(Failure::Output),
        None => Ok(()),
    }
}

/// Verifies all records of a file.
fn verify_records(
    name: &str,
    mut documents: RecordDocuments,
    args: &VerifyArgs,
    mut transcripts: Option<&mut GivenTranscripts>,
    counts: &mut VerifiedCounts,
    output: &mut impl Write,
) -> Result<(), Failure> {
    let mut verification = |line: Option<u64>, verdict: &RecordVerdict| {
        counts.note(verdict.verification.is_ok());
        print_verdict(verdict, name, line, args, transcripts.as_deref_mut(), output)
    };
    loop {
        match documents.next_document() {
            Ok(None) => return Ok(()),
            Ok(Some(document)) => {
                let blank = document.line.is_some() && document.text.trim().is_empty();
                if !(blank && args.any_layout) {
                    verification(document.line, &verify_document(&document, args.key, args.layout()))?;
                }
            }
            Err(error) => {
                let read_on = error.kind() == io::ErrorKind::InvalidData;
                let line = documents.line_number().filter(|_| read_on);
                verification(line, &RecordVerdict::of_read_error(error))?;
                if !read_on {
                    return Ok(());
                }
            }
        }
    }
}

/// The JSON layouts in which a record is accepted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RecordLayout {
    /// The layout in which lastnim writes records.
    Canonical,
    /// Any layout that the proto3 mapping allows.
    Any,
}

impl VerifyArgs {
    /// Returns the flags for the manifest and the records of a site if the only file is the folder of a site.
    fn of_site(&self) -> Option<Self> {
        let [folder] = self.files.as_slice() else { return None };
        let (manifest, records) = (folder.join(MANIFEST_FILE), folder.join(RECORDS_FOLDER));
        if !self.records.is_empty() || !manifest.is_file() {
            return None;
        }
        // A site without pages of matches has no records.
        let records = records.is_dir().then_some(records).into_iter().collect();
        Some(Self { files: vec![manifest], records, ..self.clone() })
    }

    fn layout(&self) -> RecordLayout {
        if self.any_layout { RecordLayout::Any } else { RecordLayout::Canonical }
    }
}

/// Verifies a record, and returns the result as `--json` prints it.
pub fn verify_document_as_json(
    document: &RecordDocument,
    file: &str,
    key: Option<PublicKey>,
    layout: RecordLayout,
) -> Value {
    verify_document(document, key, layout).json(file, document.line, key)
}

fn verify_document(document: &RecordDocument, key: Option<PublicKey>, layout: RecordLayout) -> RecordVerdict {
    let given = match read_record(&document.text) {
        Ok(given) => given,
        Err(error) => {
            return RecordVerdict {
                match_id: None,
                verification: Err(refusal_of_parse_error(document, error)),
            };
        }
    };
    let refusal = |flaw| VerifyRefusal::Flaw(Box::new(flaw));
    let verification = verify_record(&given).map_err(refusal).and_then(|sealed| {
        let state = sealed.record().state();
        match (sealed.seal(), state.end(), state.game()) {
            (None, None, _) => return Err(VerifyRefusal::Unsigned("its match is not over")),
            (None, Some(_), None) => {
                return Err(VerifyRefusal::Unsigned("its match was cancelled before the rows were revealed"));
            }
            (None, Some(_), Some(_)) => {
                return Err(VerifyRefusal::Unsigned("its match is over, so it should have a signature"));
            }
            (Some(seal), _, _) if key.is_some_and(|key| key != seal.signer) => {
                return Err(VerifyRefusal::OtherSigner(Box::new(seal.signer)));
            }
            (Some(_), _, _) => {}
        }
        match layout_difference(&document.text, sealed.record(), sealed.seal()) {
            Some(mut at) if layout == RecordLayout::Canonical => {
                at.line += document.line_offset();
                Err(VerifyRefusal::Layout { at, cause: layout_cause(&document.text, &sealed) })
            }
            _ => Ok(sealed),
        }
    });
    RecordVerdict { match_id: Some(given.match_id).filter(|id| !id.is_empty()), verification }
}

/// Describes why a text is not a record, with the line number in its file.
fn refusal_of_parse_error(document: &RecordDocument, error: RecordFileError) -> VerifyRefusal {
    let text = document.text.trim_ascii_end();
    let json_ends = || matches!(serde_json::from_str::<IgnoredAny>(text), Err(error) if error.is_eof());
    let last_line = text.lines().count();
    if matches!(error, RecordFileError::Json(_)) && json_ends() {
        return VerifyRefusal::CutOff {
            line: last_line + document.line_offset(),
            column: text.lines().last().unwrap_or_default().chars().count(),
        };
    }
    error.into()
}

/// Explains a layout difference if line endings cause it; otherwise returns an empty string.
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
    /// Creates the verdict on a record that could not be read.
    fn of_read_error(error: io::Error) -> Self {
        Self { match_id: None, verification: Err(VerifyRefusal::Read(error)) }
    }

    fn print_verdict(&self, output: &mut impl Write, place: &str, key: Option<PublicKey>) -> io::Result<()> {
        let id = self.match_id.as_ref().map(|id| format!("match {id}: ")).unwrap_or_default();
        match &self.verification {
            Ok(sealed) => {
                let events = sealed.record().events().len();
                let signer = match (key, sealed.seal()) {
                    (None, Some(seal)) => format!("signed by {}", seal.signer),
                    _ => "signed by the given key".to_owned(),
                };
                writeln!(output, "{place}: {id}intact, {events} events, {signer}")
            }
            Err(refusal) => writeln!(output, "{place}: {id}{refusal}"),
        }
    }

    fn json(&self, file: &str, line: Option<u64>, key: Option<PublicKey>) -> Value {
        let sealed = self.verification.as_ref().ok();
        let refusal = self.verification.as_ref().err();
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
            "flaw": refusal.map(VerifyRefusal::name),
            "event": refusal.and_then(VerifyRefusal::event),
            "message": refusal.map(ToString::to_string),
        })
    }
}
