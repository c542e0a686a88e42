//! What version 0.1.0 left: see `tests/data/v0.1.0/README.md`.

use lastnim_proto::{json::message_to_json, pb};
use serde_json::Value;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

/// What is meant for people, and may be said in other words at any time.
const PROSE: &str = "message";
/// The house bot that has no part in what is still open.
const HOSTILE: &str = "hostile";

/// What one run of version 0.1.0 left.
#[derive(Debug)]
pub struct OldData(PathBuf);

/// A house bot that plays until this is dropped.
#[derive(Debug)]
pub struct HouseBot(Child);

impl Drop for HouseBot {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

impl OldData {
    /// Names the folder of a run.
    pub fn new(run: &str) -> Self {
        Self(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/v0.1.0").join(run))
    }

    pub fn file(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }

    pub fn text(&self, name: &str) -> String {
        let file = self.file(name);
        fs::read_to_string(&file).unwrap_or_else(|error| panic!("{}: {error}", file.display()))
    }

    /// Reads a file with a JSON value in each line.
    pub fn lines(&self, name: &str) -> Vec<Value> {
        self.text(name).lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }

    /// Returns the lines of the records of a file, by the ids of their matches.
    pub fn records(&self, name: &str) -> BTreeMap<String, String> {
        self.text(name).lines().map(|line| (id_of(line), line.to_owned())).collect()
    }

    /// Returns the public key of the server.
    pub fn public_key(&self) -> String {
        self.text("key.txt").trim().to_owned()
    }

    /// Lets the bots come back with their old tokens.
    pub fn bring_bots_back(&self, address: &str) -> Vec<HouseBot> {
        let bots = self.text("bots.txt");
        let bots = bots.lines().map(|line| {
            let mut words = line.split(' ').skip(1);
            (words.next().unwrap(), words.next().unwrap())
        });
        let play = |(house, token): (&str, &str)| {
            let mut command = Command::new(env!("CARGO_BIN_EXE_lastnim"));
            command.args(["bot", house, "--server", address]).env("LASTNIM_TOKEN", token);
            HouseBot(command.stdin(Stdio::null()).stdout(Stdio::null()).spawn().unwrap())
        };
        bots.filter(|&(house, _)| house != HOSTILE).map(play).collect()
    }
}

/// Returns the id of the match of a record.
fn id_of(record: &str) -> String {
    let record: Value = serde_json::from_str(record).unwrap();
    record["match_id"].as_str().unwrap().to_owned()
}

/// Checks that a tournament is what version 0.1.0 printed.
pub fn check_tournament(printed: &Value, today: &pb::GetTournamentResponse) {
    let mut today = message_to_json(today);
    let mut tournament = today["tournament"].take();
    for beside in ["field_history", "verdict"] {
        tournament[beside] = today[beside].take();
    }
    // What is a choice in the settings stood in a place of its own.
    let settings = tournament["settings"].clone();
    tournament["settings"]["format"] = settings.clone();
    if !printed["settings"]["other_positions"].is_null() {
        tournament["settings"]["other_positions"] = settings;
    }
    check_agreement(printed, &tournament);
}

/// Checks that the standings of a tournament are what version 0.1.0 printed.
pub fn check_standings(printed: &Value, today: &pb::GetStandingsResponse) {
    check_agreement(printed, &message_to_json(today));
}

/// Checks that a match is what version 0.1.0 printed.
pub fn check_match(printed: &Value, today: &pb::Match) {
    let winner = printed["winner"].as_u64().map(|seat| u32::try_from(seat).unwrap());
    assert_eq!(today.winner, winner, "{printed}");
    let mut today = message_to_json(today);
    // What the setup says stood beside the rest.
    let setup = today["setup"].take();
    for (key, value) in setup.as_object().unwrap() {
        today[key] = value.clone();
    }
    check_agreement(printed, &today);
}

fn check_agreement(printed: &Value, today: &Value) {
    assert!(agrees(printed, today), "version 0.1.0 printed\n{printed:#}\nand now it is\n{today:#}");
}

/// Returns whether today's JSON says all that version 0.1.0 printed. There, a message that holds one list was that list, and
/// some defaults were null.
fn agrees(printed: &Value, today: &Value) -> bool {
    match (printed, today) {
        (Value::Object(printed), Value::Object(_) | Value::Null) => {
            printed.iter().all(|(key, value)| key == PROSE || agrees(value, &today[name_of_today(key)]))
        }
        (Value::Array(printed), Value::Array(today)) => {
            printed.len() == today.len()
                && printed.iter().zip(today).all(|(printed, today)| agrees(printed, today))
        }
        (Value::Array(_), Value::Object(message)) if message.len() == 1 => {
            message.values().all(|list| agrees(printed, list))
        }
        (Value::Number(printed), Value::Number(today)) if printed.is_f64() => {
            is_close(printed.as_f64(), today.as_f64())
        }
        (printed, today) => is_default(printed) && is_default(today) || printed == today,
    }
}

/// Returns what a field that version 0.1.0 named is called now.
fn name_of_today(field: &str) -> &str {
    match field {
        "set_aside" => "suspended",
        "set_aside_after" => "suspend_after",
        other => other,
    }
}

/// Returns whether two figures differ by no more than reading and writing them can change.
fn is_close(one: Option<f64>, other: Option<f64>) -> bool {
    one.zip(other).is_some_and(|(one, other)| (one - other).abs() <= 1e-12 * one.abs())
}

/// Returns whether a value says nothing.
fn is_default(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::Bool(value) => !value,
        Value::Number(value) => value.as_f64() == Some(0.0),
        Value::String(value) => value.is_empty() || value == "unspecified",
        Value::Array(value) => value.is_empty(),
        Value::Object(value) => value.is_empty(),
    }
}

#[test]
fn what_differs_is_seen() {
    let agree = |printed: &str, today: &str| {
        agrees(&serde_json::from_str(printed).unwrap(), &serde_json::from_str(today).unwrap())
    };
    let printed = r#"{"a": 18446744073709551615, "b": "all_forfeited", "c": [[1, 2]], "d": 0.1, "e": 0, "f": null, "g": []}"#;
    let today = r#"{"a": 18446744073709551615, "b": "all_forfeited", "c": {"rows": [{"offsets": [1, 2]}]}, "d": 0.1, "f": "unspecified"}"#;
    assert!(agree(printed, today));
    for (from, to) in [
        ("615", "614"),
        ("all_forfeited", "cancelled"),
        ("[1,", "[2,"),
        (", 2", ""),
        ("0.1", "0.2"),
        ("0.1", "0.1, \"e\": 1"),
        ("unspecified", "cancelled"),
        ("0.1", "0.1, \"g\": {\"rows\": [1]}"),
        (", \"d\": 0.1", ""),
    ] {
        let changed = today.replacen(from, to, 1);
        assert!(changed != today && !agree(printed, &changed), "{changed}");
    }
}
