//! The table of metrics, as a server describes them.

use std::{
    fmt::Write as _,
    io::{BufRead as _, BufReader, Read as _, Write as _},
    net::TcpStream,
    process::{Child, Command, Stdio},
};

/// A server that ends with the test.
struct Server(Child);

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Returns the response of a newly started server at `/metrics`.
fn scrape() -> String {
    let mut command = Command::new(env!("CARGO_BIN_EXE_lastnim"));
    command.args(["serve", "--listen", "127.0.0.1:0", "--store", "memory"]);
    let mut server = Server(command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap());
    let mut lines = BufReader::new(server.0.stdout.take().unwrap()).lines();
    let address = lines
        .find_map(|line| line.unwrap().split("127.0.0.1:").nth(1).map(|port| format!("127.0.0.1:{port}")))
        .expect("the server prints its address");
    let address = address.split_whitespace().next().unwrap();
    let mut stream = TcpStream::connect(address).unwrap();
    stream.write_all(b"GET /metrics HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n").unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    answer
}

/// Returns a table of all metrics: name, type and description.
pub(crate) fn table() -> String {
    let answer = scrape();
    let comment = |line: &str, kind: &str| {
        let (name, text) = line.strip_prefix(&format!("# {kind} "))?.split_once(' ')?;
        Some((name.to_owned(), text.trim_end().to_owned()))
    };
    let mut table = "| metric | type | description |\n|---|---|---|\n".to_owned();
    for (name, description) in answer.lines().filter_map(|line| comment(line, "HELP")) {
        let (_, kind) = answer
            .lines()
            .filter_map(|line| comment(line, "TYPE"))
            .find(|(typed, _)| *typed == name)
            .unwrap_or_else(|| panic!("{name} has no type"));
        writeln!(table, "| `{name}` | {kind} | {description} |").unwrap();
    }
    assert!(table.lines().count() > 20, "{answer}");
    table
}
