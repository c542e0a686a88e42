//! `lastnim record`: the records of a server's matches.

use super::{
    export::{self, ExportArgs},
    format_args::RecordFormatArgs,
};
use crate::{
    CommandExit, CommandResult, Failure,
    form::{CsvArgs, FormArgs, OutputForm, table_page_report},
    key::fetch_public_key,
    new_file::AtomicFile,
    played_matches::{MatchSelectionArgs, PlayedMatches, fail_if_damaged, parse_fetched_record},
    remote::{MAX_PAGE, RemoteServer, ServerArgs},
    runtime,
};
use clap::{Args, Subcommand};
use indicatif::ProgressBar;
use lastnim_core::{game::MatchId, referee::PublicKey};
use lastnim_proto::{pb, record::SealedRecord, record_text::Utc};
use lastnim_report::{Cell, Column, Table, matches::outcome_line};
use serde_json::{Value, json};
use std::{
    io::{self, Write as _},
    path::PathBuf,
};

/// Fetches, lists and exports the signed records of matches
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  lastnim record get $MATCH | lastnim audit -
  lastnim record get $MATCH --format text
  lastnim record list --tournament $ID
  lastnim record export --tournament $ID --dir records

`lastnim verify` checks a record offline, and `lastnim replay` goes through it step by step.")]
pub struct RecordArgs {
    #[command(subcommand)]
    action: RecordAction,
    #[command(flatten)]
    server: ServerArgs,
}

#[derive(Debug, Subcommand)]
enum RecordAction {
    /// Prints the record of a match, to be kept, verified, replayed or audited
    #[command(after_help = "Examples:
  lastnim record get $MATCH > record.json
  lastnim record get $MATCH --format text --output record.txt
  lastnim record get $MATCH --pretty
  lastnim record get $MATCH | lastnim verify --key $(lastnim key) -")]
    Get {
        /// The match's id
        id: MatchId,
        #[command(flatten)]
        format: RecordFormatArgs,
        /// Writes a file instead of printing
        #[arg(long, value_name = "FILE")]
        output: Option<PathBuf>,
    },
    /// Lists matches that are over, the newest first, each with the head of its chain of hashes
    #[command(after_help = "Examples:
  lastnim record list
  lastnim record list --tournament $ID --most 5
  lastnim record list --bot greedy --json
  lastnim record list --tournament $ID --state voided

Every record is fetched and verified for it; `lastnim match list` is quicker, and lists matches under way as well. The
head is the hash of the last event: whoever knows it can tell whether a record was changed since. `signed` says whether
the server's present key signed it; its key may have been replaced.")]
    List {
        #[command(flatten)]
        which: MatchSelectionArgs,
        /// Matches to list, at the most
        #[arg(long, value_name = "N", default_value_t = 20, value_parser = clap::value_parser!(u32).range(1..=MAX_PAGE.into()))]
        most: u32,
        #[command(flatten)]
        csv: CsvArgs,
        #[command(flatten)]
        form: FormArgs,
    },
    /// Writes the records of matches that are over into a folder, a file each
    #[command(after_help = "Examples:
  lastnim record export --tournament $ID --dir records
  lastnim record export --bot greedy --dir texts --format text
  lastnim record export --bot alice --bot bob --state over --dir records
  lastnim verify --key $(lastnim key) records/*

A record that is there already and verifies is not fetched again, so that an export that was interrupted can go on.")]
    Export(ExportArgs),
}

pub fn run(args: RecordArgs) -> CommandResult {
    runtime::run_on_runtime(Some(1), async move {
        match args.action {
            RecordAction::Get { id, format, output } => {
                let form = format.record_form()?;
                let remote = RemoteServer::connect(&args.server).await?;
                let sealed = fetch_one_record(&remote, id).await?;
                let text = form.write(sealed.record(), sealed.seal());
                match output {
                    Some(path) => AtomicFile::write(&path, &text)?,
                    None => io::stdout().write_all(text.as_bytes()).map_err(Failure::Output)?,
                }
            }
            RecordAction::List { which, most, csv, form } => {
                let remote = RemoteServer::connect(&args.server).await?;
                list_records(&remote, &which, most, csv, form.form()).await?;
            }
            RecordAction::Export(export) => {
                let form = export.format.record_form()?;
                let remote = RemoteServer::connect(&args.server).await?;
                export::run(&remote, &export, form).await?;
            }
        }
        Ok(CommandExit::Done)
    })
}

pub async fn fetch_one_record(remote: &RemoteServer, id: MatchId) -> Result<SealedRecord, Failure> {
    let request = pb::GetRecordRequest { match_id: id.to_string() };
    let answer = remote.answer(remote.match_client().get_record(request)).await?;
    parse_fetched_record(remote, &answer)
}

async fn list_records(
    remote: &RemoteServer,
    which: &MatchSelectionArgs,
    most: u32,
    csv: CsvArgs,
    form: OutputForm,
) -> Result<(), Failure> {
    which.check_record_selection(remote).await?;
    let key = fetch_public_key(remote).await?;
    let mut listed = Vec::new();
    let mut left = most;
    let mut played = PlayedMatches::new(remote, which, ProgressBar::hidden(), |_| {
        let wanted = left > 0;
        left = left.saturating_sub(1);
        wanted
    });
    while listed.len() < most as usize {
        let Some((game, sealed)) = played.next().await? else { break };
        listed.push(ListedRecord::of(&game, &sealed));
    }
    let left_out = played.left_out();
    let json = || json!({ "records": listed.iter().map(ListedRecord::json).collect::<Value>() });
    csv.print_report(form, json, || table_page_report(record_table(&listed, &key), ""))?;
    fail_if_damaged(left_out.damaged)
}

/// Makes a table of records, a row for each.
fn record_table(records: &[ListedRecord], key: &PublicKey) -> Table {
    let signed = |record: &ListedRecord| match record.signer {
        None => "no",
        Some(signer) if signer == *key => "yes",
        Some(_) => "by another key",
    };
    Table::of_items(records)
        .column(Column::text("id"), |record| record.id.clone())
        .column(Column::text("ended"), |record| record.ended.to_string())
        .column(Column::text("bots"), |record| Cell::list(&record.bots, ", "))
        .column(Column::text("state"), |record| record.outcome.clone())
        .column(Column::integer("events"), |record| record.events)
        .column(Column::text("head"), |record| record.head.clone())
        .column(Column::text("signed"), signed)
        .into_table()
}

/// A record in brief.
struct ListedRecord {
    id: String,
    ended: Utc,
    bots: Vec<String>,
    outcome: String,
    events: usize,
    /// The hash of the last event, and who signed it; none where the rows were never revealed.
    head: Option<String>,
    signer: Option<PublicKey>,
}

impl ListedRecord {
    fn of(game: &pb::Match, sealed: &SealedRecord) -> Self {
        let record = sealed.record();
        let revealed = record.state().game().is_some();
        Self {
            id: game.id.clone(),
            ended: Utc(record.events().last().map_or(0, |last| last.at.as_micros())),
            bots: game.setup.as_ref().map(|setup| setup.bots.clone()).unwrap_or_default(),
            outcome: outcome_line(game),
            events: record.events().len(),
            head: revealed.then(|| record.last_hash().to_string()),
            signer: sealed.seal().map(|seal| seal.signer),
        }
    }

    fn json(&self) -> Value {
        json!({
            "match_id": self.id,
            "ended_at_us": self.ended.0,
            "bots": self.bots,
            "events": self.events,
            "head": self.head,
            "signer": self.signer.map(|signer| signer.to_string()),
        })
    }
}
