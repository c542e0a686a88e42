//! Fixtures for tests of records: the program, folders, and a server with finished matches.

use serde_json::Value;
use std::{
    env, fs,
    io::{BufRead as _, BufReader, Write as _},
    path::{Path, PathBuf},
    process::{Child, Command, Output, Stdio},
};

pub(super) const LASTNIM: &str = env!("CARGO_BIN_EXE_lastnim");
pub(super) const FROZEN: [&str; 2] = ["record.json", "record.pretty.json"];
/// The key of the seed 0, 1, .., 31, which signed the frozen records.
pub(super) const FROZEN_KEY: &str = "A6EHv/POEL4dcN0Y50vAmWfk1jCbpQ1fHdyGZBJVMbg=";
pub(super) const NOBODY: &str = "01890a5d-ac96-774b-bcce-b302099a8057";

pub(super) fn text(bytes: Vec<u8>) -> String {
    String::from_utf8(bytes).unwrap()
}

pub(super) fn json(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_else(|error| panic!("{error}: {text}"))
}

/// Runs a program on an input to its end.
pub(super) fn run(command: &mut Command, input: &str) -> (i32, String, String) {
    let piped = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = piped.spawn().unwrap();
    // A program that does not read its input may have closed it.
    let _ = child.stdin.take().unwrap().write_all(input.as_bytes());
    let Output { status, stdout, stderr } = child.wait_with_output().unwrap();
    (status.code().unwrap(), text(stdout), text(stderr))
}

pub(super) fn offline(args: &[&str], input: &str) -> (i32, String, String) {
    run(Command::new(LASTNIM).args(args).env_remove("LASTNIM_SERVER"), input)
}

/// Runs a command that must succeed without warnings, and returns its output.
pub(super) fn printed(args: &[&str], input: &str) -> String {
    let (code, output, errors) = offline(args, input);
    assert_eq!((code, errors.as_str()), (0, ""), "{args:?}: {output}");
    output
}

pub(super) fn frozen(name: &str) -> String {
    fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data").join(name)).unwrap()
}

/// A folder that is removed with the test.
pub(super) struct Folder(pub(super) PathBuf);

impl Folder {
    pub(super) fn new(name: &str) -> Self {
        let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
        // An interrupted run may have left one.
        let _ = fs::remove_dir_all(&path);
        fs::create_dir_all(&path).unwrap();
        Self(path)
    }

    pub(super) fn path(&self, name: &str) -> String {
        self.0.join(name).to_str().unwrap().to_owned()
    }

    pub(super) fn write(&self, name: &str, text: &str) -> String {
        fs::write(self.path(name), text).unwrap();
        self.path(name)
    }

    pub(super) fn files(&self, name: &str) -> Vec<String> {
        let entries = fs::read_dir(self.0.join(name)).unwrap();
        let mut names: Vec<_> =
            entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// The test's own server on a free port, on which two bots have played four matches.
pub(super) struct Server {
    pub(super) process: Child,
    pub(super) address: String,
    admin: String,
    pub(super) tournament: String,
}

impl Drop for Server {
    fn drop(&mut self) {
        // It may have ended already.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

impl Server {
    pub(super) fn start() -> Self {
        let mut server = Self::on("memory");
        server.play();
        server
    }

    /// Starts a server on a store without matches.
    pub(super) fn on(store: &str) -> Self {
        let mut command = Command::new(LASTNIM);
        command.args(["serve", "--store", store, "--listen", "127.0.0.1:0", "--json"]);
        command.env_remove("LASTNIM_ADMIN_TOKEN").stdout(Stdio::piped()).stderr(Stdio::null());
        let mut process = command.spawn().unwrap();
        let mut line = String::new();
        BufReader::new(process.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let word = |key: &str| json(&line)[key].as_str().unwrap().to_owned();
        let (address, admin) = (word("listening"), word("admin_token"));
        Self { process, address, admin, tournament: String::new() }
    }

    pub(super) fn play(&mut self) {
        let server = self;
        let create = ["tournament", "create", "--seats", "2", "--piles", "3,4,5", "--piles", "2,2"];
        server.tournament = server.word(&[&create[..], &["--start-when", "2"]].concat());
        let bots = ["random", "oracle"].map(|kind| {
            let token = server.word(&["bot", "register", kind]);
            let args = ["bot", "run", kind, "--token", &token, "--tournament", &server.tournament, "--json"];
            server.command(&args).stdout(Stdio::null()).spawn().unwrap()
        });
        for mut bot in bots {
            assert!(bot.wait().unwrap().success());
        }
    }

    pub(super) fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(LASTNIM);
        command.args(args).env("LASTNIM_SERVER", &self.address).env("LASTNIM_ADMIN_TOKEN", &self.admin);
        command.env_remove("LASTNIM_TOKEN");
        command
    }

    pub(super) fn printed(&self, args: &[&str]) -> String {
        let (code, output, errors) = run(&mut self.command(args), "");
        assert_eq!((code, errors.as_str()), (0, ""), "{args:?}");
        output
    }

    pub(super) fn word(&self, args: &[&str]) -> String {
        self.printed(args).trim_end().to_owned()
    }

    pub(super) fn json(&self, args: &[&str]) -> Value {
        json(&self.printed(&[args, &["--json"]].concat()))
    }
}
