//! Two servers of one PostgreSQL database: while one plays, the other one stands by.

use super::server::{ADMIN, Server, Start};
use super::stage::{Stage, small_positions};
use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::process::Command;
use std::time::{Duration, Instant};

pub const STANDS_BY: &str = "standing by: another server is using the database";
pub const SERVES: &str = "serving; settings not listed have their defaults";

/// Enough positions for a tournament to outlast all changes of the server in a test.
fn positions() -> Vec<&'static [u64]> {
    [&[4, 5][..], &[12], &[1, 2, 6]].repeat(5)
}

/// Starts a server while the other one has the database, and waits until it stands by for the `times`th time.
pub async fn stand_by(start: &Start, times: usize) -> Server {
    let server = start.launch();
    start.wait_for_log(STANDS_BY, times).await;
    server
}

/// Two running servers, and a tournament.
struct Pair {
    stage: Stage,
    active: Server,
    standby: Server,
    tournament: String,
}

impl Pair {
    async fn start() -> Option<Self> {
        let (mut stage, second) = Stage::for_pair()?;
        let active = stage.start.start().await;
        let standby = stand_by(&second, 1).await;
        let names = ["anna", "bert", "cleo", "dora"];
        stage.invite(names, Duration::from_millis(10)).await;
        let settings = lastnim_proto::pb::TournamentSettings {
            alliance: lastnim_proto::pb::AllianceMode::Dealt.into(),
            ..small_positions("pair", &positions(), 20_000)
        };
        let tournament = stage.begin(settings, &names).await;
        stage.until_takes(50).await;
        Some(Self { stage, active, standby, tournament })
    }

    /// Waits until the server that stood by announces takes. Prints how long it took.
    async fn until_taken_over(&self, times: usize) {
        let began = Instant::now();
        self.standby.start.wait_for_log(SERVES, times).await;
        let served = began.elapsed();
        self.stage.until_takes(self.stage.ledger.take_count() + 10).await;
        println!("serving after {served:.1?}, playing after {:.1?}", began.elapsed());
    }

    /// Exchanges the names of the servers.
    fn swap(&mut self) {
        std::mem::swap(&mut self.active, &mut self.standby);
    }

