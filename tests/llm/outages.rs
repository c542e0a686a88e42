//! Endpoints that fail for long, and spent budgets, during a tournament: it freezes or stops, and nothing is lost.

use super::{
    asking::{LONG, ask, bot, lines_of, settings},
    programs::{lastnim, run},
    scripted_endpoint::{Reply, ScriptedEndpoint, completion, response, simplest_answer},
    server::Server,
    tournaments::write_file,
};
use lastnim_llm::{FailurePolicy, LlmSettings};
use lastnim_proto::pb;
use serde_json::{Value, json};
use std::{
    fs,
    path::{Path, PathBuf},
    process::Output,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};
use tokio::{
    task::{JoinHandle, block_in_place},
    time::timeout,
};

fn server_error() -> Reply {
    response("503 Service Unavailable", "", "the model is down")
}

/// Writes a file of two matches with a model, one duplicate group.
fn cup_of_model(endpoint: &ScriptedEndpoint, of_bot: &str, more: &str) -> PathBuf {
    let url = &endpoint.url;
    write_file(&format!(
        "[[bot]]\nname = \"m1\"\n[bot.llm]\nmodel = \"m\"\nbase_url = \"{url}\"\nretries = 0\n{of_bot}\n{more}\n"
    ))
}

async fn run_cup(file: &Path) -> (Output, String, String) {
    let mut command = lastnim(&["tournament", "run", "--json"]);
    command.arg(file);
    run(command).await
}

/// Plays to the end, and returns the report and the log.
async fn finish_cup(file: &Path) -> (Value, String) {
    let (output, stdout, stderr) = run_cup(file).await;
    assert!(output.status.success(), "{stderr}");
    (serde_json::from_str(&stdout).unwrap(), stderr)
}

/// Plays until the run stops because it must, and returns its log.
async fn play_until_stop(file: &Path) -> String {
    let (output, stdout, stderr) = run_cup(file).await;
    assert_eq!(output.status.code(), Some(1), "{stdout}\n{stderr}");
    assert!(stderr.contains("run the same command again"), "{stderr}");
    stderr
}

fn transcript_of(file: &Path) -> String {
    fs::read_to_string(file.with_extension("run").join("m1.transcript.jsonl")).unwrap()
}

fn standing_of<'a>(report: &'a Value, bot: &str) -> &'a Value {
    report["standings"].as_array().unwrap().iter().find(|line| line["bot"] == bot).unwrap()
}

fn assert_nothing_lost(report: &Value) {
    let model = standing_of(report, "m1");
    assert_eq!((&model["matches"], &model["forfeits"]), (&json!(2), &json!(0)), "{report}");
}

