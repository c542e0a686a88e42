//! Compares the whole server with a bare tonic server that forwards the same messages without any game.
//!
//! Both are measured in one run by the same bots, alternately, so their ratio is meaningful even if absolute figures
//! are not. The server is measured with each of its stores, which shows the cost of durability. The bare server with a
//! database shows the minimum cost of writing each ply before it is announced. A tournament of many bots also shows the
//! cost of scheduling, and that memory use stays constant. The program starts itself again as the bare server and as
//! the bots, each in a separate process.
//!
//! `cargo bench --bench arena` takes about seven minutes, `cargo bench --bench arena -- --quick` about 15 seconds;
//! `cargo bench --bench arena -- --tournament --matches 100000` plays only the tournament, of that size. `--json`
//! prints every run as JSON instead of tables.

mod bare;
mod bare_store;
mod databases;
mod load;
#[path = "../../tests/postgres/server.rs"]
#[allow(dead_code, reason = "only tests kill and restart the server")]
mod postgres;
mod process;
mod report;
mod sessions;
mod tournament;

use clap::{Parser, Subcommand, ValueEnum};
use databases::Databases;
use load::{Aim, Hearing, Load, Measured};
use process::{Pinning, Server, open_files, run_self};
use report::{Memory, Report, Runs, Tournament};
use serde::Serialize;
use std::{
    fmt, io,
    time::{Duration, Instant},
};
use tournament::{Seen, Size};
use tracing_subscriber::filter::LevelFilter;

/// The seats of every match.
const SEATS: usize = 3;
/// Counters of the only pile of every match: more than are ever taken.
const COUNTERS: u64 = 1 << 62;
/// The ply limit of every match: the maximum that the server allows.
const MAX_PLIES: u32 = 65_536;
/// The admin token of a server that runs only for seconds.
const ADMIN_TOKEN: &str = "lastnim_8f1c03d97ab2e645b0dd5f2917c6a83e4e90f7261bd3588ca1f402c7e96b35d0";
/// The connections that streams share.
const SHARED_CONNECTIONS: usize = 8;
/// File descriptors that a process needs in addition to its connections.
const OTHER_FILES: usize = 64;
/// Records of finished matches that the store in memory keeps: few, so that any growth is due to the tournament itself.
const KEPT_MATCHES: &str = "1000";

/// Compares the server with a bare one.
#[derive(Debug, Parser)]
#[expect(clippy::struct_excessive_bools, reason = "each is a command-line flag")]
struct Options {
    #[command(subcommand)]
    role: Option<Role>,
    /// Measures fewer loads, once and briefly: about 15 seconds.
    #[arg(long)]
    quick: bool,
    /// How often each load is measured on each server, alternately: 5 by default, 1 with --quick.
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..=1_000))]
    rounds: Option<u32>,
    /// Measures only the loads, without idle sessions and tournaments.
    #[arg(long)]
    cells: bool,
    /// Prints one JSON object instead of tables.
    #[arg(long)]
    json: bool,
    /// Worker threads of each server; 1 is the single-threaded runtime.
    #[arg(long, default_value_t = 1, global = true)]
    threads: usize,
    /// The server that is compared with the bare one; `bare` shows the noise of the method.
    #[arg(long, default_value_t = Target::Memory)]
    against: Target,
    /// Plays only the tournament.
    #[arg(long)]
    tournament: bool,
    #[command(flatten)]
    size: Size,
    /// The argument that cargo passes to every benchmark.
    #[arg(long, hide = true)]
    bench: bool,
}

/// The role of this process.
#[derive(Debug, Subcommand)]
enum Role {
    /// The bare server.
    BareServer {
        /// The database to which it writes each take before it forwards it.
        #[arg(long)]
        store: Option<String>,
    },
    /// Bots that play.
    Play {
        #[command(flatten)]
        aim: Aim,
        #[command(flatten)]
        load: Load,
    },
    /// Bots with idle sessions.
    Idle {
        #[command(flatten)]
        aim: Aim,
        /// Sessions to open.
        #[arg(long)]
        sessions: usize,
    },
    /// Bots that play a tournament.
    Tournament {
        #[command(flatten)]
        aim: Aim,
        #[command(flatten)]
        size: Size,
    },
}

/// A server to measure.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, ValueEnum)]
#[serde(rename_all = "kebab-case")]
enum Target {
    /// The bare server, without a game.
    Bare,
    /// The bare server that writes each take to SQLite before it forwards it.
    BarePly,
    /// The bare server that writes each take to PostgreSQL before it forwards it.
    BarePlyPostgres,
    /// `lastnim serve --store memory`.
    Memory,
    /// The server with SQLite, which writes matches when they end.
    Match,
    /// The server with SQLite, which writes each ply before it is announced.
    Ply,
    /// The server with PostgreSQL, which writes each ply before it is announced.
    PlyPostgres,
}

impl Target {
    /// The servers that differ in durability.
    const STORES: [Self; 6] =
        [Self::Memory, Self::Match, Self::BarePly, Self::Ply, Self::BarePlyPostgres, Self::PlyPostgres];
    /// The servers on which a tournament is played.
    const OF_TOURNAMENTS: [Self; 2] = [Self::Memory, Self::Ply];

