//! The program `lastnim`: one file or folder for each subcommand, which owns its arguments and its entry function.
//!
//! To write a bot in Rust, depend on the crate `lastnim-client` alone.
//!
//! What is printed goes to standard output, as JSON where asked for ([`lastnim_proto::json`]); an error is one line on
//! standard error, in the same form, and [`CommandExit`] says what the exit codes mean.

mod args;
mod audit;
mod batch;
mod benchmark;
mod bot;
mod bots;
mod check_history;
mod completions;
mod conformance;
mod credentials;
mod dataset;
mod declarations;
mod demo;
mod exit;
mod export;
mod form;
pub mod fuzzing;
mod game_json;
mod key;
mod llm_bot;
mod log;
mod man;
mod matches;
mod new_file;
mod own_command;
mod own_server;
mod played_bot;
mod played_matches;
mod progress;
mod rationalise;
mod record;
mod record_input;
mod remote;
mod replay;
mod runner;
mod runtime;
mod sequence;
mod serve;
mod solve;
mod standings;
mod store;
mod text;
mod toml_file;
mod tournament;
mod tournament_file;
mod tournament_flags;
mod transcript;
mod transcript_files;
mod tree;
mod verify;

pub use exit::{CommandExit, CommandResult, Failure};
pub use export::ExportedMatch;
pub use own_command::OwnCommand;
pub use own_server::OwnServer;
pub use record_input::{RecordDocument, RecordDocuments};
pub use verify::{RecordLayout, verify_document_as_json};

use clap::{CommandFactory as _, FromArgMatches as _, Parser, Subcommand, error::ErrorKind};
use std::ffi::OsString;
use std::io::{self, Write as _};
use std::{env, process::ExitCode};

/// A tournament server for bots that play multi-player Last Nim, scored by an exact oracle.
#[derive(Debug, Parser)]
#[command(name = "lastnim", version = env!("LASTNIM_VERSION"), after_help = EXAMPLES)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

const EXAMPLES: &str = "\
Examples:
  lastnim demo
  lastnim tournament run cup.toml
  lastnim serve
  TOKEN=$(lastnim register alice)
  ID=$(lastnim tournament create --seats 2 --piles 3,4,5 --start-at 2)
  lastnim bot oracle --token $TOKEN --tournament $ID --session-log session.jsonl
  lastnim tournament watch $ID
  lastnim conformance -- python3 mine.py
  lastnim benchmark --house minimax-2 --tiers 1 --max-items 5
  lastnim record get $MATCH > record.json
  lastnim verify --key $(lastnim key) record.json
  lastnim check-history session.jsonl
  lastnim replay record.json
  lastnim transcript record.json --transcript m1.transcript.jsonl
  lastnim audit record.json
  lastnim record export --dir records
  lastnim audit --field records
  lastnim solve --piles 4,3 --players 4
  lastnim tree --piles 1,2,2 --players 3
  lastnim solve --game kayles --piles 5 --players 3
  lastnim sequence --game kayles --to 100

Exit codes:
  0  done
  1  failed at run time: a file could not be read, a server could not be reached or said no
  2  bad usage or bad input, or a question that takes more than its limits allow
  3  a batch was answered, but some of its lines were refused";

#[derive(Debug, Subcommand)]
enum Command {
    Demo(demo::DemoArgs),
    Serve(serve::ServeArgs),
    Login(credentials::LoginArgs),
    Logout(credentials::LogoutArgs),
    Bots(bots::BotsArgs),
    Register(bots::RegisterArgs),
    Unregister(bots::UnregisterArgs),
    Tournament(tournament::TournamentArgs),
    Standings(standings::StandingsArgs),
    Match(matches::MatchArgs),
    Record(record::RecordArgs),
    Key(key::KeyArgs),
    Export(export::ExportArgs),
    Bot(bot::BotArgs),
    Conformance(conformance::ConformanceArgs),
    Benchmark(benchmark::BenchmarkArgs),
    Solve(solve::SolveArgs),
    Sequence(sequence::SequenceArgs),
    Tree(tree::TreeArgs),
    Audit(audit::AuditArgs),
    Dataset(dataset::DatasetArgs),
    Declarations(declarations::DeclarationsArgs),
    Rationalise(rationalise::RationaliseArgs),
    Verify(verify::VerifyArgs),
    CheckHistory(check_history::CheckHistoryArgs),
    Replay(replay::ReplayArgs),
    Transcript(transcript::TranscriptArgs),
    Store(store::StoreArgs),
    Completions(completions::CompletionsArgs),
    Man(man::ManArgs),
}

