//! `lastnim login` and `lastnim logout`.

use super::{Credentials, StoredLogin, credentials_path};
use crate::{
    CommandExit, CommandResult, Failure,
    form::FormatArgs,
    remote::{RemoteServer, ServerArgs},
    runtime, screen,
};
use console::Term;
use lastnim_client::text_input::TextInput;
use lastnim_proto::pb;
use serde_json::json;
use std::io::{self, BufRead as _, BufReader, IsTerminal as _, Write as _};

/// Stores a token for a server, and makes that server the default
///
/// The file is `$XDG_CONFIG_HOME/lastnim/credentials.json` or `~/.config/lastnim/credentials.json`, readable only by you. It has
/// one token for each server.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  lastnim login
  lastnim login --server https://arena.example.org --token-file alice.token
  lastnim bot register alice | lastnim login

Without --token-file, login asks for the token at a terminal or reads it from standard input, and ignores any token in the
environment. In other commands, flags override the environment, which overrides the stored token. `lastnim tournament run`
uses a server other than its own only if a flag or LASTNIM_SERVER names one.")]
pub struct LoginArgs {
    #[command(flatten)]
    server: ServerArgs,
    #[command(flatten)]
    form: FormatArgs,
}

/// Removes the stored token of a server
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  lastnim logout
  lastnim logout --server https://arena.example.org --json

Without --server, this removes the token of the default server.
The token remains valid; `lastnim bot rotate` replaces it.")]
pub struct LogoutArgs {
    #[command(flatten)]
    server: ServerArgs,
    #[command(flatten)]
    form: FormatArgs,
}

pub fn login(args: &LoginArgs) -> CommandResult {
    let path = credentials_path()?;
    let mut credentials = Credentials::read(&path)?;
    let address = args.server.resolve_address(&credentials)?;
    let token = match args.server.token_from_flags()? {
        Some(token) => token,
        None => ask_for_token(address.as_str())?,
    };
    if token.trim().is_empty() {
        let how = "use --token-file or standard input";
        return Err(Failure::input(format!("no token was given for {address}: {how}")));
    }
    let token = token.trim();
    runtime::run_on_runtime(Some(1), async {
        let remote = RemoteServer::connect_to(&address, Some(token)).await?;
        let caller = remote.answer(remote.bot_client().get_caller(pb::GetCallerRequest {})).await?;
        let ca = address.ca().map(|ca| ca.path().canonicalize()).transpose();
        let ca = ca.map_err(|error| Failure::runtime(error, "--ca"))?;
        credentials.store_login(address.as_str(), StoredLogin { token: token.to_owned(), ca });
        credentials.write(&path)?;
        let who = caller_text(&caller);
        let shown = format!("logged in to {address} as {who}; the token is stored in {}", path.display());
        args.form.form().print_message(&caller, |out| writeln!(out, "{shown}"))?;
        Ok(CommandExit::Done)
    })
}

pub fn logout(args: &LogoutArgs) -> CommandResult {
    let path = credentials_path()?;
    let mut credentials = Credentials::read(&path)?;
    let server = &args.server.server_or_default(&credentials).to_owned();
    let file = path.display().to_string();
    if !credentials.remove_login(server) {
        return Err(Failure::Runtime(anyhow::anyhow!("{file}: no stored token for {server}")));
    }
    credentials.write(&path)?;
    let form = args.form.form();
    form.print_result(
        || json!({ "server": server, "file": file }),
        |out| writeln!(out, "the stored token for {server} was removed"),
    )?;
    Ok(CommandExit::Done)
}

/// Describes the caller that a token belongs to.
pub fn caller_text(caller: &pb::GetCallerResponse) -> String {
    match caller.role() {
        pb::Role::Admin => "the admin".to_owned(),
        pb::Role::Viewer => "a viewer".to_owned(),
        pb::Role::Bot => format!("bot {}", caller.bot),
        pb::Role::Unspecified => "nobody".to_owned(),
    }
}

/// Asks for a token at the terminal without echoing it, or reads a line of standard input if that is not a terminal.
fn ask_for_token(server: &str) -> Result<String, Failure> {
    let failure = |error: io::Error| Failure::runtime(error, "standard input");
    if io::stdin().is_terminal() {
        // A write error is ignored: the token can be typed without the prompt.
        let _ = write!(screen::stderr(), "token for {server}: ");
        return Term::stderr().read_secure_line().map_err(failure);
    }
    let mut line = String::new();
    BufReader::new(TextInput::new(io::stdin().lock())).read_line(&mut line).map_err(failure)?;
    Ok(line)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_role_of_a_caller_is_described() {
        let role_text =
            |role: pb::Role| caller_text(&pb::GetCallerResponse { role: role.into(), bot: "alice".into() });
        let roles = [pb::Role::Admin, pb::Role::Viewer, pb::Role::Bot];
        assert_eq!(roles.map(role_text), ["the admin", "a viewer", "bot alice"]);
    }
}
