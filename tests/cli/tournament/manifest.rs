//! The manifest of a tournament, and records that are compared with it.

use super::Server;
use serde_json::{Value, json};
use std::{
    fs,
    path::{Path, PathBuf},
};

/// Creates an empty folder for a test.
fn empty_folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).unwrap();
    folder
}

/// A tournament with a pause, a match that was voided while it was open, and a bot that was disqualified.
struct Ruled {
    server: Server,
    id: String,
    voided: String,
    /// A manifest from the pause.
    so_far: PathBuf,
    folder: PathBuf,
}

fn ruled(name: &str) -> Ruled {
    let (server, folder) = (Server::start(), empty_folder(name));
    let create = ["tournament", "create", "--seats", "2", "--piles", "2,3", "--piles", "4", "--title", "Cup"];
    let id = server.word(&[&create[..], &["--concurrency", "2"]].concat());
    let kinds = ["greedy", "timid", "loyal"];
    let tokens = kinds.map(|bot| {
        let token = server.word(&["bot", "register", bot]);
        server.printed(&["tournament", "join", &id, "--bot", bot]);
        token
    });
    server.printed(&["tournament", "start", &id]);
    server.printed(&["tournament", "pause", &id, "--freeze"]);
    let open = server.json(&["match", "list", "--tournament", &id])["matches"][0].clone();
    let voided = open["id"].as_str().unwrap().to_owned();
    server.printed(&["tournament", "void", &id, "--match", &voided, "--reason", "the network was down"]);
    let out = ["tournament", "disqualify", &id, "--bot", "loyal", "--reason", "it asks greedy"];
    server.printed(&[&out[..], &["--results", "stand"]].concat());
    let so_far = folder.join("so-far.manifest");
    let fetched = server.printed(&["tournament", "manifest", &id, "--output", so_far.to_str().unwrap()]);
    assert!(fetched.contains("interim manifest, running, ") && fetched.contains(", signed by "), "{fetched}");
    let playing: Vec<_> = kinds
        .iter()
        .zip(&tokens)
        .map(|(kind, token)| server.begin(&["bot", "run", kind, "--token", token, "--tournament", &id]))
        .collect();
    server.printed(&["tournament", "resume", &id]);
    server.json(&["tournament", "watch", &id]);
    drop(playing);
    Ruled { server, id, voided, so_far, folder }
}

impl Ruled {
    /// Writes the manifest and all records, and returns their paths.
    fn exported(&self) -> (PathBuf, PathBuf) {
        let (manifest, records) = (self.folder.join("cup.manifest"), self.folder.join("records"));
        let text = self.server.printed(&["tournament", "manifest", &self.id]);
        fs::write(&manifest, &text).unwrap();
        let again = ["tournament", "manifest", &self.id, "--output", manifest.to_str().unwrap()];
        self.server.printed(&again);
        assert_eq!(fs::read_to_string(&manifest).unwrap(), text, "it is the same again");
        self.server.printed(&[
            "record",
            "export",
            "--tournament",
            &self.id,
            "--dir",
            records.to_str().unwrap(),
        ]);
        (manifest, records)
    }

    /// Verifies a manifest with records, and returns the exit code and the verdict.
    fn verdict(&self, manifest: &Path, records: &Path) -> (i32, Value) {
        let given = [manifest, records].map(|path| path.to_str().unwrap());
        let process = self.server.begin(&["record", "verify", given[0], "--records", given[1], "--json"]);
        let output = process.finish(b"");
        (output.status.code().unwrap(), serde_json::from_slice(&output.stdout).unwrap())
    }
}

/// Returns the findings of each kind, by match.
fn findings_of(verdict: &Value, kind: &str) -> Vec<Value> {
    let findings = verdict["records"]["findings"].as_array().unwrap().iter();
    findings.filter(|finding| finding["finding"] == kind).map(|finding| finding["match_id"].clone()).collect()
}

fn flaws(verdict: &Value) -> usize {
    let findings = verdict["records"]["findings"].as_array().unwrap();
    findings.iter().filter(|finding| finding["is_flaw"] == json!(true)).count()
}

