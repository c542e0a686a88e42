//! The log of a server: sessions, starts and ends of matches, and refusals.

use super::child::{Process, json, text};
use serde_json::Value;
use std::{
    fs::{self, File},
    io::{BufRead as _, BufReader},
    path::{Path, PathBuf},
    process::{Command, Stdio},
    time::{Duration, Instant},
};

const LASTNIM: &str = env!("CARGO_BIN_EXE_lastnim");

/// A server that logs to a file.
struct Server {
    address: String,
    admin: String,
    log: PathBuf,
    process: Process,
}

impl Server {
    fn start(log: &str, args: &[&str], variables: &[(&str, &str)]) -> Self {
        let log = Path::new(env!("CARGO_TARGET_TMPDIR")).join(log);
        let mut command = Command::new(LASTNIM);
        command.args(["serve", "--json", "--listen", "localhost:0", "--store", "memory"]).args(args);
        for variable in ["LASTNIM_ADMIN_TOKEN", "LASTNIM_LOG", "RUST_LOG"] {
            command.env_remove(variable);
        }
        command.envs(variables.iter().copied());
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(File::create(&log).unwrap());
        let mut process = Process(command.spawn().unwrap());
        let mut line = String::new();
        BufReader::new(process.0.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let announced = json(&line);
        let word = |key: &str| announced[key].as_str().unwrap().to_owned();
        Self { address: word("listening"), admin: word("admin_token"), log, process }
    }

    fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(LASTNIM);
        command.args(args).env("LASTNIM_SERVER", &self.address).env("LASTNIM_ADMIN_TOKEN", &self.admin);
        command.env_remove("LASTNIM_TOKEN").stdin(Stdio::null());
        command
    }

    fn word(&self, args: &[&str]) -> String {
        let output = self.command(args).output().unwrap();
        assert!(output.status.success(), "{args:?}: {}", text(output.stderr));
        text(output.stdout).trim_end().to_owned()
    }

    /// Plays a tournament of two house bots and returns its id.
    fn play(&self) -> String {
        let id = self.word(&["tournament", "create", "--seats", "2", "--piles", "3,4", "--start-when", "2"]);
        let bots = ["greedy", "timid"].map(|kind| {
            let token = self.word(&["bot", "register", kind]);
            let mut bot = self.command(&["bot", "run", kind, "--tournament", &id, "--bot-version", "v1.2"]);
            Process(bot.env("LASTNIM_TOKEN", token).stdout(Stdio::null()).spawn().unwrap())
        });
        for mut bot in bots {
            assert!(bot.0.wait().unwrap().success());
        }
        id
    }

    /// Waits for a line with these words.
    fn until_logged(&self, words: &str) -> String {
        let began = Instant::now();
        loop {
            let log = fs::read_to_string(&self.log).unwrap();
            if let Some(line) = log.lines().find(|line| line.contains(words)) {
                return line.to_owned();
            }
            assert!(began.elapsed() < Duration::from_mins(2), "{words:?} is not logged: {log}");
            std::thread::sleep(Duration::from_millis(10));
        }
    }

    /// Stops it cleanly, and returns its log.
    fn stop(mut self) -> String {
        let stopped = Command::new("kill").arg(self.process.0.id().to_string()).status().unwrap();
        assert!(stopped.success() && self.process.0.wait().unwrap().success());
        fs::read_to_string(&self.log).unwrap()
    }
}

#[test]
fn sessions_matches_and_tournaments_are_logged_as_json() {
    let server = Server::start("serve.json.log", &["--log-format", "json", "--reads", "3"], &[]);
    let (address, admin) = (server.address.clone(), server.admin.clone());
    let id = server.play();
    let mut guess = server.command(&["tournament", "list", "--token", "lastnim_no-such-token"]);
    assert!(!guess.stdout(Stdio::null()).stderr(Stdio::null()).status().unwrap().success());
    server.until_logged("a login failed");
    let log = server.stop();
    assert!(!log.contains(&admin) && !log.contains("no-such-token"), "no token is logged");
    let lines: Vec<Value> = log.lines().map(json).collect();
    let line = |message: &str, field: &str, value: &str| {
        let is_meant = |line: &&Value| {
            line["message"].as_str().is_some_and(|words| words.starts_with(message)) && line[field] == value
        };
        lines.iter().find(is_meant).unwrap_or_else(|| panic!("{message}, {field} = {value}: {log}"))
    };
    let opening = line("serving", "address", &address);
    assert_eq!((&opening["level"], &opening["store"]), (&"INFO".into(), &"memory".into()));
    assert_eq!(opening["version"], env!("CARGO_PKG_VERSION"));
    let settings = json(opening["settings"].as_str().unwrap());
    assert_eq!(settings["reads"], 3);
    assert_eq!(settings.as_object().unwrap().len(), 4, "listen, log_format, store, reads: {settings}");
    for bot in ["greedy", "timid"] {
        let connected = line("bot connected", "bot", bot);
        assert_eq!((&connected["version"], &connected["address"]), (&"v1.2".into(), &"127.0.0.1".into()));
        line("bot disconnected", "bot", bot);
    }
    for message in ["tournament created", "tournament starts", "tournament over"] {
        line(message, "tournament", &id);
    }
    let failed = line("a login failed", "address", "127.0.0.1");
    assert_eq!(failed["level"], "WARN");
    assert!(!log.contains("match starts"), "that is for those who debug");
}

#[test]
fn log_settings_have_an_order_of_precedence() {
    let levels = |args: &[&str], variables: &[(&str, &str)]| {
        static STARTED: std::sync::atomic::AtomicU32 = std::sync::atomic::AtomicU32::new(0);
        let number = STARTED.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        let server = Server::start(&format!("levels-{number}.log"), args, variables);
        server.play();
        let log = server.stop();
        (log.contains("tournament over"), log.contains("match starts") && log.contains("match over"))
    };
    let (own, common) = ("LASTNIM_LOG", "RUST_LOG");
    assert_eq!(levels(&[], &[]), (true, false));
    assert_eq!(levels(&[], &[(common, "error")]), (false, false));
    assert_eq!(levels(&[], &[(own, "debug"), (common, "error")]), (true, true));
    let flag = ["--log", "warn,lastnim_arena::matches=debug"];
    assert_eq!(levels(&flag, &[(own, "off"), (common, "off")]), (false, true));
}
