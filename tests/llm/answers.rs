//! Working endpoints, including those that need a different request format.

use super::{
    asking::{KEY, LONG, ask, bot, lines_of, settings, transcript, view},
    scripted_endpoint::{Call, ScriptedEndpoint, completion, finished, response, streamed},
};
use lastnim_client::AsyncBot as _;
use lastnim_llm::{JsonObject, LlmSettings, StructuredOutput, TokenCount};
use serde_json::json;
use std::fs;
use tokio::time::timeout;

#[tokio::test]
async fn a_take_is_requested_and_logged() {
    let endpoint =
        ScriptedEndpoint::with_replies(vec![streamed("I think ... {\"why\": \"parity\", \"take\": 3}")])
            .await;
    let settings = LlmSettings {
        temperature: Some("0.5".parse().unwrap()),
        reasoning_effort: Some("low".into()),
        max_tokens: 1_000,
        ..settings(&endpoint)
    };
    let bot = bot(&settings);
    let view = view();
    let choice = timeout(LONG, bot.play(&view)).await.unwrap().unwrap();
    assert_eq!(choice.value, 3);

    let calls = endpoint.calls();
    let Call { head, body, .. } = &calls[0];
    assert_eq!(calls.len(), 1);
    assert!(head.starts_with("post /v1/chat/completions http/1.1\r\n"), "{head}");
    assert!(head.contains(&format!("authorization: bearer {KEY}")), "{head}");
    assert_eq!(body["model"], "model-1");
    assert_eq!((&body["max_tokens"], &body["temperature"]), (&json!(1_000), &json!(0.5)));
    assert_eq!((&body["reasoning_effort"], &body["stream"]), (&json!("low"), &json!(true)));
    assert_eq!(body["stream_options"], json!({ "include_usage": true }));
    let schema = &body["response_format"]["json_schema"];
    assert_eq!(
        (&schema["strict"], &schema["schema"]["required"]),
        (&json!(true), &json!(["why", "take", "win_probability", "plan"]))
    );
    assert!(calls[0].last_message().contains("You are seat 0"));

    let lines = transcript(&settings);
    let events: Vec<_> = lines.iter().map(|line| line["event"].as_str().unwrap()).collect();
    assert_eq!(events, ["run", "call", "decision"]);
    assert_eq!((&lines[0]["settings"]["model"], &lines[0]["version"]), (&json!("model-1"), &json!(2)));
    assert_eq!(lines[1]["messages"], body["messages"]);
    assert_eq!(lines[1]["tokens"], json!({ "prompt": 100, "completion": 20, "reasoning": 0, "cached": 0 }));
    assert_eq!(lines[1]["cost"], json!({ "tokens": 120, "money": 0.0 }));
    assert_eq!((&lines[1]["match_id"], &lines[1]["ply"]), (&json!(view.id.to_string()), &json!(0)));
    assert_eq!((&lines[1]["failure"], &lines[1]["status"]), (&json!(null), &json!(200)));
    assert_eq!((&lines[2]["by"], &lines[2]["why"]), (&json!("model"), &json!("parity")));
    assert_eq!(lines[2]["answer"], json!({ "take": 3 }));
    // The record can prove the transcript.
    let text = fs::read_to_string(settings.transcript.as_deref().unwrap()).unwrap();
    let question_lines: String = text.split_inclusive('\n').skip(1).collect();
    assert_eq!(choice.note_hash, Some(*blake3::hash(question_lines.as_bytes()).as_bytes()));
    let tally = bot.tally();
    assert_eq!((tally.questions, tally.answered, tally.calls), (1, 1, 1));
    assert_eq!(tally.tokens, TokenCount { prompt: 100, completion: 20, ..TokenCount::default() });
}

#[tokio::test]
async fn a_row_is_requested_without_streaming() {
    let endpoint = ScriptedEndpoint::with_replies(vec![completion("{\"row\": [1, 0, 2]}")]).await;
    let structured = StructuredOutput::Off;
    let settings = LlmSettings { stream: false, structured, ..settings(&endpoint) };
    let bot = bot(&settings);
    let row = timeout(LONG, bot.declare(view().info())).await.unwrap().unwrap().value;
    assert_eq!(row.to_string(), "1 0 2");
    let body = &endpoint.calls()[0].body;
    for key in ["response_format", "stream", "stream_options", "temperature", "reasoning_effort"] {
        assert!(body.get(key).is_none(), "{key}: {body}");
    }
    assert_eq!(lines_of(&settings, "decision")[0]["answer"], json!({ "row": [1, 0, 2] }));
    assert_eq!(bot.tally().tokens.reasoning, 8);
}

