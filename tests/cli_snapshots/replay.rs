//! `lastnim replay`.

use crate::audit::with_record;

#[test]
fn a_record_is_replayed() {
    let text = [
        "lastnim replay record.json",
        "lastnim replay record.pretty.json --from 1 --to 1",
        "yes '' | lastnim replay record.json --step --ply 2",
    ];
    with_record().run_all(&text).is_snapshot("replay", "text");
    let json = ["lastnim replay record.json --json", "lastnim replay --ply 1 --json - < record.pretty.json"];
    with_record().run_all(&json).is_snapshot("replay", "json");
}

#[test]
fn what_cannot_be_replayed_is_named() {
    let lines = [
        "sed 's/\"ply\":1,\"seat\":2,\"take\":\"1\"/\"ply\":1,\"seat\":2,\"take\":\"9\"/' record.json | lastnim replay -",
        "sed 's/carol/carla/' record.json | lastnim replay - --json",
        "lastnim replay record.json --ply 3",
        "lastnim replay record.json --from 2 --to 1",
        "lastnim replay record.json --ply 1 --from 1",
        "lastnim replay - --step < record.json",
        "lastnim replay no-such-file",
        "echo nonsense | lastnim replay -",
        "cat record.json record.json | lastnim replay -",
    ];
    with_record().run_all(&lines).is_snapshot("replay", "errors");
}
