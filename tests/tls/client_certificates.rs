//! A server whose clients must show a certificate.

use super::{
    certificates::Authority,
    place::{failure, lastnim},
    serving::TlsServer,
};
use lastnim_bots::HouseBot;
use lastnim_client::{Options, run};
use serde_json::Value;
use std::{
    fs,
    io::{Read as _, Write as _},
    net::TcpStream,
    process::Output,
};

/// Writes a new certificate and its key into files with a name; returns their paths.
fn issue(server: &TlsServer, authority: &Authority, name: &str) -> [String; 2] {
    let (certificate, key) = authority.sign(&[name]);
    let paths = ["cert", "key"].map(|part| server.path(&format!("{name}.{part}.pem")));
    fs::write(&paths[0], certificate.pem()).unwrap();
    fs::write(&paths[1], key.serialize_pem()).unwrap();
    paths
}

/// Runs a command with a certificate.
fn run_with(server: &TlsServer, [certificate, key]: &[String; 2], arguments: &[&str]) -> Output {
    server.run("ca.pem", &[arguments, &["--client-cert", certificate, "--client-key", key]].concat())
}

/// Returns the message of a command that fails without trying again.
fn failure_without_repetition(output: &Output) -> String {
    let notes = String::from_utf8_lossy(&output.stderr);
    assert!(!notes.contains("trying again") && !notes.contains("repeating"), "{notes}");
    failure(output, 1)
}

/// Checks that the server has logged why it refused a client at this address.
fn assert_logged(server: &TlsServer, why: &str) {
    let log = server.log_text();
    let is_refusal = |line: &&str| line.contains("a client was refused because of its certificate");
    let mut refusals = log.lines().filter(is_refusal);
    assert!(refusals.any(|line| line.contains("127.0.0.1") && line.contains(why)), "{log}");
}

fn printed(output: &Output) -> String {
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout.clone()).unwrap().trim().to_owned()
}

#[test]
fn bots_and_programs_play_with_their_certificates() {
    let clients = Authority::new("an authority for clients");
    let server = TlsServer::start_for_clients("clients", &clients, &["--house", "oracle"]);
    let files = issue(&server, &clients, "mine");
    let command = |arguments: &[&str]| printed(&run_with(&server, &files, arguments));
    let token = command(&["bot", "register", "mine"]);
    let clocks = ["--clock", "1m", "--declare-within", "1m"];
    let create = ["tournament", "create", "--seats", "2", "--piles", "3,4,5", "--start-when", "2"];
    let tournament = command(&[&create[..], &clocks].concat());
    // The house bot has no certificate; it plays inside the server.
    command(&["tournament", "join", &tournament, "--bot", "oracle"]);
    let variables = [
        ("LASTNIM_SERVER", server.address()),
        ("LASTNIM_CA", server.path("ca.pem")),
        ("LASTNIM_CLIENT_CERT", files[0].clone()),
        ("LASTNIM_CLIENT_KEY", files[1].clone()),
        ("LASTNIM_TOKEN", token),
        ("LASTNIM_TOURNAMENT", tournament.clone()),
    ];
    let find =
        |name: &str| variables.iter().find(|(known, _)| *known == name).map(|(_, value)| value.clone());
    let options = Options::from_variables(find).unwrap();
    assert!(!format!("{options:?}").contains("BEGIN"), "{options:?}");
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let summary = runtime.block_on(run(HouseBot::Greedy.build_bot(0), options)).unwrap();
    assert_eq!(summary.matches, 2, "{summary}");

    // The program of a tournament file gets the same files.
    let program = env!("CARGO_BIN_EXE_lastnim");
    let file = server.path("cup.toml");
    let cup = format!(
        "title = \"Cup\"\nseats = 2\nclock = \"1m\"\ndeclare_within = \"1m\"\n[positions]\nlist = [[3, 4]]\n\
         [[bot]]\nname = \"one\"\nhouse = \"oracle\"\n\
         [[bot]]\nname = \"two\"\ncommand = [{program:?}, \"bot\", \"run\", \"greedy\"]\n"
    );
    fs::write(&file, cup).unwrap();
    let mut run = lastnim(&["tournament", "run", "--json", &file, "--server", &server.address()]);
    run.args(["--ca", &server.path("ca.pem"), "--client-cert", &files[0], "--client-key", &files[1]]);
    let output = run.env("XDG_STATE_HOME", server.path("state")).output().unwrap();
    assert!(output.status.success(), "{output:?}");
    let standings = String::from_utf8(output.stdout).unwrap();
    let last: Value = serde_json::from_str(standings.lines().last().unwrap()).unwrap();
    assert!(last.to_string().contains("\"forfeits\":0"), "{last}");
}

