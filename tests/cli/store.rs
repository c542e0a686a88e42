//! A store is measured, checked and backed up while bots play, and a backup is restored.

use super::child::{LONG, Process, json, text};
use serde_json::Value;
use sqlx::{AssertSqlSafe, ConnectOptions as _, Connection as _, sqlite::SqliteConnectOptions};
use std::{
    fs,
    io::{BufRead as _, BufReader},
    path::{Path, PathBuf},
    process::{Command, Output, Stdio},
    thread::sleep,
    time::{Duration, Instant, SystemTime, UNIX_EPOCH},
};

const LASTNIM: &str = env!("CARGO_BIN_EXE_lastnim");
const ADMIN: &str = "lastnim_8f1c03d97ab2e645b0dd5f2917c6a83e4e90f7261bd3588ca1f402c7e96b35d0";

/// A folder with all files of a server.
struct ServerHome {
    folder: PathBuf,
    address: String,
}

impl ServerHome {
    fn new(name: &str) -> Self {
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir_all(&folder).unwrap();
        Self { folder, address: "127.0.0.1:0".to_owned() }
    }

    fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(LASTNIM);
        command.args(args).current_dir(&self.folder).stdin(Stdio::null());
        command.env_remove("LASTNIM_TOKEN").env_remove("LASTNIM_STORE").env("LASTNIM_LOG", "error");
        command.env("LASTNIM_SERVER", &self.address).env("LASTNIM_ADMIN_TOKEN", ADMIN);
        command
    }

    fn output(&self, args: &[&str]) -> Output {
        self.command(args).output().unwrap()
    }

    fn printed(&self, args: &[&str]) -> String {
        let Output { status, stdout, stderr } = self.output(args);
        assert!(status.success(), "{args:?}: {}{}", text(stdout), text(stderr));
        text(stdout).trim_end().to_owned()
    }

    fn json(&self, args: &[&str]) -> Value {
        json(&self.printed(&[args, &["--json"]].concat()))
    }

    /// Runs a command that must fail, and returns its output and the line that says why.
    fn refused(&self, args: &[&str]) -> (String, String) {
        let Output { status, stdout, stderr } = self.output(args);
        assert_eq!(status.code(), Some(1), "{args:?}: {}", text(stderr.clone()));
        (text(stdout), text(stderr))
    }

    /// Starts a server; later ones listen on the address of the first.
    fn serve(&mut self) -> Process {
        self.serve_with(&[])
    }

    fn serve_with(&mut self, flags: &[&str]) -> Process {
        let mut command = self.command(&["serve", "--json", "--store", "sqlite:lastnim.db", "--listen"]);
        command.arg(&self.address).args(flags);
        let mut server = Process(command.stdout(Stdio::piped()).spawn().unwrap());
        let mut line = String::new();
        BufReader::new(server.0.stdout.take().unwrap()).read_line(&mut line).unwrap();
        json(&line)["listening"].as_str().unwrap().clone_into(&mut self.address);
        server
    }

    /// Starts an endless ladder and two bots that play on it; returns its id.
    fn begin(&self, groups_at_once: &str) -> (String, [Process; 2]) {
        self.begin_with(&["--concurrency", groups_at_once])
    }

    fn begin_with(&self, flags: &[&str]) -> (String, [Process; 2]) {
        let create = [
            "tournament",
            "create",
            "--format",
            "ladder",
            "--seats",
            "2",
            "--piles",
            "3,4,5",
            "--start-when",
            "2",
        ];
        let id = self.printed(&[&create[..], flags].concat());
        let bots = ["greedy", "timid"].map(|kind| {
            let token = self.printed(&["bot", "register", kind]);
            let mut bot = self.command(&["bot", "run", kind, "--tournament", &id]);
            Process(bot.env("LASTNIM_TOKEN", token).stdout(Stdio::null()).spawn().unwrap())
        });
        (id, bots)
    }

    /// Waits until this many matches of a tournament are over, and returns how many are.
    fn until_played(&self, id: &str, least: u64) -> u64 {
        let began = Instant::now();
        loop {
            let shown = self.json(&["tournament", "show", id]);
            let played = &shown["tournament"]["matches_played"];
            let played = played.as_u64().unwrap_or_else(|| panic!("{shown}"));
            if played >= least {
                return played;
            }
            assert!(began.elapsed() < LONG, "{played} of {least} matches");
            sleep(Duration::from_millis(20));
        }
    }

    /// Measures the store until the only tournament in it is as expected, and returns its report.
    fn until_stats(&self, settled: impl Fn(&Value) -> bool) -> Value {
        let began = Instant::now();
        loop {
            let stats = self.json(&["store", "stats"]);
            if settled(&stats["tournaments"][0]) {
                return stats["tournaments"][0].clone();
            }
            assert!(began.elapsed() < LONG, "{stats}");
            sleep(Duration::from_millis(20));
        }
    }
}

