//! A running `lastnim serve` with its store in memory, for tests that watch the program from outside.

use std::{
    io::{BufRead as _, BufReader},
    process::{Child, Command, Stdio},
};

/// A running server.
pub struct RunningServer {
    pub process: Child,
    pub address: String,
}

impl Drop for RunningServer {
    fn drop(&mut self) {
        // It may have ended already.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

impl RunningServer {
    /// Starts the server on a free port, with this admin token and changes to its command.
    pub fn start(admin: &str, change: impl FnOnce(&mut Command)) -> Self {
        let mut command = Command::new(env!("CARGO_BIN_EXE_lastnim"));
        command
            .args(["serve", "--json", "--listen", "127.0.0.1:0", "--store", "memory"])
            .env("LASTNIM_ADMIN_TOKEN", admin)
            .env_remove("LASTNIM_VIEWER_TOKEN")
            .stdout(Stdio::piped());
        change(&mut command);
        let mut process = command.spawn().unwrap();
        let mut line = String::new();
        BufReader::new(process.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let opening: serde_json::Value = serde_json::from_str(&line).unwrap();
        let address = opening["listening"].as_str().expect("an address").to_owned();
        Self { process, address }
    }
}
