//! `lastnim record standings`: which records count, with the real binary.

use super::record_fixture::{Folder, NOBODY, Server, json, offline};
use serde_json::{Value, json};
use std::{fs, path::Path};

/// A change to the setup of a match.
type SetupChange<'a> = &'a dyn Fn(&mut Value);

/// Removes the hashes and the signature of a record, so that it can be changed.
fn without_seal(record: &str) -> Value {
    let mut record = json(record);
    for event in record["events"].as_array_mut().unwrap() {
        event.as_object_mut().unwrap().remove("hash");
    }
    for key in ["signer", "signature"] {
        record.as_object_mut().unwrap().remove(key);
    }
    record
}

#[test]
fn a_surplus_record_is_refused_with_its_reason() {
    let (server, folder) = (Server::start(), Folder::new("cli-standings"));
    let shown = server.printed(&["tournament", "show", &server.tournament, "--json"]);
    let cup = folder.write("cup.json", &shown);
    let dir = folder.path("records");
    server.printed(&["record", "export", "--tournament", &server.tournament, "--dir", &dir]);
    drop(server);
    let name = folder.files("records").into_iter().next().unwrap();
    let text = fs::read_to_string(Path::new(&dir).join(&name)).unwrap();
    let (id, unsealed) = (name.trim_end_matches(".json"), without_seal(&text));
    let setup = &unsealed["events"][0]["created"];
    let number: u64 = setup["number"].as_str().unwrap_or("0").parse().unwrap();
    let [number, group] = [number, number / 2].map(|index| index + 1);
    let standings = |surplus: &Value| {
        let surplus = folder.write("surplus.json", &surplus.to_string());
        let args = ["record", "standings", "--settings", &cup, "--unsigned", "--json", &dir, &surplus];
        let (code, output, errors) = offline(&args, "");
        (code, json(&output)["standings"].clone(), errors.replace(&format!("{surplus}: "), ""))
    };
    let (code, expected, errors) = standings(&unsealed);
    assert_eq!((code, errors.as_str()), (0, ""), "the same match once more");

    let changed_records = |change: SetupChange<'_>| {
        let mut changed = unsealed.clone();
        changed["match_id"] = json!(NOBODY);
        change(&mut changed["events"][0]["created"]);
        standings(&changed)
    };
    let cases: [(SetupChange<'_>, String); 4] = [
        (
            &|_| (),
            format!(
                "match {NOBODY} has the number {number}, but match {id}, whose record was read first, has it too\n"
            ),
        ),
        (
            &|setup| setup["number"] = json!("4"),
            format!("match {NOBODY} has the number 5, but the tournament has no match with this number\n"),
        ),
        (
            &|setup| setup["group"] = json!("7"),
            format!(
                "match {NOBODY} has the number {number} in duplicate group 8, but this number belongs to group {group}\n"
            ),
        ),
        (
            &|setup| setup["bots"].as_array_mut().unwrap().reverse(),
            format!("match {NOBODY} has the number {number}, but the match with this number has the bots "),
        ),
    ];
    for (change, words) in cases {
        let (code, standings, errors) = changed_records(change);
        assert_eq!((code, &standings), (3, &expected), "{errors}");
        assert!(errors.starts_with(&words) && errors.lines().count() == 1, "{errors}");
    }
}
