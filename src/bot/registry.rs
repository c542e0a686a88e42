//! `lastnim bot register`, `list`, `show`, `rotate` and `remove`.

use super::bot_refusal_failure;
use crate::{
    CommandExit, CommandResult, Failure,
    form::{CsvArgs, FormatArgs, OutputFormat, table_page_report},
    remote::{MAX_PAGE_SIZE, RemoteServer, ServerArgs},
    repeated_call, runtime, screen,
};
use clap::Args;
use lastnim_core::game::{BotName, BotProfile, ProfileLink, ProfileName, TournamentId};
use lastnim_proto::pb;
use lastnim_report::bots::{bot_report, bot_table};
use lastnim_store::{EntryCode, Token};
use std::io::{self, IsTerminal as _, Write as _};

/// Registers a bot and prints its token
///
/// The server shows the token only once and stores only its hash.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  TOKEN=$(lastnim bot register bob)
  lastnim bot register carol --team Nimbers --author 'C. C.' --link https://example.org/carol
  lastnim bot register team-1 --tournament $ID --code $CODE

Only the token goes to standard output. This needs the admin's token, unless the server runs with
--open-registration, or the entry code of a tournament.")]
pub struct RegisterArgs {
    /// The name: 1 to 32 characters from a-z, 0-9, '-', '_' and '.', starting with a letter or digit
    name: BotName,
    /// Enters the bot into this tournament with its entry code
    #[arg(long, value_name = "ID", requires = "code")]
    tournament: Option<TournamentId>,
    /// The tournament's entry code; no token is needed
    #[arg(long, value_name = "CODE", requires = "tournament")]
    code: Option<EntryCode>,
    #[command(flatten)]
    profile: ProfileArgs,
    #[command(flatten)]
    form: FormatArgs,
    #[command(flatten)]
    server: ServerArgs,
}

/// What the bot's page says about it.
#[derive(Debug, Args)]
struct ProfileArgs {
    /// The bot's team, up to 64 characters; its page shows it
    #[arg(long, value_name = "NAME")]
    team: Option<ProfileName>,
    /// The bot's author, up to 64 characters; its page shows it
    #[arg(long, value_name = "NAME")]
    author: Option<ProfileName>,
    /// A web page about the bot; its page links to it
    #[arg(long, value_name = "URL")]
    link: Option<ProfileLink>,
}

impl ProfileArgs {
    /// Returns the profile; `None` if it says nothing.
    fn message(&self) -> Option<pb::BotProfile> {
        let Self { team, author, link } = self;
        let profile = BotProfile { team: team.clone(), author: author.clone(), link: link.clone() };
        (profile != BotProfile::default()).then(|| (&profile).into())
    }
}

/// Lists bots by name, with their sessions, versions and lag
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  lastnim bot list
  lastnim bot list --limit 5 --page-token alice
  lastnim bot list --limit 1000 --csv > bots.csv")]
pub struct ListArgs {
    /// Lists at most this many bots
    #[arg(long, value_name = "N", default_value_t = 100, value_parser = clap::value_parser!(u32).range(1..=MAX_PAGE_SIZE.into()))]
    limit: u32,
    /// Continues a list with the token printed at its end
    #[arg(long, value_name = "TOKEN", default_value = "", hide_default_value = true)]
    page_token: String,
    #[command(flatten)]
    csv: CsvArgs,
    #[command(flatten)]
    form: FormatArgs,
    #[command(flatten)]
    server: ServerArgs,
}

/// Shows a bot's session, versions, open matches and lost seats
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  lastnim bot show alice
  lastnim bot show alice --json

Lost seats are those of the bot's 10 newest finished matches.")]
pub struct ShowArgs {
    /// The name of the bot
    name: BotName,
    #[command(flatten)]
    form: FormatArgs,
    #[command(flatten)]
    server: ServerArgs,
}

/// Replaces a bot's token and prints the new one
///
/// The old token stops working at once, and its session ends with the reason `TOKEN_ROTATED`. Open matches continue and
/// their clocks run: restart the bot with the new token.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  TOKEN=$(lastnim bot rotate alice)
  lastnim bot rotate --token-file alice.token > new.token
  lastnim bot rotate | lastnim login

Only the new token goes to standard output. This needs the admin's token and a name, or the bot's own token.")]
pub struct RotateArgs {
    /// The name of the bot [default: the bot whose token is given]
    name: Option<BotName>,
    #[command(flatten)]
    form: FormatArgs,
    #[command(flatten)]
    server: ServerArgs,
}

/// Removes a bot that never played
///
/// Its token stops working at once, and its name is free again.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  lastnim bot remove alice