#[tokio::test]
async fn claims_of_models_are_logged() {
    let endpoint = ScriptedEndpoint::with_replies(vec![
        completion("{\"row\": [1, 0, 2], \"win_probability\": 0.125, \"wants\": 2}"),
        completion("{\"take\": 2, \"win_probability\": 1.5, \"plan\": 1}"),
    ])
    .await;
    let settings = LlmSettings {
        prompt_price: Some(3.into()),
        completion_price: Some(15.into()),
        ..settings(&endpoint)
    };
    let bot = bot(&settings);
    timeout(LONG, bot.declare(view().info())).await.unwrap().unwrap();
    assert_eq!(ask(&bot).await.unwrap(), 2, "a probability out of range is ignored");
    let claimed: Vec<_> = lines_of(&settings, "decision")
        .into_iter()
        .map(|line| ["win_probability", "wants", "plan", "ignored"].map(|member| line[member].clone()))
        .collect();
    assert_eq!(claimed[0], [json!(0.125), json!(2), json!(null), json!([])]);
    assert_eq!(claimed[1], [json!(null), json!(null), json!(1), json!(["win_probability"])]);
    assert_eq!(bot.tally().ignored_members, 1);
    // 100 tokens of the prompt at 3 per million, 20 of the reply at 15.
    let costs: Vec<_> = lines_of(&settings, "call").iter().map(|line| line["cost"].clone()).collect();
    assert_eq!(costs, [json!({ "tokens": 120, "money": 0.0006 }), json!({ "tokens": 120, "money": 0.0006 })]);
    let required = endpoint
        .calls()
        .into_iter()
        .map(|call| call.body["response_format"]["json_schema"]["schema"]["required"].clone());
    let expected = [
        json!(["why", "row", "win_probability", "wants"]),
        json!(["why", "take", "win_probability", "plan"]),
    ];
    assert!(required.eq(expected));
}

#[tokio::test]
async fn a_model_is_told_what_was_wrong() {
    let cut = json!({ "content": "so long" });
    let endpoint = ScriptedEndpoint::with_replies(vec![
        completion("{\"take\": 6}"),
        finished(&cut, "length"),
        completion("I take {\"take\": 5}"),
    ])
    .await;
    let settings = settings(&endpoint);
    let bot = bot(&settings);
    assert_eq!(ask(&bot).await.unwrap(), 5);
    let calls = endpoint.calls();
    assert!(calls[1].last_message().contains("a take of 6 from a pile of 5: take 1 to 5"));
    assert_eq!(calls[1].body["messages"][1], json!({ "role": "assistant", "content": "{\"take\": 6}" }));
    assert!(calls[2].last_message().contains("ran out of tokens"));
    // Earlier errors are not repeated, so prompts stay short.
    assert_eq!(calls[2].body["messages"].as_array().unwrap().len(), 3);
    let failures: Vec<_> = lines_of(&settings, "call").iter().map(|line| line["failure"].clone()).collect();
    assert_eq!(failures, [json!("illegal"), json!("truncated"), json!(null)]);
    assert_eq!(bot.tally().to_json()["failures"], json!({ "truncated": 1, "illegal": 1 }));
    assert_eq!(bot.tally().answered, 1);
}

#[tokio::test]
async fn requests_adapt_to_the_endpoint() {
    let endpoint = ScriptedEndpoint::start(|_, call| {
        let refuse = |why: &str| {
            let body = json!({ "error": { "message": why } }).to_string();
            response("400 Bad Request", "content-type: application/json\r\n", &body)
        };
        if call.body.get("max_completion_tokens").is_none() {
            refuse("Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead.")
        } else if call.body.get("response_format").is_some() {
            refuse("bad request")
        } else if call.body.get("stream_options").is_some() {
            refuse("unknown field stream_options")
        } else {
            completion("{\"take\": 2}")
        }
    })
    .await;
    let settings = settings(&endpoint);
    let bot = bot(&settings);
    assert_eq!(ask(&bot).await.unwrap(), 2);
    assert_eq!(endpoint.calls().len(), 4);
    // A second question confirms what the endpoint refuses.
    assert_eq!(ask(&bot).await.unwrap(), 2);
    assert_eq!(endpoint.calls().len(), 8);
    assert_eq!(ask(&bot).await.unwrap(), 2);
    assert_eq!(endpoint.calls().len(), 9);
    let calls = lines_of(&settings, "call");
    let conceded = json!([
        "with max_tokens and max_completion_tokens swapped",
        "without response_format",
        "without stream_options"
    ]);
    let concessions: Vec<_> = calls.iter().map(|call| &call["concessions"]).collect();
    assert_eq!(concessions, [&conceded, &conceded, &json!([])]);
    assert_eq!(bot.tally().calls, 3);
    let mode = &calls[2]["mode"];
    assert_eq!((&mode["schema"], &mode["max_tokens_key"]), (&json!(false), &json!("max_completion_tokens")));
    assert_eq!((&mode["prompt_version"], &mode["memory"]), (&json!(3), &json!("match")));
}

