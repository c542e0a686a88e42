//! Publishing transcripts on a server.

use super::{
    asking::fresh_file,
    programs::{lastnim, run},
    proofs::play_match_on,
    scripted_endpoint::completion,
    server::Server,
};
use serde_json::{Value, json};
use std::fs;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn published_transcripts_can_be_read_and_proved() {
    let server = Server::start().await;
    let transcript = fresh_file("published.jsonl");
    let match_id = play_match_on(&server, &transcript, |_, call| {
        let is_row = call.last_message().contains("which row do you declare?");
        let (key, answer) = if is_row { ("row", json!([0, 1])) } else { ("take", json!(1)) };
        completion(&json!({ key: answer, "why": format!("my {key} \u{1b}[2J") }).to_string())
    })
    .await;
    let written = fs::read_to_string(&transcript).unwrap();
    let file = transcript.to_str().unwrap();
    let publish = |secret: &str, token: &str| {
        let mut command =
            lastnim(&["record", "transcript", "publish", file, "--server", &server.address, "--json"]);
        command.env("SOME_API_KEY", secret).env("LASTNIM_ADMIN_TOKEN", token);
        command
    };
    let show = || run(lastnim(&["record", "transcript", &match_id, "--server", &server.address, "--json"]));

    let watch = async || {
        let (output, stdout, stderr) =
            run(lastnim(&["match", "watch", &match_id, "--server", &server.address])).await;
        assert!(output.status.success(), "{stderr}");
        stdout
    };
    let plain = watch().await;
    assert!(!plain.contains("my row"), "{plain}");
    let (output, _, stderr) = show().await;
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr.contains("no transcript of match") && stderr.contains("was published"), "{stderr}");
    // The transcript has the word in each of its prompts.
    let (output, _, stderr) = run(publish("counters", &server.admin)).await;
    assert_eq!(output.status.code(), Some(2), "{stderr}");
    assert!(
        stderr.contains("the line contains the value of SOME_API_KEY: nothing was published"),
        "{stderr}"
    );
    assert_eq!(show().await.0.status.code(), Some(2));
    let (output, _, stderr) = run(publish("unlikely-to-be-there", "lastnim_0")).await;
    assert_eq!(output.status.code(), Some(1), "{stderr}");

    let (output, stdout, stderr) = run(publish("unlikely-to-be-there", &server.admin)).await;
    assert!(output.status.success(), "{stderr}");
    let published: Value = serde_json::from_str(&stdout).unwrap();
    let decisions = written.matches("\"event\":\"decision\"").count();
    assert_eq!(published, json!({ "published": decisions, "matches": 2, "refused": [] }));

    // The model's words are under its row and its takes.
    let watched = watch().await;
    let is_reason = |line: &&str| line.trim_start().starts_with("said: my ");
    let reasons: Vec<_> = watched.lines().filter(is_reason).map(str::trim).collect();
    assert_eq!(reasons[0], "said: my row \\u001b[2J", "{watched}");
    assert!(reasons.len() > 1 && reasons[1..].iter().all(|line| *line == "said: my take \\u001b[2J"));
    for (above, line) in watched.lines().zip(watched.lines().skip(1)).filter(|(_, line)| is_reason(line)) {
        let expected = if line.contains("row") { "(model) declared" } else { "audit" };
        assert!(above.contains(expected) || above.contains("(model) took"), "{watched}");
    }
    assert!(watched.lines().filter(|line| !is_reason(line)).eq(plain.lines()), "{watched}");

    // Anyone can read the lines unchanged, so that the record proves them.
    let (output, stdout, stderr) = show().await;
    assert!(output.status.success(), "{stderr}");
    let (from_file, _, _) = (run(lastnim(&[
        "record",
        "transcript",
        &match_id,
        "--server",
        &server.address,
        "--json",
        "--transcript",
        file,
    ])))
    .await;
    assert_eq!(stdout.as_bytes(), from_file.stdout);
    assert!(!stdout.contains("\"proved\":false"), "{stdout}");

    let remove =
        ["record", "transcript", "remove", &match_id, "--seat", "0", "--server", &server.address, "--json"];
    let mut command = lastnim(&remove);
    command.env("LASTNIM_ADMIN_TOKEN", &server.admin);
    let (output, stdout, stderr) = run(command).await;
    assert!(output.status.success(), "{stderr}");
    let other = lastnim(&[
        "record",
        "transcript",
        "remove",
        &match_id,
        "--seat",
        "1",
        "--server",
        &server.address,
        "--json",
    ]);
    let mut other = other;
    other.env("LASTNIM_ADMIN_TOKEN", &server.admin);
    let (_, more, _) = run(other).await;
    assert_ne!(stdout, more, "one of the seats was the model's");
    assert_eq!(show().await.0.status.code(), Some(2));
}
