//! The bots of both servers, in a separate process: they take one counter at every turn, and measure the time until the
//! next turn.

use anyhow::{Context as _, anyhow, bail};
use clap::Args;
use lastnim_proto::pb::{
    Declare, Feed, MatchStarted, PlayRequest, PlayResponse, Pong, Row, Subscribe, Take, Turn,
    play_request::Action, play_response::Event,
};
use serde::{Deserialize, Serialize};
use std::{
    collections::HashMap,
    fmt, process,
    sync::{
        Arc, Mutex, MutexGuard, OnceLock, PoisonError,
        atomic::{AtomicU64, AtomicUsize, Ordering},
    },
    time::{Duration, Instant},
};
use tokio::{
    sync::{Notify, mpsc},
    time,
};
use tonic::transport::Channel;

use crate::{
    SEATS, Target,
    bare::Place,
    process::{cpu_seconds, resident_kib},
    sessions::{self, Connections, Session},
};

/// How long bots may take to register, connect and start all matches.
const SETUP: Duration = Duration::from_secs(30);
/// The delay before the memory of idle sessions is read.
const SETTLE: Duration = Duration::from_millis(300);

/// A server to put under load.
#[derive(Debug, Clone, Args)]
pub(crate) struct Aim {
    /// Its address.
    #[arg(long)]
    pub(crate) address: String,
    /// The kind of server.
    #[arg(long)]
    pub(crate) target: Target,
    /// Its process.
    #[arg(long)]
    pub(crate) server: u32,
    /// Number of connections that the streams share.
    #[arg(long)]
    pub(crate) connections: usize,
}

/// The amount and the duration of play.
#[derive(Debug, Clone, Args)]
pub(crate) struct Load {
    /// Number of concurrent matches, each with three seats.
    #[arg(long)]
    pub(crate) matches: usize,
    /// Matches per stream.
    #[arg(long)]
    pub(crate) a_stream: usize,
    /// The takes that bots receive.
    #[arg(long)]
    pub(crate) hearing: Hearing,
    /// Milliseconds of warm-up.
    #[arg(long)]
    pub(crate) warm_ms: u64,
    /// Milliseconds of the measurement.
    #[arg(long)]
    pub(crate) window_ms: u64,
}

/// The takes that a bot receives.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, clap::ValueEnum)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Hearing {
    /// All takes: four messages per ply.
    All,
    /// Its own takes: two messages per ply.
    Own,
}

impl fmt::Display for Hearing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::All => "all",
            Self::Own => "own",
        })
    }
}

/// The measurements of one run.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Measured {
    /// Plies per second.
    pub(crate) plies_a_second: f64,
    /// The median time from a take to the next seat's turn, in microseconds.
    pub(crate) p50_us: f64,
    /// The 99th percentile of this time.
    pub(crate) p99_us: f64,
    /// Number of CPUs that the server used.
    pub(crate) server_cpus: f64,
    /// Number of CPUs that the bots used.
    pub(crate) client_cpus: f64,
    /// Total number of matches that reached their ply limit and were followed by another.
    pub(crate) followed: u64,
    /// Average number of takes per commit. Includes the start, when bots are registered and matches created one at a
    /// time. `None` if nothing was written.
    pub(crate) takes_a_commit: Option<f64>,
}

