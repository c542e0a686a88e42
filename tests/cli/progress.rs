//! The output on a terminal while a command computes for long.

use super::record_fixture::Folder;
use std::process::{Command, Stdio};

/// Returns what a command prints on a terminal, which `script` of util-linux provides.
fn shown_on_terminal(command: &str) -> String {
    let command = format!("{} {command}", env!("CARGO_BIN_EXE_lastnim"));
    let ran = Command::new("script").args(["-qec", &command, "/dev/null"]).stdin(Stdio::null()).output();
    String::from_utf8_lossy(&ran.unwrap().stdout).into_owned()
}

#[test]
fn a_long_search_says_how_long_it_may_take() {
    let kayles = "oracle solve --game kayles --piles 100000 --players 3 --max-time";
    let slow = shown_on_terminal(&format!("{kayles} 3s"));
    assert!(slow.contains("searching for at most 3s (--max-time): "), "{slow}");
    assert!(slow.contains("the search was stopped after 3s (--max-time)"), "{slow}");
    let fast = shown_on_terminal("oracle solve --game kayles --piles 9 --players 3");
    assert!(fast.contains("Solved by") && !fast.contains("searching"), "{fast}");
}

#[test]
fn a_dataset_shows_how_many_positions_are_left() {
    let folder = Folder::new("dataset-progress");
    let file = folder.path("train.jsonl");
    let shown = shown_on_terminal(&format!("oracle dataset --positions 500 --output {file}"));
    assert!(shown.contains("/500 positions"), "{shown}");
    assert_eq!(std::fs::read_to_string(&file).unwrap().lines().count(), 500);
}
