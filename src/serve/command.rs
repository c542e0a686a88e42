//! `lastnim serve`.

use super::{
    config_file::apply_config_text,
    hand_over::{self, HandOverArgs},
    recovering_server::RecoveringServer,
    settings::{AcceptedLosses, ServeSettings},
};
use crate::{
    CommandExit, CommandResult, Failure,
    args::{given_flags::GivenFlags, setting_flags::apply_flags},
    credentials::read_token_file,
    form::OutputFormat,
    log::{start_command_log, start_server_log},
    screen,
    toml_file::read_or_print_mistakes,
};
use lastnim_arena::{Durability, Principal};
use lastnim_store::{StoreUrl, Token};
use std::{
    io::{self, Write as _},
    path::{Path, PathBuf},
};

/// Hosts bots, matches and tournaments
///
/// Bots play over gRPC; other services register bots, run tournaments, show matches and ask the oracle. A restarted server
/// continues every match and tournament from its database.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  lastnim serve
  lastnim serve --listen 0.0.0.0:7600 --private --sessions 2000
  lastnim serve --admin-token-file admin.token
  lastnim serve --store postgres://lastnim:secret@localhost/lastnim
  lastnim serve --house oracle,greedy --store memory
  lastnim serve --sessions 2000 --print-config > serve.toml
  lastnim serve --config serve.toml

Then, in another terminal, with the admin token that it prints:
  export LASTNIM_ADMIN_TOKEN=...
  lastnim bot register alice
  lastnim tournament create --piles 3,4,5 --seats 2 --start-when 2

docs/reference/server-settings.md lists all settings.")]
#[command(args_conflicts_with_subcommands = true)]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag")]
pub struct ServeArgs {
    #[command(subcommand)]
    command: Option<ServeCommand>,
    /// A TOML file of settings, as `--print-config` prints it; flags and environment override it
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    #[command(flatten)]
    settings: GivenFlags<ServeSettings>,
    /// The admin token, such as `openssl rand -hex 32` prints [default: generated and printed]
    #[arg(long, env = "LASTNIM_ADMIN_TOKEN", hide_env_values = true, value_name = "TOKEN")]
    admin_token: Option<String>,
    /// A file with the admin token
    #[arg(long, env = "LASTNIM_ADMIN_TOKEN_FILE", value_name = "FILE")]
    admin_token_file: Option<PathBuf>,
    /// A token that can read everything but change nothing, for --private
    #[arg(long, env = "LASTNIM_VIEWER_TOKEN", hide_env_values = true, value_name = "TOKEN")]
    viewer_token: Option<String>,
    /// A file with the viewer token
    #[arg(long, env = "LASTNIM_VIEWER_TOKEN_FILE", value_name = "FILE")]
    viewer_token_file: Option<PathBuf>,
    /// Accepts that the SQLite store at PATH is not the one that `PATH.id` names
    ///
    /// Use it once, after removing or replacing a store on purpose.
    #[arg(long)]
    new_store: bool,
    /// Accepts the loss of the newest commits if the SQLite file `PATH-wal` is gone after a crash
    ///
    /// Use it once, if that file cannot be recovered.
    #[arg(long)]
    accept_lost_wal: bool,
    /// Prints all settings as a file for `--config`, and exits
    ///
    /// A store URL with a password is left out. With --json the settings are one JSON object.
    #[arg(long)]
    print_config: bool,
    /// Prints one line of JSON: the address, and the admin token if it was generated
    #[arg(long)]
    json: bool,
}

/// A command for a running server.
#[derive(Debug, clap::Subcommand)]
enum ServeCommand {
    HandOver(HandOverArgs),
}

