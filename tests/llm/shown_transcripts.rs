//! Transcripts shown alone and in a replay, from models that try to control the terminal.

use super::{
    asking::fresh_file,
    programs::{lastnim, run},
    proofs::play_match,
    scripted_endpoint::{Call, Reply, completion},
};
use serde_json::{Value, json};
use std::fs;

/// Replies with terminal control characters, first with an illegal take.
fn hostile_reply(_: usize, call: &Call) -> Reply {
    let is_retry = call.body["messages"].as_array().unwrap().len() > 1;
    let asked = call.body["messages"][0]["content"].as_str().unwrap();
    let answer = match (asked.contains("which row do you declare?"), is_retry) {
        (true, _) => "{\"row\": [0, 1], \"wants\": 1}",
        (false, false) => "{\"take\": 99}",
        (false, true) => "{\"take\": 1, \"win_probability\": 0.75, \"why\": \"so \\u001b[31m\"}",
    };
    let long = "line\n".repeat(40);
    completion(&format!("\u{1b}[2J\u{9b}31m\u{202e}\u{7}{long}{answer}"))
}

async fn show(words: &[&str]) -> (Option<i32>, String, String) {
    run_record(&[&["transcript"], words].concat()).await
}

async fn run_record(words: &[&str]) -> (Option<i32>, String, String) {
    let (output, stdout, stderr) = run(lastnim(&[&["record"], words].concat())).await;
    (output.status.code(), stdout, stderr)
}

