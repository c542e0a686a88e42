//! The program `lastnim`. Each group of commands has a folder, which has a file or folder for each subcommand.
//!
//! To write a bot in Rust, depend only on the crate `lastnim-client`.
//!
//! Commands print to standard output, as text or JSON ([`lastnim_proto::json`]). An error is one line on standard error.
//! [`CommandExit`] lists the exit codes.

mod args;
mod audit;
mod batch;
mod bot;
mod check;
mod completions;
mod connection_reporter;
mod credentials;
mod demo;
mod embedded_server;
mod exit;
mod fetched_page;
mod form;
pub mod fuzzing;
mod game_json;
mod hidden_memory;
mod log;
mod log_limiter;
mod man;
mod matches;
mod new_file;
mod new_folder;
mod oracle;
mod own_command;
mod played_matches;
mod program_variables;
mod progress;
mod record;
mod record_input;
pub mod reference;
mod remote;
mod repeated_call;
mod runner;
mod runtime;
mod sandbox;
mod screen;
mod serve;
mod store;
mod text;
mod timed_channel;
mod toml_file;
mod tournament;
mod tournament_file;
mod tournament_flags;
mod transcript_files;

pub use audit::audit_record_as_json;
pub use embedded_server::EmbeddedServer;
pub use exit::{CommandExit, CommandResult, Failure};
pub use own_command::OwnCommand;
pub use record::{ExportedMatch, RecordLayout, verify_document_as_json};
pub use record_input::{RecordDocument, RecordDocuments};

use clap::{
    CommandFactory as _, FromArgMatches as _, Parser, Subcommand,
    error::{ContextKind, ContextValue, ErrorKind},
};
use std::ffi::OsString;
use std::io::{self, Write as _};
use std::{env, process::ExitCode};

/// A tournament server for bots that play multi-player Last Nim, scored by an exact oracle.
#[derive(Debug, Parser)]
#[command(name = "lastnim", version = env!("LASTNIM_VERSION"), disable_help_subcommand = true, after_help = EXAMPLES)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

/// The commands, grouped by purpose as the help lists them.
const COMMAND_GROUPS: [(&str, &[&str]); 4] = [
    ("Play", &["demo", "bot", "match"]),
    ("Organise", &["serve", "tournament", "store"]),
    ("Study", &["record", "audit", "oracle", "check"]),
    ("Set up", &["login", "logout", "completions", "man"]),
];

const EXAMPLES: &str = "\
Examples:
  lastnim demo
  lastnim tournament run cup.toml
  lastnim bot run oracle --token $TOKEN --tournament $ID
  lastnim record get $MATCH | lastnim audit match -
  lastnim oracle solve --piles 4,3 --players 4
  lastnim check conformance -- python3 mine.py

Exit codes: 0 done, 1 failed, 2 bad usage or input, 3 some lines or records were refused
`lastnim COMMAND --help` explains a command.";

#[derive(Debug, Subcommand)]
enum Command {
    Demo(demo::DemoArgs),
    Serve(serve::ServeArgs),
    Tournament(tournament::TournamentArgs),
    Match(matches::MatchArgs),
    Record(record::RecordArgs),
    Audit(audit::AuditArgs),
    Oracle(oracle::OracleArgs),
    Bot(bot::BotArgs),
    Check(check::CheckArgs),
    Store(store::StoreArgs),
    Login(credentials::LoginArgs),
    Logout(credentials::LogoutArgs),
    Completions(completions::CompletionsArgs),
    Man(man::ManArgs),
}

impl Command {
    fn run(self, own: &OwnCommand) -> CommandResult {
        match self {
            Self::Demo(args) => demo::run(&args, own),
            Self::Serve(args) => serve::run(&args),
            Self::Tournament(args) => tournament::run(args, own),
            Self::Match(args) => matches::run(args),
            Self::Record(args) => record::run(&args),
            Self::Audit(args) => audit::run(&args),
            Self::Oracle(args) => oracle::run(&args),
            Self::Bot(args) => bot::run(args),
            Self::Check(args) => check::run(&args, own),
            Self::Store(args) => store::run(args),
            Self::Login(args) => credentials::login(&args),
            Self::Logout(args) => credentials::logout(&args),
            Self::Completions(args) => completions::run(&args),
            Self::Man(args) => man::run(&args),
        }
    }
}

