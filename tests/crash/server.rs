//! A real `lastnim serve`, as a process that can be killed and started again in the same place.

use std::fs::{self, OpenOptions};
use std::io::{BufRead as _, BufReader, Read as _};
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdout, Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicU16, AtomicU32, Ordering};
use std::thread;
use std::time::{Duration, Instant};

/// The token of the administrator of every server here.
pub const ADMIN: &str = "lastnim_8f1c03d97ab2e645b0dd5f2917c6a83e4e90f7261bd3588ca1f402c7e96b35d0";
/// No wait in these tests comes near it unless something is wrong.
pub const LONG: Duration = Duration::from_mins(5);
/// How often something that is bound to come is looked for.
const LOOK: Duration = Duration::from_millis(2);

/// A folder of a test's own. It goes with the test, unless the test fails.
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
            eprintln!("what the servers said and kept is in {}", self.0.display());
        } else {
            // What cannot be removed now goes with the build folder.
            let _ = fs::remove_dir_all(&self.0);
        }
    }
}

/// How a server is started.
#[derive(Debug, Clone)]
pub struct Start {
    /// What stands before `lastnim` on the command line.
    pub wrapper: Vec<String>,
    /// The URL of its store.
    pub store: String,
    /// The file of its key.
    pub key: PathBuf,
    /// Where what it says on standard error is kept, of all its lives.
    pub log: PathBuf,
    /// Its port, the same in all its lives.
    pub port: u16,
    /// `ply` or `match`.
    pub durability: &'static str,
    /// How long its clocks wait for bots after a restart.
    pub return_grace: Duration,
    /// Results between two checkpoints of a tournament: few, so that servers go on from them.
    pub checkpoint_results: u64,
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
            more: Vec::new(),
        }
    }

    pub fn address(&self) -> String {
        format!("127.0.0.1:{}", self.port)
    }

    /// Returns what the server has said on standard error in all its lives.
    pub fn said(&self) -> String {
        fs::read_to_string(&self.log).unwrap_or_default()
    }

    /// Waits until the server has said something `times` times.
    pub async fn until_said(&self, words: &str, times: usize) {
        let began = Instant::now();
        while self.said().matches(words).count() < times {
            assert!(began.elapsed() < LONG, "{words:?} is not said {times} times: {}", self.said());
            tokio::time::sleep(LOOK).await;
        }
    }

    /// Begins to start the server. It may be killed before it answers.
    pub fn launch(&self) -> Server {
        let log = OpenOptions::new().create(true).append(true).open(&self.log).unwrap();
        let mut words = self.wrapper.iter().map(String::as_str).chain([env!("CARGO_BIN_EXE_lastnim")]);
        let mut command = Command::new(words.next().unwrap());
        command.args(words).args(["serve", "--json", "--listen", &self.address()]);
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
        let before = self.said().len();
        Server { process: command.spawn().unwrap(), start: self.clone(), before }
    }

    /// Starts the server and waits until it answers.
    pub async fn start(&self) -> Server {
        let mut server = self.launch();
        let output = server.process.stdout.take().unwrap();
        let first = tokio::task::spawn_blocking(move || first_line(output));
        let first = tokio::time::timeout(LONG, first).await.expect("the server answers").unwrap();
        assert!(first.contains(&self.address()), "{first:?}: {}", self.said());
        server
    }

    /// Starts a server that is to give up at once; returns how it ended and what it said in its last line.
    pub fn fail(&self) -> (ExitStatus, String) {
        let mut server = self.launch();
        let status = server.wait();
        (status, self.said()[server.before..].lines().last().unwrap_or_default().to_owned())
    }
}

/// Reads the line in which a server says where it listens. The rest is read too, so that it never waits to be heard.
fn first_line(output: ChildStdout) -> String {
    let mut output = BufReader::new(output);
    let mut line = String::new();
    // A server that dies says nothing.
    let _ = output.read_line(&mut line);
    thread::spawn(move || {
        let _ = output.read_to_string(&mut String::new());
    });
    line
}

/// A server that runs; it ends with the test, however the test ends.
#[derive(Debug)]
pub struct Server {
    process: Child,
    pub start: Start,
    /// How much the servers before it had said.
    before: usize,
}

impl Drop for Server {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

impl Server {
    pub fn pid(&self) -> u32 {
        self.process.id()
    }

    /// Returns how many open matches of the server before it this one says that it continues.
    pub fn carried_on(&self) -> usize {
        let said = self.start.said();
        let line = said[self.before..].lines().find(|line| line.contains("carrying on what was left"));
        let Some(line) = line else { return 0 };
        let figure = line.split_whitespace().find_map(|word| word.strip_prefix("matches="));
        figure.and_then(|figure| figure.parse().ok()).unwrap_or_else(|| panic!("no figure in {line:?}"))
    }

    /// Ends the process by SIGKILL.
    pub fn kill(mut self) {
        self.process.kill().unwrap();
        let ended = self.process.wait().unwrap();
        assert_eq!(ended.code(), None, "it was killed, and had not ended before: {}", self.start.said());
    }

    /// Sends a signal by its name.
    pub fn signal(&self, name: &str) {
        let sent = Command::new("kill").args(["-s", name, &self.pid().to_string()]).status().unwrap();
        assert!(sent.success(), "kill -s {name}");
    }

    /// Stops the server by SIGTERM, in good order.
    pub fn stop(mut self) {
        self.signal("TERM");
        let ended = self.wait();
        assert_eq!(ended.code(), Some(0), "{}", self.start.said());
    }

    /// Waits until it ends by itself.
    pub fn wait(&mut self) -> ExitStatus {
        let began = Instant::now();
        loop {
            if let Some(status) = self.process.try_wait().unwrap() {
                return status;
            }
            assert!(began.elapsed() < LONG, "the server does not end: {}", self.start.said());
            thread::sleep(LOOK);
        }
    }
}

/// Finds a port that nobody uses, below those that the system gives to connections: a server that is started again needs
/// its port.
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
