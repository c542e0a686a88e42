//! `lastnim audit history`.

use super::{given_records::RecordChecker, verdict::HistoryVerdict};
use crate::{
    CommandExit, CommandResult, Failure,
    audit::list_files,
    batch::MAX_LINE_BYTES,
    form::FormatArgs,
    progress::StatusLine,
    record_input::{self, input_name},
    remote::{RemoteServer, ServerArgs},
    runtime,
};
use clap::Args;
use lastnim_core::referee::PublicKey;
use lastnim_history::SessionLogs;
use lastnim_report::words::count_with_noun;
use std::{
    io::{self, BufRead, BufReader, Read as _},
    path::{Path, PathBuf},
};

const BUFFER_BYTES: usize = 64 << 10;

/// Compares what bots logged with the records of their matches
///
/// A bot logs its sessions with `--session-log` or `LASTNIM_SESSION_LOG`. Everything that the server sent to a bot must agree
/// with the record, and everything in the record must agree with what the bot sent. Matches without a record are compared
/// with the logs of other bots.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub struct HistoryArgs {
    /// Session logs or folders of them; - for standard input
    #[arg(value_name = "LOG|DIR|-", required = true)]
    logs: Vec<PathBuf>,
    /// Files or folders of records to use instead of the server's
    #[arg(long, value_name = "FILE|DIR", num_args = 1..)]
    records: Vec<PathBuf>,
    /// The key that must have signed the records, as `lastnim record key` prints it
    #[arg(long, value_name = "PUBLIC_KEY")]
    key: Option<PublicKey>,
    #[command(flatten)]
    form: FormatArgs,
    #[command(flatten)]
    server: ServerArgs,
}

const EXAMPLES: &str = "Examples:
  lastnim bot run oracle --tournament $ID --session-log alice.jsonl
  lastnim audit history alice.jsonl
  lastnim record export --tournament $ID --dir records
  lastnim audit history logs --records records --key $(lastnim record key)

Exit codes: 0 without contradictions, 1 if something contradicts the records or cannot be read, 2 for bad usage. A
difference that the clocks of two machines could explain is printed as a doubt and does not change the exit code.";

pub fn run(args: &HistoryArgs) -> CommandResult {
    let mut logs = SessionLogs::default();
    let mut verdict = HistoryVerdict::default();
    for file in list_files(&args.logs)? {
        let name = input_name(&file);
        let log = logs.begin_log();
        let line = StatusLine::show(format!("reading {name}"));
        read_log(&file, &name, log, &mut logs)?;
        drop(line);
        let counts = logs.finish_log(log).map_err(|error| log_failure(&name, &error))?;
        verdict.add_log(name, counts);
    }
    let matches = logs.matches();
    if args.records.is_empty() {
        runtime::run_on_runtime(Some(1), async {
            let remote = RemoteServer::connect(&args.server).await?;
            let _line = StatusLine::show("comparing records");
            verdict.record_source = format!("the records of {}", remote.name());
            RecordChecker { key: args.key, matches: &matches, verdict: &mut verdict }
                .check_server_records(&remote)
                .await?;
            Ok(CommandExit::Done)
        })?;
    } else {
        "the records".clone_into(&mut verdict.record_source);
        let _line = StatusLine::show("comparing records");
        RecordChecker { key: args.key, matches: &matches, verdict: &mut verdict }
            .check_files(&args.records)?;
    }
    verdict.finish(logs.bots().len(), matches.len());
    let form = args.form.form();
    form.print_result(|| verdict.json(), |output| verdict.print_text(output))?;
    match verdict.contradiction_count() {
        0 => Ok(CommandExit::Done),
        count => {
            let what = count_with_noun(count, "contradiction", "contradictions");
            Err(Failure::Runtime(anyhow::anyhow!("the logs and the records disagree: {what}")))
        }
    }
}

fn log_failure(name: &str, error: &lastnim_history::LogLineError) -> Failure {
    Failure::Runtime(anyhow::anyhow!("{name}: {error}"))
}

fn read_log(file: &Path, name: &str, log: usize, logs: &mut SessionLogs) -> Result<(), Failure> {
    let failure = |error: io::Error| Failure::runtime(error, name);
    let input = record_input::open_input(file).map_err(failure)?;
    let mut input = BufReader::with_capacity(BUFFER_BYTES, input);
    let mut line = Vec::new();
    loop {
        line.clear();
        input.by_ref().take(MAX_LINE_BYTES as u64 + 1).read_until(b'\n', &mut line).map_err(failure)?;
        if line.is_empty() {
            return Ok(());
        }
        if line.len() > MAX_LINE_BYTES {
            return Err(Failure::Runtime(anyhow::anyhow!(
                "{name}: a line is longer than the limit of {MAX_LINE_BYTES} bytes"
            )));
        }
        // Bytes that are not UTF-8 become replacement characters, which are invalid JSON unless they are in a string.
        let text = String::from_utf8_lossy(&line);
        logs.add_line(log, text.trim_end_matches(['\n', '\r'])).map_err(|error| log_failure(name, &error))?;
    }
}