    /// Checks that nothing was lost.
    async fn judge(self) {
        self.stage.organiser.tournament_over(&self.tournament).await;
        drop(self.standby);
        self.stage.judge(self.active, &self.tournament, &[]).await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_standby_server_takes_over_from_a_killed_one() {
    let Some(mut pair) = Pair::start().await else { return };
    for kill in 1..=4 {
        let start = pair.active.start.clone();
        let stood_by = start.log_text().matches(STANDS_BY).count();
        let Pair { stage, active, standby, tournament } = pair;
        active.kill();
        let served = standby.start.log_text().matches(SERVES).count();
        let began = Instant::now();
        standby.start.wait_for_log(SERVES, served + 1).await;
        println!("kill {kill}: serving after {:.1?}", began.elapsed());
        let successor = stand_by(&start, stood_by + 1).await;
        stage.until_takes(stage.ledger.take_count() + 20).await;
        pair = Pair { stage, active: standby, standby: successor, tournament };
    }
    pair.judge().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_hand_over_on_a_signal_harms_no_bot() {
    let Some(mut pair) = Pair::start().await else { return };
    for hand_over in 1..=3_usize {
        let stood_by = pair.active.start.log_text().matches(STANDS_BY).count();
        let served = pair.standby.start.log_text().matches(SERVES).count();
        pair.active.signal("USR1");
        pair.until_taken_over(served + 1).await;
        pair.active.start.wait_for_log(STANDS_BY, stood_by + 1).await;
        let logged = pair.active.start.log_text();
        assert_eq!(
            logged.matches("handed the database over: standing by").count(),
            hand_over.div_ceil(2),
            "{logged}"
        );
        pair.swap();
    }
    pair.judge().await;
}

/// Runs `lastnim serve hand-over`; returns its exit code, and its result or its error.
async fn run_hand_over(addresses: &str, token: &str) -> (Option<i32>, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_lastnim"));
    command.args(["serve", "hand-over", "--json", "--server", addresses, "--token", token]);
    let output = tokio::task::spawn_blocking(move || command.output().unwrap()).await.unwrap();
    let text = if output.status.success() { output.stdout } else { output.stderr };
    (output.status.code(), String::from_utf8(text).unwrap())
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_hand_over_command_names_the_server_that_took_over() {
    let Some(mut pair) = Pair::start().await else { return };
    for hand_over in 1..=3_usize {
        let stood_by = pair.active.start.log_text().matches(STANDS_BY).count();
        let takes = pair.stage.ledger.take_count();
        // The second time, the command knows only the server that hands over.
        let addresses =
            if hand_over == 2 { pair.active.start.address() } else { pair.stage.start.addresses() };
        let (code, text) = run_hand_over(&addresses, ADMIN).await;
        assert_eq!(code, Some(0), "{text}");
        let reported: serde_json::Value = serde_json::from_str(&text).unwrap();
        let ports = [&pair.standby, &pair.active].map(|server| format!(":{}", server.start.port));
        let names = ["server", "former_server"].map(|key| reported[key].as_str().unwrap());
        assert!(names[0].ends_with(&ports[0]) && names[1].ends_with(&ports[1]), "{text}");
        assert!(get(&pair.standby.start, "/readyz").starts_with("HTTP/1.1 200"));
        println!("{text}");
        pair.stage.until_takes(takes + 10).await;
        pair.active.start.wait_for_log(STANDS_BY, stood_by + 1).await;
        pair.swap();
    }
    pair.judge().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_hand_over_command_is_refused_without_a_standby_server() {
    let Some((stage, second)) = Stage::for_pair() else { return };
    let active = stage.start.start().await;
    let assert_refused = async |start: &Start, token: &str, reason: &str| {
        let (code, text) = run_hand_over(&start.address(), token).await;
        assert!(code == Some(1) && text.contains(reason), "{code:?} {text}");
        assert!(get(start, "/readyz").starts_with("HTTP/1.1 200"), "the server no longer serves");
    };
    assert_refused(&stage.start, ADMIN, "NO_STANDBY").await;
    assert_refused(&stage.start, &ADMIN.replace('8', "9"), "BAD_TOKEN").await;
    // A standby server that has stopped no longer counts.
    let standby = stand_by(&second, 1).await;
    standby.stop();
    assert_refused(&stage.start, ADMIN, "NO_STANDBY").await;
    active.stop();
    let alone = Start { more: Vec::new(), ..stage.start.clone() };
    let alone = alone.start().await;
    assert_refused(&stage.start, ADMIN, "NOT_STANDBY").await;
    alone.stop();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_paused_server_loses_the_database_and_stands_by() {
    let Some(mut pair) = Pair::start().await else { return };
    pair.active.signal("STOP");
    pair.until_taken_over(1).await;
    pair.active.signal("CONT");
    pair.active.start.wait_for_log(STANDS_BY, 1).await;
    let logged = pair.active.start.log_text();
    assert!(logged.contains("another server may have taken over the database: standing by"), "{logged}");
    pair.swap();
    pair.judge().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn both_servers_stand_by_while_the_database_is_away() {
    let Some(mut pair) = Pair::start().await else { return };
    pair.stage.postgres().kill();
    pair.active.start.wait_for_log("another server may have taken over the database: standing by", 1).await;
    pair.stage.postgres().restart();
    let [served, others] =
        [&pair.active, &pair.standby].map(|server| server.start.log_text().matches(SERVES).count());
    let continues = || {
        let now = [&pair.active, &pair.standby].map(|server| server.start.log_text().matches(SERVES).count());
        now[0] > served || now[1] > others
    };
    pair.stage.until("a server that continues", continues).await;
    pair.stage.until_takes(pair.stage.ledger.take_count() + 10).await;
    if pair.standby.start.log_text().contains(SERVES) {
        pair.swap();
    }
    pair.judge().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_standby_server_says_that_it_stands_by() {
    let Some((stage, second)) = Stage::for_pair() else { return };
    let _active = stage.start.start().await;
    let _standby = stand_by(&second, 1).await;
    let name = format!(":{}", stage.start.port);
    let ready = get(&second, "/readyz");
    assert!(
        ready.starts_with("HTTP/1.1 503") && ready.contains("standing by for ") && ready.contains(&name),
        "{ready}"
    );
    assert!(get(&second, "/healthz").starts_with("HTTP/1.1 200"));
    assert!(get(&stage.start, "/readyz").starts_with("HTTP/1.1 200"));
    // A client with both addresses finds the server that serves, in whatever order they are.
    for addresses in [stage.start.addresses(), second.addresses()] {
        super::organiser::Organiser::new(addresses).list_bots_once().await.unwrap();
    }
    let refused = super::organiser::Organiser::new(second.address()).list_bots_once().await.unwrap_err();
    assert!(refused.message().contains("standing by for "), "{refused:?}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_server_with_other_settings_does_not_stand_by() {
    let Some((stage, second)) = Stage::for_pair() else { return };
    let _active = stage.start.start().await;
    let start_with = |more: &[&str]| {
        let more = second.more.iter().cloned().chain(more.iter().map(|&word| word.to_owned())).collect();
        Start { more, ..second.clone() }
    };
    let key = Start { key: stage.folder.path().join("another.key"), ..second.clone() };
    for (start, setting) in [
        (start_with(&["--house", "oracle"]), "--house"),
        (start_with(&["--private"]), "--private"),
        (key, "--key"),
    ] {
        let (status, logged) = start.fail();
        assert_eq!(status.code(), Some(1), "{logged}");
        assert!(logged.contains(&format!("{setting} differs from that of ")), "{logged}");
    }
    let sqlite =
        Start { store: format!("sqlite:{}", stage.folder.path().join("own.db").display()), ..second.clone() };
    let (status, logged) = sqlite.fail();
    assert_eq!(status.code(), Some(2), "{logged}");
    assert!(logged.contains("--standby: this needs a PostgreSQL store"), "{logged}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn one_of_two_standby_servers_takes_over() {
    let Some((mut stage, second)) = Stage::for_pair() else { return };
    let third =
        Start { log: stage.folder.path().join("third"), ..Start::new(&stage.folder, second.store.clone()) };
    let third = Start { more: second.more.clone(), ..third };
    let addresses = [&stage.start, &second, &third].map(Start::address).join(",");
    stage.organiser = super::organiser::Organiser::new(addresses.clone());
    stage.start.peer = Some([&second, &third].map(Start::address).join(","));
    let active = stage.start.start().await;
    let (second, third) = (stand_by(&second, 1).await, stand_by(&third, 1).await);
    let names = ["anna", "bert", "cleo", "dora"];
    stage.invite(names, Duration::from_millis(10)).await;
    let settings = small_positions("three", &positions(), 20_000);
    let tournament = stage.begin(settings, &names).await;
    stage.until_takes(30).await;
    active.kill();
    stage.until_takes(stage.ledger.take_count() + 20).await;
    let serves = [&second, &third].map(|server| server.start.log_text().contains(SERVES));
    assert_eq!(serves.iter().filter(|&&serves| serves).count(), 1, "{serves:?}");
    let [active, standby] = if serves[0] { [second, third] } else { [third, second] };
    active.kill();
    stage.until_takes(stage.ledger.take_count() + 20).await;
    stage.organiser.tournament_over(&tournament).await;
    stage.judge(standby, &tournament, &[]).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn signals_reach_a_server_in_every_phase() {
    let Some((stage, second)) = Stage::for_pair() else { return };
    let mut active = stage.start.start().await;
    let mut standby = stand_by(&second, 1).await;
    // A standby server ignores this signal, and does not act on it later, when it serves.
    standby.signal("USR1");
    active.signal("USR1");
    second.wait_for_log(SERVES, 1).await;
    stage.start.wait_for_log(STANDS_BY, 1).await;
    tokio::time::sleep(Duration::from_millis(500)).await;
    assert_eq!(second.log_text().matches("handed the database over").count(), 0, "{}", second.log_text());
    // A termination signal ends a server that is letting go.
    standby.signal("USR1");
    standby.signal("TERM");
    assert_eq!(standby.wait().code(), Some(0), "{}", second.log_text());
    stage.start.wait_for_log(SERVES, 2).await;
    active.signal("TERM");
    assert_eq!(active.wait().code(), Some(0), "{}", stage.start.log_text());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_server_without_a_standby_ignores_a_hand_over() {
    let Some((stage, _)) = Stage::for_pair() else { return };
    let alone = Start { more: Vec::new(), ..stage.start.clone() };
    let server = alone.start().await;
    server.signal("USR1");
    tokio::time::sleep(Duration::from_millis(300)).await;
    stage.organiser.list_bots_once().await.unwrap();
    server.stop();
}

/// Returns the answer to an HTTP request.
fn get(start: &Start, path: &str) -> String {
    let mut stream = TcpStream::connect(start.address()).unwrap();
    write!(stream, "GET {path} HTTP/1.1\r\nHost: {}\r\nConnection: close\r\n\r\n", start.address()).unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    answer
}
