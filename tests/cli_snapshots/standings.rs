//! Standings: of a server, and from records alone.

use crate::server::PLAYED;

#[test]
fn standings_of_every_format_are_shown() {
    for (name, id) in [
        ("round_robin", "CUP"),
        ("three_seats", "THREE"),
        ("swiss", "SWISS"),
        ("knockout", "KNOCKOUT"),
        ("gauntlet", "GAUNTLET"),
        ("ladder", "LADDER"),
        ("sprt", "SPRT"),
    ] {
        let standings = format!("lastnim tournament standings ${id}");
        let lines =
            ["", " --cross-table", " --cross-table --csv", " --json"].map(|form| standings.clone() + form);
        PLAYED.terminal().run_all(&lines.each_ref().map(String::as_str)).assert_shown("standings", name);
    }
    let lines =
        ["lastnim tournament standings $OPEN", "lastnim tournament standings $OPEN --cross-table --json"];
    PLAYED.terminal().run_all(&lines).assert_shown("standings", "not_begun");
}

#[test]
fn standings_are_computed_from_records() {
    let lines = [
        "lastnim tournament show $CUP --json > cup.json",
        "lastnim record export --tournament $CUP --dir records",
        "lastnim record standings --settings cup.json records",
        "lastnim record standings --settings cup.json records --csv",
        "lastnim record standings --settings cup.json --key $(lastnim record key) records --cross-table",
        "lastnim record standings --settings cup.json records --cross-table --json",
        "rm records/$DECLARED.json",
        "lastnim record standings --settings cup.json records",
    ];
    PLAYED.terminal().run_all(&lines).assert_shown("standings", "from_records");
}

#[test]
fn records_without_standings_are_named() {
    let terminal = &mut PLAYED.terminal();
    terminal.copy("record.json");
    let lines = [
        "lastnim tournament show $CUP --json > cup.json",
        "lastnim record standings records",
        "lastnim record standings --settings no-such-file .",
        "lastnim record standings --settings record.json .",
        "echo nonsense > nonsense.json",
        "lastnim record standings --settings nonsense.json .",
        "lastnim record standings --settings cup.json no-such-folder",
        "lastnim record standings --settings cup.json record.json",
        "lastnim record standings --settings cup.json nonsense.json record.json",
        "sed 's/\"seats\":2/\"seats\":1/' cup.json > other.json",
        "lastnim record standings --settings other.json record.json",
        "sed 's/\"state\":\"finished\"/\"state\":\"over\"/; s/\"timid\"/\"Timid\"/' cup.json > other.json",
        "lastnim record standings --settings other.json record.json",
        "lastnim record standings --settings cup.json . --key x",
    ];
    terminal.run_all(&lines).assert_shown("standings", "errors");
}
