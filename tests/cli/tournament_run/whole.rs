//! Complete runs: their output, files and reports; and that they are reproducible.

use super::{
    folder::{Folder, LASTNIM, SMALL, house, program, state_folder},
    running::{Running, lastnim, run, run_command},
    silent,
};
use serde_json::Value;
use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    os::unix::fs::PermissionsExt as _,
    process::Command,
};

#[test]
fn house_bots_and_a_program_finish_a_tournament() {
    let folder = Folder::new("whole");
    let bots = house("first", "oracle")
        + &house("second", "timid")
        + &program("third", &[LASTNIM, "bot", "run", "loyal"]);
    let file = folder.write("cup.toml", &(SMALL.to_owned() + &bots));
    let ended = run(&file, &[]);
    let result = ended.result();
    let tournament = &result["tournament"];
    assert_eq!((&tournament["state"], &tournament["matches_played"]), (&"finished".into(), &12.into()));
    let standings = result["standings"].as_array().unwrap();
    assert_eq!(standings.len(), 3);
    for line in standings {
        assert_eq!((&line["matches"], &line["forfeits"]), (&8.into(), &0.into()), "{line}");
        assert!(line["rating"]["points"].is_number(), "{line}");
    }
    assert!(ended.stderr.contains("Small begins: 3 bots, files in "), "{}", ended.stderr);
    assert!(ended.stderr.contains("; matches: 12\n"), "{}", ended.stderr);
    let log = folder.read("cup.run/third.log");
    assert!(log.contains("connected as third to lastnim"), "{log}");

    let again = run(&file, &[]);
    assert_eq!(again.result(), result);
    assert!(again.stderr.contains("this tournament is over; --fresh plays it again"), "{}", again.stderr);

    // The key and the tournament differ, but the lines are the same.
    let fresh = run(&file, &["--fresh"]).result();
    assert_ne!(fresh["tournament"]["id"], tournament["id"]);
    assert_eq!(fresh["standings"].to_string(), result["standings"].to_string());
}

#[test]
fn bots_that_do_not_talk_play_a_tournament_with_talk() {
    let folder = Folder::new("talk");
    let bots = house("first", "oracle") + &house("second", "timid");
    let talk = "alliance = \"declared\"\ntalk = { rounds = 3, round_time = \"1h\" }\n[positions]";
    let file = folder.write("cup.toml", &(SMALL.replace("[positions]", talk) + &bots));
    let checked = lastnim(&["tournament", "check"]).arg(&file).output().unwrap();
    let checked = String::from_utf8(checked.stdout).unwrap();
    let described = "3 rounds of at most 1h, texts of at most 500 characters; private messages stay private; at most 3h per match";
    assert!(checked.contains(described), "{checked}");
    let result = run(&file, &[]).result();
    let tournament = &result["tournament"];
    assert_eq!((&tournament["state"], &tournament["matches_played"]), (&"finished".into(), &4.into()));
    let talk = serde_json::json!({
        "rounds": 3, "round_ms": 3_600_000, "text_chars": 500, "privacy": "private", "pacts": false,
    });
    assert_eq!(tournament["settings"]["talk"], talk);
}

#[test]
fn text_output_shows_tables_and_the_folder_of_matches() {
    let folder = Folder::new("people");
    let file =
        folder.write("cup.toml", &(SMALL.to_owned() + &house("first", "oracle") + &house("second", "timid")));
    let mut command = lastnim(&["tournament", "run"]);
    let output = command.arg(&file).env("XDG_STATE_HOME", state_folder(folder.as_path())).output().unwrap();
    let printed = String::from_utf8(output.stdout).unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let mut lines = printed.lines();
    assert!(lines.next().unwrap().ends_with(": finished, 4 of 4 matches played"), "{printed}");
    assert!(lines.next().unwrap().trim_start().starts_with("place  places  bot"), "{printed}");
    assert!(lines.next().unwrap().contains("oracle") || printed.contains(" first "), "{printed}");
    let mode =
        |name: &str| fs::metadata(folder.path("cup.run").join(name)).unwrap().permissions().mode() & 0o777;
    assert_eq!((mode("lastnim.db"), mode("lastnim.key")), (0o600, 0o600));
}

