//! Endpoints that fail permanently during a tournament: the duplicate groups are voided and played again.

use super::{
    asking::{LONG, ask, bot, lines_of, settings, view},
    programs::{lastnim, run},
    scripted_endpoint::{Reply, ScriptedEndpoint, response, simplest_answer},
    tournaments::write_file,
};
use lastnim_client::AsyncBot as _;
use lastnim_llm::{FailurePolicy, LlmSettings};
use serde_json::{Value, json};
use std::{fs, time::Duration};
use tokio::time::timeout;

fn server_error() -> Reply {
    response("503 Service Unavailable", "", "the model is down")
}

/// Plays a tournament of two matches, one duplicate group, and returns its report, log and transcript.
async fn play_group(endpoint: &ScriptedEndpoint, more: &str) -> (Value, String, String) {
    let url = &endpoint.url;
    let file = write_file(&format!(
        "[[bot]]\nname = \"m1\"\nllm = {{ model = \"m\", base_url = \"{url}\", retries = 0 }}\n{more}"
    ));
    let mut command = lastnim(&["tournament", "run", "--json"]);
    command.arg(&file);
    let (output, stdout, stderr) = run(command).await;
    assert!(output.status.success(), "{stderr}");
    let transcript = fs::read_to_string(file.with_extension("run").join("m1.transcript.jsonl")).unwrap();
    (serde_json::from_str(&stdout).unwrap(), stderr, transcript)
}

fn line_of<'a>(report: &'a Value, bot: &str) -> &'a Value {
    report["standings"].as_array().unwrap().iter().find(|line| line["bot"] == bot).unwrap()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_group_with_a_failed_endpoint_is_played_again() {
    // The third call fails, so that something has been played.
    let endpoint =
        ScriptedEndpoint::start(|call, read| if call == 2 { server_error() } else { simplest_answer(read) })
            .await;
    let (report, stderr, transcript) = play_group(&endpoint, "").await;
    let model = line_of(&report, "m1");
    assert_eq!((&model["matches"], &model["forfeits"]), (&json!(2), &json!(0)), "{report}");
    let events = report["events"].as_array().unwrap();
    assert_eq!(events.len(), 1, "{report}");
    let reason = events[0]["voided"]["reason"].as_str().unwrap();
    assert!(reason.starts_with("the endpoint of m1 failed: server_error: "), "{reason}");
    assert!(stderr.contains("group 0 is voided and played again (time 1 of at most 2)"), "{stderr}");
    assert_eq!(transcript.matches("\"event\":\"endpoint_error\"").count(), 1);
    assert!(
        !transcript.contains("\"by\":\"forfeit\""),
        "the match was voided before the bot gave up its seat"
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn replays_of_a_failing_endpoint_are_limited() {
    let endpoint = ScriptedEndpoint::start(|_, _| server_error()).await;
    let (report, stderr, transcript) = play_group(&endpoint, "[llm]\nreplays = 1\n").await;
    let model = line_of(&report, "m1");
    assert_eq!((&model["matches"], &model["forfeits"]), (&json!(2), &json!(2)), "{report}");
    assert_eq!(report["events"].as_array().unwrap().len(), 1, "{report}");
    assert!(stderr.contains("group 0 is voided and played again (time 1 of at most 1)"), "{stderr}");
    assert!(stderr.contains("group 0 was replayed once and now counts"), "{stderr}");
    assert_eq!(transcript.matches("\"by\":\"forfeit\"").count(), 2);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn bad_answers_cause_no_replay() {
    let endpoint =
        ScriptedEndpoint::with_replies(vec![super::scripted_endpoint::completion("I pass.")]).await;
    let (report, stderr, _) = play_group(&endpoint, "").await;
    assert_eq!(line_of(&report, "m1")["forfeits"], json!(2), "{report}");
    assert!(!stderr.contains("voided") && report["events"].as_array().is_none_or(Vec::is_empty), "{stderr}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn without_replays_a_failure_counts_at_once() {
    let endpoint = ScriptedEndpoint::start(|_, _| server_error()).await;
    let (report, _, transcript) = play_group(&endpoint, "[llm]\nreplays = 0\n").await;
    assert_eq!(line_of(&report, "m1")["forfeits"], json!(2), "{report}");
    assert!(!transcript.contains("endpoint_error"), "{transcript}");
}

#[tokio::test]
async fn a_bot_pauses_once_in_a_match() {
    let endpoint = ScriptedEndpoint::start(|_, _| server_error()).await;
    let settings = LlmSettings {
        retries: 0,
        on_failure: FailurePolicy::FirstLegal,
        endpoint_error_pause: Duration::from_millis(10),
        ..settings(&endpoint)
    };
    let bot = bot(&settings);
    for _ in 0..3 {
        assert_eq!(ask(&bot).await.unwrap(), 1);
    }
    timeout(LONG, bot.declare(view().info())).await.unwrap().unwrap();
    assert_eq!(endpoint.calls().len(), 4);
    let pauses: Vec<_> =
        lines_of(&settings, "endpoint_error").iter().map(|line| line["pause_ms"].clone()).collect();
    assert_eq!(pauses, [json!(10)]);
}

#[tokio::test]
async fn a_pause_leaves_the_clock_reserve() {
    let endpoint = ScriptedEndpoint::start(|_, _| server_error()).await;
    let settings = LlmSettings {
        retries: 0,
        on_failure: FailurePolicy::FirstLegal,
        endpoint_error_pause: Duration::from_hours(2),
        ..settings(&endpoint)
    };
    let bot = bot(&settings);
    let asking = tokio::spawn(async move { ask(&bot).await });
    let paused = async {
        loop {
            let text = fs::read_to_string(settings.transcript.as_deref().unwrap()).unwrap();
            // The last line may be incomplete.
            let mut lines = text.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
            if let Some(line) = lines.find(|line| line["event"] == "endpoint_error") {
                break line["pause_ms"].as_u64().unwrap();
            }
            tokio::task::yield_now().await;
        }
    };
    let pause = timeout(LONG, paused).await.expect("it pauses");
    asking.abort();
    let most = view().bank_left().checked_sub(Duration::from_secs(5)).unwrap();
    assert!(Duration::from_millis(pause) <= most, "{pause} ms of {:?}", view().bank_left());
}
