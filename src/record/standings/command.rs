//! `lastnim record standings`.

use super::{
    replayed::{RatingChoice, ReplayedResults},
    settings::{self, ShownTournament},
};
use crate::{
    CommandExit, CommandResult, Failure,
    audit::list_files,
    form::{CsvArgs, FormatArgs},
    progress::{StatusLine, matches_bar},
    record_input::{self, RecordDocuments},
    screen,
};
use clap::Args;
use lastnim_client::text_input::read_text_file;
use lastnim_core::referee::PublicKey;
use lastnim_proto::{pb, record::verify_record, record_file::read_record};
use lastnim_report::standings::standings_report;
use std::{io, path::PathBuf};

/// Recomputes the standings of a tournament from its records, without a server
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub struct StandingsArgs {
    /// Files of records, or folders of them (.json, .jsonl)
    #[arg(value_name = "FILE|DIR", required = true)]
    records: Vec<PathBuf>,
    /// The tournament, as `lastnim tournament show ID --json` prints it
    #[arg(long, value_name = "FILE")]
    settings: PathBuf,
    /// Adds, for each pair of bots, how many of their common matches each won, and which is better
    #[arg(long)]
    cross_table: bool,
    /// Counts only records signed by this key, as `lastnim record key` prints it
    #[arg(long, value_name = "PUBLIC_KEY")]
    key: Option<PublicKey>,
    /// Counts unsigned records too
    #[arg(long, conflicts_with = "key")]
    unsigned: bool,
    #[command(flatten)]
    csv: CsvArgs,
    #[command(flatten)]
    form: FormatArgs,
}

const EXAMPLES: &str = "Examples:
  lastnim tournament show $ID --json > cup.json
  lastnim record export --tournament $ID --dir records
  lastnim record standings --settings cup.json records
  lastnim record standings --settings cup.json --key $(lastnim record key) records --json

Every record is verified, replayed and audited again, and the standings follow from that. The number of missing records is
printed. A record that does not verify is named and makes the exit code 3; records of other tournaments are skipped.";

pub fn run(args: &StandingsArgs) -> CommandResult {
    let file = record_input::input_name(&args.settings);
    let text = read_text_file(&args.settings).map_err(|error| Failure::runtime(error, &file))?;
    let shown =
        settings::parse_shown_tournament(&text).map_err(|why| Failure::input(format!("{file}: {why}")))?;
    let mut replayed = ReplayedResults::new(&shown);
    let mut refused = 0_u64;
    let bar = matches_bar(None);
    for file in list_files(&args.records)? {
        let name = record_input::input_name(&file);
        let mut documents = RecordDocuments::open(&file).map_err(|error| Failure::runtime(error, &name))?;
        loop {
            let read = match documents.next_document() {
                Ok(None) => break,
                Ok(Some(document)) if document.line.is_some() && document.text.trim_ascii().is_empty() => {
                    continue;
                }
                Ok(Some(document)) => {
                    bar.inc(1);
                    args.add_record(&shown, &document.text, &mut replayed)
                }
                Err(error) if error.kind() == io::ErrorKind::InvalidData => Err(error.to_string()),
                Err(error) => return Err(Failure::runtime(error, &name)),
            };
            if let Err(why) = read {
                refused += 1;
                bar.suspend(|| match documents.line_number() {
                    Some(line) => screen::print_note(format_args!("{name}: line {line}: {why}")),
                    None => screen::print_note(format_args!("{name}: {why}")),
                });
            }
        }
    }
    bar.finish_and_clear();
    let line = StatusLine::show("computing standings and ratings");
    let outcome = replayed.compute_standings(&shown, RatingChoice::Final).map_err(Failure::input)?;
    drop(line);
    if let Some(missing) = outcome.missing {
        screen::print_note(format_args!(
            "missing records: {missing}; the standings are computed without them"
        ));
    }
    let compared = if args.cross_table { outcome.cross_table.as_slice() } else { &[] };
    let report = pb::GetStandingsResponse {
        standings: outcome.standings.iter().map(Into::into).collect(),
        verdict: Some((&outcome.verdict).into()),
        cross_table: compared.iter().map(Into::into).collect(),
        events: shown.events.clone(),
        order: pb::StandingsOrder::from(outcome.order).into(),
        ..Default::default()
    };
    args.csv.print_message_report(args.form.form(), &report, || standings_report(&report))?;
    Ok(if refused == 0 { CommandExit::Done } else { CommandExit::SomeRefused })
}

impl StandingsArgs {
    fn add_record(
        &self,
        shown: &ShownTournament,
        text: &str,
        replayed: &mut ReplayedResults,
    ) -> Result<(), String> {
        let given = read_record(text).map_err(|error| error.to_string())?;
        let sealed = verify_record(&given).map_err(|flaw| format!("it does not verify: {flaw}"))?;
        // A voided match does not count. If it was voided before its rows were revealed, it has no seal.
        if shown.rulings.void_reason(sealed.record().id()).is_some() {
            return Ok(());
        }
        match (sealed.seal().map(|seal| seal.signer), self.key) {
            (None, _) if !self.unsigned => {
                return Err("it is not signed: use --unsigned to count it".to_owned());
            }
            (Some(signer), Some(key)) if signer != key => {
                return Err(format!("it is signed by another key: {signer}"));
            }
            _ => {}
        }
        replayed.add_record(shown, sealed.record())
    }
}