#[test]
fn the_champion_of_a_knockout_leads_the_standings() {
    let example = fs::read_to_string("examples/knockout.toml").unwrap();
    assert!(example.contains("seed = 4"), "{example}");
    for seed in 1..=6 {
        let folder = Folder::new("knockout");
        let file = folder.write("cup.toml", &example.replace("seed = 4", &format!("seed = {seed}")));
        let result = run(&file, &[]).result();
        let champion = &result["verdict"]["knockout"]["bots"][0];
        assert!(champion["out_in"].is_null(), "{champion}");
        let first = &result["standings"][0];
        assert_eq!((&first["bot"], &first["place"]), (&champion["bot"], &1.into()), "seed {seed}: {result}");
        let mut again = lastnim(&["tournament", "run"]);
        again.arg(&file).env("XDG_STATE_HOME", state_folder(folder.as_path()));
        let text = again.output().unwrap();
        let text = String::from_utf8(text.stdout).unwrap();
        let first: Vec<_> = text.lines().nth(2).unwrap().split_whitespace().take(2).collect();
        assert_eq!(first, ["1", champion["bot"].as_str().unwrap()], "{text}");
    }
}

/// Returns the parts of the exported matches that do not depend on when or where they were played, by match number.
pub fn deterministic_parts(folder: &Folder, store: &str) -> BTreeMap<u64, String> {
    let mut serve = lastnim(&["serve", "--listen", "127.0.0.1:0", "--json", "--store"]);
    serve.arg(format!("sqlite:{}", folder.path(store).display()));
    let (mut server, announced) = super::servers::serve(&mut serve);
    let records = folder.path("records");
    let mut export = Command::new(LASTNIM);
    export
        .args(["record", "export", "--server", announced["listening"].as_str().unwrap(), "--dir"])
        .arg(&records);
    let exported = export.output().unwrap();
    assert!(exported.status.success(), "{}", String::from_utf8_lossy(&exported.stderr));
    server.end();
    let mut parts = BTreeMap::new();
    for file in fs::read_dir(&records).unwrap() {
        let record: Value = serde_json::from_slice(&fs::read(file.unwrap().path()).unwrap()).unwrap();
        let mut number = 0;
        let mut kept = Vec::new();
        for event in record["events"].as_array().unwrap() {
            for what in ["created", "revealed", "took", "ended"] {
                let Some(mut happened) = event.get(what).and_then(Value::as_object).cloned() else {
                    continue;
                };
                if what == "created" {
                    number =
                        happened.get("number").map_or(0, |number| number.as_str().unwrap().parse().unwrap());
                }
                // Durations may differ.
                happened.retain(|key, _| !key.ends_with("_us") && key != "tournament_id");
                kept.push(format!("{what} {}", Value::from(happened)));
            }
        }
        assert!(kept.len() > 2, "{record}");
        assert_eq!(parts.insert(number, kept.join("\n")), None, "match {number} was played once");
    }
    fs::remove_dir_all(&records).unwrap();
    parts
}

