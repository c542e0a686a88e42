//! The cost of storing events in a database: processor time and wall time per event, by the number of events per
//! transaction.
//!
//! `cargo bench --bench store` writes takes of 512 matches to SQLite and, if it is installed, to PostgreSQL: 1, 50
//! and 357 per transaction, in matches that never end and in matches of sixty takes. It uses only the public
//! interface of the store, so that it can be compared with another version of it.

#![expect(clippy::cast_precision_loss, reason = "all counts are far below 2^53")]

#[path = "../tests/postgres/server.rs"]
#[allow(dead_code, reason = "only tests kill the server")]
mod postgres;

use anyhow::Context as _;
use clap::Parser;
use lastnim_core::{
    game::{MatchId, Piles, Seat, SeatCount},
    oracle::Mover,
    referee::{EndReason, Event, EventHash, MatchSetup, SigningKey, TimedEvent, Timestamp},
};
use lastnim_store::{Change, FinishedMatch, RetentionLimits, open_store};
use postgres::PostgresServer;
use std::{
    collections::HashMap,
    env, fs, process,
    time::{Duration, Instant},
};

/// Seats of every match.
const SEATS: usize = 3;
/// The number of takes in a match that ends.
const PLIES: u32 = 60;
/// System clock ticks per second.
const TICKS: f64 = 100.0;

/// Measures the cost of storing events.
#[derive(Debug, Parser)]
struct Options {
    /// The duration of each case, in seconds.
    #[arg(long, default_value_t = 3)]
    seconds: u64,
    /// Measures this many transactions instead of a duration, for counting instructions.
    #[arg(long)]
    transactions: Option<u64>,
    /// Matches that are open at the same time.
    #[arg(long, default_value_t = 512)]
    matches: usize,
    /// Measures only the cases whose names contain this text, such as `SQLite 50`.
    #[arg(long, default_value = "")]
    only: String,
    /// The argument that cargo passes to every benchmark.
    #[arg(long, hide = true)]
    bench: bool,
}

/// Matches that take turns.
struct Players {
    open: Vec<(MatchId, usize, u32)>,
    began: u64,
    next: usize,
    most_plies: u32,
    key: SigningKey,
}

impl Players {
    fn new(matches: usize, most_plies: u32) -> Self {
        let key = SigningKey::from_seed(&[7; 32]);
        let mut players = Self { open: Vec::new(), began: 0, next: 0, most_plies, key };
        players.open = (0..matches).map(|_| players.new_match()).collect();
        players
    }

    fn new_match(&mut self) -> (MatchId, usize, u32) {
        self.began += 1;
        (MatchId::new(1_700_000_000_000 + self.began, &[7; 10]), 0, 0)
    }

    /// Returns the next take of this many matches; a finished match starts again.
    fn next_changes(&mut self, events: usize) -> anyhow::Result<Vec<Change>> {
        let seats = SeatCount::new(SEATS)?;
        let mut changes = Vec::with_capacity(events);
        for _ in 0..events {
            let place = self.next % self.open.len();
            self.next += 1;
            let (id, first, ply) = self.open[place];
            let at = Timestamp::from_micros(1_700_000_000_000_000 + self.next as u64);
            let timed_event = |event| TimedEvent { at, event };
            if first == 0 {
                let bots: Vec<_> =
                    (0..SEATS).map(|seat| format!("bot-{seat}").parse()).collect::<Result<_, _>>()?;
                let setup = MatchSetup::new(bots.try_into()?, Piles::parse(&[1 << 62])?);
                let events = vec![timed_event(Event::Created(Box::new(setup)))];
                changes.push(Change::MatchEvents { id, first, events });
                self.open[place] = (id, 1, 0);
            } else if ply == self.most_plies {
                let ended = timed_event(Event::Ended { reason: EndReason::Cancelled, winner: None });
                let head = EventHash::from_bytes(std::array::from_fn(|byte| (self.next >> (byte % 8)) as u8));
                let seal = self.key.seal(head);
                changes.push(Change::MatchEvents { id, first, events: vec![ended] });
                changes.push(Change::MatchOver(Box::new(FinishedMatch { id, head, seal, outcome: None })));
                self.open[place] = self.new_match();
            } else {
                let took = Event::Took {
                    ply,
                    seat: seats.seat_at_offset(Seat::FIRST, ply as usize % SEATS),
                    take: 1,
                    mover: Mover::Bot,
                    charged: Duration::from_micros(1_234),
                    credited: Duration::from_micros(12),
                    note_hash: None,
                };
                changes.push(Change::MatchEvents { id, first, events: vec![timed_event(took)] });
                self.open[place] = (id, first + 1, ply + 1);
            }
        }
        Ok(changes)
    }
}

