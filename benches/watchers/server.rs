//! The server, in a separate process.

use anyhow::{Context as _, ensure};
use serde::Deserialize;
use std::{
    fs,
    io::{BufRead as _, BufReader},
    process::{Child, ChildStdout, Command, Stdio},
    thread,
};

/// The admin token of a server that runs only for minutes.
pub(crate) const ADMIN_TOKEN: &str =
    "lastnim_8f1c03d97ab2e645b0dd5f2917c6a83e4e90f7261bd3588ca1f402c7e96b35d0";
/// Clock ticks per second in `/proc`.
const TICKS_A_SECOND: f64 = 100.0;

/// A running server; it ends when this is dropped.
pub(crate) struct Server {
    /// Its address.
    pub(crate) address: String,
    process: Child,
    /// Kept open, so that the server can keep printing.
    _output: BufReader<ChildStdout>,
}

#[derive(Deserialize)]
struct Listening {
    listening: String,
}

impl Server {
    /// Starts a server that hosts bots, with its store in memory and one thread, on a separate processor if there are
    /// two.
    pub(crate) fn start<const N: usize>(house: [&str; N]) -> anyhow::Result<Self> {
        let is_pinned = thread::available_parallelism().is_ok_and(|processors| processors.get() > 1)
            && Command::new("taskset").arg("--version").stdout(Stdio::null()).status().is_ok();
        let program = env!("CARGO_BIN_EXE_lastnim");
        let mut command = if is_pinned {
            let mut command = Command::new("taskset");
            command.args(["-c", "0", program]);
            command
        } else {
            Command::new(program)
        };
        command
            .args(["serve", "--listen", "127.0.0.1:0", "--json", "--shutdown-grace", "0s"])
            .args(["--store", "memory", "--threads", "1", "--kept-matches", "1000"])
            // All watchers come from one address.
            .args(["--stranger-share", "100", "--strangers-per-address", "10000"])
            .args(["--house", &house.join(",")])
            .env("LASTNIM_ADMIN_TOKEN", ADMIN_TOKEN)
            .stdout(Stdio::piped())
            .stderr(Stdio::null());
        let mut process = command.spawn().context("cannot start a server")?;
        let mut output = BufReader::new(process.stdout.take().context("the server has no output pipe")?);
        let mut first = String::new();
        output.read_line(&mut first)?;
        let announced: Listening = serde_json::from_str(&first)
            .with_context(|| format!("the server began with {first:?}, not with its address"))?;
        Ok(Self { address: announced.listening, process, _output: output })
    }

    /// Returns the CPU time that it has used, in seconds.
    pub(crate) fn cpu_seconds(&self) -> anyhow::Result<f64> {
        let stat = fs::read_to_string(format!("/proc/{}/stat", self.process.id()))?;
        // The program's name, in brackets, may contain spaces; the 12th and 13th fields after it are the times.
        let fields = stat.rsplit(')').next().unwrap_or_default().split_whitespace();
        let ticks: Vec<f64> = fields.skip(11).take(2).filter_map(|field| field.parse().ok()).collect();
        ensure!(ticks.len() == 2, "the server's /proc stat has no times: {stat:?}");
        Ok(ticks.iter().sum::<f64>() / TICKS_A_SECOND)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // An error is ignored: the process may already have ended.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}