/// Starts an endpoint that is down while the flag is set, even for probes.
async fn start_breakable(is_down: bool, failure: Reply) -> (ScriptedEndpoint, Arc<AtomicBool>) {
    let switch = Arc::new(AtomicBool::new(is_down));
    let is_down = Arc::clone(&switch);
    let endpoint = ScriptedEndpoint::start_with_probes(move |_, call| {
        if is_down.load(Ordering::SeqCst) { failure.clone() } else { simplest_answer(call) }
    })
    .await;
    (endpoint, switch)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_outage_freezes_the_tournament_until_the_endpoint_answers() {
    // Something has been played before the third call.
    let endpoint = ScriptedEndpoint::start(|number, call| match number {
        2..=4 => server_error(),
        _ => simplest_answer(call),
    })
    .await;
    let file = cup_of_model(&endpoint, "", "");
    let (report, stderr) = finish_cup(&file).await;
    assert_nothing_lost(&report);
    assert!(stderr.contains("m1: its endpoint is failing (server_error: HTTP 503"), "{stderr}");
    assert!(stderr.contains("the tournament is frozen"), "{stderr}");
    assert!(stderr.contains("m1: its endpoint answers again after "), "{stderr}");
    let events = report["events"].as_array().unwrap();
    let kinds: Vec<_> = events.iter().flat_map(|event| event.as_object().unwrap().keys()).collect();
    let pauses = kinds.iter().filter(|kind| **kind == "paused").count();
    assert!(pauses > 0 && kinds.iter().filter(|kind| **kind == "resumed").count() == pauses, "{report}");
    let transcript = transcript_of(&file);
    let count = |event: &str| transcript.matches(&format!("\"event\":\"{event}\"")).count();
    assert!(count("outage") > 0 && count("recovery") == count("outage"), "{transcript}");
    assert!(!transcript.contains("\"by\":\"forfeit\""), "{transcript}");
}

/// Starts a run of two groups, one match at a time, on a server that an organiser uses as well.
fn run_on_server(server: &Server, endpoint: &ScriptedEndpoint) -> JoinHandle<(Output, String, String)> {
    let file = cup_of_model(endpoint, "", "");
    let text = fs::read_to_string(&file).unwrap();
    let text = text.replace("[[2, 2]]", "[[2, 2], [3, 2]]").replace("name = \"greedy\"", "name = \"g\"");
    fs::write(&file, format!("concurrency = 1\n{text}")).unwrap();
    let mut command = lastnim(&["tournament", "run", "--json", "--server", &server.address]);
    command.env("LASTNIM_ADMIN_TOKEN", &server.admin).arg(&file);
    tokio::spawn(run(command))
}

async fn assert_run_ends_well(run: JoinHandle<(Output, String, String)>) {
    let (output, stdout, stderr) = timeout(LONG, run).await.expect("the run ends").unwrap();
    assert!(output.status.success(), "{stderr}");
    let report: Value = serde_json::from_str(&stdout).unwrap();
    let model = standing_of(&report, "m1");
    assert_eq!((&model["matches"], &model["forfeits"]), (&json!(4), &json!(0)), "{stderr}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_pause_by_the_organiser_is_not_lifted_after_an_outage() {
    let (endpoint, is_down) = start_breakable(true, server_error()).await;
    let server = Server::start().await;
    let run = run_on_server(&server, &endpoint);
    let id = server.tournament_when(|found| found.pause() == pb::OpenMatches::Freeze).await.id;
    server.resume(&id).await;
    server.pause(&id, pb::OpenMatches::Finish).await;
    is_down.store(false, Ordering::SeqCst);
    // The open match ends, and no other begins.
    server.tournament_when(|found| found.matches_played == 1).await;
    tokio::time::sleep(Duration::from_secs(1)).await;
    let paused = server.tournament_when(|_| true).await;
    assert_eq!((paused.pause(), paused.matches_played), (pb::OpenMatches::Finish, 1));
    server.resume(&id).await;
    assert_run_ends_well(run).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 3)]
async fn an_earlier_pause_continues_after_an_outage() {
    let [is_asked, is_paused] = [(); 2].map(|()| Arc::new(AtomicBool::new(false)));
    let is_down = Arc::new(AtomicBool::new(true));
    let (asked, paused, down) = (Arc::clone(&is_asked), Arc::clone(&is_paused), Arc::clone(&is_down));
    let endpoint = ScriptedEndpoint::start(move |_, call| {
        asked.store(true, Ordering::SeqCst);
        block_in_place(|| {
            while !paused.load(Ordering::SeqCst) {
                std::thread::sleep(Duration::from_millis(10));
            }
        });
        if down.load(Ordering::SeqCst) { server_error() } else { simplest_answer(call) }
    })
    .await;
    let server = Server::start().await;
    let run = run_on_server(&server, &endpoint);
    let id = server.tournament_when(|_| is_asked.load(Ordering::SeqCst)).await.id;
    server.pause(&id, pb::OpenMatches::Finish).await;
    is_paused.store(true, Ordering::SeqCst);
    server.tournament_when(|found| found.pause() == pb::OpenMatches::Freeze).await;
    is_down.store(false, Ordering::SeqCst);
    server.tournament_when(|found| found.pause() == pb::OpenMatches::Finish).await;
    server.resume(&id).await;
    assert_run_ends_well(run).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_wrong_model_is_found_before_the_first_match() {
    let endpoint = ScriptedEndpoint::start_with_probes(|_, call| {
        if call.body["model"] == "m" {
            simplest_answer(call)
        } else {
            response("404 Not Found", "", "no such model")
        }
    })
    .await;
    let file = cup_of_model(&endpoint, "", "");
    let right = fs::read_to_string(&file).unwrap();
    fs::write(&file, right.replace("model = \"m\"", "model = \"typo\"")).unwrap();
    let mut check = lastnim(&["tournament", "check", "--probe", "--json"]);
    check.arg(&file);
    let (output, stdout, stderr) = run(check).await;
    assert_eq!(output.status.code(), Some(1), "{stderr}");
    let plan: Value = serde_json::from_str(&stdout).unwrap();
    assert_eq!(
        (&plan["probes"][0]["bot"], &plan["probes"][0]["failure"]),
        (&json!("m1"), &json!("unusable"))
    );
    let stderr = play_until_stop(&file).await;
    assert!(stderr.contains("bot m1: the model typo does not answer (unusable: HTTP 404"), "{stderr}");
    // No match has begun, so the file may be corrected.
    fs::write(&file, right).unwrap();
    let mut check = lastnim(&["tournament", "check", "--probe"]);
    check.arg(&file);
    let (output, stdout, stderr) = run(check).await;
    assert!(output.status.success() && stdout.contains("m1: the model m answers"), "{stdout}\n{stderr}");
    assert_nothing_lost(&finish_cup(&file).await.0);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_key_that_is_withdrawn_stops_the_run_at_once() {
    let is_mended = Arc::new(AtomicBool::new(false));
    let mended = Arc::clone(&is_mended);
    let endpoint = ScriptedEndpoint::start(move |number, call| {
        let is_refused = number >= 2 && !mended.load(Ordering::SeqCst);
        if is_refused { response("401 Unauthorized", "", "no such key") } else { simplest_answer(call) }
    })
    .await;
    let file = cup_of_model(&endpoint, "", "");
    let stderr = play_until_stop(&file).await;
    assert!(stderr.contains("bot m1: its endpoint is failing (unusable: HTTP 401"), "{stderr}");
    is_mended.store(true, Ordering::SeqCst);
    assert_nothing_lost(&finish_cup(&file).await.0);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_outage_that_lasts_too_long_stops_the_run() {
    let (endpoint, is_down) = start_breakable(true, server_error()).await;
    let file = cup_of_model(&endpoint, "", "[llm]\noutage_limit = \"2s\"");
    let stderr = play_until_stop(&file).await;
    // The probe failed as well, but waiting may help.
    assert!(stderr.contains("m1: the model m does not answer (server_error"), "{stderr}");
    assert!(stderr.contains("bot m1: its endpoint has failed for 2.0 s (outage_limit)"), "{stderr}");
    is_down.store(false, Ordering::SeqCst);
    let (report, stderr) = finish_cup(&file).await;
    assert_nothing_lost(&report);
    assert!(stderr.contains("continues"), "{stderr}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_spent_budget_stops_the_run_and_can_be_raised() {
    let endpoint = ScriptedEndpoint::start(|_, call| simplest_answer(call)).await;
    let file = cup_of_model(&endpoint, "prompt = \"p.md\"\nmax_tokens = 100\ntoken_budget = 1_000", "");
    fs::write(file.with_file_name("p.md"), "take").unwrap();
    // A call may cost some 600 tokens, but costs 120, so that the budget is spent after a few calls.
    fs::write(&file, fs::read_to_string(&file).unwrap().replace("[[2, 2]]", "[[9, 9, 9, 9, 9, 9, 9]]"))
        .unwrap();
    let stderr = play_until_stop(&file).await;
    assert!(
        stderr.contains(
            "bot m1: a budget is used up (what is left of the budget of the bot is too small for another call"
        ),
        "{stderr}"
    );
    // A fresh start does not count what was spent, not even when it tries the endpoint.
    let mut fresh = lastnim(&["tournament", "run", "--fresh"]);
    fresh.arg(&file);
    let (_, _, stderr) = run(fresh).await;
    assert!(stderr.contains("a budget is used up") && !stderr.contains("does not answer"), "{stderr}");
    let text = fs::read_to_string(&file).unwrap().replace("= 1_000", "= 500_000");
    fs::write(&file, &text).unwrap();
    let (report, stderr) = finish_cup(&file).await;
    assert!(stderr.contains("amended: bot m1: token_budget from 1000 to 500000"), "{stderr}");
    assert_nothing_lost(&report);
    let amendment = &report["amendments"][0];
    assert_eq!((&amendment["bot"], &amendment["key"]), (&json!("m1"), &json!("token_budget")), "{report}");
    // Other settings still belong to the tournament.
    fs::write(&file, text.replace("max_tokens = 100", "max_tokens = 200")).unwrap();
    let (output, _, stderr) = run_cup(&file).await;
    assert_eq!(output.status.code(), Some(2), "{stderr}");
    assert!(stderr.contains("it has changed since this tournament started (bot)"), "{stderr}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn bad_answers_do_not_count_as_an_outage() {
    let endpoint = ScriptedEndpoint::with_replies(vec![completion("I pass.")]).await;
    let file = cup_of_model(&endpoint, "", "");
    let (report, stderr) = finish_cup(&file).await;
    let model = standing_of(&report, "m1");
    assert_eq!(model["forfeits"], json!(2), "{report}");
    assert!(model.get("accuracy").is_none_or(Value::is_null), "it made no take itself: {model}");
    assert!(!stderr.contains("frozen") && report["events"].as_array().is_none_or(Vec::is_empty), "{stderr}");
}

#[tokio::test]
async fn questions_wait_together_for_an_endpoint() {
    let is_down = Arc::new(AtomicBool::new(true));
    let down = Arc::clone(&is_down);
    let endpoint = ScriptedEndpoint::start(move |_, _| {
        if down.load(Ordering::SeqCst) { server_error() } else { completion("{\"take\": 2}") }
    })
    .await;
    let settings = LlmSettings { retries: 0, outage_limit: Duration::from_mins(10), ..settings(&endpoint) };
    let bot = bot(&settings);
    let questions: Vec<_> = (0..5)
        .map(|_| {
            let bot = bot.clone();
            tokio::spawn(async move { ask(&bot).await })
        })
        .collect();
    let waiting = async {
        while endpoint.calls().len() < 7 {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    };
    timeout(LONG, waiting).await.expect("one question tries again");
    // There are five first calls; then one question calls again after 1 s and 2 s.
    let calls = endpoint.calls().len();
    assert!(calls < 10, "{calls} calls");
    is_down.store(false, Ordering::SeqCst);
    for question in questions {
        assert_eq!(timeout(LONG, question).await.unwrap().unwrap().unwrap(), 2);
    }
    assert_eq!(lines_of(&settings, "outage").len(), 5);
    assert_eq!(lines_of(&settings, "recovery").len(), 5);
}

#[tokio::test]
async fn a_call_without_a_reply_does_not_end_an_outage() {
    // The endpoint is down, then accepts calls without an answer, then works.
    let endpoint = ScriptedEndpoint::start(|number, _| match number {
        0 => server_error(),
        1 => Reply::ThenNothing(Vec::new()),
        _ => completion("{\"take\": 2}"),
    })
    .await;
    let settings = LlmSettings {
        retries: 0,
        stream: false,
        turn_timeout: Duration::from_millis(500),
        outage_limit: Duration::from_mins(10),
        ..settings(&endpoint)
    };
    assert_eq!(timeout(LONG, ask(&bot(&settings))).await.unwrap().unwrap(), 2);
    assert_eq!((lines_of(&settings, "outage").len(), lines_of(&settings, "recovery").len()), (1, 1));
}

#[tokio::test]
async fn a_lack_of_credit_is_not_a_rate_limit() {
    let body = json!({ "error": { "message": "no credit", "code": "insufficient_quota" } }).to_string();
    let refusal = response("429 Too Many Requests", "content-type: application/json\r\n", &body);
    let endpoint = ScriptedEndpoint::with_replies(vec![refusal]).await;
    let error = ask(&bot(&settings(&endpoint))).await.unwrap_err().to_string();
    assert!(error.starts_with("unusable: HTTP 429") && error.contains("no credit"), "{error}");
    assert_eq!(endpoint.calls().len(), 1);
}

#[tokio::test]
async fn after_the_outage_limit_the_policy_decides() {
    let endpoint = ScriptedEndpoint::start(|_, _| server_error()).await;
    let settings = LlmSettings {
        retries: 0,
        on_failure: FailurePolicy::FirstLegal,
        outage_limit: Duration::from_millis(2_500),
        ..settings(&endpoint)
    };
    let bot = bot(&settings);
    assert_eq!(timeout(LONG, ask(&bot)).await.unwrap().unwrap(), 1);
    assert_eq!(endpoint.calls().len(), 2, "the second pause would end after the limit");
    assert_eq!(lines_of(&settings, "recovery").len(), 0);
}
