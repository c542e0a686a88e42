//! The messages of a starting server about records signed with another key.

use crate::played::{bots, match_changes, match_id, play_match, sign_record};
use crate::test_database::{TemporaryFolder, TestDatabase};
use lastnim_core::referee::PublicKey;
use std::fs;
use std::io::{BufRead as _, BufReader, Read as _};
use std::path::Path;
use std::process::{Command, Stdio};

/// The key of [`sign_record`] as a file.
const PEM: &str = "-----BEGIN PRIVATE KEY-----
MC4CAQAwBQYDK2VwBCIEIAcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcH
-----END PRIVATE KEY-----
";

/// Starts a server and stops it once it prints its address; returns that line and its log.
fn start_and_stop(store: &str, key: &Path) -> (String, String) {
    let mut server = Command::new(env!("CARGO_BIN_EXE_lastnim"))
        .args(["serve", "--listen", "127.0.0.1:0", "--json", "--store", store, "--key"])
        .arg(key)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut line = String::new();
    BufReader::new(server.stdout.take().unwrap()).read_line(&mut line).unwrap();
    Command::new("kill").args(["-INT", &server.id().to_string()]).status().unwrap();
    let mut log = String::new();
    server.stderr.take().unwrap().read_to_string(&mut log).unwrap();
    assert!(server.wait().unwrap().success(), "{log}");
    (line, log)
}

#[test]
fn a_changed_key_is_logged() {
    let folder = TemporaryFolder::new();
    let url = format!("sqlite:{}", folder.path().join("store.db").display());
    let (drawn, own) = (folder.path().join("drawn.key"), folder.path().join("own.key"));
    fs::write(&own, PEM).unwrap();
    let says_nothing = |key: &Path| {
        let (line, log) = start_and_stop(&url, key);
        assert!(line.contains("public_key") && !line.contains("former"), "{line}");
        assert!(!log.contains("did not sign the newest record"), "{log}");
    };
    says_nothing(&drawn);
    let database = TestDatabase::new(&url);
    let store = database.open();
    let record = play_match(match_id(1), bots(0..3), None, 4, u32::MAX);
    database.write(&store, &match_changes(&record));
    drop(store);
    says_nothing(&own);
    let (line, log) = start_and_stop(&url, &drawn);
    let former: PublicKey = sign_record(&record).signer;
    assert!(line.contains(&format!("\"former_public_key\":\"{former}\"")), "{line}");
    assert!(log.contains("did not sign the newest record") && log.contains(&former.to_string()), "{log}");
}
