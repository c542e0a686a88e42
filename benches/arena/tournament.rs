//! A tournament of many bots that play short matches. It measures the cost to the server apart from the matches, and
//! the memory that stays in use.

use anyhow::{Context as _, anyhow, bail, ensure};
use clap::Args;
use lastnim_proto::pb::{
    AllianceMode, CreateTournamentRequest, JoinTournamentRequest, Piles, PlayRequest, PlayResponse, Pong,
    RoundRobinFormat, Standing, StartTournamentRequest, Take, TournamentSettings, TournamentState, Turn,
    WatchTournamentRequest, WatchTournamentResponse, play_request::Action, play_response::Event,
    tournament_service_client::TournamentServiceClient, tournament_settings::Format,
};
use lastnim_tournament::SeededDraw;
use prost::Message as _;
use serde::{Deserialize, Serialize};
use std::time::{Duration, Instant};
use tokio::{sync::mpsc, time};
use tonic::transport::Channel;

use crate::{
    ADMIN_TOKEN, SEATS,
    bare::Place,
    load::Aim,
    process::{cpu_seconds, peak_kib, resident_kib, runnable_seconds},
    sessions::{self, Connections, Session},
};

/// The positions of the matches: three to seven counters.
const POSITIONS: [&[u64]; 6] = [&[3], &[1, 2], &[2, 3], &[1, 1, 2], &[5, 1], &[2, 2, 3]];
/// The seed of the tournament.
const SEED: u64 = 2_019;
/// The time per match, and the time for everything else together, after which the benchmark gives up.
const LONGEST: (Duration, Duration) = (Duration::from_millis(10), Duration::from_mins(1));

/// The size of the tournament.
#[derive(Debug, Clone, Copy, Args, Serialize)]
pub(crate) struct Size {
    /// Bots of the field.
    #[arg(long, default_value_t = 1_000)]
    pub(crate) bots: usize,
    /// Minimum number of matches; duplicate groups are always complete.
    #[arg(long, default_value_t = 6_000)]
    pub(crate) matches: u64,
    /// Concurrent matches.
    #[arg(long, default_value_t = 64)]
    pub(crate) at_once: u32,
}

impl Size {
    fn groups(self) -> u64 {
        self.matches.div_ceil(SEATS as u64)
    }
}

/// What the bots and the organiser observed in a tournament.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Seen {
    /// Matches played.
    pub(crate) matches: u32,
    /// Seconds from the first bot's joining to the last one's.
    pub(crate) joining: f64,
    /// Duration of the request to start, in seconds.
    pub(crate) start: f64,
    /// Seconds from the start to the last match.
    pub(crate) playing: f64,
    /// Seconds from the last match to the last standings.
    pub(crate) ending: f64,
    /// CPU time of the server while matches were played, in seconds.
    pub(crate) server_cpu: f64,
    /// CPU time of the bots while matches were played, in seconds.
    pub(crate) client_cpu: f64,
    /// Seconds for which the server thread that carries messages was running or runnable while matches were played.
    pub(crate) server_runnable: f64,
    /// The server's memory when 10, 50 and 100 percent of the matches had been played, in KiB.
    pub(crate) resident_kib: [f64; 3],
    /// Its peak resident memory, in KiB.
    pub(crate) peak_kib: f64,
    /// Number of states sent to a watcher.
    pub(crate) updates: u64,
    /// The size of the largest state, in bytes.
    pub(crate) update_bytes: u32,
    /// The minimum and maximum matches per bot.
    pub(crate) spread: (u32, u32),
}

/// Plays a tournament on a server.
pub(crate) async fn play(aim: &Aim, size: Size) -> anyhow::Result<Seen> {
    let (per_match, fixed) = LONGEST;
    let longest = fixed + per_match * u32::try_from(size.matches)?;
    let (failures, mut failure) = mpsc::channel(1);
    tokio::select! {
        seen = time::timeout(longest, organise(aim, size, failures)) => {
            seen.with_context(|| format!("the tournament was not over after {longest:?}"))?
        }
        Some(error) = failure.recv() => Err(error),
    }
}

