//! `lastnim audit --bot` and `--field`: bots held against optimal play over many matches.
//!
//! Records come from files or from a server, are verified, and go one at a time to the [`Auditor`].

mod files;
mod given;
mod intake;
pub mod models;
mod server;
mod trust;

pub use files::list_files;

use crate::{
    CommandExit, CommandResult, Failure,
    form::OutputForm,
    remote::{RemoteServer, ServerArgs},
    runtime,
};
use clap::Args;
use intake::{IntakeSummary, MatchCounter, RecordIntake};
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
use lastnim_report::{Report, Section, bot_audit::bot_audit_report};
use std::path::PathBuf;
use trust::KeyTrust;

/// Which bots, which matches, and what a record must be to count.
#[derive(Debug, Args)]
#[command(next_help_heading = "Many matches")]
pub struct BotAuditArgs {
    /// Audits this bot over many matches: those of the files, or without a file those of the server
    #[arg(long, value_name = "NAME", conflicts_with_all = ["batch", "field"])]
    bot: Option<BotName>,
    /// Audits every bot over many matches, and every pair of bots
    #[arg(long, conflicts_with = "batch")]
    field: bool,
    /// Measures the language models of a transcript over many matches, or of all transcripts in a folder: how they kept to the rules, how
    /// they played, what they cost; may be given several times
    #[arg(long = "transcript", value_name = "FILE|DIR", conflicts_with_all = ["batch", "bot", "field", "puzzles"])]
    transcripts: Vec<PathBuf>,
    /// Only matches of this tournament
    #[arg(long, value_name = "ID")]
    tournament: Option<TournamentId>,
    /// Only matches of the server in which this version of the bot played, and no other
    #[arg(long, value_name = "VERSION", requires = "bot", conflicts_with_all = ["files", "field"])]
    bot_version: Option<VersionLabel>,
    /// Counts only records that are signed by this key, as `lastnim key` prints it
    #[arg(long, value_name = "PUBLIC_KEY")]
    key: Option<PublicKey>,
    /// Counts records that nobody signed as well
    #[arg(long, conflicts_with = "key")]
    unsigned: bool,
    /// The seed of the intervals and of the permutations [default: 1]
    #[arg(long, value_name = "N")]
    seed: Option<u64>,
    /// The most puzzles of a bot, up to 50 [default: 10]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u8).range(..=MAX_PUZZLES as i64))]
    puzzles: Option<u8>,
}

impl BotAuditArgs {
    /// Returns whom the audit is about; none if one match is audited.
    pub fn scope(&self) -> Option<AuditSubject> {
        match &self.bot {
            Some(bot) => Some(AuditSubject::Bot(bot.clone())),
            None => self.field.then_some(AuditSubject::Field),
        }
    }

    /// Returns the transcripts of models, if such are measured.
    pub fn transcripts(&self) -> &[PathBuf] {
        &self.transcripts
    }

    /// Returns a flag that only an audit of many matches has, if one was given.
    pub fn flag(&self) -> Option<&'static str> {
        let given = [
            (self.tournament.is_some(), "--tournament"),
            (self.bot_version.is_some(), "--bot-version"),
            (self.key.is_some(), "--key"),
            (self.unsigned, "--unsigned"),
            (self.seed.is_some(), "--seed"),
            (self.puzzles.is_some(), "--puzzles"),
        ];
        given.into_iter().find(|(given, _)| *given).map(|(_, flag)| flag)
    }

    /// Returns the seed of the intervals.
    fn interval_seed(&self) -> u64 {
        self.seed.unwrap_or(1)
    }

    fn admission(&self) -> RecordPolicy {
        RecordPolicy { key: self.key, unsigned: self.unsigned, tournament: self.tournament }
    }
}

/// Audits the matches of files, or of the server where no file is named.
pub fn run(
    scope: &AuditSubject,
    args: &BotAuditArgs,
    files: &[PathBuf],
    server: &ServerArgs,
    form: OutputForm,
) -> CommandResult {
    let puzzles = args.puzzles.map_or(DEFAULT_PUZZLES, usize::from);
    let auditor = Auditor::new(scope.clone(), args.interval_seed()).with_max_puzzles(puzzles);
    let (auditor, read) = count_records(auditor, scope, args, files, server)?;
    let findings = auditor.finish();
    if findings.matches == 0 {
        if let (AuditSubject::Bot(bot), Some(version), 0) = (scope, &args.bot_version, read.refused_count()) {
            return Err(Failure::input(format!(
                "no match that counts was played by version {version} of {bot} alone"
            )));
        }
        return match read.nothing_read_failure(scope) {
            // Each of them was named: the exit code is the one of that.
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
    form.print_report(json, || with_next_step(bot_audit_report(scope, &findings, read.sentences()), scope))?;
    Ok(if read.refused_count() == 0 { CommandExit::Done } else { CommandExit::SomeRefused })
}

/// Counts the records of files, or those of the server where no file is named, and names what was refused.
fn count_records<C: MatchCounter>(
    counter: C,
    scope: &AuditSubject,
    args: &BotAuditArgs,
    files: &[PathBuf],
    server: &ServerArgs,
) -> Result<(C, IntakeSummary), Failure> {
    let admission = args.admission();
    let trust = if args.key.is_some() { KeyTrust::Given } else { KeyTrust::Unchecked };
    let mut intake = RecordIntake::new(counter, trust);
    if files.is_empty() {
        runtime::run_on_runtime(Some(1), async {
            let remote = RemoteServer::connect(server).await?;
            server::read_server_records(&remote, scope, args.bot_version.as_ref(), &admission, &mut intake)
                .await?;
            Ok(CommandExit::Done)
        })?;
    } else {
        files::read_record_files(files, &admission, &mut intake)?;
    }
    let (counter, read) = intake.finish();
    read.print_refusals();
    Ok((counter, read))
}

/// Says how to ask on, behind what is reported of a field.
fn with_next_step(report: Report, scope: &AuditSubject) -> Report {
    match scope {
        AuditSubject::Bot(_) => report,
        AuditSubject::Field => report.with_section(Section::new().paragraph(
            "What a bot's takes say, and its worst errors: `lastnim audit --bot NAME` on the same records.",
        )),
    }
}
