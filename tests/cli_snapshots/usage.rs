//! The program's own words: its summary, its version, and what is no command.

use crate::terminal::is_shown;

#[test]
fn summaries_and_version() {
    is_shown("usage", "summary", &["lastnim -h", "lastnim"]);
    is_shown("usage", "summary_of_create", &["lastnim tournament create -h"]);
    is_shown("usage", "version", &["lastnim --version", "lastnim -V"]);
}

#[test]
fn what_is_no_command() {
    let lines = [
        "lastnim slove --piles 3",
        "lastnim tournament crate",
        "lastnim help slove",
        "lastnim solve --pile 3",
        "lastnim solve 3",
        "lastnim solve --piles",
        "lastnim tournament",
        "lastnim match show",
        "lastnim serve --sessions 0",
        "lastnim serve --threads many",
        "lastnim record get $MATCH --format yaml",
        "lastnim solve --piles x --players 2 --json",
        "lastnim --json solve --piles 3 --players 2",
    ];
    is_shown("usage", "errors", &lines);
}
