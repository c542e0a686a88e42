//! `lastnim demo`: a whole tournament on this machine.

use super::report::{self, PlayedMatch};
use crate::{
    arena::Backend,
    bots::HouseBot,
    cli::{Exit, Failure, Outcome, own_server::OwnServer, runtime},
    client::{self, Authorization, Options, Summary},
    server::Config,
    tournament,
    wire::{
        pb::{
            self, bot_service_client::BotServiceClient, match_service_client::MatchServiceClient,
            tournament_service_client::TournamentServiceClient,
        },
        record::parse_record,
    },
};
use anyhow::Context as _;
use indicatif::{ProgressBar, ProgressStyle};
use std::net::Ipv4Addr;
use tokio::net::TcpListener;
use tokio::task::JoinSet;
use tonic::service::interceptor::InterceptedService;
use tonic::transport::Channel;

/// Seats of the demo's matches.
const SEATS: u32 = 3;
/// How long a match may wait for its row or take: the house bots are quick, but a machine may be busy.
const PATIENCE_MS: u32 = 60_000;
/// Matches of one page of a list.
const PAGE: u32 = 1_000;

/// Hosts a tournament of the house bots on this machine and explains what happened
///
/// It starts a server on a free port of 127.0.0.1, connects six bots over real gRPC streams, and lets every three of them
/// play the positions of the paper's tables in every rotation of the seats.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  lastnim demo
  lastnim demo --seed 7
  lastnim demo --json | python3 -m json.tool")]
pub struct DemoArgs {
    /// What the whole tournament follows from: its pairings, and the takes of the bot `random`
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    /// Prints one JSON document
    #[arg(long)]
    json: bool,
}

/// Everything that the demo came to.
#[derive(Debug)]
pub struct DemoTournament {
    /// The tournament at its end.
    pub tournament: pb::Tournament,
    /// The standings.
    pub standings: Vec<pb::Standing>,
    /// Every match, in the order of its number.
    pub matches: Vec<PlayedMatch>,
}

/// Plays the tournament and reports on it.
pub fn run(args: &DemoArgs) -> Outcome {
    runtime::block_on(None, async {
        let played = tokio::select! {
            played = host_demo(args) => played.map_err(Failure::Runtime)?,
            () = runtime::interrupted() => {
                return Err(Failure::Runtime(anyhow::anyhow!("interrupted before the tournament was over")));
            }
        };
        let printed = if args.json { report::print_json(&played) } else { report::print_report(&played) };
        printed.map_err(Failure::Output)?;
        Ok(Exit::Done)
    })
}

/// Starts a server, plays the tournament on it, and stops the server.
async fn host_demo(args: &DemoArgs) -> anyhow::Result<DemoTournament> {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.context("a free port of 127.0.0.1")?;
    let server = OwnServer::start(listener, Backend::in_memory(), Config::default()).await?;
    let played = play_demo(args, &server.address(), server.admin()).await;
    server.stop().await?;
    played
}

/// The services that the demo calls as an organiser would.
struct Organiser {
    bots: BotServiceClient<InterceptedService<Channel, Authorization>>,
    tournaments: TournamentServiceClient<InterceptedService<Channel, Authorization>>,
    matches: MatchServiceClient<InterceptedService<Channel, Authorization>>,
}

impl Organiser {
    async fn connect(address: &str, admin: &str) -> Result<Self, client::Error> {
        let channel = client::connect(address).await?;
        let authorization = client::token_authorization(admin)?;
        let bots = BotServiceClient::with_interceptor(channel.clone(), authorization.clone());
        let tournaments = TournamentServiceClient::with_interceptor(channel.clone(), authorization.clone());
        let matches = MatchServiceClient::with_interceptor(channel, authorization);
        Ok(Self { bots, tournaments, matches })
    }

    async fn register(&mut self, bot: HouseBot) -> anyhow::Result<String> {
        let request = pb::RegisterBotRequest { name: bot.name().to_owned() };
        Ok(self.bots.register_bot(request).await?.into_inner().token)
    }