/// Plays on a server and measures it.
pub(crate) async fn play(aim: &Aim, load: &Load) -> anyhow::Result<Measured> {
    let run = Arc::new(Run::new(load.matches));
    let (failures, mut failure) = mpsc::channel(1);
    time::timeout(SETUP, start(aim, load, &run, failures)).await.context("the matches did not start")??;
    let measuring = async {
        let start = Instant::now() + Duration::from_millis(load.warm_ms);
        let end = start + Duration::from_millis(load.window_ms);
        run.window.get_or_init(|| (start, end));
        time::sleep_until(start.into()).await;
        let (server, client, began) = (cpu_seconds(aim.server)?, cpu_seconds(process::id())?, Instant::now());
        time::sleep_until(end.into()).await;
        let lasted = began.elapsed().as_secs_f64();
        let server_cpus = (cpu_seconds(aim.server)? - server) / lasted;
        let client_cpus = (cpu_seconds(process::id())? - client) / lasted;
        let mut latencies = std::mem::take(&mut *lock(&run.latencies));
        latencies.sort_unstable();
        Ok(Measured {
            plies_a_second: count(&latencies) / (end - start).as_secs_f64(),
            p50_us: quantile(&latencies, 50)?,
            p99_us: quantile(&latencies, 99)?,
            server_cpus,
            client_cpus,
            followed: run.followed.load(Ordering::Relaxed),
            takes_a_commit: None,
        })
    };
    tokio::select! {
        measured = measuring => measured,
        Some(error) = failure.recv() => Err(error),
    }
}

/// Opens idle sessions and returns the memory of the server for each, in KiB.
pub(crate) async fn idle(aim: &Aim, sessions: usize) -> anyhow::Result<f64> {
    let places = (0..sessions).map(|group| Place { group, seat: 0, matches: 0 }).collect();
    let organiser = Connections::new(&aim.address, 1)?.channel(0).await?;
    let bots = sessions::register(aim.target, &organiser, places).await?;
    time::sleep(SETTLE).await;
    let before = resident_kib(aim.server)?;
    let connections = Connections::new(&aim.address, aim.connections)?;
    let open = sessions::open(&connections, &bots).await?;
    time::sleep(SETTLE).await;
    let after = resident_kib(aim.server)?;
    Ok((after - before) / count(&open))
}

/// Brings every bot to its first turn.
async fn start(
    aim: &Aim,
    load: &Load,
    run: &Arc<Run>,
    failures: mpsc::Sender<anyhow::Error>,
) -> anyhow::Result<()> {
    let groups = load.matches.div_ceil(load.a_stream);
    let matches_of = |group: usize| load.a_stream.min(load.matches - group * load.a_stream);
    let places = (0..groups * SEATS)
        .map(|number| (number / SEATS, number % SEATS))
        .map(|(group, seat)| Place { group, seat, matches: matches_of(group) })
        .collect();
    let connections = Connections::new(&aim.address, aim.connections.min(groups * SEATS))?;
    let organiser = connections.channel(0).await?;
    let bots = sessions::register(aim.target, &organiser, places).await?;
    let mut open = sessions::open(&connections, &bots).await?.into_iter();
    let mut wanted = Vec::new();
    for (number, bots) in bots.chunks(SEATS).enumerate() {
        let group = Arc::new(Group {
            bots: bots.iter().map(|bot| bot.name.clone()).collect(),
            channel: organiser.clone(),
            sent: Mutex::default(),
        });
        for (seat, session) in open.by_ref().take(SEATS).enumerate() {
            let player = Player { seat, group: Arc::clone(&group), run: Arc::clone(run), session };
            let failures = failures.clone();
            let hearing = load.hearing;
            tokio::spawn(async move {
                if let Err(error) = player.play(hearing).await {
                    // An error is ignored: only the first failure is reported, and after that the receiver is gone or
                    // full.
                    let _ = failures.try_send(error);
                }
            });
        }
        wanted.extend((0..matches_of(number)).map(|first| (Arc::clone(&group), first % SEATS)));
    }
    if !aim.target.is_bare() {
        sessions::in_order(wanted, |(group, first)| async move { group.create_match(first).await }).await?;
    }
    run.all_started.notified().await;
    Ok(())
}

/// The state that all bots of a run share.
struct Run {
    matches: usize,
    started: AtomicUsize,
    all_started: Notify,
    window: OnceLock<(Instant, Instant)>,
    /// The times from a take to the next seat's turn, in nanoseconds.
    latencies: Mutex<Vec<u32>>,
    followed: AtomicU64,
}

impl Run {
    fn new(matches: usize) -> Self {
        Self {
            matches,
            started: AtomicUsize::new(0),
            all_started: Notify::new(),
            window: OnceLock::new(),
            latencies: Mutex::new(Vec::with_capacity(1 << 20)),
            followed: AtomicU64::new(0),
        }
    }

