//! Processes: the servers, the bots, and the kernel's figures about them.

use anyhow::{Context as _, ensure};
use serde::{Deserialize, de::DeserializeOwned};
use std::{
    env, fs,
    io::{BufRead as _, BufReader, Read as _},
    process::{Child, ChildStdout, Command, Stdio},
    thread::{self, JoinHandle},
};

use crate::{
    ADMIN_TOKEN, Target,
    databases::{Database, Databases},
};

/// The number of units per second in which /proc counts processor time, on every current Linux.
const TICKS_A_SECOND: f64 = 100.0;
/// Server log level: warnings, the amount written, and the cost of tournaments.
const LOGGED: &str = "warn,lastnim_server=info,lastnim_arena::tournaments=info";

/// The CPUs of processes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Pinning {
    /// The server on the first CPU, the bots on the second.
    Apart,
    /// On any processors that the kernel chooses.
    Free,
}

impl Pinning {
    /// Pins processes if each keeps one CPU busy and the machine allows it.
    pub(crate) fn for_threads(threads: usize) -> Self {
        let can =
            Command::new("taskset").args(["-c", "0,1", "true"]).status().is_ok_and(|status| status.success());
        let processors = thread::available_parallelism().map_or(1, usize::from);
        if threads == 1 && processors >= 2 && can { Self::Apart } else { Self::Free }
    }

    fn command(self, processor: usize, program: &str) -> Command {
        match self {
            Self::Free => Command::new(program),
            Self::Apart => {
                let mut command = Command::new("taskset");
                command.args(["-c", &processor.to_string(), program]);
                command
            }
        }
    }
}

/// A running server; it ends when this is dropped.
pub(crate) struct Server {
    /// Its address.
    pub(crate) address: String,
    process: Child,
    /// Kept open, so that the server can keep printing.
    output: BufReader<ChildStdout>,
    /// Its log, available once it has ended.
    log: Option<JoinHandle<String>>,
    /// The database with its durable data.
    _store: Option<Database>,
}

impl Server {
    /// Starts one of the two servers, and waits until it listens.
    pub(crate) fn start(
        target: Target,
        threads: usize,
        pinning: Pinning,
        databases: &Databases,
    ) -> anyhow::Result<Self> {
        Self::start_with(target, threads, pinning, databases, &[])
    }

    /// Starts a server with further arguments.
    pub(crate) fn start_with(
        target: Target,
        threads: usize,
        pinning: Pinning,
        databases: &Databases,
        further: &[&str],
    ) -> anyhow::Result<Self> {
        let store = databases.make(target)?;
        let mut command = if target.is_bare() {
            let mut command = pinning.command(0, &own_path()?);
            command.arg("bare-server");
            if let Some(store) = &store {
                command.arg("--store").arg(store.url());
            }
            command
        } else {
            let mut command = pinning.command(0, env!("CARGO_BIN_EXE_lastnim"));
            command.args(["serve", "--listen", "127.0.0.1:0", "--json", "--shutdown-grace", "0s"]);
            command.args(["--durability", if target == Target::Match { "match" } else { "ply" }]);
            match &store {
                None => command.args(["--store", "memory"]),
                Some(store) => command.arg("--store").arg(store.url()).arg("--key").arg(store.key()),
            };
            command
        };
        command
            .args(["--threads", &threads.to_string()])
            .args(further)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        command.env("LASTNIM_ADMIN_TOKEN", ADMIN_TOKEN).env("LASTNIM_LOG", LOGGED);
        let mut process = command.spawn().context("cannot start a server")?;
        let output = BufReader::new(process.stdout.take().context("the server has no output pipe")?);
        let mut errors = process.stderr.take().context("the server has no log pipe")?;
        let log = thread::spawn(move || {
            let mut log = String::new();
            // Entries that are not UTF-8 or cannot be read are skipped.
            let _ = errors.read_to_string(&mut log);
            log
        });
        let mut server = Self { address: String::new(), process, output, log: Some(log), _store: store };
        let mut first = String::new();
        server.output.read_line(&mut first)?;
        let announced: Listening = serde_json::from_str(&first)
            .with_context(|| format!("the {target} server began with {first:?}, not with its address"))?;
        server.address = announced.listening;
        Ok(server)
    }

    /// Stops it cleanly, and returns its log.
    pub(crate) fn stop(mut self) -> anyhow::Result<Log> {
        let killed = Command::new("kill").args(["-TERM", &self.process.id().to_string()]).status()?;
        ensure!(killed.success(), "a server had already ended");
        self.process.wait()?;
        Ok(Log(self.log.take().and_then(|log| log.join().ok()).unwrap_or_default()))
    }