fn number(of: &Value, name: &str) -> u64 {
    of[name].as_u64().unwrap_or_else(|| panic!("no {name} in {of}"))
}

#[test]
fn a_backup_taken_during_play_is_complete_and_can_be_restored() {
    let mut home = ServerHome::new("backup");
    let server = home.serve();
    let (id, bots) = home.begin("4");
    let mut before = home.until_played(&id, 20);
    for number in 0..3 {
        let file = format!("backup-{number}.db");
        let made = home.json(&["store", "backup", &file]);
        assert!(made["matches"].as_u64() >= Some(before), "what was announced is in it: {made}");
        assert!(made["bytes"].as_u64() == Some(fs::metadata(home.folder.join(&file)).unwrap().len()));
        before = home.until_played(&id, before + 5);
    }
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        let mode = fs::metadata(home.folder.join("backup-2.db")).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600, "there are hashes of tokens in it");
    }
    let leftovers: Vec<_> =
        fs::read_dir(&home.folder).unwrap().map(|file| file.unwrap().file_name()).collect();
    assert!(!leftovers.iter().any(|name| name.to_string_lossy().contains(".part")), "{leftovers:?}");
    // The running server's own store is also checked and measured, without interrupting play.
    let checked = home.json(&["store", "check"]);
    assert_eq!((&checked["damages"], checked["signers"].as_array().unwrap().len()), (&0.into(), 1));
    assert_eq!(checked["signers"][0]["public_key"], home.printed(&["record", "key"]).as_str());
    let stats = home.json(&["store", "stats"]);
    assert_eq!((&stats["tournaments"][0]["tournament_id"], &stats["bots"]), (&id.as_str().into(), &2.into()));
    let played = home.until_played(&id, before + 5);
    // The machine is lost: only the last backup and the key are left.
    drop(server);
    let kept = home.json(&["store", "check", "--store", "sqlite:backup-2.db"])["matches"].as_u64().unwrap();
    assert!(kept < played);
    for file in ["lastnim.db", "lastnim.db-wal", "lastnim.db-shm", "lastnim.db.id", "lastnim.db.lock"] {
        let _ = fs::remove_file(home.folder.join(file));
    }
    fs::rename(home.folder.join("backup-2.db"), home.folder.join("lastnim.db")).unwrap();
    let _server = home.serve();
    home.until_played(&id, played + 5);
    let checked = home.json(&["store", "check"]);
    assert_eq!(
        (&checked["damages"], checked["signers"].as_array().unwrap().len()),
        (&0.into(), 1),
        "{checked}"
    );
    drop(bots);
}

/// Changes rows behind the server's back, and returns how many.
fn change_rows(database: &Path, change: &str) -> u64 {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let mut connection = SqliteConnectOptions::new().filename(database).connect().await.unwrap();
        let done = sqlx::raw_sql(AssertSqlSafe(change.to_owned())).execute(&mut connection).await.unwrap();
        connection.close().await.unwrap();
        done.rows_affected()
    })
}

#[test]
fn changed_rows_are_found_and_not_backed_up() {
    let mut home = ServerHome::new("check");
    let server = home.serve();
    let (id, bots) = home.begin("1");
    home.until_played(&id, 4);
    drop(bots);
    drop(server);
    let intact = fs::read(home.folder.join("lastnim.db")).unwrap();
    let intact_wal = fs::read(home.folder.join("lastnim.db-wal")).unwrap_or_default();
    assert_eq!(home.json(&["store", "check"])["damages"], 0);
    let first = "(SELECT id FROM matches WHERE signature IS NOT NULL ORDER BY id LIMIT 1)";
    let changes = [
        (
            format!(
                "UPDATE record_parts SET events = substr(events, 1, length(events) - 1) WHERE match_id = {first}"
            ),
            "the record of match",
        ),
        (format!("UPDATE matches SET winner = 1 - winner WHERE id = {first}"), "the row of match"),
        (format!("UPDATE matches SET signature = zeroblob(64) WHERE id = {first}"), "the signature of match"),
        (
            format!("UPDATE matches SET signer = NULL, signature = NULL WHERE id = {first}"),
            "the signature of match",
        ),
        (
            format!("UPDATE seats SET regret = regret + 1 WHERE match_id = {first}"),
            "its figures do not follow from the record",
        ),
    ];
    for (change, what) in changes {
        fs::write(home.folder.join("lastnim.db"), &intact).unwrap();
        fs::write(home.folder.join("lastnim.db-wal"), &intact_wal).unwrap();
        let _ = fs::remove_file(home.folder.join("lastnim.db-shm"));
        assert!(change_rows(&home.folder.join("lastnim.db"), &change) > 0, "{change}");
        let (printed, why) = home.refused(&["store", "check", "--json"]);
        assert_eq!(json(&printed)["damages"], 1, "{change}: {printed}");
        assert!(why.contains(what), "{change}: {why}");
        let (_, why) = home.refused(&["store", "backup", "backup.db"]);
        assert!(why.contains(what) && !home.folder.join("backup.db").exists(), "{change}: {why}");
    }
}

