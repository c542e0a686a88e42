//! After stops and crashes, the same command continues and reaches the result of an undisturbed run.

use super::{
    folder::{Folder, LASTNIM, LONG, house, program},
    running::{Running, lastnim, run, run_command, soon},
    silent,
    whole::deterministic_parts,
};
use serde_json::Value;
use std::{
    collections::BTreeMap,
    fs,
    sync::OnceLock,
    time::{Duration, Instant},
};

/// Returns a tournament of a few seconds in which one bot is a program.
fn tournament_text() -> String {
    let bots = house("first", "oracle")
        + &house("second", "greedy")
        + "[[bot]]\nname = \"drawn\"\nhouse = \"random\"\nseed = 7\n";
    LONG.to_owned() + &bots + &program("third", &[LASTNIM, "bot", "run", "loyal"])
}

/// The results of an undisturbed run.
struct Undisturbed {
    standings: String,
    /// By the number of the match.
    parts: BTreeMap<u64, String>,
}

impl Undisturbed {
    /// Plays the tournament once for all tests.
    fn get() -> &'static Self {
        static PLAYED: OnceLock<Undisturbed> = OnceLock::new();
        PLAYED.get_or_init(|| {
            let folder = Folder::new("undisturbed");
            let result = run(&folder.write("cup.toml", &tournament_text()), &[]).result();
            assert_eq!(result["tournament"]["matches_played"], 800);
            let standings = result["standings"].to_string();
            Self { standings, parts: deterministic_parts(&folder, "cup.run/lastnim.db") }
        })
    }
}

/// Returns the address that a run prints, and its tournament.
fn place(line: &str) -> (String, String) {
    let words: Vec<_> = line.split(' ').collect();
    let word_after =
        |word: &str| words[words.iter().position(|&other| other == word).unwrap() + 1].to_owned();
    (word_after("--server"), word_after("watch"))
}

/// Waits until some matches of a run have finished.
fn await_matches(running: &mut Running, matches: u64) {
    let (address, tournament) = place(&running.wait_for_line("lastnim tournament watch"));
    soon("matches are played", || {
        show_tournament(&address, &tournament)["matches_played"].as_u64() >= Some(matches)
    });
}

/// Returns a server's report on a tournament; null if the server cannot be reached.
fn show_tournament(address: &str, tournament: &str) -> Value {
    let shown = lastnim(&["tournament", "show", tournament, "--json", "--server", address]).output().unwrap();
    let shown: Value = serde_json::from_slice(&shown.stdout).unwrap_or_default();
    shown["tournament"].clone()
}

/// Returns how many processes have command lines that contain a string.
fn processes(text: &str) -> usize {
    let all = fs::read_dir("/proc").unwrap().filter_map(Result::ok);
    // Processes that end in the meantime do not matter.
    let lines = all.filter_map(|process| fs::read(process.path().join("cmdline")).ok());
    lines.filter(|line| String::from_utf8_lossy(line).replace('\0', " ").contains(text)).count()
}

#[test]
fn a_stopped_tournament_continues_with_the_same_results() {
    let folder = Folder::new("stopped");
    let expected = Undisturbed::get();
    let file = folder.write("cup.toml", &tournament_text());
    for (signal, matches) in [("INT", 40), ("TERM", 200)] {
        let mut running = Running::start(&mut run_command(&file, &[]));
        await_matches(&mut running, matches);
        running.signal(signal);
        let ended = running.finish();
        assert!(ended.failure(1).ends_with("run the same command again to continue"), "{}", ended.stderr);
        let printed: Value = serde_json::from_str(&ended.stdout).unwrap();
        assert_eq!(printed["tournament"]["state"], "running");
    }
    let ended = run(&file, &[]);
    assert!(ended.stderr.contains("Long continues: "), "{}", ended.stderr);
    let result = ended.result();
    assert_eq!(result["tournament"]["matches_played"], 800);
    assert_eq!(result["standings"].to_string(), expected.standings);
}

#[test]
fn a_killed_tournament_continues_and_its_programs_end_with_it() {
    let folder = Folder::new("killed");
    let expected = Undisturbed::get();
    // The shell keeps running, and can be found by its name.
    folder.script("third", &format!("'{LASTNIM}' bot run loyal; exit $?"));
    let script = format!("{}/./third", folder.as_path().canonicalize().unwrap().display());
    let text = tournament_text()
        .replace(&program("third", &[LASTNIM, "bot", "run", "loyal"]), &program("third", &["./third"]));
    let file = folder.write("cup.toml", &text);
    for matches in [40, 150] {
        let mut running = Running::start(&mut run_command(&file, &[]));
        await_matches(&mut running, matches);
        soon("a supervisor", || processes(&format!("supervise -- {script}")) == 1);
        running.signal("KILL");
        let ended = running.finish();
        assert_eq!(ended.status.code(), None, "{}", ended.stderr);
        soon("the program ends", || processes(&script) == 0);
    }
    let result = run(&file, &[]).result();
    assert_eq!(result["tournament"]["matches_played"], 800);
    assert_eq!(result["standings"].to_string(), expected.standings);
    let disturbed = deterministic_parts(&folder, "cup.run/lastnim.db");
    assert_eq!(disturbed.len(), 800);
    assert_eq!(disturbed, expected.parts, "every match was played once, as if nothing had been");
}

#[test]
fn a_program_that_ignores_sigterm_is_killed() {
    let folder = Folder::new("stubborn");
    folder.script("stubborn", "trap '' TERM INT HUP\nwhile :; do sleep 1; done");
    let text = LONG.to_owned() + &house("first", "oracle") + &program("third", &["./stubborn"]);
    let file = folder.write("cup.toml", &text);
    let script = format!("{}/./stubborn", folder.as_path().canonicalize().unwrap().display());
    for signal in ["INT", "KILL"] {
        let mut running = Running::start(&mut run_command(&file, &[]));
        running.wait_for_line("waiting for third");
        soon("the program and its supervisor", || processes(&script) == 2);
        running.signal(signal);
        running.finish();
        soon("it is ended", || processes(&script) == 0);
    }
}

#[test]
fn a_second_interrupt_does_not_wait_for_open_matches() {
    let folder = Folder::new("twice-interrupted");
    let text = LONG.to_owned() + &house("first", "oracle") + &program("third", &silent::command());
    let file = folder.write("cup.toml", &text);
    let mut running = Running::start(&mut run_command(&file, &[]));
    let (address, tournament) = place(&running.wait_for_line("lastnim tournament watch"));
    soon("the start", || show_tournament(&address, &tournament)["state"] == "running");
    running.signal("INT");
    running.wait_for_line("press Ctrl-C again to stop at once");
    let since = Instant::now();
    running.signal("INT");
    let ended = running.finish();
    assert!(ended.failure(1).ends_with("run the same command again to continue"), "{}", ended.stderr);
    assert!(since.elapsed() < Duration::from_secs(8), "{:?}: open matches have ten seconds", since.elapsed());
}