    /// Returns the id of its process.
    pub(crate) fn pid(&self) -> u32 {
        self.process.id()
    }
}

/// What a server logged.
pub(crate) struct Log(String);

impl Log {
    /// Returns the last value that was logged for a field, if any. A duration is in milliseconds.
    pub(crate) fn figure(&self, name: &str) -> Option<f64> {
        let (_, rest) = self.0.rsplit_once(&format!("{name}="))?;
        rest.split_whitespace().next()?.trim_end_matches("ms").parse().ok()
    }

    /// Returns the average number of commits per transaction; `None` if nothing was written.
    pub(crate) fn commits_a_transaction(&self) -> Option<f64> {
        Some(self.figure("commits")? / self.figure("transactions")?)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // An error is ignored: the process may already have ended.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

#[derive(Deserialize)]
struct Listening {
    listening: String,
}

/// Runs this program in another role until it ends, and parses its output.
pub(crate) fn run_self<T: DeserializeOwned>(pinning: Pinning, arguments: &[String]) -> anyhow::Result<T> {
    let mut command = pinning.command(1, &own_path()?);
    let run = command.args(arguments).stderr(Stdio::inherit()).output().context("cannot start the bots")?;
    ensure!(run.status.success(), "the bots exited with {}", run.status);
    Ok(serde_json::from_slice(&run.stdout)?)
}

fn own_path() -> anyhow::Result<String> {
    env::current_exe()?.into_os_string().into_string().ok().context("this program's path is not UTF-8")
}

/// Returns the CPU time that a process has used, in seconds, to a hundredth.
pub(crate) fn cpu_seconds(pid: u32) -> anyhow::Result<f64> {
    let stat =
        fs::read_to_string(format!("/proc/{pid}/stat")).context("cannot read the process's CPU times")?;
    // The program's name, in brackets, may contain spaces; the 12th and 13th fields after it are the times.
    let fields = stat.rsplit(')').next().unwrap_or_default().split_whitespace();
    let ticks: Vec<f64> = fields.skip(11).take(2).filter_map(|field| field.parse().ok()).collect();
    ensure!(ticks.len() == 2, "/proc/{pid}/stat has no times: {stat:?}");
    Ok(ticks.iter().sum::<f64>() / TICKS_A_SECOND)
}

/// Returns the seconds for which the first thread of a process was running or runnable: on a busy machine it waits for a
/// CPU while the clock runs. A single-threaded runtime has only that thread.
pub(crate) fn runnable_seconds(pid: u32) -> anyhow::Result<f64> {
    let stat =
        fs::read_to_string(format!("/proc/{pid}/schedstat")).context("cannot read the thread's CPU times")?;
    // Both times are in nanoseconds.
    let times: Vec<f64> = stat.split_whitespace().take(2).filter_map(|field| field.parse().ok()).collect();
    ensure!(times.len() == 2, "/proc/{pid}/schedstat has no times: {stat:?}");
    Ok(times.iter().sum::<f64>() / 1e9)
}

/// Returns the memory that a process keeps in RAM, in KiB.
pub(crate) fn resident_kib(pid: u32) -> anyhow::Result<f64> {
    memory_kib(pid, "VmRSS:")
}

/// Returns the most memory that a process ever kept in RAM, in KiB.
pub(crate) fn peak_kib(pid: u32) -> anyhow::Result<f64> {
    memory_kib(pid, "VmHWM:")
}

fn memory_kib(pid: u32, what: &str) -> anyhow::Result<f64> {
    let status =
        fs::read_to_string(format!("/proc/{pid}/status")).context("cannot read the process's memory use")?;
    let line = status.lines().find_map(|line| line.strip_prefix(what)).with_context(|| what.to_owned())?;
    Ok(line.trim().trim_end_matches(" kB").parse()?)
}

/// Returns the maximum number of files, and so of connections, that a process may open.
pub(crate) fn open_files() -> anyhow::Result<usize> {
    let limits = fs::read_to_string("/proc/self/limits")?;
    let line = limits
        .lines()
        .find_map(|line| line.strip_prefix("Max open files"))
        .context("/proc/self/limits does not show the limit on open files")?;
    let soft = line.split_whitespace().next().context("no limit on open files found")?;
    Ok(soft.parse().unwrap_or(usize::MAX))
}
