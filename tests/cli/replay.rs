//! `lastnim record replay`, with the real binary.

use super::record_fixture::{Folder, frozen, json, offline, printed};
use serde_json::json;

#[test]
fn a_record_is_replayed_step_by_step() {
    let folder = Folder::new("cli-replay");
    let file = folder.write("record.json", &frozen("record.json"));
    let all = printed(&["record", "replay", &file], "");
    assert_eq!(printed(&["record", "replay", "-"], &frozen("record.pretty.json")), all);
    assert_eq!(printed(&["record", "replay", "--step", &file], "\n\n\n"), all);
    for words in [
        "\ntake 2: seat 2 (carol) to move, 10.000 s on the clock\n",
        "  optimal    1 of 1; then seat 0 (alice) wins\n",
        "\naudit      the same winner as under optimal play; every take by a bot was\n           optimal; ",
    ] {
        assert!(all.contains(words), "{words:?} is not in {all}");
    }
    let left = printed(&["record", "replay", "--step", &file], "\nq\n");
    assert!(all.starts_with(&left) && left.contains("\ntake 2: ") && !left.contains("\ntake 3: "), "{left}");
    let steps: Vec<_> =
        printed(&["record", "replay", "--json", "--from", "2", &file], "").lines().map(json).collect();
    assert_eq!(steps.iter().map(|step| step["audit"]["ply"].clone()).collect::<Vec<_>>(), [1, 2]);
    let audit = &steps[1]["audit"];
    assert_eq!((&audit["steward"], &audit["optimal_takes"]), (&json!(true), &json!([{"lo": 2, "hi": 2}])));
    let one = printed(&["record", "replay", "--take", "1", &file], "");
    assert!(one.contains("\ntake 1: ") && !one.contains("\ntake 2: ") && !one.contains("audit"), "{one}");
}

#[test]
fn a_damaged_record_is_replayed_up_to_its_flaw() {
    let folder = Folder::new("cli-replay-damaged");
    let text = frozen("record.json");
    let mut short = json(&text);
    let ended = short["events"].as_array_mut().unwrap().pop().unwrap();
    assert!(ended["ended"].is_object(), "{ended}");
    for (name, record, plies, words) in [
        ("short.json", short.to_string(), 3, "events were removed from the end: the record is signed"),
        (
            "changed.json",
            text.replacen("\"took\":{\"ply\":1,", "\"took\":{\"ply\":2,", 1),
            1,
            "events were removed before event ",
        ),
    ] {
        assert_ne!(record, text);
        let file = folder.write(name, &record);
        let (code, steps, error) = offline(&["record", "replay", &file], "");
        assert_eq!((code, steps.matches("\ntake ").count()), (1, plies), "{name}: {steps}{error}");
        assert!(error.starts_with(&format!("error: {file}: {words}")), "{error}");
        let (code, steps, _) = offline(&["record", "replay", "--json", &file], "");
        assert_eq!((code, steps.lines().count()), (1, plies), "{name}: {steps}");
    }
}
