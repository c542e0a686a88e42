//! Standings: of a server, and from records alone.

use crate::server::PLAYED;

#[test]
fn standings_of_every_format() {
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
        PLAYED.terminal().run_all(&lines.each_ref().map(String::as_str)).is_snapshot("standings", name);
    }
    let lines =
        ["lastnim tournament standings $OPEN", "lastnim tournament standings $OPEN --cross-table --json"];
    PLAYED.terminal().run_all(&lines).is_snapshot("standings", "not_begun");
}

#[test]
fn standings_from_records() {
    let lines = [
        "lastnim tournament show $CUP --json > cup.json",
        "lastnim record export --tournament $CUP --dir records",
        "lastnim standings --settings cup.json --from-records records",
        "lastnim standings --settings cup.json --from-records records --csv",
        "lastnim standings --settings cup.json --key $(lastnim key) --from-records records --cross-table",
        "lastnim standings --settings cup.json --from-records records --cross-table --json",
        "rm records/$DECLARED.json",
        "lastnim standings --settings cup.json --from-records records",
    ];
    PLAYED.terminal().run_all(&lines).is_snapshot("standings", "from_records");
}

#[test]
fn what_gives_no_standings_is_named() {
    let terminal = &mut PLAYED.terminal();
    terminal.copy("record.json");
    let lines = [
        "lastnim tournament show $CUP --json > cup.json",
        "lastnim standings --from-records records",
        "lastnim standings --settings no-such-file --from-records .",
        "lastnim standings --settings record.json --from-records .",
        "echo nonsense > nonsense.json",
        "lastnim standings --settings nonsense.json --from-records .",
        "lastnim standings --settings cup.json --from-records no-such-folder",
        "lastnim standings --settings cup.json --from-records record.json",
        "lastnim standings --settings cup.json --from-records nonsense.json record.json",
        "sed 's/\"seats\":2/\"seats\":1/' cup.json > other.json",
        "lastnim standings --settings other.json --from-records record.json",
        "sed 's/\"state\":\"finished\"/\"state\":\"over\"/; s/\"timid\"/\"Timid\"/' cup.json > other.json",
        "lastnim standings --settings other.json --from-records record.json",
        "lastnim standings --settings cup.json --from-records . --key x",
    ];
    terminal.run_all(&lines).is_snapshot("standings", "errors");
}
