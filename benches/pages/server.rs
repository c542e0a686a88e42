//! The server, a process of its own.

use anyhow::Context as _;
use serde::Deserialize;
use std::{
    io::{BufRead as _, BufReader},
    path::Path,
    process::{Child, ChildStdout, Command, Stdio},
};

/// A running server; it ends when this is dropped.
pub(crate) struct Server {
    /// Its address.
    pub(crate) address: String,
    process: Child,
    /// Kept open, so that the server can go on printing.
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
            .args(["serve", "--listen", "127.0.0.1:0", "--json", "--shutdown-grace-ms", "0"])
            .args(["--house", "oracle,greedy"])
            .arg("--store")
            .arg(format!("sqlite:{}", store.display()))
            .arg("--key")
            .arg(key)
            .stdout(Stdio::piped())
            .stderr(Stdio::null());
        let mut process = command.spawn().with_context(|| format!("starting {}", program.display()))?;
        let mut output = BufReader::new(process.stdout.take().context("a server without output")?);
        let mut first = String::new();
        output.read_line(&mut first)?;
        let said: Listening = serde_json::from_str(&first)
            .with_context(|| format!("the server began with {first:?}, not with its address"))?;
        Ok(Self { address: said.listening, process, _output: output })
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}