#[test]
fn records_are_pruned_during_play() {
    let mut home = ServerHome::new("prune");
    let server = home.serve();
    let (id, bots) = home.begin("4");
    let mut played = home.until_played(&id, 30);
    let mut offline = home.command(&["store", "prune", "--keep", "5"]);
    let Output { status, stderr, .. } = offline.env_remove("LASTNIM_SERVER").output().unwrap();
    let why = text(stderr);
    assert!(
        status.code() == Some(1) && why.contains("lastnim.db open") && why.contains("--server ADDR"),
        "{why}"
    );
    for _ in 0..3 {
        let pruned = home.json(&["store", "prune", "--tournament", &id, "--keep", "5"]);
        assert!(pruned["pruned_matches"].as_u64().unwrap() > 0, "{pruned}");
        played = home.until_played(&id, played + 10);
    }
    let listed = home.json(&["match", "list", "--tournament", &id, "--limit", "1000"]);
    let listed = listed["matches"].as_array().unwrap();
    let oldest = listed.last().unwrap();
    assert!(listed.len() as u64 >= played && oldest["winner"].is_u64(), "results stay: {oldest}");
    let oldest = oldest["id"].as_str().unwrap();
    let (_, why) = home.refused(&["record", "get", oldest]);
    assert!(why.contains("was pruned"), "{why}");
    assert!(home.printed(&["match", "show", oldest]).contains(oldest));
    let folder = home.folder.join("records");
    let exported = home.json(&["record", "export", "--tournament", &id, "--dir", folder.to_str().unwrap()]);
    assert!(number(&exported, "pruned") > 20 && number(&exported, "written") > 0, "{exported}");
    let audited = home.json(&["audit", "field", "--tournament", &id]);
    assert!(number(&audited["records"], "pruned") > 20, "{audited}");
    // A killed server finds everything it needs after a restart.
    drop(server);
    let checked = home.json(&["store", "check"]);
    assert_eq!(
        (&checked["damages"], checked["pruned_matches"].as_u64() > Some(20)),
        (&0.into(), true),
        "{checked}"
    );
    let server = home.serve();
    home.until_played(&id, played + 10);
    drop(bots);
    drop(server);
    let mut offline = home.command(&["store", "prune", "--keep", "1", "--json"]);
    let Output { status, stdout, stderr } = offline.env_remove("LASTNIM_SERVER").output().unwrap();
    assert!(status.success(), "{}", text(stderr));
    assert!(json(&text(stdout))["pruned_matches"].as_u64() > Some(0));
    assert_eq!(home.json(&["store", "check"])["damages"], 0);
}