async fn organise(aim: &Aim, size: Size, failures: mpsc::Sender<anyhow::Error>) -> anyhow::Result<Seen> {
    let places =
        (0..size.bots).map(|bot| Place { group: bot / SEATS, seat: bot % SEATS, matches: 0 }).collect();
    let connections = Connections::new(&aim.address, aim.connections)?;
    let channel = connections.channel(0).await?;
    let bots = sessions::register(aim.target, &channel, places).await?;
    for (number, session) in sessions::open(&connections, &bots).await?.into_iter().enumerate() {
        let (player, failures) = (Player { number: number as u64, session }, failures.clone());
        tokio::spawn(async move {
            if let Err(error) = player.play().await {
                // An error is ignored: only the first failure is reported, and after that the receiver is gone or full.
                let _ = failures.try_send(error);
            }
        });
    }
    let mut organiser = Organiser { service: TournamentServiceClient::new(channel) };
    let id = organiser.create(size).await?;
    let began = Instant::now();
    let names = bots.into_iter().map(|bot| bot.name).collect();
    sessions::in_order(names, |bot| organiser.clone().join(id.clone(), bot)).await?;
    let joining = began.elapsed().as_secs_f64();
    let mut watch = organiser.watch(&id).await?;

    let (cpu, began) = (cpus(aim.server)?, Instant::now());
    organiser.start(&id).await?;
    let start = began.elapsed().as_secs_f64();
    let (mut resident, mut updates, mut update_bytes) = (Vec::new(), 0, 0);
    let mut played = None;
    let last = loop {
        let update: WatchTournamentResponse =
            watch.message().await?.context("the server dropped the watcher")?;
        updates += 1;
        update_bytes = update_bytes.max(u32::try_from(update.encoded_len())?);
        // A heartbeat has no tournament.
        let Some(tournament) = &update.tournament else { continue };
        for percent in [10, 50, 100].into_iter().skip(resident.len()) {
            if 100 * tournament.matches_played >= percent * SEATS as u64 * size.groups() {
                resident.push(resident_kib(aim.server)?);
            }
        }
        if resident.len() == 3 && played.is_none() {
            played = Some((cpus(aim.server)?, Instant::now()));
        }
        if tournament.state() == TournamentState::Finished {
            break update;
        }
    };
    let (cpu_then, then) = played.context("the tournament ended before its last match")?;
    Ok(Seen {
        matches: u32::try_from(SEATS as u64 * size.groups())?,
        joining,
        start,
        playing: (then - began).as_secs_f64() - start,
        ending: then.elapsed().as_secs_f64(),
        server_cpu: cpu_then[0] - cpu[0],
        client_cpu: cpu_then[1] - cpu[1],
        server_runnable: cpu_then[2] - cpu[2],
        resident_kib: resident
            .try_into()
            .map_err(|_| anyhow!("the server's memory use was not read exactly three times"))?,
        peak_kib: peak_kib(aim.server)?,
        updates,
        update_bytes,
        spread: check_standings(&last.standings, size)?,
    })
}

/// Returns the CPU time of the server and of this process so far, and the time for which the server's first thread was
/// running or runnable.
fn cpus(server: u32) -> anyhow::Result<[f64; 3]> {
    Ok([cpu_seconds(server)?, cpu_seconds(std::process::id())?, runnable_seconds(server)?])
}

