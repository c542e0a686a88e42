//! `lastnim record get` and `lastnim record list`.

use super::{format_args::RecordFormatArgs, key::fetch_public_key};
use crate::{
    CommandExit, CommandResult, Failure,
    form::{CsvArgs, FormatArgs, table_page_report},
    new_file::AtomicFile,
    played_matches::{MatchSelectionArgs, PlayedMatches, fail_if_damaged, parse_fetched_record},
    remote::{MAX_PAGE_SIZE, RemoteServer, ServerArgs},
    runtime, screen,
};
use clap::Args;
use indicatif::ProgressBar;
use lastnim_core::{game::MatchId, referee::PublicKey};
use lastnim_proto::{pb, record::SealedRecord, record_text::Utc};
use lastnim_report::{Cell, Column, Table, matches::outcome_line};
use serde_json::{Value, json};
use std::{io::Write as _, path::PathBuf};

/// Prints the signed record of a match
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  lastnim record get $MATCH > record.json
  lastnim record get $MATCH --format text --output record.txt
  lastnim record get $MATCH | lastnim record verify --key $(lastnim record key) -
  lastnim record get $MATCH | lastnim audit match -")]
pub struct GetArgs {
    /// The match's id
    id: MatchId,
    #[command(flatten)]
    format: RecordFormatArgs,
    /// Writes a file instead of printing
    #[arg(long, value_name = "FILE")]
    output: Option<PathBuf>,
    #[command(flatten)]
    server: ServerArgs,
}

/// Lists the verified records of finished matches, newest first, with their hashes
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  lastnim record list --tournament $ID --limit 5
  lastnim record list --bot greedy --json
  lastnim record list --tournament $ID --state voided

The head is the hash of a record's last event: a record whose head differs was changed. `signed` says whether the
server's current key signed it. `lastnim match list` fetches no records, so it is quicker.")]
pub struct ListArgs {
    #[command(flatten)]
    which: MatchSelectionArgs,
    /// Lists at most this many matches
    #[arg(long, value_name = "N", default_value_t = 20, value_parser = clap::value_parser!(u32).range(1..=MAX_PAGE_SIZE.into()))]
    limit: u32,
    #[command(flatten)]
    csv: CsvArgs,
    #[command(flatten)]
    form: FormatArgs,
    #[command(flatten)]
    server: ServerArgs,
}

pub fn get_record(args: &GetArgs) -> CommandResult {
    let form = args.format.record_form()?;
    runtime::run_on_runtime(Some(1), async move {
        let remote = RemoteServer::connect(&args.server).await?;
        let sealed = fetch_one_record(&remote, args.id).await?;
        let text = form.write(sealed.record(), sealed.seal());
        match &args.output {
            Some(path) => AtomicFile::write(path, &text)?,
            None => screen::stdout_document().write_all(text.as_bytes()).map_err(Failure::Output)?,
        }
        Ok(CommandExit::Done)
    })
}

pub fn list_records(args: &ListArgs) -> CommandResult {
    runtime::run_on_runtime(Some(1), async move {
        let remote = RemoteServer::connect(&args.server).await?;
        fetch_and_list(&remote, args).await?;
        Ok(CommandExit::Done)
    })
}

pub async fn fetch_one_record(remote: &RemoteServer, id: MatchId) -> Result<SealedRecord, Failure> {
    let id = id.to_string();
    let request = pb::GetRecordRequest { match_id: id.clone() };
    let answer = remote.answer(remote.match_client().get_record(request)).await?;
    parse_fetched_record(remote, &id, &answer)
}

async fn fetch_and_list(remote: &RemoteServer, args: &ListArgs) -> Result<(), Failure> {
    args.which.check_record_selection(remote).await?;
    let key = fetch_public_key(remote).await?;
    let mut listed = Vec::new();
    let mut left = args.limit;
    let mut played = PlayedMatches::new(remote, &args.which, ProgressBar::hidden(), |_| {
        let wanted = left > 0;
        left = left.saturating_sub(1);
        wanted
    });
    while listed.len() < args.limit as usize {
        let Some((game, sealed)) = played.next().await? else { break };
        listed.push(ListedRecord::of(&game, &sealed));
    }
    let left_out = played.left_out();
    let json = || json!({ "records": listed.iter().map(ListedRecord::json).collect::<Value>() });
    args.csv.print_report(args.form.form(), json, || table_page_report(record_table(&listed, &key), ""))?;
    fail_if_damaged(left_out.damaged)
}

/// Returns a table with a row for each record.
fn record_table(records: &[ListedRecord], key: &PublicKey) -> Table {
    let is_signed = |record: &ListedRecord| match record.signer {
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
        .column(Column::text("signed"), is_signed)
        .into_table()
}

/// A summary of a record.
struct ListedRecord {
    id: String,
    ended: Utc,
    bots: Vec<String>,
    outcome: String,
    events: usize,
    /// The hash of the last event; `None` if rows stayed secret.
    head: Option<String>,
    /// The key that signed the record; `None` if rows stayed secret.
    signer: Option<PublicKey>,
}

impl ListedRecord {
    fn of(game: &pb::Match, sealed: &SealedRecord) -> Self {
        let record = sealed.record();
        let all_public = record.state().is_all_public();
        Self {
            id: game.id.clone(),
            ended: Utc(record.events().last().map_or(0, |last| last.at.as_micros())),
            bots: game.setup.as_ref().map(|setup| setup.bots.clone()).unwrap_or_default(),
            outcome: outcome_line(game),
            events: record.events().len(),
            head: all_public.then(|| record.last_hash().to_string()),
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
