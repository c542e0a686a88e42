//! Bots in a sandbox that read what they should not, use too much, or attack other processes.

use super::{
    folder::{Folder, SMALL, endless, house, state_folder},
    running::{Running, run, run_command, soon},
};
use std::{
    env, fs,
    io::Write as _,
    os::unix::fs::PermissionsExt as _,
    path::PathBuf,
    process::{Command, Stdio},
};

/// The settings under which each limit is reached soon.
const LIMITS: &str =
    "[sandbox]\nmemory = \"128MiB\"\nprocesses = 24\ncpu = \"2s\"\nscratch = \"8MiB\"\noutput = \"1MiB\"\n";

/// Returns whether sandboxes can be made here. If `CI` is set, bubblewrap must be installed, but the kernel may forbid
/// what it needs.
fn has_sandboxes(test: &str) -> bool {
    let mut trial = Command::new("bwrap");
    trial.args(["--unshare-all", "--unshare-user", "--ro-bind", "/", "/", "true"]);
    let why = match trial.stdin(Stdio::null()).output() {
        Ok(output) if output.status.success() => return true,
        Ok(output) => format!("the kernel forbids it: {}", String::from_utf8_lossy(&output.stderr)),
        Err(error) => {
            assert!(env::var_os("CI").is_none(), "bubblewrap is not installed: {error}");
            format!("bubblewrap is not installed: {error}")
        }
    };
    // The message is written directly, since the test harness hides the output of passing tests.
    let _ = writeln!(std::io::stderr(), "{test} is SKIPPED: {why}");
    false
}

/// A tournament of a house bot and a sandboxed bot, whose script ends with a bot that plays.
struct Cup {
    folder: Folder,
    file: PathBuf,
}

impl Cup {
    fn new(name: &str, lines: &str) -> Self {
        let folder = Folder::new(&format!("sandbox-{name}"));
        fs::create_dir(folder.path("own")).unwrap();
        folder.script("own/bot.sh", &format!("{lines}\nexec /lastnim bot run greedy"));
        let bot = "[[bot]]\nname = \"mine\"\nsandbox = \"bubblewrap\"\nfolder = \"own\"\ncommand = [\"./bot.sh\"]\n";
        let file = folder.write("cup.toml", &(SMALL.to_owned() + LIMITS + &house("first", "oracle") + bot));
        Self { folder, file }
    }

    fn log(&self) -> String {
        self.folder.read("cup.run/mine.log")
    }
}

/// Plays a tournament in which the bot passes a limit once, at its first start or at each one.
fn end_at_limit(name: &str, lines: &str, limit: &str) {
    if !has_sandboxes(name) {
        return;
    }
    let cup = Cup::new(name, lines);
    let mut running = Running::start(&mut run_command(&cup.file, &[]));
    let line = running.wait_for_line("mine: its program ended");
    let passed = format!("it exceeded the limit {limit} of its sandbox");
    assert!(line.contains(&passed), "{line}: {}", cup.log());
    running.signal("KILL");
    running.finish();
    let log = cup.log();
    assert!(log.contains(&format!("[lastnim ended this bot: {passed}]")), "{log}");
}

#[test]
fn a_sandboxed_bot_plays_and_sees_only_its_folder() {
    if !has_sandboxes("a_sandboxed_bot_plays_and_sees_only_its_folder") {
        return;
    }
    let probe = "env | cut -d = -f 1 | sort | tr '\\n' ' '; echo\n\
        echo folder $(ls); echo server $LASTNIM_SERVER; echo home $HOME\n\
        for path in /root /home /etc/passwd /work RIVAL; do test -e $path && echo sees $path; done\n\
        cat /proc/*/environ 2>/dev/null | tr '\\0' '\\n' | grep ^LASTNIM_TOKEN= | sort -u | grep -c .\n\
        for path in /x /bot/x /usr/x /dev/x; do (echo > $path) 2>/dev/null && echo writes $path; done\n\
        echo scratch > /tmp/x && cat /tmp/x\n\
        unshare --user true 2>/dev/null && echo new namespace\n\
        kill -KILL 1; kill -KILL -1; echo survives";
    let cup = Cup::new("sees", "");
    let state = state_folder(cup.folder.as_path());
    cup.folder.script(
        "own/bot.sh",
        &(probe.replace("RIVAL", &format!("{} {}", state.display(), cup.file.display()))
            + "\nexec /lastnim bot run greedy"),
    );
    let ended = run(&cup.file, &[]);
    assert_eq!(ended.result()["tournament"]["matches_played"], 4, "{}", cup.log());
    assert!(!ended.stderr.contains("runs commands as you"), "{}", ended.stderr);
    let log = cup.log();
    for line in ["folder bot.sh", "server 127.0.0.1:7600", "home /tmp", "scratch", "survives", "1"] {
        assert!(log.lines().any(|found| found == line), "{line}: {log}");
    }
    for part in ["sees ", "writes ", "new namespace", "CARGO", "USER"] {
        assert!(!log.contains(part), "{part}: {log}");
    }
}

