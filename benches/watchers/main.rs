//! The cost of watchers to the matches that they watch.
//!
//! A server plays a tournament of its house bots, and one match of a slow bot. For some seconds there are no watchers.
//! Then 2,000 follow the page of the tournament and 1,000 the page of the match. Both are measured alternately and in
//! one run, so their ratio is meaningful even if absolute figures are not. The watchers run in a separate process: this
//! one.
//!
//! `cargo bench --bench watchers` takes a minute and a half; `--rounds`, `--seconds`, `--tournament-watchers` and `--match-watchers` set the amount.

mod server;
mod watchers;

use anyhow::{Context as _, ensure};
use clap::Parser;
use lastnim_client::{Bot, MatchView, Options as BotOptions, connect, run_until, token_authorization};
use lastnim_proto::pb::{
    self, bot_service_client::BotServiceClient, match_service_client::MatchServiceClient,
    tournament_service_client::TournamentServiceClient,
};
use server::{ADMIN_TOKEN, Server};
use std::time::{Duration, Instant};
use tokio::{task::JoinSet, time::sleep};
use tonic::{service::interceptor::InterceptedService, transport::Channel};
use watchers::{WatcherCounts, Watchers};

/// The house bots in the tournament.
const HOUSE: [&str; 4] = ["oracle", "greedy", "timid", "random"];
/// The positions of the tournament.
const POSITIONS: [&[u64]; 3] = [&[5, 9, 14], &[20, 8], &[3, 4, 5, 6]];
/// The number of groups in the tournament: more than can be played.
const GROUPS: u64 = 300_000;
/// How long the slow bot thinks. It makes more takes per second than the updates that watchers get.
const THINKING_TIME: Duration = Duration::from_millis(50);
/// The pause before the measurement, so that the start-up work is done.
const SETTLING_TIME: Duration = Duration::from_secs(2);

/// The amount of work.
#[derive(Debug, Parser)]
struct Options {
    /// Watchers of the tournament.
    #[arg(long, default_value_t = 2_000)]
    tournament_watchers: usize,
    /// Watchers of the match.
    #[arg(long, default_value_t = 1_000)]
    match_watchers: usize,
    /// How often each is measured; the measurements alternate.
    #[arg(long, default_value_t = 5, value_parser = clap::value_parser!(u32).range(1..=100))]
    rounds: u32,
    /// Seconds of each measurement.
    #[arg(long, default_value_t = 5, value_parser = clap::value_parser!(u64).range(1..=600))]
    seconds: u64,
    /// The argument that cargo passes to every benchmark.
    #[arg(long, hide = true)]
    bench: bool,
}

/// Takes one counter after a pause.
struct SlowBot;

impl Bot for SlowBot {
    fn play(&mut self, _: &MatchView) -> u64 {
        std::thread::sleep(THINKING_TIME);
        1
    }
}

type Calls = InterceptedService<Channel, lastnim_client::Authorization>;

