//! Transcripts compared with the record of the match.

use super::{
    asking::fresh_file,
    programs::{lastnim, run},
    scripted_endpoint::{Call, Reply, ScriptedEndpoint, simplest_answer},
    server::Server,
};
use serde_json::{Value, json};
use std::{
    fs,
    path::{Path, PathBuf},
};

/// Plays matches with a transcript at this path, and returns the file with the record of one, and its id.
pub async fn play_match(
    transcript: &Path,
    script: impl Fn(usize, &Call) -> Reply + Send + Sync + 'static,
) -> (PathBuf, String) {
    let server = Server::start().await;
    let match_id = play_match_on(&server, transcript, script).await;
    let (output, record, stderr) =
        run(lastnim(&["record", "get", &match_id, "--server", &server.address])).await;
    assert!(output.status.success(), "{stderr}");
    let file = fresh_file("record.json");
    fs::write(&file, record).unwrap();
    (file, match_id)
}

/// Plays matches on a server with a transcript at this path, and returns the id of one.
pub async fn play_match_on(
    server: &Server,
    transcript: &Path,
    script: impl Fn(usize, &Call) -> Reply + Send + Sync + 'static,
) -> String {
    let endpoint = ScriptedEndpoint::start(script).await;
    let token = server.register("model").await;
    let mut command =
        lastnim(&["bot", "run", "llm", "--model", "m", "--practice", "--piles", "2,2", "--json"]);
    command.args(["--base-url", &endpoint.url, "--server", &server.address]);
    command.arg("--transcript").arg(transcript).env("LASTNIM_TOKEN", token);
    let (output, stdout, stderr) = run(command).await;
    assert!(output.status.success(), "{stderr}");
    let ended_match = |line: &str| {
        let line: Value = serde_json::from_str(line).unwrap();
        (line["event"] == "match_ended").then(|| line["match_id"].as_str().unwrap().to_owned())
    };
    stdout.lines().find_map(ended_match).expect("a match ended")
}

/// Verifies a record with a transcript, and returns the exit code, the result for the transcript, and the error.
async fn verify(record: &Path, transcript: &Path) -> (Option<i32>, Value, String) {
    let mut command = lastnim(&["record", "verify", "--json"]);
    command.arg(record).arg("--transcript").arg(transcript);
    let (output, stdout, stderr) = run(command).await;
    let line: Value = serde_json::from_str(stdout.trim()).unwrap();
    assert_eq!(line["verified"], true, "the record itself is valid");
    (output.status.code(), line["transcript"].clone(), stderr)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_record_proves_only_its_own_transcript() {
    let transcript = fresh_file("proved.jsonl");
    let (record, match_id) = play_match(&transcript, |_, call| simplest_answer(call)).await;
    let written = fs::read_to_string(&transcript).unwrap();
    let match_lines: Vec<_> = written.lines().filter(|line| line.contains(&match_id)).collect();
    let decisions: Vec<_> = match_lines.iter().filter(|line| line.contains("\"decision\"")).collect();
    let takes = decisions.len();
    let (code, proof, stderr) = verify(&record, &transcript).await;
    assert_eq!((code, proof), (Some(0), json!({ "proved": takes, "unproved": [] })), "{stderr}");

    let other = fresh_file("other.jsonl");
    let first = decisions[0];
    let answer: Value = serde_json::from_str(first).unwrap();
    let (seat, ply) = (&answer["seat"], &answer["ply"]);
    let unproved =
        |why: &str| json!({ "proved": takes - 1, "unproved": [{ "seat": seat, "ply": ply, "why": why }] });
    fs::write(&other, written.replace(first, &first.replace("\"calls\":1", "\"calls\":2"))).unwrap();
    let (code, proof, stderr) = verify(&record, &other).await;
    assert_eq!((code, proof), (Some(1), unproved("changed")));
    assert!(stderr.contains("the transcripts do not prove all answers in 1 of 1 record"), "{stderr}");

    // A line of another ply is kept, so that the transcript still covers the seat.
    let moved = first.replace(&format!("\"ply\":{ply}"), "\"ply\":99");
    let others = match_lines.iter().filter(|line| !line.contains(&format!("\"ply\":{ply}"))).copied();
    let kept: Vec<_> = others.chain([moved.as_str()]).map(|line| format!("{line}\n")).collect();
    fs::write(&other, kept.concat()).unwrap();
    let (code, proof, _) = verify(&record, &other).await;
    assert_eq!((code, proof), (Some(1), unproved("missing")));

    fs::write(&other, "{\"event\":\"run\"}\nnot a line\n").unwrap();
    let (code, proof, stderr) = verify(&record, &other).await;
    assert_eq!((code, proof), (Some(1), Value::Null));
    let expected =
        "the transcripts have no question from these matches; 1 line of the transcripts cannot be read";
    assert!(stderr.contains(expected), "{stderr}");
}
