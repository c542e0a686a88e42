//! The server, in a separate process.

use anyhow::{Context as _, ensure};
use serde::Deserialize;
use std::{
    io::{BufRead as _, BufReader},
    path::{Path, PathBuf},
    process::{Child, ChildStdout, Command, Stdio},
};

/// The admin token of a server that runs only for minutes.
const ADMIN_TOKEN: &str = "lastnim_8f1c03d97ab2e645b0dd5f2917c6a83e4e90f7261bd3588ca1f402c7e96b35d0";
/// The bots that the server hosts.
const HOUSE: [&str; 2] = ["oracle", "greedy"];

/// A running server; it ends when this is dropped.
pub(crate) struct Server {
    /// Its address.
    pub(crate) address: String,
    program: PathBuf,
    process: Child,
    /// Kept open, so that the server can keep printing.
    _output: BufReader<ChildStdout>,
}

#[derive(Deserialize)]
struct Listening {
    listening: String,
}

impl Server {
    /// Starts a program as a server on a store.
    pub(crate) fn start(program: &Path, store: &Path, key: &Path) -> anyhow::Result<Self> {
        let mut command = Command::new(program);
        command
            .args(["serve", "--listen", "127.0.0.1:0", "--json", "--shutdown-grace", "0s"])
            .args(["--house", &HOUSE.join(",")])
            .env("LASTNIM_ADMIN_TOKEN", ADMIN_TOKEN)
            .arg("--store")
            .arg(format!("sqlite:{}", store.display()))
            .arg("--key")
            .arg(key)
            .stdout(Stdio::piped())
            .stderr(Stdio::null());
        let mut process = command.spawn().with_context(|| format!("cannot start {}", program.display()))?;
        let mut output = BufReader::new(process.stdout.take().context("the server has no output pipe")?);
        let mut first = String::new();
        output.read_line(&mut first)?;
        let announced: Listening = serde_json::from_str(&first)
            .with_context(|| format!("the server began with {first:?}, not with its address"))?;
        Ok(Self { address: announced.listening, program: program.to_owned(), process, _output: output })
    }

    /// Makes the server's bots play an endless ladder, one match at a time, and returns its id.
    pub(crate) fn begin_ladder(&self) -> anyhow::Result<String> {
        let create =
            "create --title live --format ladder --seats 2 --piles 3,4,5 --piles 9,4 --concurrency 1";
        let id = self.run_tournament_command(create)?;
        for bot in HOUSE {
            self.run_tournament_command(&format!("join {id} --bot {bot}"))?;
        }
        self.run_tournament_command(&format!("start {id}"))?;
        Ok(id)
    }

    fn run_tournament_command(&self, command: &str) -> anyhow::Result<String> {
        let mut program = Command::new(&self.program);
        program.arg("tournament").args(command.split(' ')).args(["--server", &self.address]);
        let run = program.env("LASTNIM_ADMIN_TOKEN", ADMIN_TOKEN).stderr(Stdio::inherit()).output()?;
        ensure!(run.status.success(), "`lastnim tournament {command}` ended with {}", run.status);
        Ok(String::from_utf8(run.stdout)?.trim().to_owned())
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // An error is ignored: the process may already have ended.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}
