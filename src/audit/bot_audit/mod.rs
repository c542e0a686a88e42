//! `lastnim audit bot`, `field` and `models`, which compare bots with optimal play over many matches.
//!
//! Records come from files or from a server. Each is verified and then counted by the [`Auditor`] or, for `models`, by
//! the [`ModelMeasurer`](lastnim_llm::ModelMeasurer).

mod files;
mod intake;
mod merged_matches;
pub mod models;
mod parts;
mod seen_matches;
mod server;
mod summary;
mod trust;

pub use files::list_files;

use crate::{
    CommandExit, CommandResult, Failure,
    form::FormatArgs,
    progress::StatusLine,
    remote::{RemoteServer, ServerArgs},
    runtime, screen,
};
use clap::Args;
use intake::{MatchCounter, RecordIntake};
use lastnim_auditing::{AuditSubject, Auditor, DEFAULT_PUZZLES, MAX_PUZZLES};
use lastnim_core::{
    game::{BotName, TournamentId, VersionLabel},
    referee::PublicKey,
};
use lastnim_proto::{
    admission::{self, RecordPolicy},
    json::message_to_json,
    pb,
};
use lastnim_report::{Report, Section, bot_audit::bot_audit_report, words::count_with_noun};
use parts::{PartSettings, PartsArgs};
use std::path::PathBuf;
use summary::IntakeSummary;
use trust::KeyTrust;

/// Audits one bot over many matches: its errors, its luck and which bots it favours
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  lastnim audit bot greedy records
  lastnim audit bot greedy --tournament $ID
  lastnim audit bot greedy --bot-version 1.2
  lastnim audit bot greedy --merge a.part b.part

Exit codes: 0 if no record was refused, 2 if the bot played in no match that counts, 3 if a record was refused.
docs/how-to/audit-bots.md explains the figures.")]
pub struct BotAuditArgs {
    /// The name of the bot
    #[arg(value_name = "NAME")]
    bot: BotName,
    #[command(flatten)]
    records: RecordsArgs,
    /// Only matches of the server in which the bot played with this version from start to end
    #[arg(long, value_name = "VERSION", conflicts_with_all = ["files", "merge"])]
    bot_version: Option<VersionLabel>,
    #[command(flatten)]
    output: AuditOutputArgs,
    #[command(flatten)]
    parts: PartsArgs,
}

/// Audits every bot over many matches, and every pair of bots
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  lastnim record export --tournament $ID --dir records
  lastnim audit field records
  lastnim audit field --tournament $ID --json
  lastnim audit field records/1 --partial 1.part
  lastnim audit field --merge 1.part 2.part

A flag is a request to look at the listed takes and matches, not a verdict. A pair is flagged only if the corrected
p-value of the pair, or of a set of bots that contains both, is at most 0.003.

Exit codes: 0 if no record was refused, 3 if a record was refused. docs/how-to/audit-bots.md explains the figures, and
docs/why/audits.md says how often a flag on a pair is wrong.")]
pub struct FieldAuditArgs {
    #[command(flatten)]
    records: RecordsArgs,
    #[command(flatten)]
    output: AuditOutputArgs,
    #[command(flatten)]
    parts: PartsArgs,
}

/// The records to count, and their source.
#[derive(Debug, Args)]
#[command(next_help_heading = "Records")]
struct RecordsArgs {
    /// Files of records, folders of them, or - for standard input [default: the server's matches]
    #[arg(value_name = "FILE|DIR|-")]
    files: Vec<PathBuf>,
    /// Only matches of this tournament
    #[arg(long, value_name = "ID")]
    tournament: Option<TournamentId>,
    /// Counts only records signed by this key, as `lastnim record key` prints it
    #[arg(long, value_name = "PUBLIC_KEY")]
    key: Option<PublicKey>,
    /// Counts unsigned records too
    #[arg(long, conflicts_with = "key")]
    unsigned: bool,
    /// The seed of the random numbers for intervals and permutation tests
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    #[command(flatten)]
    server: ServerArgs,
}

/// Flags that control what an audit of takes prints.
#[derive(Debug, Args)]
struct AuditOutputArgs {
    /// Shows at most this many puzzles of a bot, up to 50
    #[arg(long, value_name = "N", default_value_t = DEFAULT_PUZZLES as u8, value_parser = clap::value_parser!(u8).range(..=MAX_PUZZLES as i64))]
    puzzles: u8,
    #[command(flatten)]
    form: FormatArgs,
}

impl RecordsArgs {
    fn admission(&self) -> RecordPolicy {
        RecordPolicy { key: self.key, unsigned: self.unsigned, tournament: self.tournament }
    }
}

pub fn audit_bot(args: &BotAuditArgs) -> CommandResult {
    let subject = AuditSubject::Bot(args.bot.clone());
    run(&subject, &args.records, args.bot_version.as_ref(), &args.parts, &args.output)
}

