//! The cost of a long history: start time and memory of a server, compared with a server without history.
//!
//! `cargo bench --bench history` fills a database with 100,000 finished matches and starts `lastnim serve` on it, in
//! turns with one on an empty database: on SQLite, and on PostgreSQL if it is installed. On SQLite it also measures
//! starts with running tournaments: a ladder without an end and a balanced sample of as many matches, without a
//! checkpoint and with one, and a ladder that has just begun. It takes about three minutes. `-- --lists` measures lists
//! of matches instead, by filter.

#[path = "history/lists.rs"]
mod lists;
#[path = "../tests/postgres/server.rs"]
#[allow(dead_code, reason = "only tests kill the server")]
mod postgres;

use anyhow::{Context as _, ensure};
use clap::Parser;
use lastnim_client::connect;
use lastnim_core::{
    game::{BotName, BotProfile, BySeat, MatchId, Piles, SeatCount, TournamentId},
    referee::{
        MatchPhase, MatchSetup, Origin, Record, Referee, RefereeInput, SeatAction, SigningKey, Terms,
        Timestamp,
    },
};
use lastnim_proto::pb::{ListMatchesRequest, match_service_client::MatchServiceClient};
use lastnim_store::{
    Change, FinishedMatch, RetentionLimits, Store, StoredBot, StoredTournament, Token, TournamentResult,
};
use lastnim_tournament::{
    AllianceSource, Checkpoint, FormatVerdict, GroupCount, LadderPairing, LadderSettings, MatchOutcome,
    MatchResult, Pairing, Positions, ResultFold, Rulings, ScheduleStep, SeededDraw, Settings, SettingsDraft,
    Standings, Streak, TableGroups, TournamentFormat, TournamentState, plan_schedule, snapshot_state,
};
use postgres::PostgresServer;
use std::{
    env, fs,
    io::{BufRead as _, BufReader},
    path::{Path, PathBuf},
    process::{self, Child, Command, Stdio},
    sync::Arc,
    time::{Duration, Instant},
};

/// Bots of every finished tournament.
const FIELD: usize = 6;
/// Bots of the running ladder.
const LADDER_FIELD: usize = 100;
/// Bots of the sample tournament that is still running.
const SAMPLE_FIELD: usize = 1_000;
/// Matches of the sample that are still to be played.
const LEFT: usize = 64;
/// Number of matches per write.
const BATCH: usize = 1_000;
/// Seats of every match.
const SEATS: usize = 3;
/// The time at which the first match began, in microseconds since 1970-01-01 UTC.
const BEGAN: u64 = 1_700_000_000_000_000;
/// How often each server is measured; the median is reported.
const ROUNDS: usize = 5;

/// Measures the cost of a long history.
#[derive(Debug, Parser)]
struct Options {
    /// Minimum number of finished matches; tournaments are always complete.
    #[arg(long, default_value_t = 100_000)]
    matches: usize,
    /// Measures only lists of matches.
    #[arg(long)]
    lists: bool,
    /// The argument that cargo passes to every benchmark.
    #[arg(long, hide = true)]
    bench: bool,
}

/// A folder that is deleted after the benchmark.
struct Folder(PathBuf);