    fn match_started(&self) {
        if self.started.fetch_add(1, Ordering::AcqRel) + 1 == self.matches {
            self.all_started.notify_one();
        }
    }

    fn ply(&self, sent: Instant, now: Instant) {
        if self.window.get().is_some_and(|(from, to)| (from..to).contains(&&now)) {
            let latency = now.duration_since(sent).as_nanos();
            lock(&self.latencies).push(u32::try_from(latency).unwrap_or(u32::MAX));
        }
    }
}

/// Three bots that play the same matches.
struct Group {
    bots: Vec<String>,
    channel: Channel,
    /// The time at which the last take of each match was sent.
    sent: Mutex<HashMap<String, Instant>>,
}

impl Group {
    async fn create_match(&self, first: usize) -> anyhow::Result<()> {
        sessions::create_match(self.channel.clone(), self.bots.clone(), first).await
    }
}

/// One bot.
struct Player {
    seat: usize,
    group: Arc<Group>,
    run: Arc<Run>,
    session: Session,
}

impl Player {
    async fn play(mut self, hearing: Hearing) -> anyhow::Result<()> {
        if hearing == Hearing::Own {
            self.act(Action::Subscribe(Subscribe { feed: Feed::OwnTurns.into() })).await?;
        }
        while let Some(PlayResponse { event }) = self.session.events.message().await? {
            match event {
                Some(Event::Turn(turn)) => self.take(turn).await?,
                Some(Event::MatchStarted(started)) => self.declare(*started).await?,
                Some(Event::Ping(ping)) => self.act(Action::Pong(Pong { id: ping.id })).await?,
                Some(Event::MatchEnded(ended)) => self.follow(&ended.match_id).await?,
                Some(event @ (Event::Refused(_) | Event::Forfeited(_) | Event::Draining(_))) => {
                    bail!("the server sent {event:?}")
                }
                _ => {}
            }
        }
        Err(anyhow!("the server closed a session"))
    }

    async fn take(&self, turn: Turn) -> anyhow::Result<()> {
        let now = Instant::now();
        let sent = lock(&self.group.sent).get_mut(&turn.match_id).map(|sent| std::mem::replace(sent, now));
        if let Some(sent) = sent {
            self.run.ply(sent, now);
        } else {
            lock(&self.group.sent).insert(turn.match_id.clone(), now);
            self.run.match_started();
        }
        self.act(Action::Take(Take { match_id: turn.match_id, ply: turn.ply, take: 1, ..Take::default() }))
            .await
    }

    async fn declare(&self, started: MatchStarted) -> anyhow::Result<()> {
        let row = Some(Row { offsets: (0..SEATS as u32).collect() });
        self.act(Action::Declare(Declare { match_id: started.match_id, row, ..Declare::default() })).await
    }

    /// Lets one of the three bots start the next match after a match that reached its ply limit.
    async fn follow(&self, ended: &str) -> anyhow::Result<()> {
        if self.seat == 0 {
            lock(&self.group.sent).remove(ended);
            self.run.followed.fetch_add(1, Ordering::Relaxed);
            self.group.create_match(0).await?;
        }
        Ok(())
    }

    async fn act(&self, action: Action) -> anyhow::Result<()> {
        let sent = self.session.actions.send(PlayRequest { action: Some(action) }).await;
        sent.map_err(|_| anyhow!("a session does not accept any more actions"))
    }
}

/// Returns the value below which this percentage of the values lie, in microseconds.
fn quantile(sorted_ns: &[u32], percent: usize) -> anyhow::Result<f64> {
    let place = sorted_ns.len() * percent / 100;
    let value = sorted_ns.get(place).context("no ply was played in the window")?;
    Ok(f64::from(*value) / 1e3)
}

fn count<T>(things: &[T]) -> f64 {
    u32::try_from(things.len()).map_or(f64::INFINITY, f64::from)
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
