//! `lastnim register`: a new bot on a server.

use crate::{
    cli::{
        CommandExit, CommandResult,
        form::{FormArgs, OutputForm},
        remote::{RemoteServer, ServerArgs},
        runtime,
    },
    game::BotName,
    wire::pb,
};
use std::io::{self, IsTerminal as _, Write as _};

/// Registers a bot, and prints its token
///
/// The token is shown this once: the server keeps no more than its hash.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  lastnim register alice
  TOKEN=$(lastnim register bob)
  lastnim register carol --json

The token stands alone on standard output. It needs the admin's token, in LASTNIM_ADMIN_TOKEN or --token, unless the
server runs with --open-registration.")]
pub struct RegisterArgs {
    /// Its name: 1 to 32 of a-z, 0-9, '-', '_' and '.', beginning with a letter or digit
    name: BotName,
    #[command(flatten)]
    server: ServerArgs,
    #[command(flatten)]
    form: FormArgs,
}

pub fn run(args: &RegisterArgs) -> CommandResult {
    runtime::run_on_runtime(Some(1), register_bot(args))
}

async fn register_bot(args: &RegisterArgs) -> CommandResult {
    let remote = RemoteServer::connect(&args.server).await?;
    let name = args.name.to_string();
    let request = pb::RegisterBotRequest { name: name.clone() };
    let registered = remote.answer(remote.bot_client().register_bot(request)).await?;
    let token = &registered.token;
    let form = args.form.form();
    form.print_message(&registered, |out| writeln!(out, "{token}"))?;
    if form == OutputForm::Text && io::stdout().is_terminal() {
        eprintln!("{name} is registered. Its token, above, is shown this once.");
        eprintln!("next: lastnim bot oracle --token TOKEN --tournament ID, or a bot of your own");
    }
    Ok(CommandExit::Done)
}
