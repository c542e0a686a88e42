//! `lastnim record tables`.

use crate::server::PLAYED;

#[test]
fn tables_are_exported() {
    for (form, name) in [("csv", "csv"), ("jsonl", "jsonl")] {
        let mut terminal = PLAYED.terminal();
        terminal.run(&format!("lastnim record tables --format {form} --tournament $SWISS --output tables"));
        for table in ["matches", "seats", "plies", "standings"] {
            terminal.run(&format!("head -n 5 tables/{table}.{form}"));
        }
        terminal.assert_shown("export", name);
    }
    let lines = [
        "lastnim record tables --format csv --bot loyal --output tables --json",
        "lastnim record tables --format csv --tournament $OPEN --output tables",
        "cat tables/matches.csv tables/seats.csv tables/plies.csv tables/standings.csv",
        "lastnim record tables --format jsonl --output tables",
        "ls tables",
    ];
    PLAYED.terminal().run_all(&lines).assert_shown("export", "choices");
}

#[test]
fn tables_that_cannot_be_exported_are_named() {
    let lines = [
        "lastnim record tables",
        "lastnim record tables --format csv",
        "lastnim record tables --format parquet --output tables",
        "touch file",
        "lastnim record tables --format csv --output file",
        "lastnim record tables --format csv --tournament x --output tables",
    ];
    PLAYED.terminal().run_all(&lines).assert_shown("export", "errors");
}