#[test]
fn a_sandboxed_bot_reaches_only_the_server() {
    if !has_sandboxes("a_sandboxed_bot_reaches_only_the_server") {
        return;
    }
    // A listener of this machine, which a bot without a sandbox reaches.
    let other = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = other.local_addr().unwrap().port();
    let connect = |port: u16| {
        format!("bash -c 'exec 3<>/dev/tcp/127.0.0.1/{port}' 2>/dev/null && echo reaches {port}\n")
    };
    let lines = connect(port)
        + &connect(7600)
        + "ls /sys/class/net 2>/dev/null; tail -n +3 /proc/net/dev | cut -d : -f 1";
    let cup = Cup::new("network", &lines);
    run(&cup.file, &[]).result();
    let log = cup.log();
    assert!(log.contains("reaches 7600") && !log.contains(&format!("reaches {port}")), "{log}");
    let devices: Vec<_> = log.lines().filter(|line| line.starts_with(' ')).map(str::trim).collect();
    assert_eq!(devices, ["lo"], "{log}");
}

#[test]
fn a_bot_that_uses_too_much_memory_is_ended() {
    end_at_limit(
        "memory",
        "perl -e 'my @kept; push @kept, \"x\" x 4_000_000 while 1'",
        "memory = \"128MiB\"",
    );
}

#[test]
fn a_bot_with_many_processes_is_ended() {
    // The bomb is bounded: it has at most 400 processes, each of which ends by itself.
    let bomb = "i=0; while [ $i -lt 400 ]; do sleep 20 & i=$((i + 1)); done; wait";
    end_at_limit("processes", bomb, "processes = 24");
}

#[test]
fn a_bot_that_uses_too_much_processor_time_is_ended() {
    end_at_limit("cpu", "timeout 60 sh -c 'while :; do :; done'", "cpu = \"2s\"");
}

#[test]
fn processor_time_of_ended_children_counts() {
    let short = "i=0; while [ $i -lt 400 ]; do (timeout 0.2 sh -c 'while :; do :; done'); i=$((i + 1)); done";
    end_at_limit("children", short, "cpu = \"2s\"");
}

#[test]
fn a_bot_that_fills_its_disk_is_ended() {
    end_at_limit("scratch", "head -c 100000000 /dev/zero > /tmp/full; sleep 20", "scratch = \"8MiB\"");
}

#[test]
fn a_bot_that_prints_too_much_is_ended() {
    end_at_limit("output", "yes | head -c 100000000", "output = \"1MiB\"");
}

#[test]
fn a_lost_seat_names_the_exceeded_limit() {
    if !has_sandboxes("a_lost_seat_names_the_exceeded_limit") {
        return;
    }
    // It plays for a while and then prints without an end. The clock ends before the second restart.
    let lines = "/lastnim bot run greedy | { n=0; while read -r line; do n=$((n + 1)); [ $n = 20 ] && exec yes; done; }\nexit";
    let cup = Cup::new("lost", lines);
    let text = fs::read_to_string(&cup.file).unwrap().replace(SMALL, &endless());
    fs::write(&cup.file, text.replace("clock = \"1m\"", "clock = \"300ms\"")).unwrap();
    let mut running = Running::start(&mut run_command(&cup.file, &[]));
    let line = running.wait_for_line("its program ended before");
    let lost = "(it exceeded the limit output = \"1MiB\" of its sandbox)";
    assert!(line.starts_with("mine: ") && line.contains("lost") && line.contains(lost), "{line}");
}

#[test]
fn children_that_a_bot_leaves_behind_end_with_it() {
    if !has_sandboxes("children_that_a_bot_leaves_behind_end_with_it") {
        return;
    }
    // The child leaves its session, so that no signal to a group reaches it.
    let lines = "setsid sleep 4242.25 &\n[ -e /tmp/none ]";
    let cup = Cup::new("orphans", lines);
    run(&cup.file, &[]).result();
    let is_left = || {
        let all = fs::read_dir("/proc").unwrap().filter_map(Result::ok);
        let mut lines = all.filter_map(|process| fs::read(process.path().join("cmdline")).ok());
        lines.any(|line| line.windows(7).any(|part| part == b"4242.25"))
    };
    soon("the child ends", || !is_left());
}

