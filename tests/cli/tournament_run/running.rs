//! A run of a tournament, as a process that ends with the test.

use super::folder::{LASTNIM, state_folder};
use serde_json::Value;
use std::{
    io::{BufRead as _, BufReader, Read},
    path::Path,
    process::{Child, Command, ExitStatus, Stdio},
    sync::mpsc::{self, RecvTimeoutError},
    thread,
    time::{Duration, Instant},
};

/// A timeout that no run reaches unless something is wrong.
const LONG: Duration = Duration::from_mins(5);

/// Returns a command without the environment variables of the tests.
pub fn lastnim(args: &[&str]) -> Command {
    let mut command = Command::new(LASTNIM);
    for variable in
        ["LASTNIM_ADMIN_TOKEN", "LASTNIM_TOKEN", "LASTNIM_SERVER", "LASTNIM_TOURNAMENT", "LASTNIM_STORE"]
    {
        command.env_remove(variable);
    }
    command.args(args).stdin(Stdio::null());
    command
}

/// Returns a command that runs a tournament and prints JSON.
pub fn run_command(file: &Path, more: &[&str]) -> Command {
    let mut command = lastnim(&["tournament", "run", "--json"]);
    command.arg(file).args(more).env("XDG_STATE_HOME", state_folder(file.parent().unwrap()));
    command
}

/// The result of a run.
pub struct Ended {
    pub status: ExitStatus,
    pub stdout: String,
    pub stderr: String,
}

impl Ended {
    /// Returns the output of a run that finished its tournament.
    pub fn result(&self) -> Value {
        assert_eq!(self.status.code(), Some(0), "{}", self.stderr);
        serde_json::from_str(&self.stdout).unwrap_or_else(|error| panic!("{error}: {}", self.stdout))
    }

    /// Returns the error of a failed run, its last line.
    pub fn failure(&self, code: i32) -> String {
        assert_eq!(self.status.code(), Some(code), "{}", self.stderr);
        let last = self.stderr.lines().last().unwrap_or_default();
        let error: Value = serde_json::from_str(last).unwrap_or_else(|_| panic!("{}", self.stderr));
        assert_eq!(error["error"]["exit_code"], code, "{last}");
        error["error"]["message"].as_str().unwrap().to_owned()
    }
}

/// A run of a tournament.
pub struct Running {
    child: Child,
    lines: mpsc::Receiver<String>,
    stdout: mpsc::Receiver<String>,
    said: String,
}

impl Running {
    pub fn start(command: &mut Command) -> Self {
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let (sender, lines) = mpsc::channel();
        let stderr = BufReader::new(child.stderr.take().unwrap());
        thread::spawn(move || stderr.lines().map_while(Result::ok).try_for_each(|line| sender.send(line)));
        let (sender, stdout) = mpsc::channel();
        let mut output = child.stdout.take().unwrap();
        thread::spawn(move || {
            let mut text = String::new();
            let _ = output.read_to_string(&mut text);
            let _ = sender.send(text);
        });
        Self { child, lines, stdout, said: String::new() }
    }

    pub fn id(&self) -> u32 {
        self.child.id()
    }

    /// Waits for a line on standard error that contains these words, and returns it.
    pub fn wait_for_line(&mut self, words: &str) -> String {
        let since = Instant::now();
        while let Ok(line) = self.lines.recv_timeout(LONG.saturating_sub(since.elapsed())) {
            self.said += &line;
            self.said.push('\n');
            if line.contains(words) {
                return line;
            }
        }
        panic!("no line contains {words:?}:\n{}", self.said);
    }

    /// Sends a signal by its name.
    pub fn signal(&self, name: &str) {
        let line = format!("kill -{name} {}", self.id());
        assert!(Command::new("sh").args(["-c", &line]).status().unwrap().success());
    }

    /// Waits until it ends.
    pub fn finish(mut self) -> Ended {
        let since = Instant::now();
        loop {
            match self.lines.recv_timeout(LONG.saturating_sub(since.elapsed())) {
                Ok(line) => self.said = std::mem::take(&mut self.said) + &line + "\n",
                Err(RecvTimeoutError::Disconnected) => break,
                Err(RecvTimeoutError::Timeout) => panic!("it does not end:\n{}", self.said),
            }
        }
        let stdout = self.stdout.recv_timeout(LONG).expect("standard output ends as well");
        Ended { status: self.child.wait().unwrap(), stdout, stderr: std::mem::take(&mut self.said) }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        // It may have ended already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Runs a tournament until it ends or fails.
pub fn run(file: &Path, more: &[&str]) -> Ended {
    Running::start(&mut run_command(file, more)).finish()
}

/// Waits until a condition is true.
pub fn soon(what: &str, mut is_so: impl FnMut() -> bool) {
    let since = Instant::now();
    while !is_so() {
        assert!(since.elapsed() < LONG, "{what}");
        thread::sleep(Duration::from_millis(20));
    }
}
