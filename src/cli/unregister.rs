//! `lastnim unregister`: a bot less on a server.

use crate::{
    cli::{
        CommandExit, CommandResult,
        remote::{RemoteServer, ServerArgs},
        runtime,
    },
    game::BotName,
    wire::pb,
};

/// Removes a bot that never played
///
/// Its token is void at once, and its name is free again.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  lastnim unregister alice

A bot that has played stays, for what it played names it; and so does one that is in a tournament which is not over. It
needs the admin's token, in LASTNIM_ADMIN_TOKEN or --token.")]
pub struct UnregisterArgs {
    /// Its name
    name: BotName,
    #[command(flatten)]
    server: ServerArgs,
}

pub fn run(args: &UnregisterArgs) -> CommandResult {
    runtime::run_on_runtime(Some(1), async {
        let remote = RemoteServer::connect(&args.server).await?;
        let request = pb::RemoveBotRequest { name: args.name.to_string() };
        remote.answer(remote.bot_client().remove_bot(request)).await?;
        Ok(CommandExit::Done)
    })
}