/// Returns the CPU time of this process and its children, in seconds.
fn processor_seconds() -> anyhow::Result<f64> {
    let mut processes = HashMap::new();
    for entry in fs::read_dir("/proc")? {
        let name = entry?.file_name();
        let Some(pid) = name.to_str().and_then(|name| name.parse::<u32>().ok()) else { continue };
        // The file of a process that has just ended no longer exists.
        let Ok(stat) = fs::read_to_string(format!("/proc/{pid}/stat")) else { continue };
        let (_, fields) = stat.rsplit_once(')').context("a /proc/*/stat file has no name in brackets")?;
        let fields: Vec<&str> = fields.split_whitespace().collect();
        let ticks = fields[11].parse::<f64>()? + fields[12].parse::<f64>()?;
        processes.insert(pid, (fields[1].parse::<u32>()?, ticks / TICKS));
    }
    let own = process::id();
    let is_own = |mut pid: u32| {
        while pid != own {
            let Some(&(parent, _)) = processes.get(&pid) else { return false };
            pid = parent;
        }
        true
    };
    Ok(processes.iter().filter(|(pid, _)| is_own(**pid)).map(|(_, (_, seconds))| seconds).sum())
}

/// The measured case: events per transaction, and takes per match.
type Case = (usize, u32);

const CASES: [Case; 5] = [(1, u32::MAX), (50, u32::MAX), (357, u32::MAX), (50, PLIES), (357, PLIES)];

/// Returns the name of a case.
fn case_name(database: &str, (events, plies): Case) -> String {
    let ends = if plies == PLIES { "with ends" } else { "without ends" };
    format!("{database} {events} per transaction {ends}")
}

async fn measure(name: &str, url: &str, options: &Options, (events, plies): Case) -> anyhow::Result<()> {
    let store = open_store(&url.parse()?, RetentionLimits::default()).await?;
    let mut players = Players::new(options.matches, plies);
    for _ in 0..2 {
        store.write(&players.next_changes(options.matches)?).await?;
    }
    let (began, used) = (Instant::now(), processor_seconds()?);
    let (mut transactions, mut slowest) = (0, Duration::ZERO);
    while options.transactions.map_or(began.elapsed().as_secs() < options.seconds, |most| transactions < most)
    {
        let changes = players.next_changes(events)?;
        let since = Instant::now();
        store.write(&changes).await?;
        slowest = slowest.max(since.elapsed());
        transactions += 1;
    }
    let (elapsed, used) = (began.elapsed().as_secs_f64(), processor_seconds()? - used);
    let written = transactions as f64 * events as f64;
    println!(
        "{name:<45} {:>8.2} us of CPU time and {:>8.2} us per event, slowest transaction {:>6.1} ms",
        used * 1e6 / written,
        elapsed * 1e6 / written,
        slowest.as_secs_f64() * 1e3,
    );
    store.close().await;
    Ok(())
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> anyhow::Result<()> {
    let options = Options::parse();
    let folder = env::temp_dir().join(format!("lastnim-bench-store-{}", process::id()));
    fs::create_dir_all(&folder)?;
    let chosen_cases = |database: &str| {
        let named = CASES.map(|case| (case_name(database, case), case));
        named.into_iter().filter(|(name, _)| name.contains(&options.only)).collect::<Vec<_>>()
    };
    for (number, (name, case)) in chosen_cases("SQLite").into_iter().enumerate() {
        let url = format!("sqlite:{}", folder.join(format!("{number}.db")).display());
        measure(&name, &url, &options, case).await?;
    }
    fs::remove_dir_all(&folder)?;
    let postgres_cases = chosen_cases("PostgreSQL");
    if postgres_cases.is_empty() {
        return Ok(());
    }
    let Some(server) = PostgresServer::start() else { return Ok(()) };
    for (number, (name, case)) in postgres_cases.into_iter().enumerate() {
        measure(&name, &server.create_database(&format!("bench{number}")), &options, case).await?;
    }
    Ok(())
}
