//! The actions of `lastnim bots`, their flags, and what each asks of the server.

use super::refused_bot;
use crate::{
    CommandExit, CommandResult, Failure,
    form::{CsvArgs, FormArgs, OutputForm, table_page_report},
    remote::{MAX_PAGE, RemoteServer, ServerArgs},
    runtime,
};
use clap::{Args, Subcommand};
use lastnim_core::game::BotName;
use lastnim_proto::pb;
use lastnim_report::bots::{bot_report, bot_table};
use std::io::{self, IsTerminal as _, Write as _};

/// Registers, lists, shows and removes bots, and replaces their tokens
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  TOKEN=$(lastnim bots add alice)
  lastnim bots list
  lastnim bots show alice
  lastnim bots rotate alice
  lastnim bots remove alice

`lastnim register` is short for `bots add`, and `lastnim unregister` for `bots remove`.")]
pub struct BotsArgs {
    #[command(subcommand)]
    action: Action,
    #[command(flatten)]
    server: ServerArgs,
}

#[derive(Debug, Subcommand)]
enum Action {
    Add(AddArgs),
    List(ListArgs),
    Show(ShowArgs),
    Rotate(RotateArgs),
    Remove(RemoveArgs),
}

/// Registers a bot, and prints its token
///
/// The token is shown this once: the server keeps no more than its hash.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  lastnim bots add alice
  TOKEN=$(lastnim bots add bob)
  lastnim bots add carol --json

The token stands alone on standard output. It needs the admin's token, unless the server runs with
--open-registration. A token that is lost is replaced by `lastnim bots rotate`.")]
struct AddArgs {
    /// Its name: 1 to 32 of a-z, 0-9, '-', '_' and '.', beginning with a letter or digit
    name: BotName,
    #[command(flatten)]
    form: FormArgs,
}

/// Lists the bots by name: who is connected, since when, in which version, and with which lag
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  lastnim bots list
  lastnim bots list --most 5 --page-token alice
  lastnim bots list --most 1000 --csv > bots.csv
  lastnim bots list --json

It shows what anybody may read of the server.")]
struct ListArgs {
    /// Bots to list, at the most
    #[arg(long, value_name = "N", default_value_t = 100, value_parser = clap::value_parser!(u32).range(1..=MAX_PAGE.into()))]
    most: u32,
    /// Goes on behind a page of the list, by the token that stands at its end
    #[arg(long, value_name = "TOKEN", default_value = "", hide_default_value = true)]
    page_token: String,
    #[command(flatten)]
    csv: CsvArgs,
    #[command(flatten)]
    form: FormArgs,
}

/// Shows a bot: its session, its versions, its open matches, and which seats it lost and why
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  lastnim bots show alice
  lastnim bots show alice --json

It shows what anybody may read of the server, and of lost seats those of the 10 newest matches that are over.")]
struct ShowArgs {
    /// Its name
    name: BotName,
    #[command(flatten)]
    form: FormArgs,
}

/// Replaces the token of a bot, and prints the new one
///
/// The token before is void at once, and a session that was opened with it is ended with the reason `TOKEN_ROTATED`. Open
/// matches go on and their clocks run: start the bot with the new token.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  TOKEN=$(lastnim bots rotate alice)
  lastnim bots rotate --token-file alice.token > new.token
  lastnim bots rotate | lastnim login
  lastnim bots rotate alice --json

The new token stands alone on standard output. It needs the admin's token and the bot's name, or the bot's own token.")]
struct RotateArgs {
    /// Its name; without one, the bot whose token is given
    name: Option<BotName>,
    #[command(flatten)]
    form: FormArgs,
}

/// Removes a bot that never played
///
/// Its token is void at once, and its name is free again.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  lastnim bots remove alice

A bot that has played stays, for what it played names it; and so does one that is in a tournament which is not over. It
needs the admin's token.")]
struct RemoveArgs {
    /// Its name
    name: BotName,
    #[command(flatten)]
    form: FormArgs,
}

/// Registers a bot, and prints its token: short for `lastnim bots add`
///
/// The token is shown this once: the server keeps no more than its hash.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  lastnim register alice
  TOKEN=$(lastnim register bob)