    async fn create(&mut self, seed: u64) -> anyhow::Result<pb::Tournament> {
        let positions = tournament::PAPER.map(|counters| pb::Piles { counters: counters.to_vec() });
        let clock = pb::Clock {
            initial_ms: PATIENCE_MS,
            increment_ms: 100,
            lag_quota_ms: 100,
            lag_total_ms: 10_000,
            declaration_ms: PATIENCE_MS,
        };
        let settings = pb::TournamentSettings {
            title: "The house bots on the positions of the paper's tables".to_owned(),
            seats: SEATS,
            positions: positions.to_vec(),
            alliance: pb::AllianceMode::Declared.into(),
            clock: Some(clock),
            seed,
            start_at: HouseBot::ALL.len() as u32,
            ..Default::default()
        };
        let request = pb::CreateTournamentRequest { settings: Some(settings) };
        let created = self.tournaments.create_tournament(request).await?.into_inner();
        created.tournament.context("the server created no tournament")
    }

    /// Follows the tournament to its end, and shows how far it is.
    async fn follow(
        &mut self,
        id: &str,
        progress: &ProgressBar,
    ) -> anyhow::Result<(pb::Tournament, Vec<pb::Standing>)> {
        let request = pb::WatchTournamentRequest { tournament_id: id.to_owned(), state_only: false };
        let mut states = self.tournaments.watch_tournament(request).await?.into_inner();
        let mut last = None;
        let mut settings = None;
        while let Some(state) = states.message().await? {
            let mut tournament = state.tournament.context("a state without its tournament")?;
            // They come with the first state only.
            settings = tournament.settings.take().or(settings);
            progress.set_length(tournament.matches_total);
            progress.set_position(tournament.matches_played);
            last = Some((tournament, state.standings));
        }
        let (tournament, standings) = last.context("the server showed no tournament")?;
        Ok((pb::Tournament { settings, ..tournament }, standings))
    }

    /// Fetches every match of the tournament, replays its record, and audits it.
    async fn fetch_matches(&mut self, id: &str) -> anyhow::Result<Vec<PlayedMatch>> {
        let mut played = Vec::new();
        let mut page_token = String::new();
        loop {
            let request = pb::ListMatchesRequest {
                page_size: PAGE,
                page_token,
                tournament_id: id.to_owned(),
                bot: String::new(),
            };
            let page = self.matches.list_matches(request).await?.into_inner();
            for listed in page.matches {
                let request = pb::GetRecordRequest { match_id: listed.id };
                let record = self.matches.get_record(request).await?.into_inner().record;
                let record = parse_record(&record.context("a match without a record")?)?;
                let audit = record.audit()?;
                played.push(PlayedMatch { record, audit });
            }
            page_token = page.next_page_token;
            if page_token.is_empty() {
                break;
            }
        }
        played.sort_by_key(PlayedMatch::number);
        Ok(played)
    }
}

async fn play_demo(args: &DemoArgs, address: &str, admin: &str) -> anyhow::Result<DemoTournament> {
    let mut organiser = Organiser::connect(address, admin).await?;
    let tournament = organiser.create(args.seed).await?;
    let mut bots: JoinSet<Result<Summary, client::Error>> = JoinSet::new();
    for house_bot in HouseBot::ALL {
        let token = organiser.register(house_bot).await?;
        let bot = house_bot.bot(args.seed);
        bots.spawn(client::run(bot, Options::new(address, token).tournament(&tournament.id)));
    }
    let progress = progress_bar(args.json);
    progress.set_message(format!("{} bots at {address}", bots.len()));
    let (tournament, standings) = organiser.follow(&tournament.id, &progress).await?;
    progress.finish_and_clear();
    while let Some(bot) = bots.join_next().await {
        bot.context("a bot broke down")?.context("a bot lost its session")?;
    }
    let matches = organiser.fetch_matches(&tournament.id).await?;
    Ok(DemoTournament { tournament, standings, matches })
}

/// Makes a bar on standard error; one that shows nothing where that is no terminal, or where JSON is wanted.
fn progress_bar(json: bool) -> ProgressBar {
    if json {
        return ProgressBar::hidden();
    }
    let style = ProgressStyle::with_template("{msg} {bar:32} {pos}/{len} matches {eta_precise} left");
    let bar = ProgressBar::new(0);
    bar.with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()))
}