    /// Returns whether it is the bare server.
    const fn is_bare(self) -> bool {
        matches!(self, Self::Bare | Self::BarePly | Self::BarePlyPostgres)
    }

    /// Returns the bare server with the same database; `None` unless this server writes each ply.
    const fn bare_peer(self) -> Option<Self> {
        match self {
            Self::Ply => Some(Self::BarePly),
            Self::PlyPostgres => Some(Self::BarePlyPostgres),
            _ => None,
        }
    }
}

impl fmt::Display for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Bare => "bare",
            Self::BarePly => "bare-ply",
            Self::BarePlyPostgres => "bare-ply-postgres",
            Self::Memory => "memory",
            Self::Match => "match",
            Self::Ply => "ply",
            Self::PlyPostgres => "ply-postgres",
        })
    }
}

/// One load for both servers.
#[derive(Debug, Clone, Copy, Serialize)]
struct Cell {
    matches: usize,
    a_stream: usize,
    hearing: Hearing,
}

impl Cell {
    /// From this number of matches on, either the server or the bots should keep a processor busy.
    const SATURATING: usize = 64;
    const ALL: [Self; 7] = [
        Self::new(1, 1, Hearing::All),
        Self::new(64, 1, Hearing::All),
        Self::new(512, 1, Hearing::All),
        Self::new(512, 1, Hearing::Own),
        Self::new(64, 16, Hearing::All),
        Self::new(512, 16, Hearing::All),
        Self::new(512, 16, Hearing::Own),
    ];
    const QUICK: [Self; 3] =
        [Self::new(1, 1, Hearing::All), Self::new(512, 1, Hearing::All), Self::new(512, 16, Hearing::All)];

    /// Returns whether the server is measured with every store.
    fn is_for_stores(self) -> bool {
        self.hearing == Hearing::All && (self.matches == 1 || self.matches == 512)
    }

    const fn new(matches: usize, a_stream: usize, hearing: Hearing) -> Self {
        Self { matches, a_stream, hearing }
    }

    fn stream_count(&self) -> usize {
        SEATS * self.matches.div_ceil(self.a_stream)
    }
}

/// The duration and number of measurements.
struct Plan {
    cells: &'static [Cell],
    rounds: u32,
    warm: Duration,
    window: Duration,
    idle_sessions: usize,
    tournaments: &'static [Target],
}

impl Plan {
    const FULL: Self = Self {
        cells: &Cell::ALL,
        rounds: 5,
        warm: Duration::from_millis(400),
        window: Duration::from_secs(2),
        idle_sessions: 1024,
        tournaments: &Target::OF_TOURNAMENTS,
    };
    const QUICK: Self = Self {
        cells: &Cell::QUICK,
        rounds: 1,
        warm: Duration::from_millis(200),
        window: Duration::from_millis(500),
        idle_sessions: 256,
        tournaments: &[],
    };
    const TOURNAMENT: Self =
        Self { cells: &[], rounds: 0, idle_sessions: 0, tournaments: &Target::OF_TOURNAMENTS, ..Self::FULL };
}

/// The benchmark itself: it starts the others and collects their measurements.
struct Bench {
    threads: usize,
    pinning: Pinning,
    plan: Plan,
    against: Target,
    size: Size,
    databases: Databases,
    began: Instant,
}

fn main() -> anyhow::Result<()> {
    let options = Options::parse();
    // This is set as in the real server. Without a subscriber, each span of h2 goes to the `log` crate, because a
    // database client enables that feature of tracing. That would take a third of the bare server's instructions.
    tracing_subscriber::fmt().with_max_level(LevelFilter::WARN).with_writer(io::stderr).init();
    match options.role {
        Some(Role::BareServer { store }) => runtime(options.threads)?.block_on(bare::serve(store.as_deref())),
        Some(Role::Play { aim, load }) => tell(&runtime(1)?.block_on(load::play(&aim, &load))?),
        Some(Role::Idle { aim, sessions }) => tell(&runtime(1)?.block_on(load::idle(&aim, sessions))?),
        Some(Role::Tournament { aim, size }) => tell(&runtime(1)?.block_on(tournament::play(&aim, size))?),
        None => {
            let mut plan = match (options.tournament, options.quick) {
                (true, _) => Plan::TOURNAMENT,
                (false, true) => Plan::QUICK,
                (false, false) => Plan::FULL,
            };
            if let Some(rounds) = options.rounds.filter(|_| !options.tournament) {
                plan.rounds = rounds;
            }
            if options.cells {
                (plan.idle_sessions, plan.tournaments) = (0, &[]);
            }
            let pinning = Pinning::for_threads(options.threads);
            let began = Instant::now();
            let databases = Databases::new()?;
            let Options { threads, against, size, json, .. } = options;
            let bench = Bench { threads, pinning, plan, against, size, databases, began };
            let report = bench.run()?;
            if json {
                tell(&report)
            } else {
                report.print();
                Ok(())
            }
        }
    }
}