fn assert_no_control_characters(text: &str) {
    let found = text.chars().find(|&char| (char.is_control() && char != '\n') || char == '\u{202e}');
    assert_eq!(found, None, "{text}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn questions_are_shown_with_the_board() {
    let transcript = fresh_file("shown.jsonl");
    let (record, match_id) = play_match(&transcript, hostile_reply).await;
    let (record, file) = (record.to_str().unwrap(), transcript.to_str().unwrap());
    let (code, text, stderr) = show(&[record, "--transcript", file]).await;
    assert_eq!(code, Some(0), "{stderr}");
    assert_no_control_characters(&text);
    for part in [
        "): 2 calls, ",
        "; the record proves the answer",
        "call 1, the question:",
        "\\u001b[2J\\u009b31m\\u202e\\u0007line",
        "call 1 failed, illegal:",
        "a take of 99 from a pile of",
        "call 2, the question:",
        "Your answer cannot be used",
        "decided by model: take 1; it gives its row's first seat a win probability of 0.75",
        "so \\u001b[31m",
        "more characters: --full shows everything",
        "optimal",
        "piles",
    ] {
        assert!(text.contains(part), "{part:?} is missing:\n{text}");
    }
    let (_, full, _) = show(&[record, "--transcript", file, "--full"]).await;
    assert_no_control_characters(&full);
    assert!(
        full.len() > text.len()
            && !full.contains("--full shows everything")
            && full.contains("{\"take\": 99}"),
        "{full}"
    );

    let (code, lines, stderr) = show(&[record, "--transcript", file, "--json"]).await;
    assert_eq!(code, Some(0), "{stderr}");
    assert!(lines.chars().all(|char| char == '\n' || !char.is_control()), "{lines}");
    let lines: Vec<Value> = lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert!(lines.len() > 1 && lines.iter().all(|line| line["match_id"] == match_id.as_str()), "{lines:#?}");
    let questions_of = |line: &Value| line["questions"].as_array().unwrap().clone();
    let (ply, question) = lines
        .iter()
        .enumerate()
        .skip(1)
        .find_map(|(number, line)| Some((number - 1, questions_of(line).first()?.clone())))
        .unwrap();
    assert_eq!((&question["proof"], &question["ply"]), (&json!("proved"), &json!(ply)));
    assert_eq!(
        (&question["calls"][0]["failure"], &question["calls"][1]["failure"]),
        (&json!("illegal"), &json!(null))
    );
    // JSON has the exact text.
    let reply = question["calls"][0]["reply"].as_str().unwrap();
    assert!(reply.starts_with("\u{1b}[2J\u{9b}31m\u{202e}\u{7}line\n"), "{reply:?}");
    assert_eq!(
        lines[1 + ply]["replay"]["audit"]["take"].as_str().map_or_else(
            || lines[1 + ply]["replay"]["audit"]["take"].clone(),
            |take| json!(take.parse::<u64>().unwrap())
        ),
        json!(1)
    );

    let number = (ply + 1).to_string();
    let (_, one, _) = show(&[record, "--transcript", file, "--take", &number, "--json"]).await;
    assert_eq!(one.lines().count(), 1);
    // The other seat is a house bot.
    let other_take = lines[1..].iter().position(|line| questions_of(line).is_empty()).unwrap() + 1;
    let other_take = other_take.to_string();
    let (code, _, stderr) = show(&[record, "--transcript", file, "--take", &other_take]).await;
    let why = format!("the transcripts have no question about take {other_take}");
    assert!(code == Some(0) && stderr.contains(&why), "{stderr}");
    let (code, _, stderr) = show(&[record, "--transcript", file, "--take", "99"]).await;
    assert!(code == Some(2) && stderr.contains("--take 99: the match has the takes 1 to"), "{stderr}");
    let other = fresh_file("other.jsonl");
    fs::write(&other, "no line\n").unwrap();
    let (code, _, stderr) = show(&[record, "--transcript", other.to_str().unwrap()]).await;
    assert!(code == Some(2) && stderr.contains(&format!("no question from match {match_id}")), "{stderr}");
    assert!(stderr.contains("1 of its lines could not be read: 1"), "{stderr}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_replay_shows_reasons_under_rows_and_takes() {
    let transcript = fresh_file("reasons.jsonl");
    let (record, match_id) = play_match(&transcript, |_, call| {
        let is_row = call.last_message().contains("which row do you declare?");
        let why = format!("so \u{1b}[2J\u{202e}\n\twe win {}", "and win ".repeat(40));
        let answer =
            if is_row { json!({ "row": [0, 1], "why": why }) } else { json!({ "take": 1, "why": why }) };
        completion(&answer.to_string())
    })
    .await;
    let (record, file) = (record.to_str().unwrap(), transcript.to_str().unwrap());
    let (_, plain, _) = run_record(&["replay", record]).await;
    let (code, text, stderr) = run_record(&["replay", record, "--transcript", file]).await;
    assert_eq!(code, Some(0), "{stderr}");
    assert_no_control_characters(&text);
    let is_reason = |line: &&str| line.trim_start().starts_with("said");
    let reasons: Vec<_> = text.lines().filter(is_reason).collect();
    assert!(!reasons.is_empty(), "{text}");
    for reason in &reasons {
        assert!(reason.contains("so \\u001b[2J\\u202e we win and win"), "{reason}");
        assert!(reason.ends_with('…') && reason.chars().count() <= 80, "{reason}");
    }
    // Everything else stays the same, and each reason is under the take that the model made.
    let rest: Vec<_> = text.lines().filter(|line| !is_reason(line)).collect();
    assert_eq!(rest, plain.lines().collect::<Vec<_>>());
    let mut row_reasons = 0;
    for (number, line) in text.lines().enumerate().filter(|(_, line)| is_reason(line)) {
        let above: Vec<_> = text.lines().take(number).collect();
        if above.last().unwrap().starts_with("seat ") {
            assert!(above.last().unwrap().contains("model, row"), "{text}");
            row_reasons += 1;
            continue;
        }
        let took = above.iter().rev().find(|line| line.trim_start().starts_with("took")).unwrap();
        assert!(took.contains("took       1 in"), "{line}: {took}");
    }
    assert_eq!(row_reasons, 1, "{text}");

    let changed = fresh_file("changed.jsonl");
    fs::write(&changed, fs::read_to_string(&transcript).unwrap().replace("and win", "and lie")).unwrap();
    let (_, text, _) = run_record(&["replay", record, "--transcript", changed.to_str().unwrap()]).await;
    assert!(text.contains("unproved   so") && !text.lines().any(|line| is_reason(&line)), "{text}");
    let (code, _, stderr) = run_record(&["replay", record, "--transcript", file, "--json"]).await;
    assert!(code == Some(2) && stderr.contains("cannot be used with"), "{stderr}");
    fs::write(&changed, "").unwrap();
    let (code, _, stderr) = run_record(&["replay", record, "--transcript", changed.to_str().unwrap()]).await;
    assert!(code == Some(2) && stderr.contains(&format!("no question from match {match_id}")), "{stderr}");
}
