//! What the README shows is what the program does.

use serde_json::Value;
use std::{
    env,
    path::Path,
    process::{Command, Stdio},
};

const LASTNIM: &str = env!("CARGO_BIN_EXE_lastnim");
const README: &str = include_str!("../README.md");

/// Returns the README's blocks of a language.
fn blocks(language: &str) -> impl Iterator<Item = &'static str> {
    let opening = format!("```{language}\n");
    README.match_indices("```").step_by(2).filter_map(move |(start, _)| {
        let body = README[start..].strip_prefix(&opening)?;
        Some(&body[..body.find("```").expect("a block that begins ends")])
    })
}

/// Returns the text that begins with a word, as it is shown.
fn shown(beginning: &str) -> &'static str {
    let mut blocks = blocks("text").filter(|block| block.starts_with(beginning));
    let block = blocks.next().unwrap_or_else(|| panic!("no block of the README begins with {beginning:?}"));
    assert_eq!(blocks.next(), None, "two blocks begin with {beginning:?}");
    block
}

/// Runs a line in a shell that finds the program by its name, and returns what it prints.
fn run(line: &str) -> String {
    let directory = Path::new(LASTNIM).parent().unwrap().to_owned();
    let path = env::var_os("PATH").unwrap();
    let path = env::join_paths([directory].into_iter().chain(env::split_paths(&path))).unwrap();
    let mut shell = Command::new("sh");
    shell.args(["-c", line]).env("PATH", path).stdin(Stdio::null());
    // That a server stood still is said on a busy machine, and is no fault of the line.
    shell.env("LASTNIM_LOG", "error");
    let output = shell.output().unwrap();
    let errors = String::from_utf8(output.stderr).unwrap();
    assert_eq!((output.status.code(), errors.as_str()), (Some(0), ""), "{line}");
    String::from_utf8(output.stdout).unwrap()
}

/// Returns the lines of the README's shell blocks that ask the oracle something by themselves.
fn questions() -> Vec<&'static str> {
    let asks = |line: &&str| {
        ["solve", "tree", "declarations", "audit"]
            .iter()
            .any(|word| line.contains(&format!("lastnim {word} ")))
    };
    // Records need a server that played the matches.
    let needs_records = |line: &&str| line.contains("MATCH_ID") || line.contains("records");
    blocks("sh").flat_map(str::lines).filter(asks).filter(|line| !needs_records(line)).collect()
}

#[test]
fn the_demo_prints_what_is_shown() {
    assert_eq!(run("lastnim demo"), shown("The house bots"));
}

#[test]
fn the_rust_bot_is_the_example() {
    let example = include_str!("../examples/rust-bot/src/main.rs");
    let shown: Vec<_> = blocks("rust,no_run").collect();
    assert_eq!(shown.len(), 1, "{shown:?}");
    assert!(example.ends_with(shown[0]), "{example}");
}

#[test]
fn the_audit_prints_what_is_shown() {
    let audits: Vec<_> = questions().into_iter().filter(|line| line.contains("lastnim audit")).collect();
    assert_eq!(audits.len(), 1, "{audits:?}");
    assert_eq!(run(audits[0]), shown("Seat 1 won"));
}

#[test]
fn what_is_asked_of_the_oracle_is_answered() {
    assert!(questions().len() >= 8, "{:?}", questions());
    for line in questions() {
        assert!(!run(line).is_empty(), "{line}");
    }
}

#[test]
fn the_cup_that_is_shown_has_no_mistake() {
    let cups: Vec<_> = blocks("toml").collect();
    assert_eq!(cups.len(), 1, "{cups:?}");
    let file = env::temp_dir().join(format!("lastnim-readme-{}.toml", std::process::id()));
    std::fs::write(&file, cups[0]).unwrap();
    let told = run(&format!("lastnim tournament check '{}'", file.display()));
    std::fs::remove_file(&file).unwrap();
    assert!(told.contains("\nmatches    36\n"), "{told}");
}

#[test]
fn the_demo_can_be_read_by_programs() {
    let demo: Value = serde_json::from_str(&run("lastnim demo --json --seed 7")).unwrap();
    let keys = |value: &Value| value.as_object().unwrap().keys().cloned().collect::<Vec<_>>();
    assert_eq!(
        keys(&demo),
        ["tournament", "matches", "plies", "errors", "won_as_predicted", "standings", "worst_errors"]
    );
    let tournament = &demo["tournament"];
    let settings = &tournament["settings"];
    assert_eq!((&settings["seats"], &settings["seed"]), (&3.into(), &7.into()));
    assert_eq!(tournament["field"].as_array().unwrap().len(), 6);
    assert_eq!(settings["positions"].as_array().unwrap().len(), 12);
    assert_eq!(demo["matches"], 720);

    let standings = demo["standings"].as_array().unwrap();
    assert_eq!(standings.len(), 6);
    let wins: u64 = standings.iter().map(|line| line["wins"].as_u64().unwrap()).sum();
    assert_eq!(wins, 720, "every match has one winner");
    for line in standings {
        for key in ["place", "bot", "points", "matches", "wins", "accuracy", "luck_per_match", "forfeits"] {
            assert!(line.get(key).is_some(), "no {key:?} in {line}");
        }
    }
    let (errors, plies) = (demo["errors"].as_u64().unwrap(), demo["plies"].as_u64().unwrap());
    assert!(0 < errors && errors < plies, "{errors} of {plies}");

    let worst = demo["worst_errors"].as_array().unwrap();
    assert_eq!(worst.len(), 3);
    for error in worst {
        assert_eq!(keys(error), ["match_id", "setup", "alliance_matrix", "bot", "ply", "explanation"]);
        assert!(error["ply"]["regret"].as_u64() > Some(0), "{error}");
    }
}