impl Command {
    fn run(self, own: &OwnCommand) -> CommandResult {
        match self {
            Self::Demo(args) => demo::run(&args, own),
            Self::Serve(args) => serve::run(&args),
            Self::Login(args) => credentials::login(&args),
            Self::Logout(args) => credentials::logout(&args),
            Self::Bots(args) => bots::run(args),
            Self::Register(args) => bots::register(args),
            Self::Unregister(args) => bots::unregister(args),
            Self::Tournament(args) => tournament::run(args, own),
            Self::Standings(args) => standings::run(&args),
            Self::Match(args) => matches::run(args),
            Self::Record(args) => record::run(args),
            Self::Key(args) => key::run(&args),
            Self::Export(args) => export::run(&args),
            Self::Bot(args) => bot::run(args),
            Self::Conformance(args) => conformance::run(&args, own),
            Self::Benchmark(args) => benchmark::run(&args, own),
            Self::Solve(args) => solve::run(&args),
            Self::Sequence(args) => sequence::run(&args),
            Self::Tree(args) => tree::run(&args),
            Self::Audit(args) => audit::run(&args),
            Self::Dataset(args) => dataset::run(&args),
            Self::Declarations(args) => declarations::run(&args),
            Self::Rationalise(args) => rationalise::run(&args),
            Self::Verify(args) => verify::run(&args),
            Self::CheckHistory(args) => check_history::run(&args),
            Self::Replay(args) => replay::run(&args),
            Self::Transcript(args) => transcript::run(&args),
            Self::Store(args) => store::run(args),
            Self::Completions(args) => completions::run(&args),
            Self::Man(args) => man::run(&args),
        }
    }
}

/// Runs the program on its command line.
pub fn main() -> ExitCode {
    run_as(&OwnCommand::of_this_process(), env::args_os().collect()).into()
}

/// Runs the program as a part of this process, which `own` starts again, on the words of a command line; the first of them is the
/// program. Returns the exit code.
pub fn run_as(own: &OwnCommand, words: Vec<OsString>) -> u8 {
    let form = form::OutputForm::from_arguments(words.iter().cloned());
    let parsed = program_command().try_get_matches_from(words);
    let outcome = match parsed.and_then(|matches| Cli::from_arg_matches(&matches)) {
        Ok(cli) => {
            // A server is told by its settings what to log.
            if !matches!(cli.command, Command::Serve(_)) {
                log::log_of_command();
            }
            cli.command.run(own)
        }
        Err(error) => print_usage_error(&error),
    };
    let code = exit::exit_code_of(outcome, form);
    // Whoever runs the program as a part of another may end the process without it.
    let _ = io::stdout().flush();
    code
}

/// Returns the program as clap describes it, with all its commands.
fn program_command() -> clap::Command {
    let mut command = Cli::command();
    command.build();
    rephrase_clap_error(command)
}

/// Says of the flags and the command that clap adds by itself what they do, in the voice of all others.
fn rephrase_clap_error(command: clap::Command) -> clap::Command {
    let command = command.mut_args(|arg| match arg.get_id().as_str() {
        "help" => arg.help("Prints help").long_help("Prints help; -h prints a summary"),
        "version" => arg.help("Prints the version"),
        _ => arg,
    });
    command.mut_subcommands(|inner| match inner.get_name() {
        "help" => inner.about("Prints this help, or that of a command"),
        _ => rephrase_clap_error(inner),
    })
}

/// Shows help where it was asked for; makes one line of what is wrong with a command line.
fn print_usage_error(error: &clap::Error) -> CommandResult {
    match error.kind() {
        ErrorKind::DisplayHelp | ErrorKind::DisplayVersion => {
            error.print().map_err(Failure::Output)?;
            Ok(CommandExit::Done)
        }
        ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand => {
            // Help stands where it was not asked for on standard error; the exit code tells as well, should that be closed.
            let _ = error.print();
            Ok(CommandExit::NoCommand)
        }
        _ => {
            let text = error.render().to_string();
            let what = text.split("\n\nUsage:").next().unwrap_or_default();
            let what = what.split("\n\nFor more information").next().unwrap_or_default();
            Err(Failure::input(what.trim_start_matches("error:").trim().to_owned()))
        }
    }
}

/// The README, whose Rust is compiled as the documentation's is.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
