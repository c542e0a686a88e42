//! `lastnim record replay`.

use crate::audit::with_record;

#[test]
fn a_record_is_replayed() {
    let text = [
        "lastnim record replay record.json",
        "lastnim record replay record.pretty.json --from 2 --to 2",
        "yes '' | lastnim record replay record.json --step --take 3",
    ];
    with_record().run_all(&text).assert_shown("replay", "text");
    let json = [
        "lastnim record replay record.json --json",
        "lastnim record replay --take 2 --json - < record.pretty.json",
    ];
    with_record().run_all(&json).assert_shown("replay", "json");
}

#[test]
fn records_that_cannot_be_replayed_are_named() {
    let lines = [
        "sed 's/\"ply\":1,\"seat\":2,\"take\":\"1\"/\"ply\":1,\"seat\":2,\"take\":\"9\"/' record.json | lastnim record replay -",
        "sed 's/carol/carla/' record.json | lastnim record replay - --json",
        "lastnim record replay record.json --take 4",
        "lastnim record replay record.json --from 2 --to 1",
        "lastnim record replay record.json --take 1 --from 1",
        "lastnim record replay - --step < record.json",
        "lastnim record replay no-such-file",
        "echo nonsense | lastnim record replay -",
        "cat record.json record.json | lastnim record replay -",
    ];
    with_record().run_all(&lines).assert_shown("replay", "errors");
}