#[test]
fn a_killed_run_leaves_no_sandbox() {
    if !has_sandboxes("a_killed_run_leaves_no_sandbox") {
        return;
    }
    let cup = Cup::new("killed", "sleep 4343.5");
    let mut running = Running::start(&mut run_command(&cup.file, &[]));
    let is_running = || {
        let all = fs::read_dir("/proc").unwrap().filter_map(Result::ok);
        let mut lines = all.filter_map(|process| fs::read(process.path().join("cmdline")).ok());
        lines.any(|line| line == b"sleep\x004343.5\0")
    };
    running.wait_for_line("waiting for mine");
    soon("the bot runs", is_running);
    running.signal("KILL");
    running.finish();
    soon("the bot ends", || !is_running());
}

#[test]
fn a_run_without_bubblewrap_says_how_to_install_it() {
    let cup = Cup::new("missing", "");
    let ended = Running::start(run_command(&cup.file, &[]).env("PATH", "/nowhere")).finish();
    let failure = ended.failure(2);
    assert!(failure.contains("bot mine: sandbox: bubblewrap cannot be started"), "{failure}");
    assert!(failure.ends_with("install it (Debian: apt-get install bubblewrap)"), "{failure}");
    // A bubblewrap that may not make namespaces.
    cup.folder.script("bwrap", "echo 'bwrap: No permissions to create new namespace' >&2\nexit 1");
    let path = format!("{}:/usr/bin:/bin", cup.folder.as_path().display());
    let failure = Running::start(run_command(&cup.file, &[]).env("PATH", path)).finish().failure(2);
    assert!(
        failure.contains("(bwrap: No permissions to create new namespace): allow user namespaces"),
        "{failure}"
    );
}

#[test]
fn a_sandbox_without_the_files_of_the_bot_is_refused() {
    if !has_sandboxes("a_sandbox_without_the_files_of_the_bot_is_refused") {
        return;
    }
    let cup = Cup::new("refused", "");
    let text = fs::read_to_string(&cup.file).unwrap();
    let tools = cup.folder.path("tools");
    fs::create_dir(&tools).unwrap();
    cup.folder.script("tools/hidden-python", "exec /lastnim bot run greedy");
    fs::set_permissions(tools.join("hidden-python"), fs::Permissions::from_mode(0o755)).unwrap();
    let run_with = |from: &str, to: &str, more: &[&str]| {
        let changed = text.replace(from, to);
        assert_ne!(changed, text);
        fs::write(&cup.file, changed).unwrap();
        let path = format!("{}:{}", tools.display(), env::var("PATH").unwrap());
        Running::start(run_command(&cup.file, more).env("PATH", path)).finish()
    };
    let assert_refused = |from: &str, to: &str, more: &[&str], expected: &str| {
        let failure = run_with(from, to, more).failure(2);
        assert!(failure.contains(expected), "{expected}: {failure}");
    };
    assert_refused("\"own\"", "\".\"", &[], "folder: this folder contains the tournament file");
    assert_refused("\"own\"", "\"none\"", &[], "folder: \"none\" cannot be read");
    assert_refused("./bot.sh", "../cup.toml", &[], "\"../cup.toml\" cannot be started");
    assert_refused("folder = \"own\"\n", "", &[], "needs `folder`");
    assert_refused(
        "./bot.sh",
        "hidden-python",
        &[],
        "a sandboxed bot does not see this file: add its folder to `read_only`",
    );
    let server = ["--server", "https://play.example.org"];
    assert_refused("Small", "Other", &server, "a sandboxed bot reaches only a single server without TLS");
    // The hint helps.
    let read_only = format!("[sandbox]\nread_only = [{tools:?}]");
    fs::write(&cup.file, text.replace("./bot.sh", "hidden-python")).unwrap();
    let changed = fs::read_to_string(&cup.file).unwrap().replace("[sandbox]", &read_only);
    fs::write(&cup.file, changed).unwrap();
    let path = format!("{}:{}", tools.display(), env::var("PATH").unwrap());
    Running::start(run_command(&cup.file, &[]).env("PATH", path)).finish().result();
}
