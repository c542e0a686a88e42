//! A server that uses TLS itself.

use super::{
    certificates::Authority,
    place::{failure, lastnim},
};
use serde_json::Value;
use std::{
    env, fs,
    io::{BufRead as _, BufReader, ErrorKind, Read as _, Write as _},
    net::TcpStream,
    path::PathBuf,
    process::{self, Child, Output, Stdio},
    thread,
    time::{Duration, Instant},
};
use tokio_rustls::rustls::{ClientConnection, StreamOwned};

/// The maximum wait for something that must happen.
const LONG: Duration = Duration::from_mins(1);

/// A server with a certificate for `localhost`; removed with its folder when the test ends.
pub struct TlsServer {
    folder: PathBuf,
    process: Child,
    /// The line that the server printed.
    announced: Value,
    pub port: u16,
    pub authority: Authority,
}

impl TlsServer {
    fn start(name: &str, more: &[&str]) -> Self {
        Self::start_in(new_folder(name), more)
    }

    /// Starts a server whose clients need a certificate of an authority.
    pub fn start_for_clients(name: &str, clients: &Authority, more: &[&str]) -> Self {
        let folder = new_folder(name);
        let file = folder.join("clients.pem");
        fs::write(&file, clients.pem()).unwrap();
        Self::start_in(folder, &[&["--client-ca", file.to_str().unwrap()], more].concat())
    }