pub fn audit_field(args: &FieldAuditArgs) -> CommandResult {
    run(&AuditSubject::Field, &args.records, None, &args.parts, &args.output)
}

fn run(
    subject: &AuditSubject,
    records: &RecordsArgs,
    version: Option<&VersionLabel>,
    parts: &PartsArgs,
    output: &AuditOutputArgs,
) -> CommandResult {
    let (settings, intake) = if parts.merge.is_empty() {
        let auditor = Auditor::new(subject.clone(), records.seed).with_max_puzzles(output.puzzles.into());
        let RecordPolicy { key, unsigned, tournament } = records.admission();
        let settings = PartSettings { tournament, key, unsigned, version: version.cloned() };
        (settings, read_records(auditor, subject, version, records)?)
    } else {
        parts::merge_parts(&parts.merge, subject)?
    };
    if let Some(path) = &parts.partial {
        let exit = exit_of_refusals(&intake.summary);
        intake.summary.print_refusals();
        let matches = count_with_noun(intake.match_count(), "match", "matches");
        parts::write_part(path, settings, intake)?;
        screen::print_note(format_args!("wrote the audit of {matches} to {}", path.display()));
        return Ok(exit);
    }
    let (auditor, read) = intake.finish();
    read.print_refusals();
    let line = StatusLine::show("comparing bots and pairs");
    let (findings, form) = (auditor.finish(), output.form.form());
    drop(line);
    if findings.matches == 0 {
        if let (AuditSubject::Bot(bot), Some(version), 0) = (subject, settings.version, read.refused_count())
        {
            return Err(Failure::input(format!(
                "no match counts in which {bot} played only as version {version}"
            )));
        }
        return match read.nothing_read_failure(subject) {
            // Each refused record has already been printed, and the exit code reports the refusals.
            failure @ Failure::Runtime(_) if read.refused_count() > 0 => {
                failure.print_to_stderr(form);
                Ok(CommandExit::SomeRefused)
            }
            failure => Err(failure),
        };
    }
    let json = || {
        let mut report = message_to_json(&pb::BotReport::from(&findings));
        report["records"] = read.json();
        report
    };
    form.print_report(json, || {
        with_next_step(bot_audit_report(subject, &findings, read.sentences()), subject)
    })?;
    Ok(exit_of_refusals(&read))
}

fn exit_of_refusals(read: &IntakeSummary) -> CommandExit {
    if read.refused_count() == 0 { CommandExit::Done } else { CommandExit::SomeRefused }
}

/// Counts the records in the given files, or those of the server if no file is given, and prints the refused ones.
fn count_records<C: MatchCounter>(
    counter: C,
    subject: &AuditSubject,
    version: Option<&VersionLabel>,
    records: &RecordsArgs,
) -> Result<(C, IntakeSummary), Failure> {
    let (counter, read) = read_records(counter, subject, version, records)?.finish();
    read.print_refusals();
    Ok((counter, read))
}

/// Reads and counts the records in the given files, or those of the server if no file is given.
fn read_records<C: MatchCounter>(
    counter: C,
    subject: &AuditSubject,
    version: Option<&VersionLabel>,
    records: &RecordsArgs,
) -> Result<RecordIntake<C>, Failure> {
    let admission = records.admission();
    let trust = if records.key.is_some() { KeyTrust::Given } else { KeyTrust::Unchecked };
    let mut intake = RecordIntake::new(counter, trust);
    if records.files.is_empty() {
        runtime::run_on_runtime(Some(1), async {
            let remote = RemoteServer::connect(&records.server).await?;
            server::read_server_records(&remote, subject, version, &admission, &mut intake).await?;
            Ok(CommandExit::Done)
        })?;
    } else {
        files::read_record_files(&records.files, &admission, &mut intake)?;
    }
    Ok(intake)
}

/// Adds a hint to the report of a field: how to audit one of its bots.
fn with_next_step(report: Report, subject: &AuditSubject) -> Report {
    match subject {
        AuditSubject::Bot(_) => report,
        AuditSubject::Field => report.with_section(Section::new().paragraph(
            "Audit one bot and see its worst errors: `lastnim audit bot NAME` on the same records.",
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::Command;
    use lastnim_auditing::FLAGGED_P_VALUE;

    #[test]
    fn the_help_and_the_book_name_the_threshold() {
        let command = FieldAuditArgs::augment_args(Command::new("field"));
        let help = command.get_after_help().unwrap().to_string();
        assert!(help.contains(&format!("is at most {FLAGGED_P_VALUE}.")), "{help}");
        let book = include_str!("../../../docs/why/audits.md");
        assert!(
            book.contains(&format!(
                "p-value is at most {FLAGGED_P_VALUE} (of the pair, or of a set with both)"
            ))
        );
    }
}