/// Serves until an interrupt or a termination signal, or runs a command for a running server.
pub fn run(args: &ServeArgs) -> CommandResult {
    if let Some(ServeCommand::HandOver(args)) = &args.command {
        start_command_log();
        return hand_over::run(args);
    }
    let form = if args.json { OutputFormat::Json } else { OutputFormat::Text };
    let Some(settings) = read_settings(args, form)? else { return Ok(CommandExit::Mistakes) };
    let store = &settings.store;
    for (flag, is_given) in [("--new-store", args.new_store), ("--accept-lost-wal", args.accept_lost_wal)] {
        if is_given && store.sqlite_file().is_none() {
            return Err(Failure::input(format!("{flag}: this needs a SQLite store, not {store}")));
        }
    }
    if settings.standby {
        check_standby(args, &settings)?;
    }
    if args.print_config {
        print_settings(settings, form).map_err(Failure::Output)?;
        return Ok(CommandExit::Done);
    }
    let ServerTokens { known_tokens, generated_token } = read_tokens(args)?;
    start_server_log(settings.log.as_ref(), settings.log_format);
    let accepted_losses = AcceptedLosses { new_store: args.new_store, lost_wal: args.accept_lost_wal };
    let server = RecoveringServer { settings, known_tokens, generated_token, form, accepted_losses };
    server.run()
}

/// Checks that a standby server has the settings that it needs.
fn check_standby(args: &ServeArgs, settings: &ServeSettings) -> Result<(), Failure> {
    let store = &settings.store;
    if !matches!(store, StoreUrl::Postgres(_)) {
        return Err(Failure::input(format!(
            "--standby: this needs a PostgreSQL store, not {store}; a SQLite store can have only one server"
        )));
    }
    if settings.durability != Durability::Ply {
        return Err(Failure::input(
            "--standby: this needs --durability ply, because a server that takes over continues from what is stored",
        ));
    }
    if args.admin_token.is_none() && args.admin_token_file.is_none() {
        return Err(Failure::input(
            "--standby: both servers need the same admin token: give it with --admin-token-file",
        ));
    }
    Ok(())
}

/// Reads the settings from the file and the flags. If the file has mistakes, prints them and returns `None`.
fn read_settings(args: &ServeArgs, form: OutputFormat) -> Result<Option<ServeSettings>, Failure> {
    let mut settings = ServeSettings::default();
    if let Some(file) = &args.config
        && read_or_print_mistakes(file, form, |text| apply_config_text(text, &mut settings))?.is_none()
    {
        return Ok(None);
    }
    apply_flags(&args.settings, &mut settings)?;
    Ok(Some(settings))
}

fn print_settings(settings: ServeSettings, form: OutputFormat) -> io::Result<()> {
    let mut out = screen::stdout();
    match form {
        OutputFormat::Json => writeln!(out, "{:#}", settings.into_json()),
        OutputFormat::Text => settings.write_file(&mut out),
    }
}

/// The tokens of a server.
struct ServerTokens {
    known_tokens: Vec<(Token, Principal)>,
    /// The admin's token, if it was generated.
    generated_token: Option<Token>,
}

fn read_tokens(args: &ServeArgs) -> Result<ServerTokens, Failure> {
    let admin = given_token("admin", args.admin_token.as_deref(), args.admin_token_file.as_deref())?;
    let viewer = given_token("viewer", args.viewer_token.as_deref(), args.viewer_token_file.as_deref())?;
    if let (Some(admin), Some(viewer)) = (&admin, &viewer)
        && admin.hash() == viewer.hash()
    {
        return Err(Failure::input("the admin and the viewer have the same token: use two different tokens"));
    }
    let generated_token = admin.is_none().then(Token::generate);
    let admin = admin.or_else(|| generated_token.clone()).map(|token| (token, Principal::Admin));
    let viewer = viewer.map(|token| (token, Principal::Viewer));
    Ok(ServerTokens { known_tokens: admin.into_iter().chain(viewer).collect(), generated_token })
}

/// Reads the token of a role from a file or a flag.
fn given_token(role: &str, token: Option<&str>, file: Option<&Path>) -> Result<Option<Token>, Failure> {
    let [token_source, file_source] = ["", "-file"].map(|ending| {
        let flag = format!("--{role}-token{ending}");
        let variable = flag.trim_start_matches('-').to_uppercase().replace('-', "_");
        format!("{flag} or LASTNIM_{variable}")
    });
    let (token, source) = match (token, file) {
        (Some(_), Some(_)) => {
            return Err(Failure::input(format!("{token_source}, and {file_source}: use only one of them")));
        }
        (None, Some(file)) => (Some(read_token_file(file)?), file_source),
        (token, None) => (token.map(str::to_owned), token_source),
    };
    let token = token.as_deref().map(Token::parse).transpose();
    token.map_err(|error| Failure::input(format!("{source}: {error}")))
}
