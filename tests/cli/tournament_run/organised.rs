//! A run on its own server, managed from another terminal with the tournament's file.

use super::{
    folder::{Folder, SMALL, endless, house},
    running::{Running, lastnim, run, run_command, soon},
};
use serde_json::Value;
use std::{fs, os::unix::fs::PermissionsExt as _, path::Path, process::Output};

const LADDER: &str = "title = \"Ladder\"\nseats = 2\nseed = 3\nclock = \"1m\"\ndeclare_within = \"1m\"\n\
     [format]\nkind = \"ladder\"\n[positions]\nlist = [[3, 4, 5], [2, 2]]\n";

fn ask(file: &Path, words: &[&str]) -> Output {
    let mut command = lastnim(&["tournament", words[0], "--json"]);
    command.arg(file).args(&words[1..]).output().unwrap()
}

fn answer(file: &Path, words: &[&str]) -> Value {
    let output = ask(file, words);
    assert!(output.status.success(), "{output:?}");
    serde_json::from_slice(&output.stdout).unwrap()
}

fn refusal(file: &Path, words: &[&str], code: i32) -> String {
    let output = ask(file, words);
    assert_eq!(output.status.code(), Some(code), "{output:?}");
    // The log may first warn about a readable token.
    let error_text = String::from_utf8(output.stderr).unwrap();
    let error: Value = serde_json::from_str(error_text.lines().last().unwrap_or_default()).unwrap();
    error["error"]["message"].as_str().unwrap().to_owned()
}

#[test]
fn an_open_ended_ladder_is_finished_by_its_file() {
    let folder = Folder::new("finished-ladder");
    let bots = house("first", "oracle") + &house("second", "greedy") + &house("third", "timid");
    let file = folder.write("ladder.toml", &(LADDER.to_owned() + &bots));
    let shown = file.display().to_string();
    assert_eq!(
        refusal(&file, &["finish"], 2),
        format!("{shown}: this tournament has not started: `lastnim tournament run {shown}` starts it")
    );
    let mut running = Running::start(&mut run_command(&file, &[]));
    running.wait_for_line(&format!("lastnim tournament finish {shown}"));
    soon("matches are played", || {
        answer(&file, &["show"])["tournament"]["matches_played"].as_u64() > Some(5)
    });
    let token = folder.path("ladder.run/secrets/lastnim.admin-token");
    assert_eq!(fs::metadata(&token).unwrap().permissions().mode() & 0o777, 0o600);

    let paused = answer(&file, &["pause", "--freeze"]);
    assert_eq!(paused["tournament"]["pause"], "freeze");
    running.wait_for_line("paused: lastnim tournament resume");
    let activity = answer(&file, &["show"])["activity"].clone();
    assert_eq!((&activity["connected_bots"], &activity["absent_bots"]), (&3.into(), &0.into()), "{activity}");
    assert!(activity["time_left"].is_null(), "a ladder is open-ended: {activity}");
    answer(&file, &["disqualify", "--bot", "third", "--results", "stand", "--reason", "it is slow"]);
    answer(&file, &["resume"]);
    running.wait_for_line("resumed");
    answer(&file, &["finish"]);
    let result = running.finish().result();
    assert_eq!(result["tournament"]["state"], "finished");
    assert_eq!(result["events"].as_array().unwrap().len(), 4, "{result}");

    assert!(!token.exists(), "its server is gone");
    assert_eq!(answer(&file, &["show"])["tournament"], result["tournament"]);
    // The files are as after a killed run.
    fs::write(&token, "lastnim_0123456789abcdef\n").unwrap();
    assert_eq!(answer(&file, &["standings"])["standings"], result["standings"]);
    let elsewhere = refusal(&file, &["show", "--server", "127.0.0.1:1"], 2);
    assert!(
        elsewhere.contains("started on its own server: use neither --server nor LASTNIM_SERVER"),
        "{elsewhere}"
    );
}