    fn start_in(folder: PathBuf, more: &[&str]) -> Self {
        let file = |name: &str| folder.join(name).display().to_string();
        let authority = Authority::new("an authority of the tests");
        let (certificate, key) = authority.sign(&["localhost"]);
        fs::write(file("ca.pem"), authority.pem()).unwrap();
        fs::write(file("cert.pem"), certificate.pem()).unwrap();
        fs::write(file("key.pem"), key.serialize_pem()).unwrap();
        let mut command = lastnim(&["serve", "--listen", "127.0.0.1:0", "--json", "--store", "memory"]);
        command.args(["--tls-cert", &file("cert.pem"), "--tls-key", &file("key.pem")]).args(more);
        let log = fs::File::create(file("log")).unwrap();
        let mut process = command.stdout(Stdio::piped()).stderr(log).spawn().unwrap();
        let mut line = String::new();
        BufReader::new(process.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let announced: Value = serde_json::from_str(&line).unwrap();
        let listening = announced["listening"].as_str().unwrap();
        let port = listening.strip_prefix("https://127.0.0.1:").expect(listening).parse().unwrap();
        Self { folder, process, announced, port, authority }
    }

    pub fn path(&self, name: &str) -> String {
        self.folder.join(name).display().to_string()
    }

    /// Writes the files of the server's certificate.
    fn replace_certificate(&self, certificate: &str, key: &str) {
        fs::write(self.path("cert.pem"), certificate).unwrap();
        fs::write(self.path("key.pem"), key).unwrap();
    }

    /// Runs a command that trusts the authority in a file.
    pub fn run(&self, ca: &str, arguments: &[&str]) -> Output {
        let mut command = lastnim(arguments);
        command.args(["--server", &self.address(), "--ca", &self.path(ca)]);
        command.output().unwrap()
    }

    pub fn address(&self) -> String {
        format!("https://localhost:{}", self.port)
    }

    fn printed(&self, arguments: &[&str]) -> String {
        let output = self.run("ca.pem", arguments);
        assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap().trim().to_owned()
    }

    /// Returns the answer to an HTTP/1.1 request over TLS.
    pub fn get(&self, path: &str, protocol: Option<&str>) -> String {
        let config = self.authority.client(protocol);
        let connection = ClientConnection::new(config, "localhost".try_into().unwrap()).unwrap();
        let socket = TcpStream::connect(("127.0.0.1", self.port)).unwrap();
        socket.set_read_timeout(Some(LONG)).unwrap();
        let mut stream = StreamOwned::new(connection, socket);
        let host = format!("localhost:{}", self.port);
        write!(stream, "GET {path} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n").unwrap();
        let mut answer = Vec::new();
        stream.read_to_end(&mut answer).expect("the server ends TLS before the connection");
        String::from_utf8(answer).unwrap()
    }

    pub fn log_text(&self) -> String {
        fs::read_to_string(self.path("log")).unwrap()
    }

    pub fn until(&self, what: &str, mut happened: impl FnMut() -> bool) {
        let began = Instant::now();
        while !happened() {
            assert!(began.elapsed() < LONG, "{what} does not happen: {}", self.log_text());
            thread::sleep(Duration::from_millis(50));
        }
    }
}

fn new_folder(name: &str) -> PathBuf {
    let folder = env::temp_dir().join(format!("lastnim-serving-{name}-{}", process::id()));
    fs::create_dir_all(&folder).unwrap();
    folder
}

impl Drop for TlsServer {
    fn drop(&mut self) {
        // It may have ended already.
        let _ = self.process.kill();
        let _ = self.process.wait();
        let _ = fs::remove_dir_all(&self.folder);
    }
}

#[test]
fn bots_house_bots_and_browsers_share_a_tls_port() {
    let server = TlsServer::start("port", &["--house", "oracle"]);
    let pages = server.announced["pages"].as_str().unwrap();
    assert_eq!(pages, format!("https://127.0.0.1:{}/", server.port));
    let token = server.printed(&["bot", "register", "mine"]);
    let clocks = ["--clock", "1m", "--declare-within", "1m"];
    let create = ["tournament", "create", "--title", "over tls", "--seats", "2", "--piles", "3,4,5"];
    let tournament = server.printed(&[&create[..], &clocks, &["--start-when", "2"]].concat());
    server.printed(&["tournament", "join", &tournament, "--bot", "oracle"]);
    server.printed(&["bot", "run", "greedy", "--tournament", &tournament, "--token", &token]);
    let standings = server.printed(&["tournament", "standings", &tournament, "--json"]);
    let standings: Value = serde_json::from_str(&standings).unwrap();
    assert_eq!(standings["standings"][0]["matches"], 2, "{standings}");

    let path = format!("/tournaments/{tournament}");
    for protocol in [Some("http/1.1"), None] {
        let page = server.get(&path, protocol);
        assert!(page.starts_with("HTTP/1.1 200 ") && page.contains("over tls"), "{page}");
    }
    // The connection protects a token, so the form for it is shown.
    let form = server.get("/organise", Some("http/1.1"));
    assert!(form.contains("type=\"password\"") && !form.contains("would not protect"), "{form}");
    // From this machine too, metrics need a token.
    assert!(server.get("/metrics", None).starts_with("HTTP/1.1 401 "), "{}", server.get("/metrics", None));
    assert!(!server.log_text().contains("unencrypted"), "{}", server.log_text());
}

#[test]
fn without_pages_browsers_get_an_explanation_over_tls() {
    let server = TlsServer::start("no-pages", &["--no-web"]);
    assert!(server.get("/", None).starts_with("HTTP/1.1 426 "), "{}", server.get("/", None));
    server.printed(&["tournament", "list"]);
}

#[test]
fn clients_without_tls_get_an_explanation() {
    let server = TlsServer::start("plain", &[]);
    let mut stream = TcpStream::connect(("127.0.0.1", server.port)).unwrap();
    stream.set_read_timeout(Some(LONG)).unwrap();
    stream.write_all(b"GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n").unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    assert!(answer.starts_with("HTTP/1.1 400 ") && answer.contains("connect with https://"), "{answer}");

    let address = format!("http://127.0.0.1:{}", server.port);
    let began = Instant::now();
    for arguments in [&["tournament", "list"][..], &["bot", "run", "greedy", "--token", "a-token-of-a-bot"]] {
        let output = lastnim(arguments).args(["--server", &address]).output().unwrap();
        let message = failure(&output, 1);
        assert!(message.contains("this port needs TLS: connect with https://"), "{message}");
    }
    assert!(began.elapsed() < Duration::from_secs(30), "a bot must not try again");
}

#[test]
fn an_expired_certificate_and_another_authority_are_rejected() {
    let server = TlsServer::start("expired", &[]);
    fs::write(server.path("other.pem"), Authority::new("another authority").pem()).unwrap();
    let message = failure(&server.run("other.pem", &["tournament", "list"]), 1);
    assert!(message.contains("its certificate was rejected"), "{message}");
    let (certificate, key) = server.authority.sign_expired(&["localhost"]);
    server.replace_certificate(&certificate.pem(), &key.serialize_pem());
    server.until("the new certificate", || server.log_text().contains("the files for TLS have changed"));
    let message = failure(&server.run("ca.pem", &["tournament", "list"]), 1);
    assert!(message.contains("its certificate was rejected") && message.contains("expired"), "{message}");
}

#[test]
fn a_certificate_is_replaced_while_the_server_runs() {
    let server = TlsServer::start("replaced", &[]);
    let list = |ca: &str| server.run(ca, &["tournament", "list"]).status.success();
    let other = Authority::new("another authority");
    fs::write(server.path("other.pem"), other.pem()).unwrap();
    let (certificate, key) = other.sign(&["localhost"]);
    // The key does not fit yet, so the former certificate stays.
    let write = |name: &str, text: &str| {
        // A file that is half written would be another error.
        fs::write(server.path("new.pem"), text).unwrap();
        fs::rename(server.path("new.pem"), server.path(name)).unwrap();
    };
    write("cert.pem", &certificate.pem());
    server.until("an error", || server.log_text().contains("the former certificate stays in use"));
    let log = server.log_text();
    assert!(log.contains("key.pem: this is not the key of the certificate in"), "{log}");
    assert!(list("ca.pem") && !list("other.pem"));
    write("key.pem", &key.serialize_pem());
    server.until("the new certificate", || list("other.pem"));
    assert!(!list("ca.pem"));
    fs::remove_file(server.path("key.pem")).unwrap();
    let errors = || server.log_text().matches("the former certificate stays in use").count();
    server.until("another error", || errors() >= 2);
    assert!(list("other.pem"));
}

#[test]
fn slow_handshakes_delay_no_other_client_and_are_ended() {
    let server = TlsServer::start("slow", &["--first-call-timeout", "8s"]);
    let mut slow: Vec<TcpStream> = (0..40)
        .map(|number| {
            let mut stream = TcpStream::connect(("127.0.0.1", server.port)).unwrap();
            stream.set_read_timeout(Some(LONG)).unwrap();
            // The start of a handshake: a record of 512 bytes, which never comes.
            let start: &[u8] = if number % 2 == 0 { &[22, 3, 1, 2, 0, 1] } else { &[22] };
            stream.write_all(start).unwrap();
            stream
        })
        .collect();
    let began = Instant::now();
    assert!(server.get("/", None).starts_with("HTTP/1.1 200 "));
    for stream in &slow {
        stream.set_nonblocking(true).unwrap();
        let peeked = stream.peek(&mut [0]).map_err(|error| error.kind());
        assert_eq!(peeked, Err(ErrorKind::WouldBlock), "it was ended before the other client was answered");
        stream.set_nonblocking(false).unwrap();
    }
    for stream in &mut slow {
        // The connection may end with a reset.
        let _ = stream.read_to_end(&mut Vec::new());
    }
    assert!(began.elapsed() < Duration::from_mins(1), "{:?}", began.elapsed());
}

#[test]
fn unusable_tls_settings_are_refused() {
    let folder = env::temp_dir().join(format!("lastnim-serving-refused-{}", process::id()));
    fs::create_dir_all(&folder).unwrap();
    let [cert, key] = ["cert.pem", "key.pem"].map(|name| folder.join(name).display().to_string());
    let authority = Authority::new("an authority of the tests");
    let (certificate, _) = authority.sign(&["localhost"]);
    let (_, other_key) = authority.sign(&["localhost"]);
    fs::write(&cert, certificate.pem()).unwrap();
    let refusal = |more: &[&str]| {
        let output = lastnim(&["serve", "--listen", "127.0.0.1:0", "--store", "memory"]).args(more).output();
        failure(&output.unwrap(), 2)
    };
    assert!(refusal(&["--tls-cert", &cert]).contains("--tls-cert requires --tls-key"));
    assert!(refusal(&["--tls-key", &key]).contains("--tls-key requires --tls-cert"));
    assert!(refusal(&["--client-ca", &cert]).contains("--client-ca requires --tls-cert and --tls-key"));
    let both = ["--tls-cert", &cert, "--tls-key", &key];
    assert!(refusal(&both).contains("key.pem: No such file"), "{}", refusal(&both));
    fs::write(&key, other_key.serialize_pem()).unwrap();
    assert!(refusal(&both).contains("this is not the key of the certificate"), "{}", refusal(&both));
    fs::remove_dir_all(&folder).unwrap();
}