/// Creates the runtime of a process; for one thread, the single-threaded one.
fn runtime(threads: usize) -> std::io::Result<tokio::runtime::Runtime> {
    match threads {
        0 | 1 => tokio::runtime::Builder::new_current_thread().enable_all().build(),
        _ => tokio::runtime::Builder::new_multi_thread().worker_threads(threads).enable_all().build(),
    }
}

/// Prints a result for the parent process.
fn tell<T: serde::Serialize>(result: &T) -> anyhow::Result<()> {
    println!("{}", serde_json::to_string(result)?);
    Ok(())
}

impl Bench {
    fn run(&self) -> anyhow::Result<Report> {
        let Plan { cells, rounds, window, idle_sessions, tournaments, .. } = self.plan;
        let mut cells: Vec<Runs> = cells.iter().map(|cell| Runs::new(*cell)).collect();
        let mut memory = Vec::new();
        let mut sync_times = Vec::new();
        for round in 0..rounds {
            sync_times.extend(self.databases.sync_times_us()?);
            for runs in &mut cells {
                for target in self.targets(runs.cell) {
                    let measured = self.play(target, &runs.cell)?;
                    runs.of(target).push(measured);
                }
            }
            if round == 0 && idle_sessions > 0 {
                for connections in [SHARED_CONNECTIONS, idle_sessions] {
                    memory.push(self.idle(Target::Bare, connections)?);
                    memory.push(self.idle(self.against, connections)?);
                }
            }
        }
        let tournaments =
            tournaments.iter().map(|&target| self.tournament(target)).collect::<Result<_, _>>()?;
        Ok(Report {
            threads: self.threads,
            is_pinned: self.pinning == Pinning::Apart,
            rounds,
            window_ms: window.as_millis(),
            against: self.against,
            sync_us: report::median(sync_times),
            cells,
            memory,
            tournaments,
            seconds: self.began.elapsed().as_secs_f64(),
        })
    }

    /// Returns the servers that are measured under a load, in this order.
    fn targets(&self, cell: Cell) -> Vec<Target> {
        let mut targets = vec![Target::Bare, self.against];
        if cell.is_for_stores() {
            let stores = Target::STORES.into_iter().filter(|target| self.databases.has(*target));
            targets.extend(stores.filter(|target| *target != self.against));
        }
        targets
    }

    /// Measures a load on a new server.
    fn play(&self, target: Target, cell: &Cell) -> anyhow::Result<Measured> {
        let server = Server::start(target, self.threads, self.pinning, &self.databases)?;
        let mut arguments = aim("play", target, &server, SHARED_CONNECTIONS);
        arguments.extend([format!("--matches={}", cell.matches), format!("--a-stream={}", cell.a_stream)]);
        arguments.push(format!("--hearing={}", cell.hearing));
        arguments.extend([format!("--warm-ms={}", self.plan.warm.as_millis())]);
        arguments.extend([format!("--window-ms={}", self.plan.window.as_millis())]);
        let measured: Measured = run_self(self.pinning, &arguments)?;
        let log = server.stop()?;
        let takes_a_commit = log.commits_a_transaction().filter(|_| target != Target::Match);
        Ok(Measured { takes_a_commit, ..measured })
    }

    /// Plays a tournament on a new server.
    fn tournament(&self, target: Target) -> anyhow::Result<Tournament> {
        let further: &[&str] = if target == Target::Memory { &["--kept-matches", KEPT_MATCHES] } else { &[] };
        let server = Server::start_with(target, self.threads, self.pinning, &self.databases, further)?;
        let mut arguments = aim("tournament", target, &server, SHARED_CONNECTIONS);
        let Size { bots, matches, at_once } = self.size;
        arguments.extend([format!("--bots={bots}"), format!("--matches={matches}")]);
        arguments.push(format!("--at-once={at_once}"));
        let mut seen: Seen = run_self(self.pinning, &arguments)?;
        if self.threads > 1 {
            // Threads other than the first also carry messages.
            seen.server_runnable = f64::NAN;
        }
        Ok(Tournament { target, size: self.size, seen, log: server.stop()? })
    }

    /// Opens idle sessions on a new server.
    fn idle(&self, target: Target, connections: usize) -> anyhow::Result<Memory> {
        let most = open_files()?.saturating_sub(OTHER_FILES);
        let (sessions, connections) = (self.plan.idle_sessions.min(most), connections.min(most));
        let server = Server::start(target, self.threads, self.pinning, &self.databases)?;
        let mut arguments = aim("idle", target, &server, connections);
        arguments.push(format!("--sessions={sessions}"));
        Ok(Memory { target, sessions, connections, kib_each: run_self(self.pinning, &arguments)? })
    }
}

/// Returns the arguments of the bots for a server.
fn aim(role: &str, target: Target, server: &Server, connections: usize) -> Vec<String> {
    vec![
        role.to_owned(),
        format!("--address={}", server.address),
        format!("--target={target}"),
        format!("--server={}", server.pid()),
        format!("--connections={connections}"),
    ]
}