#[test]
fn clients_without_a_certificate_are_told_what_is_missing() {
    let clients = Authority::new("an authority for clients");
    let server = TlsServer::start_for_clients("strangers", &clients, &["--metrics-listen", "127.0.0.1:0"]);
    for arguments in [&["tournament", "list"][..], &["bot", "run", "greedy", "--token", "a-token-of-a-bot"]] {
        let message = failure_without_repetition(&server.run("ca.pem", arguments));
        assert!(message.contains("requires a client certificate: use --client-cert"), "{message}");
    }
    assert_logged(&server, "it showed none");
    for path in ["/", "/healthz"] {
        let page = server.get(path, Some("http/1.1"));
        assert!(page.starts_with("HTTP/1.1 400 ") && page.contains("LASTNIM_CLIENT_CERT"), "{page}");
    }
    // A probe without a certificate can use the port for metrics.
    let log = server.log_text();
    let (_, metrics) = log.split_once("listening for metrics address=").expect(&log);
    let metrics = metrics.split_whitespace().next().unwrap();
    let mut stream = TcpStream::connect(metrics).unwrap();
    write!(stream, "GET /metrics HTTP/1.1\r\nHost: {metrics}\r\nConnection: close\r\n\r\n").unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    assert!(answer.starts_with("HTTP/1.1 200 "), "{answer}");

    let strangers = issue(&server, &Authority::new("an authority for clients"), "stranger");
    for arguments in [&["tournament", "list"][..], &["bot", "run", "greedy", "--token", "a-token-of-a-bot"]] {
        let message = failure_without_repetition(&run_with(&server, &strangers, arguments));
        assert!(message.contains("the server rejected the client's certificate"), "{message}");
    }
    assert_logged(&server, "BadSignature");
    let (expired, key) = clients.sign_expired(&["expired"]);
    let expired_files = ["expired.cert.pem", "expired.key.pem"].map(|name| server.path(name));
    fs::write(&expired_files[0], expired.pem()).unwrap();
    fs::write(&expired_files[1], key.serialize_pem()).unwrap();
    let message = failure(&run_with(&server, &expired_files, &["tournament", "list"]), 1);
    assert!(
        message.contains("rejected the client's certificate") && message.contains("expired"),
        "{message}"
    );
    // The certificate of the server itself is not from the authority for clients.
    let own = ["cert.pem", "key.pem"].map(|name| server.path(name));
    let message = failure(&run_with(&server, &own, &["tournament", "list"]), 1);
    assert!(message.contains("UnknownIssuer"), "{message}");
}

#[test]
fn another_authority_for_clients_replaces_the_former_one() {
    let [clients, others] = ["the former authority", "the new authority"].map(Authority::new);
    let server = TlsServer::start_for_clients("replaced-clients", &clients, &[]);
    let [former, new] =
        [(&clients, "former"), (&others, "new")].map(|(authority, name)| issue(&server, authority, name));
    let list = |files| run_with(&server, files, &["tournament", "list"]).status.success();
    assert!(list(&former) && !list(&new));
    fs::write(server.path("clients.pem"), others.pem()).unwrap();
    server.until("the new authority", || list(&new));
    assert!(!list(&former));
    fs::write(server.path("clients.pem"), "no certificate").unwrap();
    server.until("an error", || server.log_text().contains("clients.pem: there is no certificate in it"));
    assert!(list(&new));
}

#[test]
fn unusable_client_certificates_are_refused() {
    let clients = Authority::new("an authority for clients");
    let server = TlsServer::start_for_clients("unusable-clients", &clients, &[]);
    let [certificate, key] = issue(&server, &clients, "mine");
    let message =
        |more: &[&str]| failure(&server.run("ca.pem", &[&["tournament", "list"], more].concat()), 2);
    let half = message(&["--client-cert", &certificate]);
    assert!(half.contains("give its private key too, with --client-key"), "{half}");
    let half = message(&["--client-key", &key]);
    assert!(half.contains("give its certificate too, with --client-cert"), "{half}");
    let exchanged = message(&["--client-cert", &key, "--client-key", &certificate]);
    assert!(exchanged.contains("mine.key.pem: there is no certificate in it"), "{exchanged}");
    let twice = message(&["--client-cert", &certificate, "--client-key", &certificate]);
    assert!(twice.contains("mine.cert.pem: there is no unencrypted private key in it"), "{twice}");
    let [_, other_key] = issue(&server, &clients, "other");
    let other = message(&["--client-cert", &certificate, "--client-key", &other_key]);
    assert!(other.contains("other.key.pem: this is not the key of the certificate"), "{other}");
}
