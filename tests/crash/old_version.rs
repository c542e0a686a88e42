//! What version 0.1.0 wrote stays readable: its databases open, what was in mid-play goes on to its end, its records verify.

use super::database::Database;
use super::old_data::{OldData, check_match, check_standings, check_tournament};
use super::organiser::Organiser;
use super::server::{ADMIN, Folder, LONG, Server, Start};
use lastnim_proto::pb::{
    self, tournament_service_client::TournamentServiceClient, tournament_settings::Format,
};
use serde_json::Value;
use sqlx::{AssertSqlSafe, Connection as _, PgConnection};
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::time::{Duration, Instant};

/// So many matches more, and the ladder has gone on.
const FURTHER_MATCHES: u64 = 12;
/// The bot whom a tournament that has not begun waits for.
const LAST_ENTRANT: &str = "cleo";
/// What follows from ratings, which are worked out now and then while a tournament runs.
const RATED: [&str; 3] = ["rating", "skill", "elo"];

async fn get_tournament(organiser: &Organiser, id: &str) -> pb::GetTournamentResponse {
    let request = pb::GetTournamentRequest { tournament_id: id.into() };
    let asked =
        organiser.ask(|line| async move { TournamentServiceClient::new(line).get_tournament(request).await });
    asked.await.unwrap()
}

async fn get_standings(organiser: &Organiser, id: &str) -> pb::GetStandingsResponse {
    let request = pb::GetStandingsRequest { tournament_id: id.into(), cross_table: false };
    let asked =
        organiser.ask(|line| async move { TournamentServiceClient::new(line).get_standings(request).await });
    asked.await.unwrap()
}

/// A tournament as version 0.1.0 printed it.
struct OldTournament {
    shown: Value,
    standings: Value,
}

impl OldTournament {
    fn all(old: &OldData) -> Vec<Self> {
        let (shown, standings) = (old.lines("tournaments.jsonl"), old.lines("standings.jsonl"));
        assert_eq!(shown.len(), standings.len());
        shown.into_iter().zip(standings).map(|(shown, standings)| Self { shown, standings }).collect()
    }

    fn id(&self) -> &str {
        self.shown["id"].as_str().unwrap()
    }

    fn state(&self) -> &str {
        self.shown["state"].as_str().unwrap()
    }

    fn played(&self) -> u64 {
        self.shown["matches_played"].as_u64().unwrap()
    }

    fn is_ladder(&self) -> bool {
        self.shown["settings"]["format"]["ladder"].is_object()
    }

    async fn check(&self, organiser: &Organiser) {
        check_tournament(&self.shown, &get_tournament(organiser, self.id()).await);
        let mut standings = self.standings.clone();
        if self.state() == "running" {
            for line in standings["standings"].as_array_mut().unwrap() {
                line.as_object_mut().unwrap().retain(|key, _| !RATED.contains(&key.as_str()));
            }
        }
        check_standings(&standings, &get_standings(organiser, self.id()).await);
    }

    /// Waits until it has ended, or until it has gone on for a while where it has no end.
    async fn goes_on(&self, organiser: &Organiser) {
        let (id, began) = (self.id(), Instant::now());
        if self.is_ladder() {
            while organiser.tournament(id).await.matches_played < self.played() + FURTHER_MATCHES {
                assert!(began.elapsed() < LONG, "the ladder does not go on");
                tokio::time::sleep(Duration::from_millis(10)).await;
            }
            return;
        }
        if self.state() == "open" {
            organiser.join(id, LAST_ENTRANT).await;
        }
        let over = organiser.tournament_over(id).await;
        assert_eq!(over.state(), pb::TournamentState::Finished);
        let mut numbers: Vec<u64> =
            organiser.matches(id).await.iter().map(|game| game.setup.as_ref().unwrap().number).collect();
        numbers.sort_unstable();
        assert!(numbers.into_iter().eq(0..over.matches_total), "each pairing has one match");
        for line in organiser.standings(id).await {
            assert_eq!((line.forfeits, line.no_shows), (0, 0), "{line:?}");
        }
    }
}

/// Runs the program as the administrator of a server.
fn run_command(start: &Start, words: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_lastnim"));
    command.args(words).env("LASTNIM_SERVER", start.address()).env("LASTNIM_ADMIN_TOKEN", ADMIN);
    command.output().unwrap()
}

/// Checks that all records of files verify by the key.
fn check_records(start: &Start, key: &str, files: &[PathBuf]) {
    let names = files.iter().map(|file| file.to_str().unwrap());
    let verified = run_command(start, &["verify", "--key", key].into_iter().chain(names).collect::<Vec<_>>());
    let said = String::from_utf8(verified.stdout).unwrap();
    let flawed: Vec<&str> = said.lines().filter(|line| !line.contains("signed by the given key")).collect();
    assert!(verified.status.success() && flawed.is_empty(), "{flawed:?}");
}

/// Exports the records of all matches that are over, verifies them, and returns them by their ids.
fn export_records(start: &Start, folder: &Path, key: &str) -> BTreeMap<String, String> {
    let exported = run_command(start, &["record", "export", "--dir", folder.to_str().unwrap()]);
    assert!(exported.status.success(), "{exported:?}");
    let files: Vec<_> = fs::read_dir(folder).unwrap().map(|file| file.unwrap().path()).collect();
    check_records(start, key, &files);
    let record = |file: &PathBuf| {
        let id = file.file_stem().unwrap().to_str().unwrap().to_owned();
        (id, fs::read_to_string(file).unwrap().trim_end().to_owned())
    };
    files.iter().map(record).collect()
}

