//! A tournament of six models with different faults that is killed in the middle and resumed.

use super::{
    asking::{LONG, fresh_file},
    played_games::number_of,
    programs::{lastnim, run},
    scripted_endpoint::{
        Call, Reply, STREAM_HEAD, ScriptedEndpoint, completion, finished, response, stream_event,
    },
};
use serde_json::{Value, json};
use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::Path,
    process::Stdio,
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};
use tokio::time::{sleep, timeout};

const MODELS: [&str; 6] = ["honest", "liar", "staller", "truncater", "biller", "busy"];
/// After this many calls the endpoint withholds replies until the run is killed.
const CALLS_BEFORE_KILL: usize = 90;
/// The token budget of the most expensive model in a match.
const BILLER_BUDGET: u64 = 1_500;
/// The matches of a bot.
const MATCHES: u64 = 14;
/// The token budget of all models together.
const SHARED_BUDGET: u64 = 300_000;
/// The number of a bot's calls that may be open when it is killed.
const CONCURRENCY: u64 = 8;
/// The tokens that `completion` and `finished` charge.
const USUAL_BILL: u64 = 120;

/// What the endpoint counted for one model: calls, billed tokens, and failures by class.
#[derive(Debug, Default)]
struct Played {
    calls: u64,
    billed: u64,
    failures: BTreeMap<&'static str, u64>,
}

#[derive(Default)]
struct Script {
    played: Mutex<BTreeMap<String, Played>>,
    is_resumed: AtomicBool,
}

impl Script {
    fn reply(&self, number: usize, call: &Call) -> Reply {
        if number >= CALLS_BEFORE_KILL && !self.is_resumed.load(Ordering::SeqCst) {
            return Reply::ThenNothing(Vec::new());
        }
        let model = call.body["model"].as_str().unwrap().to_owned();
        let mut all = self.played.lock().unwrap();
        let played = all.entry(model.clone()).or_default();
        let (failure, reply, billed) = reply_of_model(&model, played.calls, call);
        played.calls += 1;
        played.billed += billed;
        if let Some(class) = failure {
            *played.failures.entry(class).or_default() += 1;
        }
        reply
    }
}

/// Returns the failure of a model's next call, if any, with its reply and the tokens charged.
fn reply_of_model(model: &str, number: u64, call: &Call) -> (Option<&'static str>, Reply, u64) {
    let asked = call.body["messages"][0]["content"].as_str().unwrap();
    let is_row = asked.contains("which row do you declare?");
    let answer = if is_row { "{\"row\": [0, 1], \"win_probability\": 0.5}" } else { "{\"take\": 1}" };
    let broken_reply = || Reply::Bytes(format!("{STREAM_HEAD}{}", stream_event("{")).into_bytes());
    match (model, number % 6) {
        ("liar", 1) => (Some("illegal"), completion("{\"take\": 99, \"row\": [0, 0]}"), USUAL_BILL),
        ("liar", 2) => (Some("unparsable"), completion("I pass."), USUAL_BILL),
        ("staller", 4) if number < 30 => (Some("stalled"), Reply::ThenNothing(STREAM_HEAD.into()), 0),
        ("staller", 1) => (Some("server_error"), broken_reply(), 0),
        ("truncater", 0 | 3) => {
            (Some("truncated"), finished(&json!({ "content": "so long" }), "length"), USUAL_BILL)
        }
        ("truncater", 1) => (Some("empty"), completion(" "), USUAL_BILL),
        ("biller", rest) => {
            let prompt = call.body.to_string().len() as u64 / 2;
            let billed = if rest == 0 { call.body["max_tokens"].as_u64().unwrap() } else { 60 };
            if rest == 2 {
                // It also charges for replies that it breaks off.
                return (Some("server_error"), broken_reply(), prompt + billed);
            }
            let usage = json!({ "prompt_tokens": prompt, "completion_tokens": billed });
            let choice = json!({ "message": { "content": answer }, "finish_reason": "stop" });
            let body = json!({ "choices": [choice], "usage": usage }).to_string();
            (None, response("200 OK", "", &body), prompt + billed)
        }
        ("busy", 0 | 3) => {
            (Some("rate_limited"), response("429 Too Many Requests", "retry-after: 0\r\n", ""), 0)
        }
        ("busy", 5) => {
            (Some("refused"), finished(&json!({ "content": null, "refusal": "no" }), "stop"), USUAL_BILL)
        }
        _ => (None, completion(answer), USUAL_BILL),
    }
}

fn write_tournament(folder: &Path, url: &str) {
    let entry_for = |model: &str| {
        let more = match model {
            "staller" => "idle_timeout = \"2s\"\n".to_owned(),
            "biller" => format!("match_token_budget = {BILLER_BUDGET}\n"),
            _ => String::new(),
        };
        format!(
            "[[bot]]\nname = \"{model}\"\n[bot.llm]\nmodel = \"{model}\"\nbase_url = \"{url}\"\nprompt = \"p.md\"\n\
             max_tokens = 400\nanswers = 2\nretries = 2\nstructured = \"off\"\non_failure = \"first-legal\"\n\
             concurrency = {CONCURRENCY}\n{more}"
        )
    };
    let text = format!(
        "title = \"Killed\"\nseats = 2\nclock = \"10m\"\ndeclare_within = \"10m\"\nalliance = \"declared\"\n\
         positions = {{ list = [[2, 2]] }}\n[[bot]]\nname = \"taker\"\nhouse = \"greedy\"\n\
         [[bot]]\nname = \"single\"\nhouse = \"timid\"\n{}[llm]\ntoken_budget = {SHARED_BUDGET}\n",
        MODELS.map(entry_for).concat()
    );
    fs::write(folder.join("cup.toml"), text).unwrap();
    let prompt = "I am {{ seat }}. {% if question == 'row' %}which row do you declare?{% else %}take of {{ counters }}{% endif %}";
    fs::write(folder.join("p.md"), prompt).unwrap();
}

