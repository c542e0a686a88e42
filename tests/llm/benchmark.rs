//! `lastnim check benchmark` with language models, by running the real binary.

use super::{
    asking::{LONG, fresh_file},
    programs::{lastnim, run},
    scripted_endpoint::{Call, Reply, ScriptedEndpoint, completion, response},
};
use lastnim_proto::{benchmark_card::read_card, pb};
use serde_json::json;
use std::{
    fs,
    path::{Path, PathBuf},
    process::{Command, Stdio},
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};
use tokio::time::{sleep, timeout};

const LEGAL: &str = "{\"take\": 1}";
const ILLEGAL: &str = "{\"take\": 99}";

/// Returns the command for a benchmark of the easiest tier.
fn benchmark(folder: &Path, endpoint: &ScriptedEndpoint, more: &[&str]) -> Command {
    let mut command = lastnim(&["check", "benchmark", "--tiers", "1", "--model", "model-1", "--base-url"]);
    command.arg(&endpoint.url).arg("--dir").arg(folder).args(more);
    command
}

/// Plays to the end, and returns the verified card and its text.
async fn play(folder: &Path, endpoint: &ScriptedEndpoint, more: &[&str]) -> (pb::BenchmarkCard, String) {
    let (output, _, stderr) = run(benchmark(folder, endpoint, more)).await;
    assert!(output.status.success(), "{stderr}");
    let card = folder.join("card.jsonl");
    let (verified, stdout, stderr) = run(lastnim(&["record", "verify", card.to_str().unwrap()])).await;
    assert!(verified.status.success(), "{stdout}{stderr}");
    let (card, _) = read_card(&fs::read_to_string(card).unwrap()).unwrap();
    (card, fs::read_to_string(folder.join("card.txt")).unwrap())
}

/// Plays until the benchmark gives up, and returns the error. There is no card.
async fn play_until_failure(folder: &Path, endpoint: &ScriptedEndpoint, more: &[&str]) -> String {
    let (output, stdout, stderr) = run(benchmark(folder, endpoint, more)).await;
    assert_eq!((output.status.code(), stdout.as_str()), (Some(1), ""), "{stderr}");
    for file in ["card.jsonl", "card.txt", "card.svg"] {
        assert!(!folder.join(file).exists(), "{file}");
    }
    stderr
}

fn model_of(card: &pb::BenchmarkCard) -> &pb::BenchmarkModel {
    match card.player.as_ref().unwrap().kind.as_ref().unwrap() {
        pb::benchmark_player::Kind::Model(model) => model,
        other => panic!("expected a model: {other:?}"),
    }
}

fn share(failure: &str, count: u64, share: f64) -> pb::FailureShare {
    pb::FailureShare { failure: failure.to_owned(), count, share }
}

/// Answers each question wrongly, then, after the correction, correctly.
fn answer_at_second_try(call: &Call) -> Reply {
    let is_first = call.body["messages"].as_array().unwrap().len() == 1;
    completion(if is_first { ILLEGAL } else { LEGAL })
}