The server keeps a bot that has played or is in an unfinished tournament. This needs the admin's token.")]
pub struct RemoveArgs {
    /// The name of the bot
    name: BotName,
    #[command(flatten)]
    form: FormatArgs,
    #[command(flatten)]
    server: ServerArgs,
}

/// Connects to the server and carries out an action there.
fn run_on_server(
    server: &ServerArgs,
    action: impl AsyncFnOnce(&RemoteServer) -> Result<(), Failure>,
) -> CommandResult {
    runtime::run_on_runtime(Some(1), async {
        action(&RemoteServer::connect(server).await?).await?;
        Ok(CommandExit::Done)
    })
}

/// Prints lines that explain the output, if standard output is a terminal.
fn print_hint(form: OutputFormat, lines: &[&str]) {
    if form == OutputFormat::Text && io::stdout().is_terminal() {
        for line in lines {
            screen::print_note(format_args!("{line}"));
        }
    }
}

pub fn register_bot(args: &RegisterArgs) -> CommandResult {
    run_on_server(&args.server, async |remote| {
        let name = args.name.to_string();
        let (form, profile) = (args.form.form(), args.profile.message());
        let (done, id) = if let (Some(id), Some(code)) = (args.tournament, &args.code) {
            // The code is enough: a saved token that has been replaced must not get in the way.
            let stranger = remote.without_token();
            // The token is made here, so that the call can be repeated if its answer is lost.
            let token = Token::generate().reveal().to_owned();
            let (tournament_id, entry_code) = (id.to_string(), code.reveal());
            let name = name.clone();
            let request = pb::RegisterEntrantRequest { tournament_id, name, entry_code, token, profile };
            let register = || {
                let (mut entries, request) = (stranger.entry_client(), request.clone());
                async move { entries.register_entrant(request).await }
            };
            let registered = stranger.answer_repeatedly(register).await?;
            form.print_message(&registered, |out| writeln!(out, "{}", registered.token))?;
            ("registered and has entered the tournament", id.to_string())
        } else {
            let registered = repeated_call::register_bot(remote, &args.name, profile).await;
            let registered = registered.map_err(|status| remote.refusal_failure(&status))?;
            form.print_message(&registered, |out| writeln!(out, "{}", registered.token))?;
            ("registered", "ID".to_owned())
        };
        let shown = format!("{name} is {done}. Keep the token above: it is shown only once.");
        let next =
            format!("next: lastnim bot run oracle --token TOKEN --tournament {id}, or start your own bot");
        print_hint(form, &[&shown, &next]);
        Ok(())
    })
}

pub fn list_bots(args: ListArgs) -> CommandResult {
    run_on_server(&args.server, async |remote| {
        let request = pb::ListBotsRequest { page_size: args.limit, page_token: args.page_token };
        let list = remote.answer(remote.bot_client().list_bots(request)).await?;
        let report = || table_page_report(bot_table(&list.bots), &list.next_page_token);
        args.csv.print_message_report(args.form.form(), &list, report)
    })
}

pub fn show_bot(args: ShowArgs) -> CommandResult {
    run_on_server(&args.server, async |remote| {
        let request = pb::GetBotRequest { name: args.name.to_string() };
        match remote.bot_client().get_bot(request).await {
            Ok(shown) => {
                let shown = shown.into_inner();
                args.form.form().print_message_report(&shown, || bot_report(&shown))
            }
            Err(status) => Err(bot_refusal_failure(remote, &status, &[args.name]).await),
        }
    })
}

pub fn rotate_token(args: &RotateArgs) -> CommandResult {
    run_on_server(&args.server, async |remote| {
        let name = args.name.as_ref().map(ToString::to_string).unwrap_or_default();
        match remote.bot_client().rotate_token(pb::RotateTokenRequest { name }).await {
            Ok(rotated) => {
                let (rotated, form) = (rotated.into_inner(), args.form.form());
                form.print_message(&rotated, |out| writeln!(out, "{}", rotated.token))?;
                print_hint(
                    form,
                    &["Keep the new token above: it is shown only once. The old token no longer works."],
                );
                Ok(())
            }
            Err(status) => Err(bot_refusal_failure(remote, &status, args.name.as_slice()).await),
        }
    })
}

pub fn remove_bot(args: RemoveArgs) -> CommandResult {
    run_on_server(&args.server, async |remote| {
        let request = pb::RemoveBotRequest { name: args.name.to_string() };
        match remote.bot_client().remove_bot(request).await {
            Ok(removed) => args.form.form().print_message(&removed.into_inner(), |_| Ok(())),
            Err(status) => Err(bot_refusal_failure(remote, &status, &[args.name]).await),
        }
    })
}