/// What version 0.1.0 had written of matches that were open.
struct OpenMatches {
    /// Their records as it printed them, by their ids.
    records: BTreeMap<String, String>,
    /// How many events of each it had stored, in the order of the ids.
    events: Vec<usize>,
    /// When the last event of all happened.
    newest: u64,
}

impl OpenMatches {
    async fn read(old: &OldData, database: &Database) -> Self {
        let records = old.records("open_records.jsonl");
        let mut reader = database.reader().await;
        let mut events = Vec::new();
        for id in records.keys() {
            let stored = reader.count(&format!("events WHERE match_id = '{id}'")).await;
            events.push(usize::try_from(stored).unwrap());
        }
        let newest = reader.text("SELECT CAST(max(at_us) AS text) FROM events").await.unwrap();
        reader.close().await;
        Self { records, events, newest: newest.parse().unwrap() }
    }

    /// Checks that all that was written still begins the records of their whole courses.
    fn check(&self, whole: &BTreeMap<String, String>) {
        let events = |record: &str| match serde_json::from_str::<Value>(record).unwrap()["events"].take() {
            Value::Array(events) => events,
            other => panic!("{other}"),
        };
        for ((id, open), &stored) in self.records.iter().zip(&self.events) {
            let whole = events(&whole[id]);
            // Before all rows are in, neither rows nor hashes are shown.
            for (open, whole) in events(open).iter().zip(&whole) {
                assert!(open.as_object().unwrap().iter().all(|(key, value)| whole[key] == *value), "{id}");
            }
            let at = |event: &Value| event["at_us"].as_str().unwrap().parse::<u64>().unwrap();
            let (before, after): (Vec<_>, Vec<_>) = whole.iter().partition(|event| at(event) <= self.newest);
            assert_eq!(before.len(), stored, "{id}: nothing is written anew");
            assert!(!after.is_empty());
        }
    }
}

/// Starts the server on the old database and checks that everything is as version 0.1.0 printed it.
async fn start_on_old(old: &OldData, start: &Start, organiser: &Organiser) -> Server {
    let server = start.start().await;
    assert_eq!(server.carried_on(), old.lines("open_records.jsonl").len());
    assert_eq!(organiser.public_key().await.to_string(), old.public_key());
    for tournament in OldTournament::all(old) {
        tournament.check(organiser).await;
    }
    let matches = organiser.matches("").await;
    let printed = old.lines("matches.jsonl");
    assert_eq!(matches.len(), printed.len());
    for (printed, game) in printed.iter().zip(&matches) {
        check_match(printed, game);
    }
    server
}

async fn what_it_wrote_goes_on(old: OldData, folder: Folder, database: Database) {
    let start = Start::new(&folder, database.url());
    fs::copy(old.file("signing.key"), &start.key).unwrap();
    let organiser = Organiser::new(start.address());
    let server = start_on_old(&old, &start, &organiser).await;
    let key = old.public_key();
    let records = old.records("records.jsonl");
    check_records(&start, &key, &[old.file("records.jsonl")]);
    let former = export_records(&start, &folder.path().join("former"), &key);
    assert_eq!(former, records, "records are what they were, byte for byte");

    let open = OpenMatches::read(&old, &database).await;
    let bots = old.bring_bots_back(&start.address());
    let tournaments = OldTournament::all(&old);
    let (over, under_way): (Vec<_>, Vec<_>) =
        tournaments.iter().partition(|tournament| ["finished", "cancelled"].contains(&tournament.state()));
    for tournament in &under_way {
        tournament.goes_on(&organiser).await;
    }
    for id in open.records.keys() {
        organiser.match_over(id).await;
    }
    let ladder = under_way.iter().find(|tournament| tournament.is_ladder()).expect("a ladder");
    let settings = organiser.tournament(ladder.id()).await.settings.unwrap();
    assert_eq!(settings.methods, 1, "it keeps the methods of 0.1");
    let Some(Format::Ladder(format)) = settings.format else { panic!("{settings:?}") };
    assert_eq!(format.pairing(), pb::LadderPairing::LeastCertain, "it keeps the method of 0.1");

    let present = export_records(&start, &folder.path().join("present"), &key);
    for (id, record) in &records {
        assert_eq!(present.get(id), Some(record));
    }
    open.check(&present);
    drop(bots);
    server.stop();
    let server = start.start().await;
    for tournament in over {
        tournament.check(&organiser).await;
    }
    server.stop();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_version_0_1_wrote_goes_on_on_sqlite() {
    let (old, folder) = (OldData::new("sqlite"), Folder::new());
    fs::copy(old.file("store.db"), folder.path().join("lastnim.db")).unwrap();
    let database = Database::sqlite(&folder);
    what_it_wrote_goes_on(old, folder, database).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_version_0_1_wrote_goes_on_on_postgres() {
    let Some(database) = Database::postgres() else { return };
    let old = OldData::new("postgres");
    let mut connection = PgConnection::connect(&database.url()).await.unwrap();
    sqlx::raw_sql(AssertSqlSafe(old.text("store.sql"))).execute(&mut connection).await.unwrap();
    connection.close().await.unwrap();
    what_it_wrote_goes_on(old, Folder::new(), database).await;
}
