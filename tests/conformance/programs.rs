//! The command, with programs that play and programs that do not.

use serde_json::Value;
use std::{
    env,
    process::{Command, Output},
    time::{Duration, Instant},
};

const LASTNIM: &str = env!("CARGO_BIN_EXE_lastnim");
/// The exit code of `tests/python/prepare` if Python is missing.
const NO_PYTHON: i32 = 3;

fn conformance(arguments: &[&str]) -> Output {
    let mut command = Command::new(LASTNIM);
    command.args(["check", "conformance"]).args(arguments).env("PYTHONPATH", "target/python/stubs");
    command.output().expect("the program runs")
}

/// Asserts that a program passes every check. New bots need one more test that calls this.
fn assert_passes(command: &[&str]) {
    let output = conformance(&[&["--json", "--patience", "60s", "--"], command].concat());
    let found: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let passed = found["passed"].as_u64();
    assert_eq!((output.status.code(), passed), (Some(0), Some(34)), "{found:#}");
}

#[test]
fn a_house_bot_passes() {
    assert_passes(&["lastnim", "bot", "run", "oracle"]);
}

#[test]
fn the_python_bot_passes() {
    let prepared = Command::new("tests/python/prepare").output().expect("bash runs tests/python/prepare");
    if prepared.status.code() == Some(NO_PYTHON) && env::var("CI").as_deref() != Ok("true") {
        eprintln!("skipped: this machine has no python3 with venv (CI=true makes that a failure)");
        return;
    }
    assert!(prepared.status.success(), "tests/python/prepare: {}", String::from_utf8_lossy(&prepared.stderr));
    assert_passes(&["target/python/venv/bin/python", "tests/python/bot.py"]);
}

/// Returns the report and what the first failing check got.
fn failed_run(patience: &str, command: &[&str]) -> (Value, String) {
    let began = Instant::now();
    let output = conformance(&[&["--json", "--patience", patience, "--"], command].concat());
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    assert!(began.elapsed() < Duration::from_mins(1), "{output:?}");
    let found: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let got = found["checks"][0]["failure"]["got"].as_str().expect("the first check fails").to_owned();
    (found, got)
}

#[test]
fn a_program_that_does_not_play_is_skipped_after_the_first_check() {
    let (found, got) = failed_run("30s", &["sh", "-c", "echo no plan >&2; exit 7"]);
    assert_eq!(got, "the program ended (exit status: 7)");
    assert_eq!((&found["failed"], &found["skipped"]), (&1.into(), &33.into()));
    assert_eq!(found["checks"][0]["failure"]["output"][0], "no plan");
    let (_, got) = failed_run("2s", &["sleep", "600"]);
    assert_eq!(got, "no call; if the program starts slowly, raise --patience");
    let (_, got) = failed_run("2s", &["sh", "-c", "cat /dev/zero"]);
    assert_eq!(got, "no call; if the program starts slowly, raise --patience");
}

#[test]
fn a_program_gets_only_the_variables_that_are_passed() {
    let mut command = Command::new(LASTNIM);
    command.args(["check", "conformance", "--json", "--patience", "30s", "--pass-env", "GIVEN_KEY", "--"]);
    command.args(["sh", "-c", "echo \"$GIVEN_KEY, $OPENAI_API_KEY.\" >&2; exit 7"]);
    let output = command.env("GIVEN_KEY", "given").env("OPENAI_API_KEY", "secret").output().unwrap();
    let found: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert_eq!(found["checks"][0]["failure"]["output"][0], "given, .");
}

#[test]
fn a_failed_run_leaves_no_processes() {
    let mark = format!("86{}", std::process::id());
    failed_run("2s", &["sh", "-c", &format!("sleep {mark} & trap '' TERM; sleep {mark}; sleep {mark}")]);
    failed_run("30s", &["sh", "-c", &format!("sleep {mark} & trap '' TERM; sleep {mark} & exit 3")]);
    let began = Instant::now();
    loop {
        let listed = Command::new("ps").args(["-eo", "args"]).output().expect("ps runs");
        let listed = String::from_utf8_lossy(&listed.stdout);
        if !listed.lines().any(|line| line.starts_with(&format!("sleep {mark}"))) {
            break;
        }
        // A killed process may still be listed for a moment.
        assert!(began.elapsed() < Duration::from_mins(1), "{listed}");
    }
}

#[test]
fn the_command_line_is_checked() {
    for (arguments, complaint) in [
        (&["--", "no-such-program"][..], "error: no-such-program: there is no such program in PATH\n"),
        (&["--only", "seat", "--", "true"], "no check has this name; did you mean seats?\n"),
        (&["--jobs", "0", "--", "true"], "0 is not in 1..=64\n"),
        (
            &["--pass-env", "NOT_SET", "--", "true"],
            "'NOT_SET' for '--pass-env <VARIABLE>': this variable is not set",
        ),
        (&["--pass-env", "LASTNIM_TOKEN", "--", "true"], "lastnim sets this variable for each bot"),
        (&["--list", "--pass-env", "PATH"], "COMMAND"),
        (&[], "COMMAND"),
    ] {
        let output = conformance(arguments);
        let message = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{message}");
        assert!(message.contains(complaint), "{message}");
    }
}