/// Plays until the endpoint withholds replies, then kills the run.
async fn play_and_kill(file: &Path, endpoint: &ScriptedEndpoint) {
    let mut command = lastnim(&["tournament", "run", "--json"]);
    let mut child = command.arg(file).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    let held = async {
        while endpoint.calls().len() <= CALLS_BEFORE_KILL {
            assert!(child.try_wait().unwrap().is_none(), "the run ended before it was killed");
            sleep(Duration::from_millis(5)).await;
        }
    };
    timeout(LONG, held).await.expect("the models make no calls");
    child.kill().unwrap();
    child.wait().unwrap();
}

fn failures_of_lines(lines: &[Value]) -> BTreeMap<String, u64> {
    let calls = lines.iter().filter(|line| line["event"] == "call");
    let mut counts = BTreeMap::new();
    for class in calls.filter_map(|line| line["failure"].as_str()) {
        *counts.entry(class.to_owned()).or_default() += 1;
    }
    counts
}

/// Compares the findings on a model with the endpoint's log.
fn check_model(found: &Value, played: &Played, folder: &Path) {
    let model = found["bot"].as_str().unwrap();
    assert_eq!(number_of(&found["matches"]), MATCHES, "{model}");
    assert!(number_of(&found["answers"]) > MATCHES, "{found}");
    assert_eq!(found["proved_answers"], found["answers"], "{model}: a transcript does not prove all answers");
    let transcript = folder.join("cup.run").join(format!("{model}.transcript.jsonl"));
    let text = fs::read_to_string(transcript).unwrap();
    let lines: Vec<Value> = text.lines().filter_map(|line| serde_json::from_str(line).ok()).collect();
    assert!(lines.iter().filter(|line| line["event"] == "run").count() >= 2, "{model} was started twice");
    let withdrawn = lines.iter().filter(|line| line["by"] == "withdrawn").count() as u64;
    let counted = failures_of_lines(&lines);
    for (&class, &times) in &played.failures {
        // A call that was open when the bot was killed or its question withdrawn has no line.
        let found = counted.get(class).copied().unwrap_or_default();
        // On a busy machine other replies may stall as well.
        let is_bounded = found <= times || class == "stalled";
        assert!(
            is_bounded && times <= found + CONCURRENCY + withdrawn,
            "{model} {class}: {found} of {times}"
        );
    }
    let classes: BTreeSet<&str> = counted.keys().map(String::as_str).collect();
    let expected: BTreeSet<&str> = played.failures.keys().copied().collect();
    assert_eq!(classes, expected, "{model}");
    let unanswered = found["takes"]["unanswered"].as_array().into_iter().flatten();
    let has_no_budget = unanswered.into_iter().any(|failure| failure["class"] == "match_budget");
    assert_eq!(has_no_budget, model == "biller", "{found}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_killed_tournament_of_models_resumes_within_its_budgets() {
    let script = Arc::new(Script::default());
    let endpoint_script = Arc::clone(&script);
    let endpoint = ScriptedEndpoint::start(move |number, call| endpoint_script.reply(number, call)).await;
    let folder = fresh_file("killed");
    fs::create_dir_all(&folder).unwrap();
    write_tournament(&folder, &endpoint.url);
    let file = folder.join("cup.toml");
    play_and_kill(&file, &endpoint).await;
    script.is_resumed.store(true, Ordering::SeqCst);
    let mut command = lastnim(&["tournament", "run", "--json"]);
    command.arg(&file);
    let (output, stdout, stderr) = run(command).await;
    assert!(output.status.success(), "{stderr}");
    assert!(stderr.contains("continues"), "{stderr}");

    // These are the matches of 28 pairs, in both rotations.
    let report: Value = serde_json::from_str(&stdout).unwrap();
    assert_eq!(number_of(&report["tournament"]["matches_played"]), 56, "{stderr}");
    for line in report["standings"].as_array().unwrap() {
        assert_eq!((number_of(&line["matches"]), number_of(&line["forfeits"])), (MATCHES, 0), "{line}");
    }
    // Compare with the endpoint's own sums.
    let played = script.played.lock().unwrap();
    let billed: u64 = played.values().map(|played| played.billed).sum();
    assert!(played["biller"].billed <= MATCHES * BILLER_BUDGET && billed <= SHARED_BUDGET, "{played:#?}");
    let models = report["models"]["models"].as_array().unwrap();
    assert_eq!(models.len(), MODELS.len());
    for found in models {
        check_model(found, &played[found["bot"].as_str().unwrap()], &folder);
    }
    for (model, class) in [
        ("liar", "illegal"),
        ("staller", "stalled"),
        ("truncater", "truncated"),
        ("biller", "server_error"),
        ("busy", "rate_limited"),
    ] {
        assert!(played[model].failures[class] > 0, "{model}");
    }
}