/// Runs the program with the arguments on its command line.
pub fn main() -> ExitCode {
    run_as(&OwnCommand::of_this_process(), env::args_os().collect()).into()
}

/// Runs the program in this process with the given arguments, and returns the exit code.
///
/// The first argument is the program's name; `own` is the command that starts the program as another process.
pub fn run_as(own: &OwnCommand, words: Vec<OsString>) -> u8 {
    let form = form::OutputFormat::from_arguments(words.iter().cloned());
    let parsed = program_command().try_get_matches_from(words);
    let outcome = match parsed.and_then(|matches| Cli::from_arg_matches(&matches)) {
        Ok(cli) => {
            // A server starts its log later, because the log filter is one of its settings.
            if !matches!(cli.command, Command::Serve(_)) {
                log::start_command_log();
            }
            cli.command.run(own)
        }
        Err(error) => print_usage_error(&error),
    };
    let code = exit::report_outcome(outcome, form);
    // If another program runs this one inside its process, the process may exit without flushing standard output.
    let _ = io::stdout().flush();
    code
}

/// Returns clap's description of the program and all its commands.
fn program_command() -> clap::Command {
    let mut command = Cli::command();
    let template = help_template(&command);
    command = command.help_template(template);
    command.build();
    rephrase_clap_help(command)
}

/// Returns the template of the program's help, which lists the commands in groups.
fn help_template(command: &clap::Command) -> String {
    let line = |name: &&str| {
        let about = command.find_subcommand(name).and_then(clap::Command::get_about);
        format!("  {name:<12} {}\n", about.map(ToString::to_string).unwrap_or_default())
    };
    let group = |(title, names): &(&str, &[&str])| {
        format!("{title}:\n{}\n", names.iter().map(line).collect::<String>())
    };
    let groups = COMMAND_GROUPS.iter().map(group).collect::<String>();
    let groups = groups.trim_end();
    format!("{{about}}\n\n{{usage-heading}} {{usage}}\n\n{groups}{{after-help}}")
}

/// Rewrites the help texts of `--help` and `--version`, the flags that clap adds to all commands.
fn rephrase_clap_help(command: clap::Command) -> clap::Command {
    let command = command.mut_args(|arg| match arg.get_id().as_str() {
        "help" => arg.help("Prints help").long_help("Prints help; -h prints a summary"),
        "version" => arg.help("Prints the version"),
        _ => arg,
    });
    command.mut_subcommands(rephrase_clap_help)
}

/// Prints the help or the version if the user asked for it; turns any other error into one line.
fn print_usage_error(error: &clap::Error) -> CommandResult {
    match error.kind() {
        ErrorKind::DisplayHelp | ErrorKind::DisplayVersion => {
            error.print().map_err(Failure::Output)?;
            Ok(CommandExit::Done)
        }
        ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand => {
            // A write error is ignored: the exit code reports the failure too.
            let _ = error.print();
            Ok(CommandExit::NoCommand)
        }
        _ => {
            let text = error.render().to_string();
            let what = text.split("\n\nUsage:").next().unwrap_or_default();
            let what = what.split("\n\nFor more information").next().unwrap_or_default();
            let what = what.trim_start_matches("error:").trim();
            Err(Failure::input(match error.get(ContextKind::InvalidSubcommand).and_then(command_in_group) {
                Some(meant) => format!("unrecognized subcommand: did you mean `{meant}`?"),
                None => what.to_owned(),
            }))
        }
    }
}

/// Returns the full command for the name of a subcommand that was given without its group.
fn command_in_group(name: &ContextValue) -> Option<String> {
    let ContextValue::String(name) = name else { return None };
    let program = program_command();
    let mut groups = program.get_subcommands().filter(|group| group.find_subcommand(name).is_some());
    groups.next().map(|group| format!("lastnim {} {name}", group.get_name()))
}

/// The README, whose Rust examples are run as tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