impl Drop for Folder {
    fn drop(&mut self) {
        // An error is ignored: files that cannot be removed stay in the system's temporary folder.
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// How long one start of a server took.
#[derive(Debug, Clone, Copy)]
struct Start {
    /// Time until it reported that it listens.
    ready: Duration,
    /// Time until it answered a request for the newest matches.
    answered: Duration,
    /// Its memory at that time, in KiB.
    resident_kib: u32,
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> anyhow::Result<()> {
    let options = Options::parse();
    let folder = Folder(env::temp_dir().join(format!("lastnim-history-{}", process::id())));
    fs::create_dir_all(&folder.0)?;
    let database_url = |name: &str| format!("sqlite:{}", folder.0.join(name).display());
    if options.lists {
        return lists::measure_stores(&database_url("lists.db"), options.matches).await;
    }
    compare("SQLite", options.matches, &database_url("empty.db"), &database_url("full.db"), &folder.0)
        .await?;
    let ladder = TournamentFormat::Ladder(LadderSettings {
        groups: None,
        table_groups: TableGroups::new(1)?,
        suspend_after: Streak::new(5)?,
        pairing: LadderPairing::default(),
    });
    let groups = GroupCount::new((options.matches + LEFT).div_ceil(SEATS) as u64)?;
    for (name, format, field, matches) in [
        ("new-ladder", ladder.clone(), LADDER_FIELD, 0),
        ("ladder", ladder, LADDER_FIELD, options.matches),
        ("sample", TournamentFormat::Sample { groups }, SAMPLE_FIELD, options.matches),
    ] {
        let url = database_url(&format!("{name}.db"));
        compare_running(name, &url, (format, field, matches), &folder.0).await?;
    }
    if let Some(server) = PostgresServer::start() {
        let [empty, full] = ["empty", "full"].map(|name| server.create_database(name));
        compare("PostgreSQL", options.matches, &empty, &full, &folder.0).await?;
    }
    Ok(())
}

/// Fills one of two databases, and compares the servers that start on them.
async fn compare(name: &str, wanted: usize, empty: &str, full: &str, folder: &Path) -> anyhow::Result<()> {
    let began = Instant::now();
    let store = lastnim_store::open_store(&full.parse()?, RetentionLimits::default()).await?;
    let (matches, events) = fill(store.as_ref(), wanted).await?;
    drop(store);
    let took = began.elapsed().as_secs_f64();
    println!("{name}: {matches} finished matches, {events} events, played and written in {took:.1} s");
    let mut starts = [("empty", empty, Vec::new()), ("full", full, Vec::new())];
    for _ in 0..ROUNDS {
        for (_, url, starts) in &mut starts {
            starts.push(start(url, folder).await?);
        }
    }
    report(&starts);
    Ok(())
}

/// Compares servers that start with a running tournament, without a checkpoint and with one.
async fn compare_running(
    name: &str,
    url: &str,
    (format, field, matches): (TournamentFormat, usize, usize),
    folder: &Path,
) -> anyhow::Result<()> {
    let store = lastnim_store::open_store(&url.parse()?, RetentionLimits::default()).await?;
    let running = fill_running(store.as_ref(), format, field, matches).await?;
    store.close().await;
    drop(store);
    let Running { matches, checkpoint, took, .. } = &running;
    let bytes = checkpoint.state.len();
    println!(
        "SQLite: a running {name} of {field} bots with {matches} finished matches; its checkpoint has {bytes} bytes and took {:.1} ms",
        took.as_secs_f64() * 1e3
    );
    // This is measured only once, because the server writes a checkpoint and starts matches.
    let empty_servers = vec![start(url, folder).await?];
    let store = lastnim_store::open_store(&url.parse()?, RetentionLimits::default()).await?;
    store.write(&[Change::Checkpoint { id: running.id, checkpoint: Arc::clone(checkpoint) }]).await?;
    store.close().await;
    drop(store);
    let mut full_servers = Vec::new();
    for _ in 0..ROUNDS {
        full_servers.push(start(url, folder).await?);
    }
    report(&[("without", url, empty_servers), ("with", url, full_servers)]);
    Ok(())
}

/// Prints the medians of the starts on some databases.
fn report(databases: &[(&str, &str, Vec<Start>)]) {
    println!("{:>12} {:>12} {:>12} {:>12}   medians", "database", "ready", "answered", "memory");
    for (name, _, starts) in databases {
        let ready = median(starts, |start| start.ready);
        let answered = median(starts, |start| start.answered);
        let resident = median(starts, |start| start.resident_kib);
        println!(
            "{name:>12} {:>9.0} ms {:>9.0} ms {:>8.1} MiB",
            ready.as_secs_f64() * 1e3,
            answered.as_secs_f64() * 1e3,
            f64::from(resident) / 1024.0
        );
    }
}

fn median<T: Ord + Copy>(starts: &[Start], figure: impl Fn(&Start) -> T) -> T {
    let mut figures: Vec<T> = starts.iter().map(figure).collect();
    figures.sort_unstable();
    figures[figures.len() / 2]
}

/// Starts a server on a store, asks it for its newest matches, and ends it.
async fn start(url: &str, folder: &Path) -> anyhow::Result<Start> {
    struct Ended(Child);
    impl Drop for Ended {
        fn drop(&mut self) {
            // An error is ignored: the process may already have ended.
            let _ = self.0.kill();
            let _ = self.0.wait();
        }
    }
    let mut command = Command::new(env!("CARGO_BIN_EXE_lastnim"));
    command.args(["serve", "--json", "--listen", "127.0.0.1:0", "--shutdown-grace", "0s", "--store", url]);
    command.arg("--key").arg(folder.join("lastnim.key")).stdout(Stdio::piped());
    let began = Instant::now();
    let mut server = Ended(command.spawn().context("cannot start a server")?);
    let mut first = String::new();
    BufReader::new(server.0.stdout.take().context("the server has no output pipe")?).read_line(&mut first)?;
    let ready = began.elapsed();
    let said: serde_json::Value =
        serde_json::from_str(&first).with_context(|| format!("the server began with {first:?}"))?;
    let channel = connect(said["listening"].as_str().context("the server printed no address")?).await?;
    MatchServiceClient::new(channel).list_matches(ListMatchesRequest::default()).await?;
    let answered = began.elapsed();
    let resident_kib = resident_kib(server.0.id())?;
    let stopped = Command::new("kill").args(["-TERM", &server.0.id().to_string()]).status()?;
    ensure!(stopped.success() && server.0.wait()?.success(), "the server did not stop cleanly");
    Ok(Start { ready, answered, resident_kib })
}

/// Returns the resident memory of a process, in KiB.
fn resident_kib(pid: u32) -> anyhow::Result<u32> {
    let status =
        fs::read_to_string(format!("/proc/{pid}/status")).context("cannot read the process's memory use")?;
    let line = status
        .lines()
        .find_map(|line| line.strip_prefix("VmRSS:"))
        .context("the process status has no VmRSS line")?;
    Ok(line.trim().trim_end_matches(" kB").parse()?)
}

/// Writes finished tournaments until there are this many matches; returns the numbers of matches and events.
async fn fill(store: &dyn Store, wanted: usize) -> anyhow::Result<(usize, usize)> {
    let key = SigningKey::from_seed(&[3; SigningKey::SEED_BYTES]);
    let field =
        (0..FIELD).map(|bot| format!("bot-{bot}").parse::<BotName>()).collect::<Result<Vec<_>, _>>()?;
    store.write(&registrations(&field)).await?;
    let (mut matches, mut events, mut tournaments) = (0, 0, 0);
    while matches < wanted {
        let changes = tournament(tournaments, &field, &key, &mut matches, &mut events)?;
        store.write(&changes).await?;
        tournaments += 1;
    }
    Ok((matches, events))
}

/// Registers bots.
fn registrations(field: &[BotName]) -> Vec<Change> {
    let registered_at = Timestamp::from_micros(BEGAN);
    let bot = |bot: &BotName| StoredBot {
        name: bot.clone(),
        registered_at,
        token: Token::generate().hash(),
        profile: BotProfile::default(),
    };
    field.iter().map(|name| Change::Bot(bot(name))).collect()
}

/// A running tournament.
struct Running {
    id: TournamentId,
    /// Number of its finished matches.
    matches: usize,
    checkpoint: Arc<Checkpoint>,
    /// The time to write them.
    took: Duration,
}

/// Writes a running tournament with this many finished matches.
async fn fill_running(
    store: &dyn Store,
    format: TournamentFormat,
    field: usize,
    wanted: usize,
) -> anyhow::Result<Running> {
    let key = SigningKey::from_seed(&[3; SigningKey::SEED_BYTES]);
    let field = (0..field).map(|bot| format!("bot-{bot}").parse::<BotName>());
    let field = field.collect::<Result<Vec<_>, _>>()?;
    let settings = settings(0, format)?;
    let mut fold =
        ResultFold::new(&settings, plan_schedule(&settings, &field)?, &field, &[], Rulings::default());
    let id = TournamentId::new(BEGAN / 1_000, &[7; 10]);
    let (mut changes, mut matches, mut events) = (registrations(&field), 0, 0);
    changes.push(creation(id, &settings, &field));
    while matches < wanted
        && let ScheduleStep::Match(pairing) = fold.schedule.next()
    {
        let (outcome, written) = played_match(id, &settings, &pairing, &key, &mut matches, &mut events)?;
        changes.extend(written);
        fold.add_result(MatchResult::finished(&pairing, outcome));
        if matches % BATCH == 0 {
            store.write(&std::mem::take(&mut changes)).await?;
        }
    }
    store.write(&changes).await?;
    let began = Instant::now();
    let ResultFold { schedule, standings, evidence, cross_table, reported, .. } = &fold;
    let state = snapshot_state((0, 0), reported, &**schedule, standings, evidence, cross_table)?;
    let checkpoint = Arc::new(Checkpoint::new(id, fold.reported.first_unreported(), state));
    Ok(Running { id, matches, checkpoint, took: began.elapsed() })
}

/// Creates a running tournament.
fn creation(id: TournamentId, settings: &Settings, field: &[BotName]) -> Change {
    Change::TournamentCreated(StoredTournament {
        id,
        created_at: Timestamp::from_micros(BEGAN),
        settings: Arc::new(settings.clone()),
        terms: Terms::default(),
        field: Arc::new(field.to_vec()),
        state: TournamentState::Running,
        over: None,
        deal_secret: None,
        entry_code: None,
    })
}

/// Plays a match of a tournament, and returns its outcome and the changes to store.
fn played_match(
    tournament: TournamentId,
    settings: &Settings,
    pairing: &Pairing,
    key: &SigningKey,
    matches: &mut usize,
    events: &mut usize,
) -> anyhow::Result<(MatchOutcome, [Change; 2])> {
    let origin = Origin { tournament, number: pairing.number, group: pairing.group };
    let piles = settings.piles(pairing.position).context("the pairing's position does not exist")?;
    let setup = MatchSetup { origin: Some(origin), ..MatchSetup::new(pairing.bots.clone(), piles) };
    let id = MatchId::new(BEGAN / 1_000 + *matches as u64, &[6; 10]);
    let record = play(id, setup, *matches as u64);
    let outcome = MatchOutcome::of_audit(&record.audit()?, |_| None);
    let written = Change::MatchEvents { id, first: 0, events: record.events().to_vec() };
    let head = record.last_hash();
    let finished_match = FinishedMatch { id, head, seal: key.seal(head), outcome: Some(outcome.clone()) };
    *matches += 1;
    *events += record.events().len();
    Ok((outcome, [written, Change::MatchOver(Box::new(finished_match))]))
}

/// Plays a whole tournament, and returns the changes to store.
fn tournament(
    number: u64,
    field: &[BotName],
    key: &SigningKey,
    matches: &mut usize,
    events: &mut usize,
) -> anyhow::Result<Vec<Change>> {
    let settings = settings(number, TournamentFormat::RoundRobin)?;
    let id = TournamentId::new(BEGAN / 1_000 + number, &[5; 10]);
    let at = Timestamp::from_micros(BEGAN + number);
    let mut schedule = plan_schedule(&settings, field)?;
    let total =
        schedule.total_matches().upper_bound().context("the number of matches is not known in advance")?;
    let mut standings = Standings::new(&settings, field.iter());
    let mut changes = vec![creation(id, &settings, field)];
    while let ScheduleStep::Match(pairing) = schedule.next() {
        let (outcome, written) = played_match(id, &settings, &pairing, key, matches, events)?;
        standings.add_result(&MatchResult::finished(&pairing, outcome));
        changes.extend(written);
    }
    let result = TournamentResult { at, played: total, total, verdict: Arc::new(FormatVerdict::Standings) };
    let standings = Arc::new(standings.lines(TournamentState::Finished));
    changes.push(Change::TournamentOver { id, state: TournamentState::Finished, over: result, standings });
    Ok(changes)
}

fn settings(number: u64, format: TournamentFormat) -> anyhow::Result<Settings> {
    let positions: [&[u64]; 10] =
        [&[3, 4, 5], &[12], &[2, 7], &[1, 1, 8], &[6, 6], &[2, 3, 4], &[10], &[5, 5], &[9, 2], &[4, 4, 4]];
    let positions =
        Positions::listed(positions.iter().map(|piles| Piles::parse(piles)).collect::<Result<_, _>>()?)?;
    let title = format!("history {number}").parse()?;
    let draft = SettingsDraft::new(title, SeatCount::new(SEATS)?, positions, AllianceSource::Standard);
    Ok(Settings::new(SettingsDraft { format, seed: number, ..draft })?)
}

/// Plays a match to its end, with declared rows and pseudorandom takes.
fn play(id: MatchId, setup: MatchSetup, seed: u64) -> Record {
    let draw = &mut SeededDraw::new(seed, 1);
    let seats = setup.seats();
    let mut now = Timestamp::from_micros(BEGAN + 1_000_000 * seed);
    let (mut referee, _) = Referee::begin(id, setup, BySeat::filled(seats, &true), now);
    for seat in seats.iter() {
        let row = lastnim_core::game::Row::favouring(draw.number_below(seats.get() as u64) as usize, seats);
        let action = SeatAction::declare(&row, None);
        let _effects = referee.handle_input(RefereeInput::Act { seat, action }, now);
    }
    while referee.record().state().phase() != MatchPhase::Ended {
        referee.mark_effects_announced(now);
        now = now + Duration::from_micros(200 + draw.number_below(2_000));
        let state = referee.record().state();
        let (seat, ply) = (state.position().to_move(), state.ply());
        let take = 1 + draw.number_below(state.position().counters().min(3));
        let action = SeatAction::take(ply, take, None);
        let _effects = referee.handle_input(RefereeInput::Act { seat, action }, now);
    }
    referee.into_record()
}