/// Checks the final standings against the planned number of matches, and returns the fewest and the most matches of a
/// bot.
fn check_standings(standings: &[Standing], size: Size) -> anyhow::Result<(u32, u32)> {
    let matches = SEATS as u64 * size.groups();
    ensure!(standings.len() == size.bots, "the standings have {} lines", standings.len());
    let sum =
        |figure: fn(&Standing) -> u32| -> u64 { standings.iter().map(|line| u64::from(figure(line))).sum() };
    let (sat, won, lost) = (sum(|line| line.matches), sum(|line| line.wins), sum(|line| line.forfeits));
    ensure!(sat == SEATS as u64 * matches, "bots played {sat} seats in {matches} matches");
    ensure!(won == matches, "{won} of {matches} matches have a winner");
    ensure!(lost == 0, "{lost} seats were forfeited");
    ensure!(standings.iter().all(|line| line.rating.is_some()), "some bots have no rating");
    let each = || standings.iter().map(|line| line.matches);
    let (fewest, most) = each().min().zip(each().max()).context("no bot played a match")?;
    // The numbers of groups of two bots differ by at most one.
    ensure!(most - fewest <= SEATS as u32, "one bot played {fewest} matches, another {most}");
    Ok((fewest, most))
}

/// The organiser of the tournament.
#[derive(Clone)]
struct Organiser {
    service: TournamentServiceClient<Channel>,
}

impl Organiser {
    async fn create(&mut self, size: Size) -> anyhow::Result<String> {
        let settings = TournamentSettings {
            title: "many short matches".to_owned(),
            seats: SEATS as u32,
            positions: POSITIONS.iter().map(|piles| Piles { counters: piles.to_vec() }).collect(),
            alliance: AllianceMode::Random.into(),
            seed: SEED,
            concurrency: size.at_once,
            format: Some(Format::RoundRobin(RoundRobinFormat { groups: size.groups() })),
            ..TournamentSettings::default()
        };
        let request = CreateTournamentRequest { settings: Some(settings), ..Default::default() };
        let created =
            self.service.create_tournament(sessions::token_authorization(request, ADMIN_TOKEN)?).await;
        let created = created.context("cannot create the tournament")?.into_inner().tournament;
        Ok(created.context("the server returned no tournament")?.id)
    }

    async fn join(mut self, tournament_id: String, bot: String) -> anyhow::Result<()> {
        let request = JoinTournamentRequest { tournament_id, bot };
        self.service
            .join_tournament(sessions::token_authorization(request, ADMIN_TOKEN)?)
            .await
            .context("a bot cannot join the tournament")?;
        Ok(())
    }

    async fn start(&mut self, id: &str) -> anyhow::Result<()> {
        let request = StartTournamentRequest { tournament_id: id.to_owned() };
        self.service
            .start_tournament(sessions::token_authorization(request, ADMIN_TOKEN)?)
            .await
            .context("cannot start the tournament")?;
        Ok(())
    }

    async fn watch(&mut self, id: &str) -> anyhow::Result<tonic::Streaming<WatchTournamentResponse>> {
        let request = WatchTournamentRequest { tournament_id: id.to_owned(), state_only: false };
        Ok(self.service.watch_tournament(request).await.context("cannot watch the tournament")?.into_inner())
    }
}

/// One bot.
struct Player {
    number: u64,
    session: Session,
}

impl Player {
    async fn play(mut self) -> anyhow::Result<()> {
        while let Some(PlayResponse { event }) = self.session.events.message().await? {
            match event {
                Some(Event::Turn(turn)) => self.take(turn).await?,
                Some(Event::Ping(ping)) => self.act(Action::Pong(Pong { id: ping.id })).await?,
                Some(event @ (Event::Refused(_) | Event::Forfeited(_) | Event::Draining(_))) => {
                    bail!("the server sent {event:?}")
                }
                _ => {}
            }
        }
        Err(anyhow!("the server closed a session"))
    }

    /// Takes one counter, the whole pile, or a random number, depending on the bot.
    async fn take(&self, turn: Turn) -> anyhow::Result<()> {
        let take = match self.number % 3 {
            0 => 1,
            1 => turn.counters,
            _ => 1 + SeededDraw::from_numbers([self.number, turn.counters]).number_below(turn.counters),
        };
        self.act(Action::Take(Take { match_id: turn.match_id, ply: turn.ply, take, ..Take::default() })).await
    }

    async fn act(&self, action: Action) -> anyhow::Result<()> {
        let sent = self.session.actions.send(PlayRequest { action: Some(action) }).await;
        sent.map_err(|_| anyhow!("a session does not accept any more actions"))
    }
}
