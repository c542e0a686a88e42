//! An organiser's interventions in a running tournament.

use super::Server;
use crate::standings_progress::without_progress;
use serde_json::{Value, json};
use std::{
    fs,
    path::{Path, PathBuf},
    time::{Duration, Instant},
};

/// Checks that the server's standings follow from its records, and that the records verify with the manifest. Returns the
/// folder with these files.
fn check_standings_follow_from_records(server: &Server, folder: &str, id: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(folder);
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).unwrap();
    let path = |name: &str| folder.join(name).into_os_string().into_string().unwrap();
    let (settings, records, manifest) = (path("cup.json"), path("records"), path("cup.manifest"));
    fs::write(&settings, server.printed(&["tournament", "show", id, "--json"])).unwrap();
    server.printed(&["record", "export", "--tournament", id, "--dir", &records]);
    let arguments = ["record", "standings", "--settings", &settings, &records];
    for form in [&[][..], &["--json"], &["--cross-table"]] {
        let shown_standings = server.printed(&[&["tournament", "standings", id], form].concat());
        let recorded_standings = server.printed(&[&arguments[..], form].concat());
        assert_eq!(without_progress(&recorded_standings), without_progress(&shown_standings));
    }
    fs::write(&manifest, server.printed(&["tournament", "manifest", id])).unwrap();
    let verdict = server.json(&["record", "verify", &manifest, "--records", &records]);
    assert_eq!(verdict["standings"]["follow"], true, "{verdict}");
    folder
}

#[test]
fn standings_with_a_withdrawn_bot_follow_from_the_records() {
    let server = Server::start();
    for (format, folder) in
        [(&["round-robin"][..], "withdrawn-round-robin"), (&["swiss", "--rounds", "3"], "withdrawn-swiss")]
    {
        let create =
            ["tournament", "create", "--seats", "2", "--piles", "2,3", "--concurrency", "1", "--format"];
        let id = server.word(&[&create[..], format].concat());
        let bots = ["greedy", "timid", "loyal", "random"];
        let tokens = bots.map(|kind| {
            let bot = format!("{kind}-{folder}");
            let token = server.word(&["bot", "register", &bot]);
            server.printed(&["tournament", "join", &id, "--bot", &bot]);
            token
        });
        server.printed(&["tournament", "start", &id]);
        server.printed(&["tournament", "pause", &id, "--freeze"]);
        let gone = format!("loyal-{folder}");
        server.printed(&["tournament", "leave", &id, "--bot", &gone]);
        let playing: Vec<_> = bots
            .iter()
            .zip(&tokens)
            .map(|(kind, token)| server.begin(&["bot", "run", kind, "--token", token, "--tournament", &id]))
            .collect();
        server.printed(&["tournament", "resume", &id]);
        let over = server.json(&["tournament", "watch", &id]);
        drop(playing);
        check_standings_follow_from_records(&server, folder, &id);
        let lines = over["standings"].as_array().unwrap();
        assert_eq!((&lines[3]["bot"], &lines[3]["withdrawn"]), (&json!(gone), &json!(true)), "{over}");
        assert_eq!(over["events"].as_array().unwrap().len(), 3);
    }
}

#[test]
fn an_organiser_intervenes_and_standings_follow_from_the_records() {
    let server = Server::start();
    let create = ["tournament", "create", "--seats", "2", "--piles", "2,3", "--piles", "4"];
    let id = server.word(&[&create[..], &["--concurrency", "2", "--alliance", "standard"]].concat());
    let tokens = ["greedy", "timid", "loyal"].map(|bot| {
        let token = server.word(&["bot", "register", bot]);
        server.printed(&["tournament", "join", &id, "--bot", bot]);
        token
    });
    let (code, why) = server.refused(&["tournament", "pause", &id]);
    assert!(code == 1 && why.contains("is open: only running tournaments allow this"), "{why}");
    server.printed(&["tournament", "start", &id]);
    let began = Instant::now();
    while server.json(&["match", "list", "--tournament", &id])["matches"].as_array().unwrap().is_empty() {
        assert!(began.elapsed() < Duration::from_mins(5), "no match begins");
    }
    let paused = server.printed(&["tournament", "pause", &id, "--freeze"]);
    assert!(paused.starts_with("paused; open matches were frozen\n"), "{paused}");
    assert!(paused.contains("running, 0 of 12 matches played, paused, open matches frozen"), "{paused}");
    let again = server.json(&["tournament", "pause", &id, "--freeze"]);
    assert_eq!(again["event"], Value::Null);
    let open = server.json(&["match", "list", "--tournament", &id])["matches"][0].clone();
    let open = open["id"].as_str().unwrap();
    let void = ["tournament", "void", &id, "--match", open, "--reason", "the network was down"];
    let voided = server.json(&void);
    assert_eq!(voided["event"]["voided"]["matches"][0]["match_id"], json!(open));
    let several =
        ["tournament", "void", &id, "--match", open, "--group", "99", "--group", "98", "--reason", "again"];
    let (code, why) = server.refused(&several);
    assert!(
        code == 1
            && why.contains(
                "is already voided; group 99 has no started match left to void; group 98 has no started match left to void"
            ),
        "{why}"
    );
    let out = ["tournament", "disqualify", &id, "--bot", "loyal", "--reason", "it asks greedy"];
    let (code, why) = server.refused(&out);
    assert!(code == 2 && why.contains("--results"), "{why}");
    server.printed(&[&out[..], &["--results", "annul"]].concat());
    let (code, why) = server.refused(&[&out[..], &["--results", "stand"]].concat());
    assert!(code == 1 && why.contains("loyal is already disqualified"), "{why}");
    let playing: Vec<_> = ["greedy", "timid", "loyal"]
        .iter()
        .zip(&tokens)
        .map(|(kind, token)| server.begin(&["bot", "run", kind, "--token", token, "--tournament", &id]))
        .collect();
    assert!(server.printed(&["tournament", "resume", &id]).starts_with("resumed\n"));
    let watched = server.json(&["tournament", "watch", &id]);
    assert_eq!(watched["events"].as_array().unwrap().len(), 4);
    assert_eq!(watched["tournament"]["matches_played"], json!(12));
    drop(playing);
    let shown = server.printed(&["match", "show", open]);
    assert!(shown.contains("voided: the network was down (cancelled)"), "{shown}");
    let (code, why) = server.refused(&["tournament", "finish", &id]);
    assert!(code == 1 && why.contains("is finished: "), "{why}");

    let folder = check_standings_follow_from_records(&server, "standings-with-interventions", &id);
    let standings = server.json(&["tournament", "standings", &id])["standings"].clone();
    let last = &standings[2];
    assert_eq!(
        (&last["bot"], &last["disqualified"], &last["matches"]),
        (&json!("loyal"), &json!(true), &json!(0))
    );
    assert!(standings.as_array().unwrap()[..2].iter().all(|line| line["matches"] == json!(4)));
    let tables = folder.join("tables").into_os_string().into_string().unwrap();
    server.printed(&["record", "tables", "--tournament", &id, "--format", "csv", "--output", &tables]);
    let matches = fs::read_to_string(folder.join("tables").join("matches.csv")).unwrap();
    assert_eq!(matches.matches("the network was down").count(), 1, "{matches}");
}