The token stands alone on standard output.")]
pub struct RegisterArgs {
    #[command(flatten)]
    add: AddArgs,
    #[command(flatten)]
    server: ServerArgs,
}

/// Removes a bot that never played: short for `lastnim bots remove`
///
/// Its token is void at once, and its name is free again.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  lastnim unregister alice

A bot that has played stays, for what it played names it.")]
pub struct UnregisterArgs {
    #[command(flatten)]
    remove: RemoveArgs,
    #[command(flatten)]
    server: ServerArgs,
}

pub fn run(args: BotsArgs) -> CommandResult {
    carry_out(args.action, &args.server)
}

pub fn register(args: RegisterArgs) -> CommandResult {
    carry_out(Action::Add(args.add), &args.server)
}

pub fn unregister(args: UnregisterArgs) -> CommandResult {
    carry_out(Action::Remove(args.remove), &args.server)
}

fn carry_out(action: Action, server: &ServerArgs) -> CommandResult {
    runtime::run_on_runtime(Some(1), async {
        let remote = RemoteServer::connect(server).await?;
        match action {
            Action::Add(args) => add_bot(&remote, &args).await?,
            Action::List(args) => list_bots(&remote, args).await?,
            Action::Show(args) => show_bot(&remote, args).await?,
            Action::Rotate(args) => rotate_token(&remote, args).await?,
            Action::Remove(args) => remove_bot(&remote, args).await?,
        }
        Ok(CommandExit::Done)
    })
}

/// Says more to a person than to a pipe.
fn say_to_person(form: OutputForm, lines: &[&str]) {
    if form == OutputForm::Text && io::stdout().is_terminal() {
        for line in lines {
            eprintln!("{line}");
        }
    }
}

async fn add_bot(remote: &RemoteServer, args: &AddArgs) -> Result<(), Failure> {
    let name = args.name.to_string();
    let request = pb::RegisterBotRequest { name: name.clone() };
    let registered = remote.answer(remote.bot_client().register_bot(request)).await?;
    let form = args.form.form();
    form.print_message(&registered, |out| writeln!(out, "{}", registered.token))?;
    let shown = format!("{name} is registered. Its token, above, is shown this once.");
    let next = "next: lastnim bot oracle --token TOKEN --tournament ID, or a bot of your own";
    say_to_person(form, &[&shown, next]);
    Ok(())
}

async fn list_bots(remote: &RemoteServer, args: ListArgs) -> Result<(), Failure> {
    let request = pb::ListBotsRequest { page_size: args.most, page_token: args.page_token };
    let list = remote.answer(remote.bot_client().list_bots(request)).await?;
    let report = || table_page_report(bot_table(&list.bots), &list.next_page_token);
    args.csv.print_message_report(args.form.form(), &list, report)
}

async fn show_bot(remote: &RemoteServer, args: ShowArgs) -> Result<(), Failure> {
    let request = pb::GetBotRequest { name: args.name.to_string() };
    match remote.bot_client().get_bot(request).await {
        Ok(shown) => {
            let shown = shown.into_inner();
            args.form.form().print_message_report(&shown, || bot_report(&shown))
        }
        Err(status) => Err(refused_bot(remote, &status, &[args.name]).await),
    }
}

async fn rotate_token(remote: &RemoteServer, args: RotateArgs) -> Result<(), Failure> {
    let name = args.name.as_ref().map(ToString::to_string).unwrap_or_default();
    match remote.bot_client().rotate_token(pb::RotateTokenRequest { name }).await {
        Ok(rotated) => {
            let (rotated, form) = (rotated.into_inner(), args.form.form());
            form.print_message(&rotated, |out| writeln!(out, "{}", rotated.token))?;
            say_to_person(form, &["The new token, above, is shown this once. The one before is void."]);
            Ok(())
        }
        Err(status) => Err(refused_bot(remote, &status, args.name.as_slice()).await),
    }
}

async fn remove_bot(remote: &RemoteServer, args: RemoveArgs) -> Result<(), Failure> {
    let request = pb::RemoveBotRequest { name: args.name.to_string() };
    match remote.bot_client().remove_bot(request).await {
        Ok(removed) => args.form.form().print_message(&removed.into_inner(), |_| Ok(())),
        Err(status) => Err(refused_bot(remote, &status, &[args.name]).await),
    }
}
