//! `lastnim tournament check`: a summary of a tournament's file, and every mistake in it with its line.

use crate::terminal::Terminal;
use std::{fs, path::Path};

/// Opens a terminal with the commented files of `examples`.
fn with_examples() -> Terminal {
    let terminal = Terminal::offline();
    for example in ["round-robin", "gauntlet", "swiss", "knockout", "ladder", "sprt"] {
        let file = format!("examples/{example}.toml");
        terminal
            .write(&file, &fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(&file)).unwrap());
    }
    terminal
}

/// Files with mistakes, by their names.
const MISTAKEN: [(&str, &str); 8] = [
    (
        "words",
        "tilte = \"Spring\"\nseats = \"three\"\nending = \"misere\"\nalliance = \"friends\"\nscoring = \"luck\"\n\
         concurrency = 0\nstart_when = -1\nstart_at = 2027-01-31T18:00:00Z\nentries_close_at = \"noon\"\nclock = \"10s+1\"\nlag_quota = 10\nformat = { kind = \"swis\" }\n[positions]\nlist = [\n  [3, 0],\n  [\"x\"],\n]\n\
         paper = true\n[retention]\ninitial = 3\ndays = \"1\"\n[[bot]]\nname = \"A\"\nhouse = \"gready\"\n\
         [[bot]]\nname = \"b\"\ncommand = []\n",
    ),
    (
        "together",
        "seats = 3\nalliance = [[0, 1],\n  [0, 0]]\nconcurrency = 20000\npositions = { list = [[3, 4],\n  [2, 0]] }\n\
         [format]\nkind = \"sprt\"\ncandidate = \"orcle\"\nbaseline = \"timid\"\neffect_some = 40\nalpha = 0\ngroups = 5\n\
         rounds = 3\n[[bot]]\nname = \"oracle\"\nhouse = \"oracle\"\nseed = 3\n[[bot]]\nname = \"timid\"\nhouse = \"timid\"\n\
         remote = true\n",
    ),
    ("empty", ""),
    ("few", "seats = 2\npositions = { paper = true }\n[[bot]]\nname = \"a\"\nhouse = \"oracle\"\n"),
    (
        "twice",
        "seats = 2\npositions = { paper = true }\n[[bot]]\nname = \"alice\"\nhouse = \"oracle\"\n[[bot]]\n\
         name = \"alice\"\nhouse = \"timid\"\n[format]\nkind = \"gauntlet\"\nbot = \"alise\"\n",
    ),
    ("drawn", "seats = 2\npositions = { drawn = { count = 0, piles = [3, 2], counters = 5 } }\n"),
    ("no_toml", "seats = 3\nseats = 4\n"),
    ("no_value", "seats = \n"),
];

#[test]
fn examples_of_every_format_are_checked() {
    let mut terminal = with_examples();
    for example in ["round-robin", "gauntlet", "swiss", "knockout", "ladder", "sprt"] {
        terminal.run(&format!("lastnim tournament check examples/{example}.toml"));
    }
    terminal.assert_shown("tournament_check", "text");
    let mut terminal = with_examples();
    for example in ["round-robin", "gauntlet", "swiss", "knockout", "ladder", "sprt"] {
        terminal.run(&format!("lastnim tournament check examples/{example}.toml --json"));
    }
    terminal.assert_shown("tournament_check", "json");
}

#[test]
fn declaring_with_two_seats_is_noted() {
    let two = "seats = 2\nalliance = \"declared\"\nreturn_within = \"1m\"\npositions = { paper = true }\n\
               [[bot]]\nname = \"a\"\nhouse = \"oracle\"\n[[bot]]\nname = \"b\"\nhouse = \"traitor\"\n";
    let mut terminal = with_examples();
    terminal.write("two.toml", two);
    terminal.run("lastnim tournament check two.toml");
    terminal.assert_shown("tournament_check", "two_seats");
}

#[test]
fn every_mistake_is_shown_with_its_line() {
    let mut terminal = Terminal::offline();
    for (name, text) in MISTAKEN {
        terminal.write(&format!("{name}.toml"), text);
        terminal.run(&format!("cat -n {name}.toml; lastnim tournament check {name}.toml"));
    }
    terminal.run_all(&[
        "lastnim tournament check words.toml --json",
        "lastnim tournament check no-such-file",
        "lastnim tournament check .",
        "printf '\\377' > binary.toml; lastnim tournament check binary.toml",
        "lastnim tournament run few.toml",
        "lastnim tournament check",
    ]);
    terminal.assert_shown("tournament_check", "mistakes");
}