#[tokio::test]
async fn requests_are_not_adapted_if_adapting_is_off() {
    let body =
        json!({ "error": { "message": "no response_format", "param": "response_format" } }).to_string();
    let refusal = response("400 Bad Request", "content-type: application/json\r\n", &body);
    let endpoint = ScriptedEndpoint::with_replies(vec![refusal]).await;
    let bot = bot(&LlmSettings { adapt: false, ..settings(&endpoint) });
    let error = ask(&bot).await.unwrap_err().to_string();
    assert!(error.starts_with("rejected: HTTP 400") && error.contains("no response_format"), "{error}");
    assert_eq!(endpoint.calls().len(), 1);
}

#[tokio::test]
async fn an_unrelated_error_does_not_change_later_requests() {
    let body =
        json!({ "error": { "message": "the upstream stream failed", "param": "messages" } }).to_string();
    let refusal = response("400 Bad Request", "content-type: application/json\r\n", &body);
    let endpoint = ScriptedEndpoint::with_replies(vec![refusal, completion("{\"take\": 2}")]).await;
    let bot = bot(&settings(&endpoint));
    ask(&bot).await.unwrap_err();
    assert_eq!(ask(&bot).await.unwrap(), 2);
    let calls = endpoint.calls();
    assert_eq!(calls.len(), 2);
    for key in ["response_format", "stream", "stream_options"] {
        assert!(calls[1].body.get(key).is_some(), "{key}");
    }
}

#[tokio::test]
async fn settings_can_change_every_request() {
    let body = json!({ "error": { "message": "not with this model", "param": "temperature" } }).to_string();
    let endpoint = ScriptedEndpoint::start(move |_, call| {
        if call.body.get("temperature").is_some() {
            response("400 Bad Request", "content-type: application/json\r\n", &body)
        } else {
            completion("{\"take\": 2}")
        }
    })
    .await;
    let object = |json: serde_json::Value| JsonObject(json.as_object().unwrap().clone());
    let settings = LlmSettings {
        temperature: Some(1.into()),
        top_p: Some("0.5".parse().unwrap()),
        sampling_seed: Some(7),
        system_prompt: Some("Be brief.".into()),
        headers: object(json!({ "X-Title": "cup" })),
        extra_body: object(json!({ "top_k": 3, "stream_options": null })),
        api_key_header: Some("api-key".into()),
        ..settings(&endpoint)
    };
    assert_eq!(ask(&bot(&settings)).await.unwrap(), 2);
    let calls = endpoint.calls();
    let Call { head, body, .. } = &calls[1];
    assert!(head.contains(&format!("api-key: {KEY}")) && !head.contains("authorization"), "{head}");
    assert!(head.contains("x-title: cup"), "{head}");
    assert_eq!(body["messages"][0], json!({ "role": "system", "content": "Be brief." }));
    assert_eq!((&body["top_p"], &body["seed"], &body["top_k"]), (&json!(0.5), &json!(7), &json!(3)));
    assert_eq!(body["stream_options"], json!(null));
    // The parameter that the endpoint refused is left out, and the transcript says so.
    assert_eq!((calls.len(), body.get("temperature")), (2, None));
    assert_eq!(lines_of(&settings, "call")[0]["concessions"], json!(["without temperature"]));
}

#[tokio::test]
async fn the_source_of_a_reply_is_logged() {
    let body = json!({
        "id": "gen-7", "model": "model-1-2026-05-01", "system_fingerprint": "fp_9",
        "choices": [{ "message": { "content": "{\"take\": 2}", "reasoning_content": "two" }, "finish_reason": "stop" }],
    });
    let reply = response("200 OK", "content-type: application/json\r\n", &body.to_string());
    let settings = settings(&ScriptedEndpoint::with_replies(vec![reply]).await);
    ask(&bot(&settings)).await.unwrap();
    let call = &lines_of(&settings, "call")[0];
    let source = json!({ "id": "gen-7", "model": "model-1-2026-05-01", "system_fingerprint": "fp_9" });
    assert_eq!((&call["response"], &call["reasoning"]), (&source, &json!("two")));
}