fn count_records(folder: &Path) -> usize {
    fs::read_to_string(folder.join("records.jsonl")).map_or(0, |text| text.lines().count())
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn cards_list_failures_of_models() {
    let endpoint = ScriptedEndpoint::start(|_, call| answer_at_second_try(call)).await;
    let (card, text) = play(&fresh_file("benchmark-legal"), &endpoint, &["--max-items", "3"]).await;
    let ([tier], model) = (card.tiers.as_slice(), model_of(&card)) else { panic!("{text}") };
    assert_eq!((tier.items, tier.strikes, tier.lost_seats.len()), (3, 0, 0), "{text}");
    let takes = u64::from(tier.takes);
    assert!(takes >= 3);
    // Prompts hide the rivals, and name the scoring that the tiers use.
    for call in endpoint.calls() {
        let prompt = call.body["messages"][0]["content"].as_str().unwrap();
        assert!(!prompt.contains("# The seats") && !prompt.contains("(the bot"), "{prompt}");
        assert!(prompt.contains("1 point if the winner is first in its row"), "{prompt}");
    }
    assert_eq!((model.questions, model.answered, model.withdrawn), (takes, takes, 0));
    assert_eq!((model.calls, endpoint.calls().len() as u64), (2 * takes, 2 * takes));
    assert_eq!((model.prompt_tokens, model.completion_tokens), (200 * takes, 40 * takes));
    assert_eq!(model.failed_calls, [share("illegal", takes, 0.5)]);
    assert_eq!((model.unanswered.as_slice(), model.unknown_takes), (&[][..], 0));
    let mode = "prompt 3, with memory, without bot names, without thinking before the answer";
    assert_eq!(model.mode, mode);
    let shown = format!(
        "asked with {mode}: {takes} questions, {takes} answered by the model; not answered: none (policy: forfeit).\n"
    );
    assert!(text.contains("No failures.") && text.replace('\n', " ").contains(shown.trim_end()), "{text}");
    assert!(text.contains(&format!("{} calls, failed: {takes} illegal (50.0%)", 2 * takes)), "{text}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn models_without_answers_follow_their_policy() {
    let endpoint = ScriptedEndpoint::start(|_, _| completion("I pass.")).await;
    let short = ["--max-items", "2", "--answers", "1", "--on-failure"];
    let play_with = |policy: &'static str| {
        let (folder, more) = (fresh_file("benchmark-bad"), [&short[..], &[policy]].concat());
        let endpoint = &endpoint;
        async move { play(&folder, endpoint, &more).await }
    };
    let (forfeited, text) = play_with("forfeit").await;
    let tier = &forfeited.tiers[0];
    assert_eq!((tier.items, tier.takes, tier.lost_seats[0].count), (2, 0, 2), "{text}");
    assert!((tier.loss.unwrap().value - 1.0).abs() < f64::EPSILON && tier.kept_seat_loss.is_none());
    assert_eq!(model_of(&forfeited).unanswered, [share("unparsable", 2, 1.0)]);
    assert!(text.contains("not answered: 2 unparsable (100.0%) (policy: forfeit)"), "{text}");
    assert!(text.contains("Failures: 2 seats lost ("), "{text}");

    let (stood_in, text) = play_with("first-legal").await;
    let tier = &stood_in.tiers[0];
    assert_eq!((tier.items, tier.strikes, tier.lost_seats.len()), (2, 0, 0), "{text}");
    let (takes, model) = (u64::from(tier.takes), model_of(&stood_in));
    assert!(takes >= 2);
    assert_eq!((model.questions, model.answered, model.on_failure.as_str()), (takes, 0, "first-legal"));
    assert_eq!(model.unanswered, [share("unparsable", takes, 1.0)]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_benchmark_stops_while_its_endpoint_keeps_failing() {
    for (reply, class, policy) in [
        (response("401 Unauthorized", "", "{\"error\": \"no such key\"}"), "unusable", "forfeit"),
        (response("500 Oops", "", ""), "server_error", "first-legal"),
        (response("429 Slow Down", "retry-after: 0\r\n", ""), "rate_limited", "random"),
    ] {
        let folder = fresh_file("benchmark-down");
        let (is_mended, records) = (Arc::new(AtomicBool::new(false)), folder.clone());
        let mended = Arc::clone(&is_mended);
        let endpoint = ScriptedEndpoint::start(move |_, _| {
            let is_up = mended.load(Ordering::SeqCst) || count_records(&records) < 1;
            if is_up { completion(LEGAL) } else { reply.clone() }
        })
        .await;
        let more = ["--max-items", "3", "--retries", "0", "--on-failure", policy];
        let failure_text = play_until_failure(&folder, &endpoint, &more).await;
        let why = format!("the endpoint {}/chat/completions keeps failing (questions", endpoint.url);
        assert!(
            failure_text.contains(&why) && failure_text.contains(&format!(" {class})")),
            "{failure_text}"
        );
        assert!(failure_text.contains("run the same command again to continue"), "{failure_text}");
        assert_eq!(count_records(&folder), 1);
        is_mended.store(true, Ordering::SeqCst);
        let (card, text) = play(&folder, &endpoint, &more).await;
        let (tier, model) = (&card.tiers[0], model_of(&card));
        assert_eq!((tier.items, tier.lost_seats.len(), model.answered), (3, 0, tier.takes.into()), "{text}");
        assert_eq!((model.unanswered.len(), model.failed_calls.len()), (0, 0), "{text}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_benchmark_resumes_with_a_larger_budget() {
    // No model counts more than one token per two bytes of such a prompt.
    let tokens_of = |call: &Call| call.body.to_string().len() as u64 / 2;
    let endpoint = ScriptedEndpoint::start(move |_, call| {
        let usage = json!({ "prompt_tokens": tokens_of(call), "completion_tokens": 20 });
        let choice = json!({ "message": { "content": LEGAL }, "finish_reason": "stop" });
        response("200 OK", "", &json!({ "choices": [choice], "usage": usage }).to_string())
    })
    .await;
    let billed = || endpoint.calls().iter().map(|call| tokens_of(call) + 20).sum::<u64>();
    let folder = fresh_file("benchmark-budget");
    let budget_flags =
        |tokens: &'static str| ["--max-items", "8", "--max-tokens", "100", "--token-budget", tokens];
    let failure_text = play_until_failure(&folder, &endpoint, &budget_flags("9000")).await;
    assert!(
        failure_text.contains("a budget of the model is used up and must be raised: open matches"),
        "{failure_text}"
    );
    let (spent, records) = (billed(), count_records(&folder));
    assert!(spent > 0 && spent <= 9_000 && records < 8, "{spent} tokens, {records} records");
    let again = play_until_failure(&folder, &endpoint, &budget_flags("9000")).await;
    assert!(again.contains("a budget of the model is used up"), "{again}");
    // The open match begins again with a shorter prompt, which may still fit.
    assert!(billed() <= 9_000, "{} tokens: the ledger has the spending", billed());
    assert_eq!(count_records(&folder), records);
    let (card, text) = play(&folder, &endpoint, &budget_flags("1000000")).await;
    let (tier, model) = (&card.tiers[0], model_of(&card));
    assert_eq!((tier.items, tier.lost_seats.len(), model.unknown_takes), (8, 0, 0), "{text}");
    assert_eq!((model.answered, model.unanswered.len()), (tier.takes.into(), 0), "{text}");
}

/// Plays two matches, and kills the run in the third.
async fn play_and_kill(folder: &Path) -> ScriptedEndpoint {
    let (is_killed, is_held) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicBool::new(false)));
    let (killed, held, records) = (Arc::clone(&is_killed), Arc::clone(&is_held), folder.to_owned());
    let endpoint = ScriptedEndpoint::start(move |_, call| {
        if count_records(&records) < 2 || killed.load(Ordering::SeqCst) {
            return answer_at_second_try(call);
        }
        held.store(true, Ordering::SeqCst);
        Reply::ThenNothing(Vec::new())
    })
    .await;
    let mut command = benchmark(folder, &endpoint, &["--max-items", "4"]);
    let mut child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    let playing = async {
        while !is_held.load(Ordering::SeqCst) {
            assert!(child.try_wait().unwrap().is_none(), "the run ended before it was killed");
            sleep(Duration::from_millis(5)).await;
        }
    };
    timeout(LONG, playing).await.expect("the model does not play");
    child.kill().unwrap();
    child.wait().unwrap();
    assert_eq!(count_records(folder), 2);
    is_killed.store(true, Ordering::SeqCst);
    endpoint
}

fn transcript_of(folder: &Path) -> PathBuf {
    folder.join("transcript.jsonl")
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_card_of_a_killed_benchmark_has_the_failures_of_both_runs() {
    let folder = fresh_file("benchmark-killed");
    let endpoint = play_and_kill(&folder).await;
    let before = endpoint.calls().len() as u64;
    let (card, text) = play(&folder, &endpoint, &["--max-items", "4"]).await;
    let (tier, model) = (&card.tiers[0], model_of(&card));
    let takes = u64::from(tier.takes);
    assert_eq!((tier.items, model.questions, model.answered, model.unknown_takes), (4, takes, takes, 0));
    assert_eq!(
        (model.calls, model.failed_calls.as_slice()),
        (2 * takes, &[share("illegal", takes, 0.5)][..])
    );
    assert!(model.calls > endpoint.calls().len() as u64 - before, "both runs played: {text}");
    assert!(!text.contains("is unknown"), "{text}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_card_counts_takes_missing_from_the_transcript() {
    let folder = fresh_file("benchmark-forgotten");
    let endpoint = play_and_kill(&folder).await;
    fs::remove_file(transcript_of(&folder)).unwrap();
    let before = endpoint.calls().len() as u64;
    let (card, text) = play(&folder, &endpoint, &["--max-items", "4"]).await;
    let (tier, model) = (&card.tiers[0], model_of(&card));
    assert_eq!(model.calls, endpoint.calls().len() as u64 - before);
    assert!(model.unknown_takes >= 2, "each match has a take");
    assert_eq!(model.questions, u64::from(tier.takes - model.unknown_takes));
    let sentence =
        format!("The transcript has no question for {} takes, so it is unknown", model.unknown_takes);
    assert!(text.replace('\n', " ").contains(&sentence), "{text}");
}