#[test]
fn a_ladder_with_a_retention_is_pruned_while_it_runs() {
    let mut home = ServerHome::new("retention");
    let prunes_often = ["--retention-interval", "100ms"];
    let server = home.serve_with(&prunes_often);
    let (id, bots) = home.begin_with(&["--concurrency", "4", "--keep-matches", "10"]);
    assert!(home.printed(&["tournament", "show", &id]).contains("of the newest 10 matches"));
    let pruned = number(&home.until_stats(|stats| number(stats, "pruned_matches") > 20), "pruned_matches");
    // It is killed while it prunes, and the next run continues.
    drop(server);
    let server = home.serve_with(&prunes_often);
    home.until_stats(|stats| number(stats, "pruned_matches") > pruned + 20);
    home.printed(&["tournament", "pause", &id]);
    let kept_matches = |stats: &Value| number(stats, "matches") - number(stats, "pruned_matches");
    let settled =
        home.until_stats(|stats| number(stats, "unfinished_matches") == 0 && kept_matches(stats) == 10);
    let figures = |home: &ServerHome| -> Vec<Value> {
        let standings = home.json(&["tournament", "standings", &id]);
        let names =
            ["bot", "run", "place", "points", "matches", "wins", "accuracy", "regret_per_match", "forfeits"];
        let lines = standings["standings"].as_array().unwrap();
        lines.iter().flat_map(|line| names.map(|name| line[name].clone())).collect()
    };
    let before = figures(&home);
    drop((server, bots));
    assert_eq!(home.json(&["store", "check"])["damages"], 0);
    let server = home.serve_with(&prunes_often);
    assert_eq!(figures(&home), before, "results are counted without their records");
    let listed = home.json(&["match", "list", "--tournament", &id, "--limit", "1000"]);
    let oldest = listed["matches"].as_array().unwrap().last().unwrap()["id"].as_str().unwrap();
    let (_, why) = home.refused(&["record", "get", oldest]);
    assert!(why.contains("was pruned"), "{why}");
    // Nobody plays, so nothing more is pruned, even after the end.
    home.printed(&["tournament", "cancel", &id]);
    drop(server);
    let again = home.serve_with(&prunes_often);
    assert_eq!(
        home.until_stats(|stats| stats["state"] == "cancelled")["pruned_matches"],
        settled["pruned_matches"]
    );
    drop(again);
}

/// Starts a server and kills it; returns what it has logged.
fn log_of_start(home: &ServerHome) -> String {
    let log = home.folder.join("log");
    let mut command =
        home.command(&["serve", "--json", "--store", "sqlite:lastnim.db", "--listen", "127.0.0.1:0"]);
    command.env("LASTNIM_LOG", "warn").stdout(Stdio::piped()).stderr(fs::File::create(&log).unwrap());
    let mut server = Process(command.spawn().unwrap());
    let mut line = String::new();
    BufReader::new(server.0.stdout.take().unwrap()).read_line(&mut line).unwrap();
    assert!(line.contains("listening"), "{line}");
    drop(server);
    fs::read_to_string(&log).unwrap()
}

#[test]
fn a_wrong_clock_is_reported_and_can_be_repaired() {
    const DAY: Duration = Duration::from_hours(24);
    let mut home = ServerHome::new("clock");
    let server = home.serve();
    home.printed(&["bot", "register", "alice"]);
    drop(server);
    let database = home.folder.join("lastnim.db");
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap();
    let set_latest = |latest: Duration| {
        let latest = latest.as_micros();
        change_rows(&database, &format!("REPLACE INTO clock (id, latest_at_us) VALUES (1, {latest})"));
    };
    let offline = |args: &[&str]| home.command(args).env_remove("LASTNIM_SERVER").output().unwrap();
    let printed = |args: &[&str]| {
        let Output { status, stdout, stderr } = offline(args);
        assert!(status.success(), "{args:?}: {}", text(stderr));
        text(stdout)
    };
    assert!(!log_of_start(&home).contains("clock"));
    // The database is as after a start with the clock ahead.
    let registered = (now + 100 * DAY).as_micros();
    change_rows(&database, &format!("UPDATE bots SET registered_at_us = {registered}"));
    set_latest(now + 100 * DAY);
    for _ in 0..2 {
        let log = log_of_start(&home);
        assert!(log.contains("99 days ahead of the clock") && log.contains("store repair-clock"), "{log}");
    }
    let repaired = json(&printed(&["store", "repair-clock", "--json"]));
    assert_eq!((number(&repaired, "times_set_back"), number(&repaired, "matches_left")), (1, 0));
    assert!(printed(&["store", "repair-clock"]).contains("0 timestamps were set back"));
    assert!(!log_of_start(&home).contains("clock"));
    // The database is as after a start with the clock behind, or after 100 days without a server.
    set_latest(now.checked_sub(100 * DAY).unwrap());
    let Output { status, stderr, .. } = offline(&["store", "prune", "--older-than", "30"]);
    let why = text(stderr);
    assert!(
        status.code() == Some(1) && why.contains("100 days ahead") && why.contains("repair-clock"),
        "{why}"
    );
    assert!(printed(&["store", "prune", "--keep", "30"]).contains("0 records were removed"));
    let log = log_of_start(&home);
    assert!(log.contains("the clock is 100 days ahead of the latest time in the store"), "{log}");
    printed(&["store", "repair-clock"]);
    assert!(!log_of_start(&home).contains("clock"));
    assert!(printed(&["store", "prune", "--older-than", "30"]).contains("0 records were removed"));
}