#[test]
fn records_are_compared_with_the_manifest_of_their_tournament() {
    let ruled = ruled("manifest-with-interventions");
    let (manifest, records) = ruled.exported();
    let (code, whole) = ruled.verdict(&manifest, &records);
    assert_eq!((code, &whole["verified"], &whole["so_far"]), (0, &json!(true), &json!(false)), "{whole}");
    assert_eq!((&whole["matches"], &whole["records"]["verified"]), (&json!(13), &json!(13)), "{whole}");
    assert_eq!(findings_of(&whole, "voided"), [json!(ruled.voided)]);
    assert_eq!((&whole["standings"]["follow"], flaws(&whole)), (&json!(true), 0));
    let key = ruled.server.printed(&["record", "key"]);
    let paths = [&manifest, &records].map(|path| path.to_str().unwrap());
    let report =
        ruled.server.printed(&["record", "verify", paths[0], "--records", paths[1], "--key", key.trim()]);
    assert!(
        report.contains("signed by the given key") && report.contains("the network was down"),
        "{report}"
    );
    assert!(report.contains("the standings follow from the records"), "{report}");

    // A record is removed.
    let mut files: Vec<_> = fs::read_dir(&records).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.retain(|file| !file.to_str().unwrap().contains(&ruled.voided));
    files.sort();
    let id_of = |file: &Path| json!(file.file_stem().unwrap().to_str().unwrap());
    let first = fs::read(&files[0]).unwrap();
    fs::remove_file(&files[0]).unwrap();
    let (code, verdict) = ruled.verdict(&manifest, &records);
    assert_eq!((code, findings_of(&verdict, "missing"), flaws(&verdict)), (1, vec![id_of(&files[0])], 1));
    assert_eq!((&verdict["verified"], &verdict["standings"]["follow"]), (&json!(false), &Value::Null));
    fs::write(&files[0], &first).unwrap();

    // One is changed: first one character, then the whole line.
    let text = String::from_utf8(fs::read(&files[1]).unwrap()).unwrap();
    fs::write(&files[1], text.replacen("\"greedy\"", "\"greeny\"", 1).replacen("\"timid\"", "\"tipid\"", 1))
        .unwrap();
    let (code, verdict) = ruled.verdict(&manifest, &records);
    assert_eq!(
        (code, findings_of(&verdict, "changed"), flaws(&verdict)),
        (1, vec![id_of(&files[1])], 1),
        "{verdict}"
    );
    fs::write(&files[1], &text).unwrap();

    // A record of another server is added as if it belonged to this tournament, with an id that the manifest does not
    // list.
    let listed = fs::read_to_string(&manifest).unwrap();
    let other_id = id_of(&files[2]).as_str().unwrap().to_owned();
    let incomplete =
        listed.lines().filter(|line| !line.contains(&other_id)).collect::<Vec<_>>().join("\n") + "\n";
    let shorter = ruled.folder.join("shorter.manifest");
    fs::write(&shorter, incomplete).unwrap();
    let (code, verdict) = ruled.verdict(&shorter, &records);
    assert_eq!(
        (code, findings_of(&verdict, "added"), &verdict["flaws"]),
        (1, vec![json!(other_id)], &json!(["signature"]))
    );
    // Both the line and the record are left out, but the schedule shows that the match was played.
    let aside = fs::read(&files[2]).unwrap();
    fs::remove_file(&files[2]).unwrap();
    let (code, verdict) = ruled.verdict(&shorter, &records);
    let omitted: Vec<_> = verdict["records"]["findings"].as_array().unwrap().iter().collect();
    assert!(code == 1 && omitted.iter().any(|finding| finding["finding"] == "omitted"), "{verdict}");
    fs::write(&files[2], aside).unwrap();

    // An event of the manifest is changed, so the signature does not match.
    let changed = ruled.folder.join("changed.manifest");
    fs::write(&changed, listed.replacen("it asks greedy", "it asks nobody", 1)).unwrap();
    let (code, verdict) = ruled.verdict(&changed, &records);
    assert_eq!((code, &verdict["flaws"], &verdict["signer"]), (1, &json!(["signature"]), &Value::Null));
    // A change of a result also shows in the standings.
    fs::write(&changed, listed.replacen("DISQUALIFIED_RESULTS_STAND", "DISQUALIFIED_RESULTS_ANNUL", 1))
        .unwrap();
    let (code, verdict) = ruled.verdict(&changed, &records);
    assert_eq!((code, &verdict["standings"]["follow"]), (1, &json!(false)));
    assert!(!verdict["standings"]["differences"].as_array().unwrap().is_empty(), "{verdict}");

    // Records of other tournaments and a manifest among the records are skipped.
    let other = ruled.server.play_out(["random", "oracle"]);
    let all = records.to_str().unwrap();
    ruled.server.printed(&["record", "export", "--tournament", &other, "--dir", all]);
    fs::copy(&manifest, records.join("cup.jsonl")).unwrap();
    let (code, verdict) = ruled.verdict(&manifest, &records);
    assert_eq!((code, &verdict["records"]["of_other_tournaments"]), (0, &json!(4)), "{verdict}");
}

#[test]
fn matches_after_an_interim_manifest_are_not_flaws() {
    let ruled = ruled("manifest-so-far");
    let (_, records) = ruled.exported();
    let (code, verdict) = ruled.verdict(&ruled.so_far, &records);
    assert_eq!((code, &verdict["so_far"], flaws(&verdict)), (0, &json!(true), 0), "{verdict}");
    let later = findings_of(&verdict, "later").len() as u64;
    let verified = verdict["records"]["verified"].as_u64().unwrap();
    assert_eq!(later + verified, 13, "each record is in it or later: {verdict}");
    assert!(later > 0 && verdict["standings"]["follow"] == json!(true), "{verdict}");
}

#[test]
fn unusable_manifests_and_keys_are_named() {
    let ruled = ruled("manifest-refusals");
    let (manifest, records) = ruled.exported();
    let [manifest, records] = [&manifest, &records].map(|path| path.to_str().unwrap());
    let record = fs::read_dir(records).unwrap().next().unwrap().unwrap().path();
    let record = record.to_str().unwrap();
    let (code, why) = ruled.server.refused(&["record", "verify", record, "--records", records]);
    assert!(code == 2 && why.contains("not a manifest"), "{why}");
    let (code, why) = ruled.server.refused(&["record", "verify", manifest, manifest, "--records", records]);
    assert!(code == 2 && why.contains("give one manifest"), "{why}");
    let (code, why) = ruled.server.refused(&["record", "verify", manifest, "--records", "no-such-folder"]);
    assert!(code == 1 && why.contains("no-such-folder"), "{why}");
    let (code, why) = ruled.server.refused(&["tournament", "manifest", super::NOBODY]);
    assert!(code == 1 && why.contains("no tournament has the id"), "{why}");
    // Without `--records`, a manifest and a record are verified separately.
    let report = ruled.server.printed(&["record", "verify", manifest, record]);
    assert!(report.contains("manifest of tournament") && report.contains("intact, "), "{report}");
    let other = "11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo=";
    let output = ruled.server.begin(&["record", "verify", "--key", other, manifest]).finish(b"");
    let report = String::from_utf8(output.stdout).unwrap();
    assert!(output.status.code() == Some(1) && report.contains("signed by another key"), "{report}");
}
