//! `lastnim demo`.

use super::report::{self, PlayedMatch};
use crate::{
    CommandExit, CommandResult, Failure, OwnCommand,
    embedded_server::EmbeddedServer,
    played_matches::{MatchSelectionArgs, PlayedMatches},
    progress::matches_bar,
    remote::RemoteServer,
    runner::TournamentStatus,
    runtime,
};
use indicatif::ProgressBar;
use lastnim_arena::Backend;
use lastnim_bots::HouseBot;
use lastnim_client::{Options, Summary};
use lastnim_proto::pb;
use lastnim_server::Config;
use std::net::Ipv4Addr;
use std::pin::pin;
use tokio::net::TcpListener;
use tokio::task::JoinSet;

/// The number of seats in the demo's matches.
const SEATS: u32 = 3;
/// How long a match waits for a row or take. House bots are fast, but the machine may be busy.
const TIME_LIMIT_MS: u32 = 60_000;

/// Plays and explains a tournament of house bots on this machine
///
/// It starts a server on a free port of 127.0.0.1 and connects six bots over gRPC. Every set of three bots plays the
/// positions of the paper's tables in every rotation of the seats.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  lastnim demo
  lastnim demo --seed 7
  lastnim demo --serve          # ends with Ctrl-C
  lastnim demo --json | python3 -m json.tool")]
pub struct DemoArgs {
    /// The seed for the pairings and for the takes of the bot `random`
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    /// Prints one JSON document
    #[arg(long)]
    json: bool,
    /// Keeps the server open after the tournament, for a browser, until Ctrl-C
    #[arg(long)]
    serve: bool,
}

/// The result of the demo.
#[derive(Debug)]
pub struct DemoTournament {
    /// The tournament as it was when it ended.
    pub tournament: pb::Tournament,
    /// The standings.
    pub standings: Vec<pb::Standing>,
    /// Every match, sorted by number.
    pub matches: Vec<PlayedMatch>,
    /// The server, if it keeps running.
    pub open_server: Option<OpenServer>,
}

/// A server that keeps running after the tournament.
#[derive(Debug)]
pub struct OpenServer {
    /// The URL of the server's web pages.
    pub pages: String,
    /// The admin's token, for `/organise` and for commands.
    pub admin_token: String,
}

/// Plays the tournament and reports on it.
pub fn run(args: &DemoArgs, own: &OwnCommand) -> CommandResult {
    runtime::run_on_runtime(None, async {
        let interrupted = runtime::wait_for_interrupt();
        let mut interrupted = pin!(interrupted);
        let server = start_demo_server().await?;
        let played = tokio::select! {
            played = play_on_server(args, &server) => played,
            () = &mut interrupted => {
                return Err(Failure::Runtime(anyhow::anyhow!("interrupted before the tournament ended")));
            }
        };
        if args.serve
            && let Ok(played) = &played
        {
            report_demo(args, played, own)?;
            interrupted.await;
        }
        server.stop().await.map_err(Failure::Runtime)?;
        let played = played?;
        if !args.serve {
            report_demo(args, &played, own)?;
        }
        Ok(CommandExit::Done)
    })
}

fn report_demo(args: &DemoArgs, played: &DemoTournament, own: &OwnCommand) -> Result<(), Failure> {
    let printed = if args.json { report::print_json(played) } else { report::print_report(played, own) };
    printed.map_err(Failure::Output)
}

/// Starts a server on a free port of this machine.
async fn start_demo_server() -> Result<EmbeddedServer, Failure> {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await;
    let listener =
        listener.map_err(|error| Failure::runtime(error, "cannot find a free port on 127.0.0.1"))?;
    let server = EmbeddedServer::start(listener, Backend::in_memory(), Config::default()).await;
    server.map_err(Failure::Runtime)
}

/// Plays the tournament on a server.
async fn play_on_server(args: &DemoArgs, server: &EmbeddedServer) -> Result<DemoTournament, Failure> {
    let address = server.connect_address();
    let played = play_demo_tournament(args, &address, server.admin_token()).await?;
    let open_server = args.serve.then(|| OpenServer {
        pages: format!("http://{address}/"),
        admin_token: server.admin_token().to_owned(),
    });
    Ok(DemoTournament { open_server, ..played })
}

