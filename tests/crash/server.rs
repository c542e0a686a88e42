//! A real `lastnim serve` process that can be killed and restarted.

use std::fs::{self, OpenOptions};
use std::io::{BufRead as _, BufReader, Read as _};
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdout, Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicU16, AtomicU32, Ordering};
use std::thread;
use std::time::{Duration, Instant};

/// The administrator's token on every server.
pub const ADMIN: &str = "lastnim_8f1c03d97ab2e645b0dd5f2917c6a83e4e90f7261bd3588ca1f402c7e96b35d0";
/// A timeout that no wait reaches unless something is wrong.
pub const TIMEOUT: Duration = Duration::from_mins(5);
/// The polling interval of waits.
const POLL_INTERVAL: Duration = Duration::from_millis(2);

/// The folder of a test, removed at its end unless the test fails.
#[derive(Debug)]
pub struct Folder(PathBuf);

impl Folder {
    pub fn new() -> Self {
        static MADE: AtomicU32 = AtomicU32::new(0);
        let name = format!("crash-{}-{}", std::process::id(), MADE.fetch_add(1, Ordering::Relaxed));
        let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
        fs::create_dir_all(&path).unwrap();
        Self(path)
    }

    pub fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        if thread::panicking() {
            eprintln!("the logs and data of the servers are in {}", self.0.display());
        } else {
            // Leftovers are removed with the build folder.
            let _ = fs::remove_dir_all(&self.0);
        }
    }
}

/// The options for starting a server.
#[derive(Debug, Clone)]
pub struct Start {
    /// The command line in front of `lastnim`.
    pub wrapper: Vec<String>,
    /// The URL of its store.
    pub store: String,
    /// The path of its key file.
    pub key: PathBuf,
    /// The file for its standard error, over all restarts.
    pub log: PathBuf,
    /// Its port, the same after each restart.
    pub port: u16,
    /// `ply` or `match`.
    pub durability: &'static str,
    /// How long its clocks wait for bots after a restart.
    pub return_grace: Duration,
    /// Results between two checkpoints: few, so that servers resume from them.
    pub checkpoint_results: u64,
    /// The address of the other server of the same database, if there is one.
    pub peer: Option<String>,
    /// Further flags.
    pub more: Vec<String>,
}

impl Start {
    pub fn new(folder: &Folder, store: String) -> Self {
        Self {
            wrapper: Vec::new(),
            store,
            key: folder.path().join("lastnim.key"),
            log: folder.path().join("log"),
            port: free_port(),
            durability: "ply",
            return_grace: Duration::from_secs(20),
            checkpoint_results: 3,
            peer: None,
            more: Vec::new(),
        }
    }

    /// Returns the options of two servers that share a database and stand by for each other.
    pub fn pair(folder: &Folder, store: &str) -> [Self; 2] {
        let [mut first, mut second] = ["first", "second"].map(|name| Self {
            log: folder.path().join(name),
            more: vec!["--standby".to_owned()],
            ..Self::new(folder, store.to_owned())
        });
        first.peer = Some(second.address());
        second.peer = Some(first.address());
        [first, second]
    }

    pub fn address(&self) -> String {
        format!("127.0.0.1:{}", self.port)
    }

    /// Returns the addresses for clients, separated by commas.
    pub fn addresses(&self) -> String {
        self.peer.iter().fold(self.address(), |addresses, peer| format!("{addresses},{peer}"))
    }

    /// Returns the server's log over all restarts.
    pub fn log_text(&self) -> String {
        fs::read_to_string(&self.log).unwrap_or_default()
    }

    /// Waits until a message was logged `times` times.
    pub async fn wait_for_log(&self, words: &str, times: usize) {
        let began = Instant::now();
        while self.log_text().matches(words).count() < times {
            assert!(began.elapsed() < TIMEOUT, "{words:?} is not logged {times} times: {}", self.log_text());
            tokio::time::sleep(POLL_INTERVAL).await;
        }
    }

