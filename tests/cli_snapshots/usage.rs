//! The program's own messages: its summary, its version, and unknown commands.

use crate::terminal::{Terminal, assert_all_shown};

#[test]
fn summaries_and_the_version_are_printed() {
    assert_all_shown("usage", "summary", &["lastnim -h", "lastnim"]);
    assert_all_shown("usage", "summary_of_create", &["lastnim tournament create -h"]);
    assert_all_shown("usage", "version", &["lastnim --version", "lastnim -V"]);
}

#[test]
fn unknown_commands_are_refused() {
    let lines = [
        "lastnim slove --piles 3",
        "lastnim tournament crate",
        "lastnim help slove",
        "lastnim oracle solve --pile 3",
        "lastnim oracle solve 3",
        "lastnim oracle solve --piles",
        "lastnim tournament",
        "lastnim match show",
        "lastnim serve --sessions 0",
        "lastnim serve --threads many",
        "lastnim record get $MATCH --format yaml",
        "lastnim oracle solve --piles x --players 2 --json",
        "lastnim --json solve --piles 3 --players 2",
    ];
    assert_all_shown("usage", "errors", &lines);
}

#[test]
fn manual_pages_and_completions_are_written_to_a_folder() {
    let mut terminal = Terminal::offline();
    terminal.write("file", "no folder\n");
    terminal.run_all(&[
        "lastnim man pages | sed 's/[0-9][0-9]* pages/N pages/'; ls pages | head -3",
        "lastnim man pages --json | grep -o '^.\"folder\".*lastnim-demo.1'",
        "lastnim man file",
        "lastnim man file --json",
        "lastnim completions zsh | head -1",
        "lastnim completions tcsh",
    ]);
    terminal.assert_shown("usage", "man_and_completions");
}
