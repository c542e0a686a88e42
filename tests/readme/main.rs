//! The README and the first chapters of the book, followed step by step.
//!
//! On these pages, a block of `sh` is run. A block that begins with a comment with the name of a file is written to
//! that file. A block of `text` is the output of the block before it; a line `...` matches any lines. A block below the
//! heading of a language is a step for that language only.

mod page;
mod reader;
#[path = "../llm/scripted_endpoint.rs"]
#[expect(dead_code, reason = "the tests of language models use the rest")]
mod scripted_endpoint;

use page::{Page, Track, is_shown};
use reader::Reader;
use serde_json::Value;
use std::process::{Command, Stdio};

const LASTNIM: &str = env!("CARGO_BIN_EXE_lastnim");
const README: Page = Page { name: "README.md", text: include_str!("../../README.md") };
const FIRST_BOT: Page = Page { name: "first-bot.md", text: include_str!("../../docs/start/first-bot.md") };
const FIRST_TOURNAMENT: Page =
    Page { name: "first-tournament.md", text: include_str!("../../docs/start/first-tournament.md") };
const FIRST_AI_TOURNAMENT: Page =
    Page { name: "first-ai-tournament.md", text: include_str!("../../docs/start/first-ai-tournament.md") };

/// Follows a page in an empty folder, and returns its reader.
fn follow(page: &Page, track: Track) -> Reader {
    let mut reader = Reader::in_empty_folder(page, track);
    for block in page.blocks() {
        if block.track == Track::Common || block.track == track {
            reader.take_step(&block);
        }
    }
    reader
}

#[test]
fn the_readme_works() {
    follow(&README, Track::Common);
}

#[test]
fn the_first_tournament_works() {
    follow(&FIRST_TOURNAMENT, Track::Common);
}

#[test]
fn the_first_ai_tournament_works() {
    let reader = follow(&FIRST_AI_TOURNAMENT, Track::Common);
    let published = reader.open_page(reader.last_line());
    assert!(["Models", "qwen", "llama", "greedy", "finished"].iter().all(|word| published.contains(word)));
    let (_, match_id) = published.split_once("href=\"/matches/").expect("the page links to matches");
    let (match_id, _) = match_id.split_once('"').unwrap();
    let match_page = reader.open_page(&format!("/matches/{match_id}"));
    assert!(match_page.contains("/transcript?"), "the page of a match has no transcript:\n{match_page}");
}

#[test]
fn a_bot_from_the_protos_works() {
    let venv = Command::new("python3").args(["-c", "import ensurepip, venv"]).stderr(Stdio::null()).status();
    if !venv.is_ok_and(|status| status.success()) && std::env::var("CI").as_deref() != Ok("true") {
        eprintln!("skipped: this machine has no python3 with venv (CI=true makes that a failure)");
        return;
    }
    follow(&README, Track::AnyLanguage);
}

#[test]
#[ignore = "python/ci runs it: it builds and installs the wheel"]
fn python_steps() {
    follow(&README, Track::Python);
    follow(&FIRST_BOT, Track::Python);
}

#[test]
#[ignore = "typescript/ci runs it: it needs npm and its registry"]
fn typescript_steps() {
    follow(&README, Track::TypeScript);
    follow(&FIRST_BOT, Track::TypeScript);
}

#[test]
#[ignore = ".ci/run runs it: it builds the client again, as a bot author does"]
fn rust_steps() {
    follow(&README, Track::Rust);
    follow(&FIRST_BOT, Track::Rust);
}

#[test]
fn the_steps_of_every_language_run_in_a_ci_script() {
    for (script, text, test) in [
        ("python/ci", include_str!("../../python/ci"), "python_steps"),
        ("typescript/ci", include_str!("../../typescript/ci"), "typescript_steps"),
        (".ci/run", include_str!("../../.ci/run"), "rust_steps"),
    ] {
        assert!(text.contains(&format!("cargo test --test readme -- --ignored {test}")), "{script}");
    }
    for page in [&FIRST_TOURNAMENT, &FIRST_AI_TOURNAMENT] {
        assert!(page.blocks().all(|block| block.track == Track::Common), "{}", page.name);
    }
    assert!(FIRST_BOT.blocks().all(|block| block.track != Track::AnyLanguage));
}

#[test]
fn the_rust_bot_in_the_readme_is_the_example() {
    let example = include_str!("../../examples/rust-bot/src/main.rs");
    let shown: Vec<_> = README.blocks().filter(|block| block.language == "rust,no_run").collect();
    let [bot] = &shown[..] else { panic!("{shown:?}") };
    let (_, bot) = bot.text.split_once('\n').unwrap();
    assert!(example.ends_with(bot), "{example}");
}

#[test]
fn three_dots_match_any_lines() {
    assert!(is_shown("a\n...\nd\n", "a\nb\nc\nd\n") && is_shown("a\n...\nd\n", "a\nd\n"));
    assert!(is_shown("...\nb\n...\n", "a\nb\n") && is_shown("a\n", "a\n"));
    assert!(!is_shown("a\n", "a\nb\n") && !is_shown("a\n...\nd\n", "a\nd\ne\n"));
}

#[test]
fn the_demo_can_be_read_by_programs() {
    let output = Command::new(LASTNIM).args(["demo", "--json", "--seed", "7"]).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let demo: Value = serde_json::from_slice(&output.stdout).unwrap();
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