/// The tournament and the match that are watched.
struct Played {
    tournaments: TournamentServiceClient<Calls>,
    tournament: String,
    game: String,
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> anyhow::Result<()> {
    let options = Options::parse();
    let server = Server::start(HOUSE)?;
    let mut bots = JoinSet::new();
    let mut played = begin(&server.address, &mut bots).await?;
    let window = Duration::from_secs(options.seconds);
    println!("round  matches/s alone  watched  ratio  server CPU alone  watched  messages/s  MiB/s");
    let mut ratios = Vec::new();
    for round in 1..=options.rounds {
        let alone = measure(&mut played, &server, window).await?;
        let mut watchers = Watchers::default();
        let tournament = format!("/tournaments/{}/events", played.tournament);
        watchers.open(&server.address, &tournament, options.tournament_watchers).await?;
        watchers
            .open(&server.address, &format!("/matches/{}/events", played.game), options.match_watchers)
            .await?;
        sleep(SETTLING_TIME).await;
        let before = watchers.counts();
        let watched = measure(&mut played, &server, window).await?;
        let WatcherCounts { messages, bytes } = watchers.counts().since(before);
        let lost = watchers.close();
        ensure!(lost == 0, "{lost} watchers were refused or dropped");
        let (seconds, ratio) = (window.as_secs_f64(), watched.matches_a_second / alone.matches_a_second);
        println!(
            "{round:>5} {:>16.0} {:>8.0} {ratio:>6.2} {:>17.2} {:>8.2} {:>11.0} {:>6.1}",
            alone.matches_a_second,
            watched.matches_a_second,
            alone.cpus,
            watched.cpus,
            messages / seconds,
            bytes / seconds / f64::from(1 << 20)
        );
        ratios.push(ratio);
        sleep(SETTLING_TIME).await;
    }
    ratios.sort_by(f64::total_cmp);
    println!("median ratio: {:.2}", ratios[ratios.len() / 2]);
    Ok(())
}

/// Starts the tournament and the match.
async fn begin(address: &str, bots: &mut JoinSet<()>) -> anyhow::Result<Played> {
    let channel = connect(address).await?;
    let admin = || anyhow::Ok(token_authorization(ADMIN_TOKEN)?);
    let mut tournaments = TournamentServiceClient::with_interceptor(channel.clone(), admin()?);
    let positions = POSITIONS.map(|piles| pb::Piles { counters: piles.to_vec() }).to_vec();
    let format = pb::tournament_settings::Format::RoundRobin(pb::RoundRobinFormat { groups: GROUPS });
    let settings = pb::TournamentSettings {
        title: "watched".into(),
        seats: 3,
        positions,
        seed: 1,
        concurrency: 64,
        format: Some(format),
        ..Default::default()
    };
    let request = pb::CreateTournamentRequest { settings: Some(settings), ..Default::default() };
    let created = tournaments.create_tournament(request).await?.into_inner();
    let tournament = created.tournament.context("the server returned no tournament")?.id;
    for bot in HOUSE {
        let request = pb::JoinTournamentRequest { tournament_id: tournament.clone(), bot: bot.into() };
        tournaments.join_tournament(request).await?;
    }
    tournaments.start_tournament(pb::StartTournamentRequest { tournament_id: tournament.clone() }).await?;

    let request = pb::RegisterBotRequest { name: "slow".into(), ..Default::default() };
    let mut registry = BotServiceClient::with_interceptor(channel.clone(), admin()?);
    let token = registry.register_bot(request).await?.into_inner().token;
    let options = BotOptions::new(address, token);
    bots.spawn(async move {
        if let Err(error) = run_until(SlowBot, options, std::future::pending()).await {
            eprintln!("the slow bot: {error}");
        }
    });
    let request = pb::CreateMatchRequest {
        bots: vec!["slow".into(), "timid".into()],
        piles: vec![1 << 40],
        clock: Some(pb::Clock { initial_ms: 86_400_000, declaration_ms: 60_000, ..Default::default() }),
        max_plies: 65_536,
        ..Default::default()
    };
    let mut matches = MatchServiceClient::with_interceptor(channel, admin()?);
    let game =
        matches.create_match(request).await?.into_inner().r#match.context("the server returned no match")?.id;
    let mut played = Played { tournaments, tournament, game };
    // A tournament with this many groups is not planned at once.
    while played.matches().await? == 0 {
        sleep(Duration::from_millis(100)).await;
    }
    sleep(SETTLING_TIME).await;
    Ok(played)
}

/// The matches and takes that were played in an interval.
struct Pace {
    matches_a_second: f64,
    /// Number of CPUs that the server used.
    cpus: f64,
}

async fn measure(played: &mut Played, server: &Server, window: Duration) -> anyhow::Result<Pace> {
    let (matches, cpu, began) = (played.matches().await?, server.cpu_seconds()?, Instant::now());
    sleep(window).await;
    let lasted = began.elapsed().as_secs_f64();
    let cpus = (server.cpu_seconds()? - cpu) / lasted;
    #[expect(clippy::cast_precision_loss, reason = "there are far fewer than 2^53 matches")]
    let ended = (played.matches().await? - matches) as f64;
    Ok(Pace { matches_a_second: ended / lasted, cpus })
}

impl Played {
    /// Returns the number of finished matches of the tournament.
    async fn matches(&mut self) -> anyhow::Result<u64> {
        let request = pb::GetTournamentRequest { tournament_id: self.tournament.clone() };
        let shown = self.tournaments.get_tournament(request).await?.into_inner();
        let tournament = shown.tournament.context("the server returned no tournament")?;
        ensure!(tournament.state() == pb::TournamentState::Running, "the tournament ended too early");
        Ok(tournament.matches_played)
    }
}