#[test]
fn concurrency_does_not_change_matches_or_standings() {
    let folder = Folder::new("same");
    let bots = ["oracle", "greedy", "timid", "loyal"].map(|bot| house(bot, bot)).concat();
    let bots = bots + "[[bot]]\nname = \"random\"\nhouse = \"random\"\nseed = 5\n";
    for (name, format) in [
        ("sample", "kind = \"round-robin\"\ngroups = 40"),
        ("swiss", "kind = \"swiss\"\nrounds = 4"),
        ("ladder", "kind = \"ladder\"\ngroups = 30"),
    ] {
        let mut seen = Vec::new();
        for concurrency in [1, 16] {
            let text = format!(
                "seats = 3\nseed = 9\nalliance = \"random\"\nconcurrency = {concurrency}\n\
                 clock = \"1m\"\ndeclare_within = \"1m\"\n[format]\n{format}\n\
                 [positions]\ndrawn = {{ count = 8, piles = [2, 4], counters = [1, 6] }}\n{bots}"
            );
            let file = folder.write(&format!("{name}-{concurrency}.toml"), &text);
            let result = run(&file, &[]).result();
            let standings = format!("{} {}", result["standings"], result["verdict"]);
            seen.push((
                standings,
                deterministic_parts(&folder, &format!("{name}-{concurrency}.run/lastnim.db")),
            ));
        }
        assert_eq!(seen[0].0, seen[1].0, "{name}: the standings");
        assert_eq!(seen[0].1, seen[1].1, "{name}: the matches");
        assert!(seen[0].1.len() > 10, "{name}: {} matches", seen[0].1.len());
    }
}

#[test]
fn lost_seats_are_reported() {
    let folder = Folder::new("forfeits");
    // It opens a session and never sends anything.
    let lazy = program("lazy", &silent::command());
    let text = SMALL
        .replace("clock = \"1m\"\ndeclare_within = \"1m\"", "clock = \"300ms\"\ndeclare_within = \"300ms\"");
    let file = folder.write("cup.toml", &(text + &house("first", "oracle") + &lazy));
    let ended = run(&file, &[]);
    let result = ended.result();
    let line = result["standings"].as_array().unwrap().iter().find(|line| line["bot"] == "lazy").unwrap();
    assert!(line["forfeits"].as_u64() > Some(0), "{line}");
    let loss = ended.stderr.lines().rfind(|line| line.starts_with("lazy: it ")).unwrap_or_default();
    let all_losses = format!("; {} seats lost in all (see ", line["forfeits"]);
    assert!(loss.contains(&all_losses) && loss.ends_with("lazy.log)"), "{}", ended.stderr);
    // Each of them is named once, with its reason, or counted if there were many at once.
    let named = ended.stderr.lines().filter_map(|line| line.strip_prefix("  match ")?.split_once(": "));
    let named: Vec<_> = named.collect();
    assert!(!named.is_empty() && named.iter().all(|&(_, how)| how == "timed out"), "{}", ended.stderr);
    let ids: BTreeSet<_> = named.iter().map(|&(id, _)| id).collect();
    assert_eq!(ids.len(), named.len(), "{}", ended.stderr);
    let more = ended.stderr.lines().filter_map(|line| line.strip_prefix("  and ")?.split(' ').next());
    let more: u64 = more.map(|count| count.parse::<u64>().unwrap()).sum();
    assert_eq!(line["forfeits"].as_u64(), Some(named.len() as u64 + more), "{}", ended.stderr);
}

#[test]
fn an_endless_ladder_runs_until_it_is_stopped() {
    let folder = Folder::new("ladder");
    let text = SMALL.to_owned()
        + "[format]\nkind = \"ladder\"\n"
        + &house("a", "greedy")
        + &house("b", "timid")
        + &house("c", "oracle");
    let file = folder.write("cup.toml", &text);
    let mut running = Running::start(&mut run_command(&file, &[]));
    running.wait_for_line("matches: no fixed number");
    running.wait_for_line(" matches; points: 1st ");
    running.signal("INT");
    let ended = running.finish();
    assert!(
        ended
            .failure(1)
            .ends_with("stopped before the tournament ended: run the same command again to continue"),
        "{}",
        ended.stderr
    );
    let printed: Value = serde_json::from_str(&ended.stdout).unwrap();
    assert_eq!(printed["tournament"]["state"], "running");
    assert!(printed["tournament"]["matches_played"].as_u64() > Some(0), "{printed}");
}
