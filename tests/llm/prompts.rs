//! Prompts as the endpoint receives them.

use super::{
    asking::{KEY, LONG, ask, bot, fresh_file, lines_of, settings, view},
    scripted_endpoint::{ScriptedEndpoint, completion, streamed},
    server::Server,
};
use lastnim_client::{AsyncBot as _, Options, run_async_until};
use lastnim_llm::{ApiKey, LlmBot, LlmSettings, Memory, Thinking};
use lastnim_proto::pb;
use serde_json::json;
use std::future::pending;
use tokio::time::timeout;

/// A reply to any question of a match of two seats.
fn answer_any(asked: &str) -> &'static str {
    if asked.contains("which row do you declare?") { "{\"row\": [0, 1]}" } else { "{\"take\": 1}" }
}

/// Plays a tournament of a match with this scoring against greedy, and returns the prompts.
async fn prompts_of_tournament(scoring: pb::Scoring) -> Vec<String> {
    let endpoint = ScriptedEndpoint::start(|_, call| streamed(answer_any(call.last_message()))).await;
    let server = Server::start().await;
    let token = server.register("model").await;
    let tournament = server.create_tournament(scoring).await;
    let settings = LlmSettings {
        model: "model-1".into(),
        base_url: endpoint.url.clone(),
        transcript: Some(fresh_file("scoring.jsonl")),
        ..LlmSettings::default()
    };
    let options = Options::new(&server.address, token).tournament(tournament);
    let bot = LlmBot::with_key(settings, 0, Some(ApiKey::new(KEY))).unwrap().with_server(&options).unwrap();
    timeout(LONG, run_async_until(bot, options, pending())).await.expect("it does not end").unwrap();
    endpoint.calls().iter().map(|call| call.last_message().to_owned()).collect()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn prompts_name_the_scoring_of_their_tournament() {
    for (scoring, words) in [
        (pb::Scoring::Win, "the seat that wins gets 1 point"),
        (pb::Scoring::Satisfaction, "1 point if the winner is first in its row"),
    ] {
        let prompts = prompts_of_tournament(scoring).await;
        assert!(prompts.len() > 2 && prompts.iter().any(|prompt| prompt.contains("which row")));
        for prompt in prompts {
            assert!(prompt.contains(words) && !prompt.contains("offset"), "{scoring:?}: {prompt}");
        }
    }
}

#[tokio::test]
async fn a_model_reads_what_it_said_in_the_match() {
    for (memory, is_repeated) in [(Memory::Match, true), (Memory::None, false)] {
        let endpoint = ScriptedEndpoint::with_replies(vec![
            completion("{\"row\": [1, 0, 2], \"wants\": 2, \"why\": \"seat 2 is my friend\"}"),
            completion("{\"take\": 2}"),
        ])
        .await;
        let settings = LlmSettings { memory, ..settings(&endpoint) };
        let bot = bot(&settings);
        timeout(LONG, bot.declare(view().info())).await.unwrap().unwrap();
        assert_eq!(ask(&bot).await.unwrap(), 2);
        let prompt = endpoint.calls()[1].last_message().to_owned();
        for part in ["you would truly like seat 2 to win", "Your reason: seat 2 is my friend"] {
            assert_eq!(prompt.contains(part), is_repeated, "{prompt}");
        }
        assert_eq!(lines_of(&settings, "run")[0]["settings"]["memory"], memory.to_string());
        // The row lists seats in the transcript, too.
        assert_eq!(lines_of(&settings, "decision")[0]["answer"], json!({ "row": [1, 0, 2] }));
    }
}

#[tokio::test]
async fn a_model_can_think_before_the_schema() {
    let endpoint = ScriptedEndpoint::with_replies(vec![
        completion("First, piles of even size are bad. So I take two."),
        completion("{\"take\": 2}"),
    ])
    .await;
    let settings = LlmSettings { think: Thinking::Before, ..settings(&endpoint) };
    assert_eq!(ask(&bot(&settings)).await.unwrap(), 2);
    let calls = endpoint.calls();
    assert!(calls[0].last_message().contains("First think step by step"), "{}", calls[0].last_message());
    let has_schema: Vec<_> = calls.iter().map(|call| call.body.get("response_format").is_some()).collect();
    assert_eq!(has_schema, [false, true], "the second call has the schema, and the thoughts of the first");
    assert!(calls[1].body["messages"][1]["content"].as_str().unwrap().contains("I take two"));
}

#[tokio::test]
async fn version_1_of_the_prompt_reads_offsets() {
    let endpoint = ScriptedEndpoint::with_replies(vec![completion("{\"row\": [1, 0, 2]}")]).await;
    let settings = LlmSettings { prompt_version: 1, ..settings(&endpoint) };
    let mut info = view().info().clone();
    info.seat = info.seats().seat(2).unwrap();
    let row = timeout(LONG, bot(&settings).declare(&info)).await.unwrap().unwrap().value;
    assert_eq!(row.offsets(), [1, 0, 2]);
    assert!(endpoint.calls()[0].last_message().contains("offset 1: seat 0"));
    // The transcript lists seats whatever the prompt asked for.
    assert_eq!(lines_of(&settings, "decision")[0]["answer"], json!({ "row": [0, 2, 1] }));
}
