//! A server with its store, and bots that play on it across crashes.

use super::database::Database;
use super::ledger::Ledger;
use super::organiser::Organiser;
use super::postgres_server::PostgresServer;
use super::server::{Folder, Server, Start, TIMEOUT};
use super::witness::{Witness, Witnesses};
use lastnim_proto::pb;
use lastnim_tournament::SeededDraw;
use std::env;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// The environment variable with a seed to replay.
const SEED: &str = "LASTNIM_CRASH_SEED";
/// The concurrent matches of a tournament of small positions.
pub const CONCURRENCY: usize = 4;
/// The polling interval of waits.
const POLL_INTERVAL: Duration = Duration::from_millis(1);

/// Everything that a test needs, apart from a running server.
pub struct Stage {
    pub start: Start,
    pub organiser: Organiser,
    pub ledger: Arc<Ledger>,
    /// Draws the times of this run, and what its witnesses do.
    pub draw: SeededDraw,
    pub witnesses: Witnesses,
    pub database: Database,
    /// Dropped last.
    pub folder: Folder,
}

impl Stage {
    /// Creates a stage without a running server.
    pub fn new(database: impl FnOnce(&Folder) -> Database) -> Self {
        let folder = Folder::new();
        let database = database(&folder);
        let start = Start::new(&folder, database.url());
        Self::with_start(folder, database, start)
    }

    /// Creates a stage for two servers that share a PostgreSQL database, and the options of the second one. `None` without
    /// PostgreSQL.
    pub fn for_pair() -> Option<(Self, Start)> {
        let database = Database::postgres()?;
        let folder = Folder::new();
        let [first, second] = Start::pair(&folder, &database.url());
        Some((Self::with_start(folder, database, first), second))
    }

    fn with_start(folder: Folder, database: Database, start: Start) -> Self {
        let seed = match env::var(SEED) {
            Ok(seed) => seed.parse().unwrap_or_else(|_| panic!("{SEED}={seed}: expected a number")),
            Err(_) => getrandom::u64().unwrap(),
        };
        println!("{SEED}={seed} on {}", start.store);
        Self {
            organiser: Organiser::new(start.addresses()),
            ledger: Arc::default(),
            draw: SeededDraw::new(seed, 0),
            witnesses: Witnesses::default(),
            start,
            database,
            folder,
        }
    }

    /// Registers bots and starts them; returns their names.
    pub async fn invite<const N: usize>(&mut self, names: [&str; N], thinks: Duration) -> [String; N] {
        for name in names {
            let token = self.organiser.register(name).await;
            self.start_bot(name, token, thinks);
        }
        names.map(str::to_owned)
    }

    /// Registers bots with fixed habits, each with a different one, and starts them.
    pub async fn invite_steady<const N: usize>(&mut self, names: [&str; N], thinks: Duration) {
        for (habit, name) in (0..).zip(names) {
            let token = self.organiser.register(name).await;
            self.start_bot_with(name, token, thinks, Some(habit));
        }
    }

    /// Starts a registered bot.
    pub fn start_bot(&mut self, name: &str, token: String, thinks: Duration) {
        self.start_bot_with(name, token, thinks, None);
    }

    fn start_bot_with(&mut self, name: &str, token: String, thinks: Duration, habit: Option<u32>) {
        self.witnesses.start(Witness {
            habit,
            name: name.to_owned(),
            token,
            address: self.start.addresses(),
            ledger: Arc::clone(&self.ledger),
            draw: SeededDraw::new(self.draw.next_bits(), 0),
            thinks,
        });
    }

    /// Creates a tournament, enters bots and watches it. It starts when the last one has joined.
    pub async fn begin(&mut self, settings: pb::TournamentSettings, field: &[&str]) -> String {
        let settings = pb::TournamentSettings { start_when: field.len() as u32, ..settings };
        let id = self.organiser.create_tournament(&settings).await;
        for bot in field {
            self.organiser.join(&id, bot).await;
        }
        self.witnesses.watch(&self.start.addresses(), &id, &self.ledger);
        id
    }

