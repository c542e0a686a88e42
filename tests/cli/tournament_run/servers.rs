//! Tournaments on another server, and remote bots.

use super::{
    folder::{Folder, LASTNIM, LONG, SMALL, endless, house, program},
    running::{Ended, Running, lastnim, run_command},
};
use serde_json::Value;
use std::{
    fs,
    io::{BufRead as _, BufReader},
    os::unix::fs::PermissionsExt as _,
    path::Path,
    process::{Child, Command, Stdio},
};

const ADMIN: &str = "lastnim_8f1c03d97ab2e645b0dd5f2917c6a83e4e90f7261bd3588ca1f402c7e96b35d0";

/// A server that ends with the test.
pub struct Server(Child);

impl Server {
    /// Stops it.
    pub fn end(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.end();
    }
}

/// Starts a server, and returns it with its first line of output.
pub fn serve(command: &mut Command) -> (Server, Value) {
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
    let mut line = String::new();
    BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
    (Server(child), serde_json::from_str(&line).unwrap())
}

fn start() -> (Server, String) {
    let mut command = lastnim(&["serve", "--listen", "127.0.0.1:0", "--json", "--store", "memory"]);
    let (server, announced) = serve(command.env("LASTNIM_ADMIN_TOKEN", ADMIN));
    (server, announced["listening"].as_str().unwrap().to_owned())
}

fn on_server(file: &Path, address: &str, more: &[&str]) -> Command {
    let mut command = run_command(file, &["--server", address]);
    command.args(more).env("LASTNIM_ADMIN_TOKEN", ADMIN);
    command
}

fn finish(command: &mut Command) -> Ended {
    Running::start(command).finish()
}

#[test]
fn a_tournament_is_played_on_a_given_server() {
    let folder = Folder::new("named");
    let (_server, address) = start();
    let text =
        SMALL.to_owned() + &house("first", "oracle") + &program("second", &[LASTNIM, "bot", "run", "greedy"]);
    let file = folder.write("cup.toml", &text);

    let ended = finish(run_command(&file, &["--server", &address]).arg("--fresh"));
    assert!(ended.failure(1).contains("--token, LASTNIM_ADMIN_TOKEN"), "{}", ended.stderr);

    let result = finish(&mut on_server(&file, &address, &[])).result();
    assert_eq!(result["tournament"]["matches_played"], 4);
    assert!(!folder.path("cup.run/lastnim.db").exists());
    let listed = lastnim(&["tournament", "list", "--json", "--server", &address]).output().unwrap();
    let listed: Value = serde_json::from_slice(&listed.stdout).unwrap();
    assert_eq!(listed["tournaments"][0]["id"], result["tournament"]["id"]);

    // The tournament is also over on that server, and starts again with the bots that it has registered.
    assert_eq!(finish(&mut on_server(&file, &address, &[])).result(), result);
    let fresh = finish(&mut on_server(&file, &address, &["--fresh"])).result();
    assert_eq!(fresh["standings"], result["standings"]);
    assert_ne!(fresh["tournament"]["id"], result["tournament"]["id"]);

    let own = finish(&mut run_command(&file, &[]));
    let expected =
        format!("started on the server at {address}: use --server {address} to continue, or --fresh");
    assert!(own.failure(2).contains(&expected), "{}", own.stderr);

    // Bots with the same names that somebody else registered are left alone.
    let other = folder
        .write("other.toml", &(SMALL.to_owned() + &house("first", "oracle") + &house("third", "timid")));
    let ended = finish(&mut on_server(&other, &address, &[]));
    assert!(ended.failure(1).contains("bot first: the name is taken on the server at "), "{}", ended.stderr);
    assert!(ended.failure(1).contains("use another name"), "{}", ended.stderr);
}

#[test]
fn a_stopped_tournament_on_another_server_continues() {
    let folder = Folder::new("elsewhere");
    let (_server, address) = start();
    let text =
        LONG.to_owned() + &house("first", "oracle") + &program("second", &[LASTNIM, "bot", "run", "greedy"]);
    let file = folder.write("cup.toml", &text);
    let mut running = Running::start(&mut on_server(&file, &address, &[]));
    running.wait_for_line("Long begins");
    super::running::soon("matches are played", || {
        let listed = lastnim(&["tournament", "list", "--json", "--server", &address]).output().unwrap();
        let listed: Value = serde_json::from_slice(&listed.stdout).unwrap();
        listed["tournaments"][0]["matches_played"].as_u64() > Some(20)
    });
    running.signal("TERM");
    let ended = running.finish();
    assert!(ended.stderr.contains("the tournament is paused on its server"), "{}", ended.stderr);
    assert!(ended.failure(1).contains("run the same command again to continue"), "{}", ended.stderr);
    assert_eq!(show_tournament(&file, &address)["tournament"]["pause"], "freeze");
    let result = finish(&mut on_server(&file, &address, &[])).result();
    assert_eq!(result["tournament"]["matches_played"], 800);
    let forfeits = |line: &Value| line["forfeits"].as_u64().unwrap();
    assert_eq!(result["standings"].as_array().unwrap().iter().map(forfeits).sum::<u64>(), 0, "{result}");
}

/// Returns the server's report on the tournament of a file.
fn show_tournament(file: &Path, address: &str) -> Value {
    let mut command = lastnim(&["tournament", "show", "--json", "--server", address]);
    let shown = command.arg(file).output().unwrap();
    serde_json::from_slice(&shown.stdout).unwrap_or_else(|error| panic!("{error}: {shown:?}"))
}

