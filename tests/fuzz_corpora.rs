//! Runs the inputs that fuzzing found worth keeping as ordinary tests: see `fuzz`.

#[path = "../fuzz/targets/config_file.rs"]
mod config_file;
#[path = "../fuzz/targets/listener.rs"]
mod listener;
#[path = "../fuzz/targets/memory_network.rs"]
mod memory_network;
#[path = "../fuzz/targets/play.rs"]
mod play;
#[path = "../fuzz/targets/records.rs"]
mod records;
#[path = "../fuzz/targets/server.rs"]
mod server;
#[path = "../fuzz/targets/session_log.rs"]
mod session_log;
#[path = "../fuzz/targets/solve_batch.rs"]
mod solve_batch;
#[path = "../fuzz/targets/tournament_file.rs"]
mod tournament_file;

use std::{fs, path::Path};

/// Runs each input of a corpus.
fn try_corpus(target: &str, check: fn(&[u8])) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("fuzz/corpus").join(target);
    let mut files: Vec<_> = fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    assert!(!files.is_empty(), "{} is empty", folder.display());
    for file in files {
        // If a check crashes, the last printed file is the cause.
        println!("{}", file.display());
        check(&fs::read(file).unwrap());
    }
}

#[test]
fn config_files_in_the_corpus_are_handled() {
    try_corpus("config_file", config_file::check);
}

#[test]
fn listener_bytes_in_the_corpus_are_handled() {
    try_corpus("listener", listener::check);
}

#[test]
fn bot_messages_in_the_corpus_are_handled() {
    try_corpus("play", play::check);
}

#[test]
fn record_files_in_the_corpus_are_handled() {
    try_corpus("records", records::check);
}

#[test]
fn session_logs_in_the_corpus_are_handled() {
    try_corpus("session_log", session_log::check);
}

#[test]
fn batch_lines_in_the_corpus_are_handled() {
    try_corpus("solve_batch", solve_batch::check);
}

#[test]
fn tournament_files_in_the_corpus_are_handled() {
    try_corpus("tournament_file", tournament_file::check);
}
