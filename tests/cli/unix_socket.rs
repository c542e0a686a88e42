//! A server that listens on a Unix socket.

use super::child::{Process, json, text};
use serde_json::Value;
use std::{
    env, fs,
    io::{BufRead as _, BufReader, Read as _, Write as _},
    os::unix::{fs::PermissionsExt as _, net::UnixStream},
    path::{Path, PathBuf},
    process::{self, Command, Output},
    thread,
    time::Duration,
};

const ADMIN: &str = "lastnim_8f1c03d97ab2e645b0dd5f2917c6a83e4e90f7261bd3588ca1f402c7e96b35d0";

/// A folder for the socket; removed when the test ends.
struct SocketFolder(PathBuf);

impl SocketFolder {
    fn new(name: &str) -> Self {
        let folder = env::temp_dir().join(format!("lastnim-socket-{name}-{}", process::id()));
        fs::create_dir_all(&folder).unwrap();
        Self(folder)
    }

    fn socket(&self) -> PathBuf {
        self.0.join("server.sock")
    }

    fn address(&self) -> String {
        format!("unix:{}", self.socket().display())
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_lastnim"));
        for variable in ["LASTNIM_CA", "LASTNIM_TOKEN", "LASTNIM_TOURNAMENT", "LASTNIM_STORE"] {
            command.env_remove(variable);
        }
        command.envs([("LASTNIM_SERVER", self.address().as_str()), ("LASTNIM_ADMIN_TOKEN", ADMIN)]);
        command.env("XDG_STATE_HOME", self.0.join("state")).current_dir(&self.0).args(arguments);
        command
    }

    fn run(&self, arguments: &[&str]) -> Output {
        Process::start(&mut self.command(arguments)).finish(b"")
    }

    fn printed(&self, arguments: &[&str]) -> String {
        let output = self.run(arguments);
        assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
        text(output.stdout).trim().to_owned()
    }

    /// Starts a server on the socket; returns what it printed too.
    fn serve(&self) -> (Process, Value) {
        let arguments =
            ["serve", "--listen", &self.address(), "--json", "--store", "memory", "--house", "oracle"];
        let mut server = Process::start(&mut self.command(&arguments));
        let mut line = String::new();
        BufReader::new(server.0.stdout.take().unwrap()).read_line(&mut line).unwrap();
        (server, json(&line))
    }
}

impl Drop for SocketFolder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn end(mut server: Process, signal: &str) {
    assert!(Command::new("kill").args([signal, &server.0.id().to_string()]).status().unwrap().success());
    server.0.wait().unwrap();
}

/// Returns the answer to an HTTP/1.1 request whose first byte comes before the rest.
fn get(socket: &Path, path: &str) -> String {
    let mut stream = UnixStream::connect(socket).unwrap();
    stream.write_all(b"G").unwrap();
    // The server must wait for more bytes before it decides which protocol this is.
    thread::sleep(Duration::from_millis(100));
    write!(stream, "ET {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n").unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    answer
}

#[test]
fn bots_commands_and_proxies_connect_to_a_socket() {
    let folder = SocketFolder::new("playing");
    let (server, announced) = folder.serve();
    assert_eq!(announced["listening"], folder.address());
    assert!(announced.get("pages").is_none(), "a browser cannot open it: {announced}");
    assert_eq!(fs::metadata(folder.socket()).unwrap().permissions().mode() & 0o777, 0o660);

    let token = folder.printed(&["bot", "register", "mine"]);
    let clocks = ["--clock", "1m", "--declare-within", "1m"];
    let create = ["tournament", "create", "--seats", "2", "--piles", "3,4,5", "--start-when", "2"];
    let tournament = folder.printed(&[&create[..], &clocks].concat());
    folder.printed(&["tournament", "join", &tournament, "--bot", "oracle"]);
    folder.printed(&["bot", "run", "greedy", "--tournament", &tournament, "--token", &token]);
    let standings = json(&folder.printed(&["tournament", "standings", &tournament, "--json"]));
    assert_eq!(standings["standings"][0]["matches"], 2, "{standings}");

    // The program runs in another folder, where the relative path names nothing.
    fs::create_dir(folder.0.join("cups")).unwrap();
    let cup = format!(
        "title = \"Cup\"\nseats = 2\nclock = \"1m\"\ndeclare_within = \"1m\"\n[positions]\nlist = [[3, 4]]\n\
         [[bot]]\nname = \"one\"\nhouse = \"oracle\"\n\
         [[bot]]\nname = \"two\"\ncommand = [{:?}, \"bot\", \"run\", \"greedy\"]\n",
        env!("CARGO_BIN_EXE_lastnim")
    );
    fs::write(folder.0.join("cups/cup.toml"), cup).unwrap();
    let result =
        folder.printed(&["tournament", "run", "cups/cup.toml", "--json", "--server", "unix:server.sock"]);
    assert!(result.contains("\"matches_played\":2"), "{result}");

    let page = get(&folder.socket(), "/healthz");
    assert!(page.starts_with("HTTP/1.1 200 "), "{page}");
    end(server, "-INT");
    assert!(!folder.socket().exists(), "a server that stops removes its socket");
    let unreachable = folder.run(&["tournament", "list"]);
    let message = text(unreachable.stderr);
    assert!(message.contains(&folder.address()) && message.contains("No such file"), "{message}");
}

#[test]
fn a_socket_belongs_to_one_live_server() {
    let folder = SocketFolder::new("live");
    let (first, _) = folder.serve();
    let second = folder.run(&["serve", "--listen", &folder.address(), "--store", "memory"]);
    let message = text(second.stderr);
    assert!(message.contains(&format!("--listen {}: ", folder.address())), "{message}");
    assert!(message.contains("another program listens on this socket"), "{message}");
    folder.printed(&["tournament", "list"]);
    end(first, "-KILL");
    assert!(folder.socket().exists(), "a server that is killed leaves its socket");
    let (third, _) = folder.serve();
    folder.printed(&["tournament", "list"]);
    end(third, "-TERM");
    assert!(!folder.socket().exists());
}

#[test]
fn places_that_cannot_be_sockets_are_refused() {
    let folder = SocketFolder::new("refused");
    fs::write(folder.socket(), "a letter").unwrap();
    let refusal = |arguments: &[&str], code| {
        let output = folder.run(arguments);
        let message = text(output.stderr);
        assert_eq!(output.status.code(), Some(code), "{message}");
        message
    };
    let (memory, address) = (["--store", "memory"], folder.address());
    let serve = |more: &[&str], code| refusal(&[&["serve"], &memory[..], more].concat(), code);
    assert!(serve(&["--listen", &address], 1).contains("this file exists and is not a socket"));
    assert_eq!(fs::read_to_string(folder.socket()).unwrap(), "a letter");
    let long = format!("unix:/{}", "x".repeat(120));
    assert!(serve(&["--listen", &long], 2).contains("this one has 121: use a shorter one"));
    assert!(refusal(&["tournament", "list", "--server", &long], 2).contains("use a shorter one"));
    for flag in ["--tls-cert", "--tls-key", "--client-ca"] {
        let message = serve(&["--listen", &address, flag, "x.pem"], 2);
        assert!(
            message.contains(flag) && message.contains("connections to a Unix socket do not use TLS"),
            "{message}"
        );
    }
}