/// Sends a request to the server as its admin.
fn organise(file: &Path, address: &str, what: &str) {
    let mut command = lastnim(&["tournament", what, "--server", address]);
    let done = command.arg(file).env("LASTNIM_ADMIN_TOKEN", ADMIN).output().unwrap();
    assert!(done.status.success(), "{done:?}");
}

#[test]
fn a_run_respects_changes_by_others_to_its_stopped_tournament() {
    let folder = Folder::new("changed-by-others");
    let (_server, address) = start();
    let text = endless() + &house("first", "oracle") + &house("second", "greedy");
    let file = folder.write("cup.toml", &text);
    let leave = |running: Running| {
        running.signal("INT");
        let ended = running.finish();
        assert!(ended.failure(1).contains("run the same command again to continue"), "{}", ended.stderr);
        ended
    };
    let begin = || Running::start(&mut on_server(&file, &address, &[]));
    let mut running = begin();
    running.wait_for_line("Long begins");
    super::running::soon("the start", || {
        show_tournament(&file, &address)["tournament"]["state"] == "running"
    });
    assert!(leave(running).stderr.contains("the tournament is paused on its server"));
    // It was resumed and paused again, so this run must not resume it.
    organise(&file, &address, "resume");
    organise(&file, &address, "pause");
    let mut running = begin();
    running.wait_for_line("paused: lastnim tournament resume");
    let ended = leave(running);
    assert!(ended.stderr.contains("the tournament remains paused on its server"), "{}", ended.stderr);
    let mut running = begin();
    running.wait_for_line("paused: lastnim tournament resume");
    organise(&file, &address, "resume");
    running.wait_for_line("resumed");
    organise(&file, &address, "cancel");
    let result = running.finish().result();
    assert_eq!(result["tournament"]["state"], "cancelled");
    let ended = finish(&mut on_server(&file, &address, &[]));
    assert!(ended.stderr.contains("this tournament is over"), "{}", ended.stderr);
    assert_eq!(ended.result()["tournament"]["state"], "cancelled");
}

#[test]
fn a_run_survives_a_restart_of_its_server() {
    let folder = Folder::new("restarted");
    let store = format!("sqlite:{}", folder.path("lastnim.db").display());
    let key = folder.path("lastnim.key").display().to_string();
    let serve_on = |address: &str| {
        let mut command =
            lastnim(&["serve", "--listen", address, "--json", "--store", &store, "--key", &key]);
        command.env("LASTNIM_ADMIN_TOKEN", ADMIN);
        serve(&mut command)
    };
    let (mut server, announced) = serve_on("127.0.0.1:0");
    let address = announced["listening"].as_str().unwrap().to_owned();
    let text =
        LONG.to_owned() + &house("first", "oracle") + &program("second", &[LASTNIM, "bot", "run", "greedy"]);
    let file = folder.write("cup.toml", &text);
    let mut running = Running::start(&mut on_server(&file, &address, &[]));
    running.wait_for_line("Long begins");
    super::running::soon("matches are played", || {
        show_tournament(&file, &address)["tournament"]["matches_played"].as_u64() > Some(20)
    });
    server.end();
    let (_server, _) = serve_on(&address);
    let result = running.finish().result();
    assert_eq!(result["tournament"]["matches_played"], 800);
}

#[test]
fn a_run_waits_for_a_remote_bot() {
    let folder = Folder::new("remote");
    let text = SMALL.to_owned() + &house("first", "oracle") + "[[bot]]\nname = \"guest\"\nremote = true\n";
    let file = folder.write("cup.toml", &text);
    let mut running = Running::start(&mut run_command(&file, &[]));
    running.wait_for_line("guest must be started elsewhere");
    let hint = running.wait_for_line("LASTNIM_TOKEN=");
    running.wait_for_line("waiting for guest");
    let token = folder.path("cup.run/secrets/guest.token");
    assert_eq!(fs::metadata(&token).unwrap().permissions().mode() & 0o777, 0o600);

    // After a stop and a restart, it is found at the same address.
    running.signal("INT");
    assert!(running.finish().failure(1).contains("run the same command again to continue"));
    let before = fs::read_to_string(&token).unwrap();
    let mut running = Running::start(&mut run_command(&file, &[]));
    assert_eq!(running.wait_for_line("LASTNIM_TOKEN="), hint);
    assert_eq!(fs::read_to_string(&token).unwrap(), before);

    // The command printed for the author of the bot works.
    let line = hint.trim().replace("lastnim bot run oracle", "\"$PROGRAM\" bot run timid");
    let mut shell = Command::new("sh");
    let mut guest = shell.args(["-c", &line]).env("PROGRAM", LASTNIM).stdout(Stdio::null()).spawn().unwrap();
    let result = running.finish().result();
    assert_eq!(result["tournament"]["matches_played"], 4);
    assert!(guest.wait().unwrap().success());
}

#[test]
fn a_tournament_run_listens_on_the_given_address() {
    let folder = Folder::new("listen");
    let file = folder.write("cup.toml", &(SMALL.to_owned() + &house("a", "oracle") + &house("b", "timid")));
    let both = finish(&mut run_command(&file, &["--listen", "127.0.0.1:0", "--server", "127.0.0.1:1"]));
    assert!(both.failure(2).starts_with(
        "--listen 127.0.0.1:0: leave it out, because --server or LASTNIM_SERVER names the server at 127.0.0.1:1"
    ));
    let ended = finish(&mut run_command(&file, &["--listen", "0.0.0.0:0"]));
    ended.result();
    assert!(ended.stderr.contains("--server 127.0.0.1:"), "{}", ended.stderr);
}