/// Returns the settings of the tournament.
fn demo_settings(seed: u64) -> pb::TournamentSettings {
    let positions =
        lastnim_tournament::PAPER_POSITIONS.map(|counters| pb::Piles { counters: counters.to_vec() });
    let clock = pb::Clock {
        initial_ms: TIME_LIMIT_MS,
        increment_ms: 100,
        lag_quota_ms: 100,
        lag_total_ms: 10_000,
        declaration_ms: TIME_LIMIT_MS,
        return_within_ms: None,
    };
    pb::TournamentSettings {
        title: "The house bots on the positions of the paper's tables".to_owned(),
        seats: SEATS,
        positions: positions.to_vec(),
        alliance: pb::AllianceMode::Declared.into(),
        clock: Some(clock),
        seed,
        start_when: HouseBot::BASIC.len() as u32,
        ..Default::default()
    }
}

async fn play_demo_tournament(
    args: &DemoArgs,
    address: &str,
    admin: &str,
) -> Result<DemoTournament, Failure> {
    let remote = RemoteServer::connect_to(&address.into(), Some(admin)).await?;
    let request =
        pb::CreateTournamentRequest { settings: Some(demo_settings(args.seed)), ..Default::default() };
    let created = remote.answer(remote.tournament_client().create_tournament(request)).await?;
    let tournament_id = created.tournament.ok_or_else(|| remote.missing_part_failure("tournament"))?.id;
    let mut bots: JoinSet<Result<Summary, lastnim_client::Error>> = JoinSet::new();
    for house_bot in HouseBot::BASIC {
        let request = pb::RegisterBotRequest { name: house_bot.to_string(), ..Default::default() };
        let token = remote.answer(remote.bot_client().register_bot(request)).await?.token;
        let bot = house_bot.build_bot(args.seed);
        bots.spawn(lastnim_client::run(bot, Options::new(address, token).tournament(&tournament_id)));
    }
    let progress = if args.json { ProgressBar::hidden() } else { matches_bar(Some(0)) };
    progress.set_message(format!("{} bots at {address}", bots.len()));
    let request = pb::WatchTournamentRequest { tournament_id, state_only: false };
    let mut states = remote.answer(remote.tournament_client().watch_tournament(request)).await?;
    let mut seen = TournamentStatus::default();
    while let Some(state) = states.message().await.map_err(|status| remote.broken_stream_failure(&status))? {
        seen.update(state);
        progress.set_length(seen.tournament.matches_total);
        progress.set_position(seen.tournament.matches_played);
    }
    progress.finish_and_clear();
    while let Some(bot) = bots.join_next().await {
        let played = bot.map_err(|error| Failure::runtime(error, "a bot failed"))?;
        played.map_err(|error| Failure::runtime(error, "a bot lost its session"))?;
    }
    let TournamentStatus { tournament, standings, .. } = seen;
    let matches = fetch_matches(&remote, &tournament.id).await?;
    Ok(DemoTournament { tournament, standings, matches, open_server: None })
}

/// Fetches every match of the tournament, replays its record, and audits it.
async fn fetch_matches(remote: &RemoteServer, id: &str) -> Result<Vec<PlayedMatch>, Failure> {
    let id =
        id.parse().map_err(|error| Failure::runtime(error, "the server sent an invalid tournament id"))?;
    let which = MatchSelectionArgs { tournament: Some(id), ..Default::default() };
    let mut fetched = PlayedMatches::new(remote, &which, ProgressBar::hidden(), |_| true);
    let mut played = Vec::new();
    while let Some((_, sealed)) = fetched.next().await? {
        let record = sealed.into_record();
        let audit = record.audit().map_err(|error| Failure::runtime(error, "a record cannot be audited"))?;
        played.push(PlayedMatch { record, audit });
    }
    played.sort_by_key(PlayedMatch::number);
    Ok(played)
}
