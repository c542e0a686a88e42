//! A server for commands.

use super::super::child::{Process, json, text};
use super::LASTNIM;
use serde_json::{Value, json};
use std::{
    io::{BufRead as _, BufReader},
    process::Command,
};

/// The test's own server, on a free port.
pub struct Server {
    address: String,
    admin: String,
    _process: Process,
}

impl Server {
    pub fn start() -> Self {
        Self::with_flags(&[])
    }

    pub fn with_flags(flags: &[&str]) -> Self {
        let mut command = Command::new(LASTNIM);
        command.args(["serve", "--listen", "127.0.0.1:0", "--json", "--store", "memory"]).args(flags);
        // Nobody reads its log.
        command.env_remove("LASTNIM_ADMIN_TOKEN").env("LASTNIM_LOG", "error");
        let mut process = Process::start(&mut command);
        let mut line = String::new();
        BufReader::new(process.0.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let announced = json(&line);
        let word = |key: &str| announced[key].as_str().unwrap().to_owned();
        Self { address: word("listening"), admin: word("admin_token"), _process: process }
    }

    pub fn set_server_variables(&self, command: &mut Command) {
        command
            .env("LASTNIM_SERVER", &self.address)
            .env("LASTNIM_ADMIN_TOKEN", &self.admin)
            .env_remove("LASTNIM_TOKEN");
    }

    pub fn begin(&self, args: &[&str]) -> Process {
        let mut command = Command::new(LASTNIM);
        self.set_server_variables(command.args(args));
        Process::start(&mut command)
    }

    /// Runs a command that must succeed without warnings, and returns its output.
    pub fn printed(&self, args: &[&str]) -> String {
        let output = self.begin(args).finish(b"");
        assert_eq!((output.status.code(), text(output.stderr).as_str()), (Some(0), ""), "{args:?}");
        text(output.stdout)
    }

    pub fn json(&self, args: &[&str]) -> Value {
        json(&self.printed(&[args, &["--json"]].concat()))
    }

    /// Runs a command whose output is a single line, as for `$(..)`.
    pub fn word(&self, args: &[&str]) -> String {
        let line = self.printed(args);
        let word = line.strip_suffix('\n').unwrap();
        assert!(!word.is_empty() && !word.contains(char::is_whitespace), "{word:?}");
        word.to_owned()
    }

    /// Runs a command that must fail, and returns its exit code and the line that says why.
    pub fn refused(&self, args: &[&str]) -> (i32, String) {
        let output = self.begin(args).finish(b"");
        let error = text(output.stderr);
        assert_eq!((text(output.stdout).as_str(), error.lines().count()), ("", 1), "{args:?}: {error}");
        let error = error.trim_end().strip_prefix("error: ").unwrap().to_owned();
        (output.status.code().unwrap(), error)
    }

    /// Plays a tournament of two house bots registered under the names of their kinds, and returns its id.
    pub fn play_out(&self, kinds: [&str; 2]) -> String {
        let create = ["tournament", "create", "--seats", "2", "--piles", "3,4,5", "--piles", "2,2"];
        let id = self.word(&[&create[..], &["--start-when", "2"]].concat());
        let bots = kinds.map(|kind| {
            let token = self.word(&["bot", "register", kind]);
            self.begin(&["bot", "run", kind, "--token", &token, "--tournament", &id, "--json"])
        });
        for bot in bots {
            let output = bot.finish(b"");
            let lines = text(output.stdout);
            assert_eq!((output.status.code(), text(output.stderr).as_str()), (Some(0), ""), "{lines}");
            let summary = json(lines.lines().last().unwrap());
            assert_eq!((&summary["event"], &summary["matches"]), (&json!("summary"), &json!(4)), "{lines}");
        }
        id
    }

    /// Returns the ids of a tournament's matches, with their listed details.
    pub fn matches(&self, tournament: &str) -> Vec<(String, Value)> {
        let listed = self.json(&["match", "list", "--tournament", tournament]);
        let matches = listed["matches"].as_array().unwrap().iter();
        matches.map(|game| (game["id"].as_str().unwrap().to_owned(), game.clone())).collect()
    }

    pub fn audit(&self, input: &str, more: &[&str]) -> String {
        let output = self.begin(&[&["audit", "match", "-"], more].concat()).finish(input.as_bytes());
        assert_eq!((output.status.code(), text(output.stderr).as_str()), (Some(0), ""), "{input}");
        text(output.stdout)
    }
}
