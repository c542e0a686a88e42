//! `lastnim record` and `lastnim record key`.

use crate::server::PLAYED;

#[test]
fn a_record_is_fetched() {
    let lines = [
        "lastnim record get $MATCH",
        "lastnim record get $MATCH --format text",
        "lastnim record get $MATCH --pretty --output record.json && head -n 12 record.json",
        "lastnim record verify --key $(lastnim record key) record.json",
        "lastnim record get $MATCH --format text --pretty",
        "lastnim record get $MATCH --output no/such/folder/record.json",
    ];
    PLAYED.terminal().run_all(&lines).assert_shown("records", "get");
}

#[test]
fn records_are_listed_and_exported() {
    let lines = [
        "lastnim record list --tournament $THREE",
        "lastnim record list --bot random --limit 1",
        "lastnim record list --tournament $CUP --limit 1 --csv",
        "lastnim record list --tournament $CUP --limit 1 --json",
        "lastnim record list --tournament $OPEN",
        "lastnim record list --limit 0",
    ];
    PLAYED.terminal().run_all(&lines).assert_shown("records", "list");
    let lines = [
        "lastnim record export --tournament $CUP --dir records",
        "rm records/$DECLARED.json",
        "lastnim record export --tournament $CUP --dir records",
        "sed -i 's/\"take\":\"1\"/\"take\":\"2\"/' records/*.json",
        "lastnim record export --tournament $CUP --bot greedy --dir records --json",
        "lastnim record export --bot loyal --dir records --format text",
        "touch file",
        "lastnim record export --dir file",
        "lastnim record export",
    ];
    PLAYED.terminal().run_all(&lines).assert_shown("records", "export");
}

#[test]
fn the_key_is_printed() {
    let lines =
        ["lastnim record key", "lastnim record key --json", "LASTNIM_ADMIN_TOKEN= lastnim record key"];
    PLAYED.terminal().run_all(&lines).assert_shown("records", "key");
}