    pub fn postgres(&mut self) -> &mut PostgresServer {
        match &mut self.database {
            Database::Postgres(server, _) => server,
            Database::Sqlite(file) => panic!("the stage uses {}", file.display()),
        }
    }

    /// Draws a duration of up to `max` milliseconds.
    pub fn span(&mut self, max: u64) -> Duration {
        Duration::from_micros(self.draw.number_below(1_000 * max + 1))
    }

    /// Waits until this many matches of a tournament were announced as over.
    pub async fn until_ended(&self, tournament: &str, matches: usize) {
        let ended_matches = || self.ledger.told().ended_of(tournament);
        self.until("the end of more matches", || ended_matches() >= matches).await;
    }

    /// Waits until this many takes were announced.
    pub async fn until_takes(&self, takes: usize) {
        self.until("more takes", || self.ledger.take_count() >= takes).await;
    }

    pub async fn until(&self, what: &str, come: impl Fn() -> bool) {
        let began = Instant::now();
        while !come() {
            if began.elapsed() > TIMEOUT {
                let complaints = &self.ledger.told().contradictions;
                panic!(
                    "{what}: not within {TIMEOUT:?}; {complaints:?}; the server's log: {}",
                    self.start.log_text()
                );
            }
            tokio::time::sleep(POLL_INTERVAL).await;
        }
    }

    /// With the server dead, checks that everything announced is in the tables, and returns the number of open matches.
    pub async fn check_tables(&self) -> usize {
        self.database.wait_until_abandoned().await;
        let takes = self.ledger.told().takes.clone();
        let mut reader = self.database.reader().await;
        let newest = takes.iter().rev().take(100).chain(takes.iter().take(20));
        for ((id, ply), told) in newest {
            assert_eq!(reader.take(id, *ply).await, Some((told.seat, told.take)), "match {id}, ply {ply}");
        }
        let open = reader.open_matches().await;
        reader.close().await;
        usize::try_from(open).unwrap()
    }

    /// Stops the bots, and judges a finished tournament.
    pub async fn judge(self, server: Server, tournament: &str, exhibitions: &[String]) {
        self.organiser.tournament_over(tournament).await;
        for id in exhibitions {
            self.organiser.match_over(id).await;
        }
        self.witnesses.dismiss().await;
        let told = std::mem::take(&mut *self.ledger.told());
        super::verdict::judge(&self.organiser, server, &told, tournament, exhibitions).await;
        println!(
            "{} takes announced in {} matches, {} sessions, {} refusals",
            told.takes.len(),
            told.ends.len(),
            told.sessions,
            told.refused.len()
        );
    }
}

/// A tournament of small positions with a given bank.
pub fn small_positions(title: &str, positions: &[&[u64]], bank_ms: u32) -> pb::TournamentSettings {
    pb::TournamentSettings {
        title: title.into(),
        seats: 3,
        positions: positions.iter().map(|piles| pb::Piles { counters: piles.to_vec() }).collect(),
        clock: Some(clock(bank_ms, 0)),
        seed: 11,
        concurrency: CONCURRENCY as u32,
        ..Default::default()
    }
}

/// A long exhibition.
pub fn long_exhibition(bots: [&str; 2], counters: u64) -> pb::CreateMatchRequest {
    pb::CreateMatchRequest {
        bots: bots.map(str::to_owned).to_vec(),
        piles: vec![counters],
        clock: Some(clock(10_000, 50)),
        alliance: pb::AllianceMode::Declared.into(),
        ..Default::default()
    }
}

fn clock(initial_ms: u32, increment_ms: u32) -> pb::Clock {
    pb::Clock { initial_ms, increment_ms, declaration_ms: 60_000, ..Default::default() }
}