#[test]
fn a_running_tournament_is_shown_with_its_activity() {
    let folder = Folder::new("activity");
    let bots = house("first", "oracle") + &house("second", "greedy");
    let file = folder.write("cup.toml", &(endless() + &bots));
    let mut running = Running::start(&mut run_command(&file, &[]));
    running.wait_for_line("Long begins");
    let mut activity = Value::Null;
    soon("a match is over", || {
        activity = answer(&file, &["show"])["activity"].clone();
        activity["time_left"]["paced_matches"].as_u64() > Some(0)
    });
    let left = &activity["time_left"];
    assert!(left["estimate_ms"].as_u64() < left["longest_ms"].as_u64(), "{activity}");
    let text = lastnim(&["tournament", "show"]).arg(&file).output().unwrap();
    let text = String::from_utf8(text.stdout).unwrap();
    for words in ["Current activity", "connected", "2 of 2 bots", "according to the clocks"] {
        assert!(text.contains(words), "{text}");
    }
    answer(&file, &["cancel"]);
    running.finish().result();
}

#[test]
fn a_run_that_was_stopped_before_its_end_shows_no_results() {
    let folder = Folder::new("stopped");
    let file =
        folder.write("cup.toml", &(endless() + &house("first", "oracle") + &house("second", "greedy")));
    let shown = file.display();
    let mut running = Running::start(&mut run_command(&file, &[]));
    running.wait_for_line("Long begins");
    running.signal("KILL");
    running.finish();
    let stopped = format!(
        "{shown}: its tournament is not being run, and its server exists only during a run: `lastnim tournament run {shown}` continues it"
    );
    assert_eq!(refusal(&file, &["show"], 1), stopped);
    assert_eq!(refusal(&file, &["standings"], 1), stopped);
}

#[test]
fn a_run_writes_its_result_into_files() {
    let folder = Folder::new("results");
    let file =
        folder.write("cup.toml", &(SMALL.to_owned() + &house("first", "oracle") + &house("second", "timid")));
    let paths = ["standings.csv", "cup.json", "cup.txt"].map(|name| folder.path(name));
    let results = paths.each_ref().map(|path| format!("--result={}", path.display()));
    let result = run(&file, &results.each_ref().map(String::as_str)).result();
    let json: Value = serde_json::from_str(&folder.read("cup.json")).unwrap();
    assert_eq!(json, result);
    let csv = folder.read("standings.csv");
    assert_eq!(csv.matches("\r\n").count(), 3, "{csv}");
    let mut reader = csv::Reader::from_reader(csv.as_bytes());
    let lines: Vec<_> = reader.records().map(Result::unwrap).collect();
    for (line, standing) in lines.iter().zip(result["standings"].as_array().unwrap()) {
        assert_eq!(
            (line[0].parse().ok(), &line[2]),
            (standing["place"].as_u64(), standing["bot"].as_str().unwrap())
        );
        assert!(line[3].parse::<f64>().is_ok(), "{line:?}");
    }
    let text = folder.read("cup.txt");
    assert!(text.starts_with("title      Small\nresult     "), "{text}");
    assert!(text.lines().all(|line| line.chars().count() <= 72), "{text}");
    let printed = lastnim(&["tournament", "standings", "--text"]).arg(&file).output().unwrap();
    assert_eq!(String::from_utf8(printed.stdout).unwrap(), text);
}

#[test]
fn a_result_that_cannot_be_written_is_refused_before_the_run() {
    let folder = Folder::new("bad-results");
    let file =
        folder.write("cup.toml", &(SMALL.to_owned() + &house("first", "oracle") + &house("second", "timid")));
    let (nowhere, this) = (folder.path("nowhere"), folder.path("here.csv"));
    fs::create_dir(&this).unwrap();
    for (result, why) in [
        (
            "cup.xls".to_owned(),
            "expected a file that ends in .csv, .json or .txt, such as result.csv".to_owned(),
        ),
        (
            format!("{}/cup.csv", nowhere.display()),
            format!("there is no folder {}: create it first", nowhere.display()),
        ),
        (this.display().to_string(), "this is a folder: name a file".to_owned()),
    ] {
        let ended = run(&file, &["--result", &result]);
        assert!(ended.failure(2).contains(&why), "{}", ended.stderr);
        assert!(!folder.path("cup.run").exists());
    }
}