    /// Launches the server without waiting for an answer.
    pub fn launch(&self) -> Server {
        let log = OpenOptions::new().create(true).append(true).open(&self.log).unwrap();
        let mut program = self.wrapper.iter().map(String::as_str).chain([env!("CARGO_BIN_EXE_lastnim")]);
        let mut command = Command::new(program.next().unwrap());
        command.args(program).args(["serve", "--json", "--listen", &self.address()]);
        command.args(["--store", &self.store, "--durability", self.durability]);
        command.arg("--key").arg(&self.key);
        command.args(["--return-grace", &format!("{}ms", self.return_grace.as_millis())]);
        command.args(["--checkpoint-results", &self.checkpoint_results.to_string()]);
        command.args(["--shutdown-grace", "0s"]).args(&self.more);
        command
            .env("LASTNIM_ADMIN_TOKEN", ADMIN)
            .env_remove("LASTNIM_VIEWER_TOKEN")
            .env("LASTNIM_LOG", "info");
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(log);
        let before = self.log_text().len();
        Server { process: command.spawn().unwrap(), start: self.clone(), before }
    }

    /// Starts the server and waits until it answers.
    pub async fn start(&self) -> Server {
        let mut server = self.launch();
        let output = server.process.stdout.take().unwrap();
        let first = tokio::task::spawn_blocking(move || first_line(output));
        let first = tokio::time::timeout(TIMEOUT, first).await.expect("the server answers").unwrap();
        assert!(first.contains(&self.address()), "{first:?}: {}", self.log_text());
        server
    }

    /// Starts a server that must fail at once; returns its exit status and its last line.
    pub fn fail(&self) -> (ExitStatus, String) {
        let mut server = self.launch();
        let status = server.wait();
        (status, self.log_text()[server.before..].lines().last().unwrap_or_default().to_owned())
    }
}

/// Reads the line with the server's address. A thread reads the rest, so that the server never blocks.
fn first_line(output: ChildStdout) -> String {
    let mut output = BufReader::new(output);
    let mut line = String::new();
    // A killed server prints nothing.
    let _ = output.read_line(&mut line);
    thread::spawn(move || {
        let _ = output.read_to_string(&mut String::new());
    });
    line
}

/// A running server, killed at the end of the test.
#[derive(Debug)]
pub struct Server {
    process: Child,
    pub start: Start,
    /// The length of the log at its start.
    before: usize,
}

impl Drop for Server {
    fn drop(&mut self) {
        // It may have ended already.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

impl Server {
    pub fn pid(&self) -> u32 {
        self.process.id()
    }

    /// Returns the number of open matches that this server logged as resumed.
    pub fn count_resumed_matches(&self) -> usize {
        let said = self.start.log_text();
        let line = said[self.before..]
            .lines()
            .find(|line| line.contains("resuming unfinished matches and tournaments"));
        let Some(line) = line else { return 0 };
        let figure = line.split_whitespace().find_map(|word| word.strip_prefix("matches="));
        figure.and_then(|figure| figure.parse().ok()).unwrap_or_else(|| panic!("no figure in {line:?}"))
    }

    /// Kills the process with SIGKILL.
    pub fn kill(mut self) {
        self.process.kill().unwrap();
        let ended = self.process.wait().unwrap();
        assert_eq!(ended.code(), None, "it ended before it was killed: {}", self.start.log_text());
    }

    /// Sends a signal by name.
    pub fn signal(&self, name: &str) {
        let sent = Command::new("kill").args(["-s", name, &self.pid().to_string()]).status().unwrap();
        assert!(sent.success(), "kill -s {name}");
    }

    /// Stops the server gracefully with SIGTERM.
    pub fn stop(mut self) {
        self.signal("TERM");
        let ended = self.wait();
        assert_eq!(ended.code(), Some(0), "{}", self.start.log_text());
    }

    /// Waits until it ends by itself.
    pub fn wait(&mut self) -> ExitStatus {
        let began = Instant::now();
        loop {
            if let Some(status) = self.process.try_wait().unwrap() {
                return status;
            }
            assert!(began.elapsed() < TIMEOUT, "the server does not end: {}", self.start.log_text());
            thread::sleep(POLL_INTERVAL);
        }
    }
}

/// Finds a free port below the system's ephemeral range, so that it is still free after a restart.
fn free_port() -> u16 {
    static NEXT: AtomicU16 = AtomicU16::new(0);
    let own = 20_000 + (std::process::id() % 1_000) as u16 * 10;
    for _ in 0..1_000 {
        let port = own + NEXT.fetch_add(1, Ordering::Relaxed) % 2_000;
        if TcpListener::bind(("127.0.0.1", port)).is_ok() {
            return port;
        }
    }
    panic!("no free port from {own} on")
}
