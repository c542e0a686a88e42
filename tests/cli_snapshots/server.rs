//! Servers as processes, and the matches played on one of them.

use crate::terminal::{LASTNIM, Terminal};
use serde_json::Value;
use std::{
    io::{BufRead as _, BufReader},
    process::{Child, ChildStdout, Command, Stdio},
    sync::LazyLock,
};

/// The administrator's token on every server here.
pub const ADMIN: &str = "lastnim_8f1c03d97ab2e645b0dd5f2917c6a83e4e90f7261bd3588ca1f402c7e96b35d0";
/// The key of the seed 0, 1, .., 31, as a file.
pub const KEY: &str = "-----BEGIN PRIVATE KEY-----\n\
     MC4CAQAwBQYDK2VwBCIEIAABAgMEBQYHCAkKCwwNDg8QERITFBUWFxgZGhscHR4f\n\
     -----END PRIVATE KEY-----\n";

/// A process that ends with its owner, and at the latest with the tests, however they end: a shell stops it when the
/// shell's input is closed.
#[derive(Debug)]
pub struct Ward(Child);

impl Drop for Ward {
    fn drop(&mut self) {
        drop(self.0.stdin.take());
        let _ = self.0.wait();
    }
}

impl Ward {
    /// Starts the program in a terminal, and returns what it prints. The shell itself does not keep the output open,
    /// so the output ends with the program.
    pub fn start(terminal: &Terminal, args: &[&str]) -> (Self, BufReader<ChildStdout>) {
        let mut command = terminal.command("sh");
        command.args(["-c", r#""$@" & exec >&-; read -r line; kill -9 $!; wait"#, "sh", LASTNIM]).args(args);
        Self::spawn(&mut command)
    }

    fn spawn(command: &mut Command) -> (Self, BufReader<ChildStdout>) {
        let piped = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = piped.spawn().unwrap();
        let output = BufReader::new(child.stdout.take().unwrap());
        (Self(child), output)
    }
}

/// Reads this many lines.
pub fn read_lines(output: &mut BufReader<ChildStdout>, count: usize) -> String {
    let mut lines = String::new();
    for _ in 0..count {
        let length = output.read_line(&mut lines).unwrap();
        assert!(length > 0, "the program ended after {lines:?}");
    }
    lines
}

/// A server with a store in memory and the key of the tests.
#[derive(Debug)]
pub struct Server {
    address: String,
    _process: Ward,
    _place: Terminal,
}

impl Server {
    pub fn start() -> Self {
        Self::with_flags(&[])
    }

    pub fn with_flags(flags: &[&str]) -> Self {
        let mut place = Terminal::offline();
        place.set("LASTNIM_ADMIN_TOKEN", ADMIN);
        place.write("server.key", KEY);
        let serve =
            ["serve", "--json", "--listen", "127.0.0.1:0", "--store", "memory", "--key", "server.key"];
        let (process, mut output) = Ward::start(&place, &[&serve[..], flags].concat());
        let opening: Value = serde_json::from_str(&read_lines(&mut output, 1)).unwrap();
        let address = opening["listening"].as_str().unwrap().to_owned();
        Self { address, _process: process, _place: place }
    }

    /// Returns its address.
    pub fn address(&self) -> &str {
        &self.address
    }

    /// Opens a terminal with the admin's token.
    pub fn terminal(&self) -> Terminal {
        Terminal::online(&self.address, ADMIN)
    }

    /// Registers a house bot under a name, starts it, and waits until it is connected. It plays all its matches.
    pub fn house_bot(&self, name: &str, kind: &[&str]) -> Ward {
        let mut terminal = self.terminal();
        let token = terminal.quietly(&format!("lastnim bot register {name}"));
        terminal.set("LASTNIM_TOKEN", &token);
        let (bot, mut output) = Ward::start(&terminal, &[&["bot", "run"], kind].concat());
        let connected = read_lines(&mut output, 1);
        assert!(connected.starts_with("connected as "), "{connected:?}");
        bot
    }
}

/// A server on which tournaments of every format have finished. Nothing on it changes any more.
#[derive(Debug)]
pub struct Played {
    server: Server,
    ids: Vec<(&'static str, String)>,
}

/// The matches played, once for all tests.
pub static PLAYED: LazyLock<Played> = LazyLock::new(Played::play);

/// For each tournament, the variable of its id, the arguments that create it, and its bots.
const TOURNAMENTS: [(&str, &str, &[&str]); 7] = [
    ("CUP", "--title Cup --seats 2 --piles 3,4,5 --piles 2,2 --seed 3", &["greedy", "timid", "random"]),
    (
        "THREE",
        "--title Three --seats 3 --piles 2,3 --alliance random --seed 5",
        &["greedy", "oracle", "timid", "loyal"],
    ),
    (
        "SWISS",
        "--title Swiss --format swiss --rounds 2 --seats 2 --piles 2,3 --piles 3,5",
        &["greedy", "timid", "random", "oracle", "loyal"],
    ),
    (
        "KNOCKOUT",
        "--title Knockout --format knockout --seats 2 --piles 2,3 --piles 3,5",
        &["greedy", "timid", "random", "oracle"],
    ),
    (
        "GAUNTLET",
        "--title Gauntlet --format gauntlet --bot oracle --seats 2 --piles 4,4",
        &["greedy", "oracle", "timid"],
    ),
    (
        "LADDER",
        "--title Ladder --format ladder --groups 6 --seats 2 --piles 2,3",
        &["greedy", "timid", "loyal"],
    ),
    (
        "SPRT",
        "--title SPRT --format sprt --candidate oracle --baseline timid --effect-some 0.5 --groups 40 \
         --seats 2 --draw-positions 40 --alliance random --seed 9",
        &["oracle", "timid"],
    ),
];

impl Played {
    fn play() -> Self {
        let server = Server::start();
        let mut terminal = server.terminal();
        let kinds = [&["greedy"][..], &["timid"], &["loyal"], &["oracle"], &["random", "--seed", "7"]];
        let _bots = kinds.map(|kind| server.house_bot(kind[0], kind));
        let mut ids = Vec::new();
        for (variable, settings, field) in TOURNAMENTS {
            let create = format!("lastnim tournament create --concurrency 1 {PATIENT} {settings}");
            let id = terminal.quietly(&create);
            terminal.set("ID", &id);
            for bot in field {
                terminal.quietly(&format!("lastnim tournament join $ID --bot {bot}"));
            }
            terminal.quietly("lastnim tournament start $ID && lastnim tournament watch $ID");
            ids.push((variable, id));
        }
        for (variable, then) in [("OPEN", "show"), ("CANCELLED", "cancel")] {
            let id = terminal.quietly("lastnim tournament create --title Late --seats 2 --piles 2");
            terminal.quietly(&format!("lastnim tournament {then} {id}"));
            ids.push((variable, id));
        }
        for (variable, at) in [("DECLARED", 0), ("MATCH", 1)] {
            let listed = terminal.quietly(&format!("lastnim match list --json --tournament {}", ids[at].1));
            let listed: Value = serde_json::from_str(&listed).unwrap();
            let first = listed["matches"].as_array().unwrap().last().unwrap();
            ids.push((variable, first["id"].as_str().unwrap().to_owned()));
        }
        Self { server, ids }
    }

    /// Opens a terminal that knows the ids of the tournaments played, by the names in [`TOURNAMENTS`]. `MATCH` is the
    /// first of `THREE`, whose rows are assigned; `DECLARED` is the first of `CUP`, in which bots declare in any
    /// order.
    pub fn terminal(&self) -> Terminal {
        let mut terminal = self.server.terminal();
        for (variable, id) in &self.ids {
            terminal.set(variable, id);
        }
        terminal
    }
}

/// Clocks with which no bot loses a match, no matter how busy the machine is.
pub const PATIENT: &str = "--clock 10m --declare-within 10m";
