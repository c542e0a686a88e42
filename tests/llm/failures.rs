//! Endpoints that fail in different ways.

use super::{
    asking::{KEY, LONG, ask, bot, lines_of, settings, transcript, view},
    scripted_endpoint::{
        Reply, STREAM_HEAD, ScriptedEndpoint, completion, finished, response, stream_event, streamed,
    },
};
use lastnim_client::AsyncBot as _;
use lastnim_llm::{FailureClass, FailurePolicy, Fault, LlmSettings};
use serde_json::json;
use std::time::Duration;
use tokio::{net::TcpListener, time::timeout};

/// Allows one answer and no second call.
fn once(settings: LlmSettings) -> LlmSettings {
    LlmSettings { answers: 1, retries: 0, ..settings }
}

fn stream_of(events: &str) -> Reply {
    Reply::Bytes(format!("{STREAM_HEAD}{events}").into_bytes())
}

/// Returns the failure of a bot that gets one reply, without a second attempt.
async fn failure_of(reply: Reply) -> (FailureClass, String) {
    let endpoint = ScriptedEndpoint::with_replies(vec![reply]).await;
    // This is long enough for immediate replies, no matter how busy the machine is.
    let settings = LlmSettings { idle_timeout: Duration::from_secs(20), ..once(settings(&endpoint)) };
    class_of(&settings).await
}

async fn class_of(settings: &LlmSettings) -> (FailureClass, String) {
    let bot = bot(settings);
    let error = ask(&bot).await.unwrap_err().to_string();
    assert!(!error.contains(KEY), "{error}");
    let tally = bot.tally();
    let (&class, &count) = tally.unanswered.iter().next().unwrap();
    assert_eq!((count, tally.answered, tally.unanswered.len()), (1, 0, 1));
    assert!(error.starts_with(class.name()), "{error}");
    let decisions = lines_of(settings, "decision");
    assert_eq!((&decisions[0]["by"], &decisions[0]["answer"]), (&json!("forfeit"), &json!(null)));
    assert_eq!(decisions[0]["failure"], class.name());
    (class, error)
}

#[tokio::test]
async fn every_failure_has_its_class() {
    let message = |text: &str| json!({ "content": text });
    let refusal = json!({ "content": null, "refusal": "I do not play" });
    let half = stream_event("{\"take\":");
    let chunked = format!(
        "{}transfer-encoding: chunked\r\n\r\nffff\r\n{half}",
        STREAM_HEAD.trim_end_matches("\r\n").to_owned() + "\r\n"
    );
    for (reply, class, words) in [
        (finished(&message("{\"take\""), "length"), FailureClass::Truncated, "ran out of tokens"),
        (completion("  "), FailureClass::Empty, "was empty"),
        (completion("three"), FailureClass::Unparsable, "no JSON object"),
        (streamed("{\"take\": 9}"), FailureClass::Illegal, "take 1 to 5"),
        (finished(&refusal, "stop"), FailureClass::Refused, "I do not play"),
        (finished(&message(""), "content_filter"), FailureClass::Filtered, "filter"),
        (
            finished(&message("{\"take\": 1}"), "error"),
            FailureClass::ServerError,
            "ended the reply with an error",
        ),
        (
            finished(&json!({ "tool_calls": [{ "id": "a" }] }), "tool_calls"),
            FailureClass::ToolCall,
            "calls a tool",
        ),
        (finished(&message("{"), "MAX_TOKENS"), FailureClass::Truncated, "MAX_TOKENS"),
        (completion("<think>so {\"take\": 1}"), FailureClass::Unparsable, "ends inside <think>"),
        (
            response("429 Too Many Requests", "retry-after: 0\r\n", "slow down"),
            FailureClass::RateLimited,
            "slow down",
        ),
        (response("500 Oops", "", "{\"error\": \"broken\"}"), FailureClass::ServerError, "broken"),
        (response("503 Busy", "", ""), FailureClass::ServerError, "HTTP 503"),
        (response("200 OK", "", "<html>"), FailureClass::ServerError, "not JSON"),
        (response("200 OK", "", "{\"choices\": []}"), FailureClass::ServerError, "choices[0]"),
        (stream_of("data: {nonsense\n\n"), FailureClass::ServerError, "not JSON"),
        (
            stream_of("data: {\"error\": {\"message\": \"overloaded\"}}\n\n"),
            FailureClass::ServerError,
            "overloaded",
        ),
        (stream_of(&half), FailureClass::ServerError, "cut off"),
        (stream_of(""), FailureClass::ServerError, "cut off"),
        (stream_of("data: \u{1F600}"), FailureClass::ServerError, "not JSON"),
        (
            Reply::Bytes([STREAM_HEAD.as_bytes(), b"data: \xff\xff\n\n"].concat()),
            FailureClass::ServerError,
            "UTF-8",
        ),
        (Reply::Bytes(chunked.into_bytes()), FailureClass::ServerError, "the connection failed"),
        (Reply::Bytes(b"SSH-2.0-OpenSSH\r\n\r\n".to_vec()), FailureClass::ServerError, "no response"),
        (Reply::Bytes(Vec::new()), FailureClass::ServerError, "no response"),
        (response("401 Unauthorized", "", "wrong key"), FailureClass::Unusable, "wrong key"),
        (response("404 Not Found", "", "no such model"), FailureClass::Unusable, "no such model"),
        (
            response("302 Found", "location: http://127.0.0.1:1/\r\n", ""),
            FailureClass::Unusable,
            "not followed",
        ),
        (response("400 Bad Request", "", "prompt too long"), FailureClass::Rejected, "too long"),
    ] {
        let shown = format!("{reply:?}");
        let (found, error) = failure_of(reply).await;
        assert_eq!(found, class, "{shown}: {error}");
        assert!(error.contains(words), "{error}");
    }
}

#[tokio::test]
async fn an_unreachable_endpoint_is_a_server_error() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let endpoint = ScriptedEndpoint::with_replies(vec![completion("")]).await;
    let base_url = format!("http://{}", listener.local_addr().unwrap());
    drop(listener);
    let (class, _) = class_of(&once(LlmSettings { base_url, ..settings(&endpoint) })).await;
    assert_eq!(class, FailureClass::ServerError);
}

#[tokio::test]
async fn endless_replies_are_cut() {
    let body = "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n\r\n".as_bytes().to_vec();
    let refusal = "HTTP/1.1 500 Oops\r\n\r\n".as_bytes().to_vec();
    let head = STREAM_HEAD.as_bytes().to_vec();
    let piece = vec![b'x'; 64 << 10];
    for (reply, words) in [
        (Reply::Endless(body, piece.clone()), "larger than 8388608 bytes"),
        (
            Reply::Endless(head.clone(), stream_event(&"y".repeat(4_096)).into_bytes()),
            "larger than 8388608 bytes",
        ),
        (Reply::Endless(head.clone(), piece.clone()), "larger than 8388608 bytes"),
        (Reply::Endless(refusal, piece.clone()), "HTTP 500"),
        (Reply::Endless(b"HTTP/1.1 200 OK\r\nx: ".to_vec(), piece), "no response"),
    ] {
        let (class, error) = failure_of(reply).await;
        assert_eq!(class, FailureClass::ServerError, "{error}");
        assert!(error.contains(words) && error.len() < 2_000, "{error}");
    }
}

#[tokio::test]
async fn stalled_replies_time_out() {
    let half = format!("{STREAM_HEAD}{}", stream_event("{\"take\":"));
    for reply in [Reply::ThenNothing(Vec::new()), Reply::ThenNothing(half.into_bytes())] {
        let mut endpoint = ScriptedEndpoint::with_replies(vec![reply.clone()]).await;
        let idle_timeout = Duration::from_millis(100);
        let (class, error) = class_of(&LlmSettings { idle_timeout, ..once(settings(&endpoint)) }).await;
        assert_eq!((class, class.fault()), (FailureClass::Stalled, Fault::Endpoint));
        assert!(error.contains("no part of the reply arrived for 0.1 s"), "{error}");
        timeout(LONG, endpoint.lost.recv()).await.expect("the call is not cancelled");
        // Without streaming only the total time is limited.
        let endpoint = ScriptedEndpoint::with_replies(vec![reply]).await;
        let (turn_timeout, stream) = (Duration::from_millis(200), false);
        let (class, error) = class_of(&LlmSettings { turn_timeout, stream, ..settings(&endpoint) }).await;
        assert_eq!(class, FailureClass::TimedOut);
        assert!(error.contains("there was no answer in time"), "{error}");
    }
}

#[tokio::test]
async fn comments_do_not_hide_a_stall() {
    let idle = stream_event("");
    for piece in [": OPENROUTER PROCESSING\n\n", idle.as_str()] {
        // The reply is slow, so that the limit on bytes is not reached first.
        let reply = Reply::Repeated(STREAM_HEAD.as_bytes().to_vec(), piece.as_bytes().to_vec());
        let endpoint = ScriptedEndpoint::with_replies(vec![reply]).await;
        let idle_timeout = Duration::from_millis(100);
        let (class, error) = class_of(&LlmSettings { idle_timeout, ..once(settings(&endpoint)) }).await;
        assert_eq!(class, FailureClass::Stalled, "{error}");
    }
}

#[tokio::test]
async fn waiting_for_a_call_is_not_the_fault_of_the_model() {
    for tries in 1.. {
        let mut endpoint = ScriptedEndpoint::with_replies(vec![Reply::ThenNothing(Vec::new())]).await;
        let turn_timeout = Duration::from_millis(200);
        let settings = LlmSettings { concurrency: 1, turn_timeout, ..once(settings(&endpoint)) };
        let bot = bot(&settings);
        let (one, two) = tokio::join!(ask(&bot), ask(&bot));
        timeout(LONG, endpoint.lost.recv()).await.expect("the call is not cancelled");
        let mut failures = [one, two].map(|asked| asked.unwrap_err().to_string());
        failures.sort();
        // If this process stalls, the second call may start for a moment when the first one ends.
        if failures.iter().all(|failure| failure.starts_with("timed_out")) {
            assert!(tries < 5, "{failures:?}");
            continue;
        }
        assert!(failures[0].starts_with("queued: no call could start in time"), "{failures:?}");
        assert!(failures[1].starts_with("timed_out"), "{failures:?}");
        assert_eq!(bot.tally().to_json()["faults"], json!({ "model": 1, "settings": 1 }));
        break;
    }
}

#[tokio::test]
async fn calls_are_retried_after_the_requested_pause() {
    let limited_reply = |header: &str| response("429 Too Many Requests", header, "");
    let past_date = "retry-after: Sun, 06 Nov 1994 08:49:37 GMT\r\n";
    let endpoint = ScriptedEndpoint::with_replies(vec![
        limited_reply("retry-after: 1\r\n"),
        limited_reply(past_date),
        response("503 Busy", "retry-after: 0\r\n", ""),
        streamed("{\"take\": 4}"),
    ])
    .await;
    let settings = settings(&endpoint);
    let bot = bot(&settings);
    assert_eq!(ask(&bot).await.unwrap(), 4);
    let calls = endpoint.calls();
    assert_eq!(calls.len(), 4);
    // Timers have a resolution of a millisecond.
    assert!(calls[1].at - calls[0].at >= Duration::from_millis(990));
    assert_eq!(bot.tally().to_json()["failures"], json!({ "rate_limited": 2, "server_error": 1 }));
    let waits: Vec<_> =
        lines_of(&settings, "call").iter().map(|line| line["retry_after_ms"].clone()).collect();
    assert_eq!(waits, [json!(1_000), json!(0), json!(0), json!(null)]);
    // No second answer was needed.
    assert_eq!(calls[3].body["messages"].as_array().unwrap().len(), 1);
}

#[tokio::test]
async fn long_pauses_of_endpoints_are_respected() {
    for header in
        ["retry-after: 86400\r\n", "retry-after: 1e300\r\n", "retry-after: Fri, 31 Dec 9999 23:59:59 GMT\r\n"]
    {
        let endpoint =
            ScriptedEndpoint::with_replies(vec![response("429 Too Many Requests", header, "")]).await;
        let bot = bot(&settings(&endpoint));
        for _ in 0..2 {
            let error = ask(&bot).await.unwrap_err().to_string();
            assert!(error.starts_with("rate_limited"), "{error}");
        }
        assert_eq!(endpoint.calls().len(), 1, "{header}");
    }
}

#[tokio::test]
async fn answers_by_policy_are_counted() {
    let endpoint = ScriptedEndpoint::with_replies(vec![completion("no")]).await;
    for on_failure in [FailurePolicy::FirstLegal, FailurePolicy::Random] {
        let settings = LlmSettings { on_failure, ..settings(&endpoint) };
        let bot = bot(&settings);
        let take = ask(&bot).await.unwrap();
        assert!((1..=5).contains(&take));
        assert!(on_failure != FailurePolicy::FirstLegal || take == 1);
        assert_eq!(ask(&bot).await.unwrap(), take, "it depends on the seed only");
        timeout(LONG, bot.declare(view().info())).await.unwrap().unwrap();
        let tally = bot.tally();
        assert_eq!((tally.questions, tally.answered, tally.calls), (3, 0, 9));
        assert_eq!(tally.unanswered[&FailureClass::Unparsable], 3);
        let decision = &lines_of(&settings, "decision")[0];
        assert_eq!(
            (&decision["by"], &decision["answer"]),
            (&json!(on_failure.name()), &json!({ "take": take }))
        );
    }
}

#[tokio::test]
async fn withdrawing_a_question_cancels_its_call() {
    let mut endpoint = ScriptedEndpoint::with_replies(vec![Reply::ThenNothing(Vec::new())]).await;
    let settings = settings(&endpoint);
    let bot = bot(&settings);
    let asking = tokio::spawn({
        let bot = bot.clone();
        async move { ask(&bot).await }
    });
    let called = async {
        while endpoint.calls().is_empty() {
            tokio::task::yield_now().await;
        }
    };
    timeout(LONG, called).await.expect("no call arrives");
    asking.abort();
    timeout(LONG, endpoint.lost.recv()).await.expect("the call is not cancelled");
    assert!(asking.await.unwrap_err().is_cancelled());
    let decision = lines_of(&settings, "decision").pop().unwrap();
    assert_eq!((&decision["by"], &decision["failure"]), (&json!("withdrawn"), &json!(null)));
    assert_eq!((bot.tally().withdrawn, bot.tally().unanswered.len()), (1, 0));
}

#[tokio::test]
async fn concurrent_calls_are_limited() {
    let endpoint = ScriptedEndpoint::with_replies(vec![streamed("{\"take\": 1}")]).await;
    let bot = bot(&LlmSettings { concurrency: 2, ..settings(&endpoint) });
    let asking: Vec<_> = (0..12)
        .map(|_| {
            let bot = bot.clone();
            tokio::spawn(async move { ask(&bot).await.unwrap() })
        })
        .collect();
    for asked in asking {
        assert_eq!(asked.await.unwrap(), 1);
    }
    assert_eq!(endpoint.calls().len(), 12);
    assert!(endpoint.max_open() <= 2, "{}", endpoint.max_open());
}

#[tokio::test]
async fn a_key_repeated_by_the_endpoint_is_hidden() {
    let body = json!({ "error": { "message": format!("you sent Bearer {KEY}") } }).to_string();
    let said = format!("your key is {KEY} {{\"take\": 2, \"why\": \"{KEY}\"}}");
    for reply in [
        response("401 Unauthorized", "", &body),
        response("500 Oops", "", &body),
        response("200 OK", "", &body),
        completion(&said),
        streamed(&said),
        finished(&json!({ "refusal": KEY, "reasoning": KEY }), "stop"),
    ] {
        let endpoint = ScriptedEndpoint::with_replies(vec![reply]).await;
        let settings = once(settings(&endpoint));
        let bot = bot(&settings);
        let said = match ask(&bot).await {
            Ok(take) => take.to_string(),
            Err(error) => error.to_string(),
        };
        let shown = format!("{said} {bot:?} {} {:?}", bot.tally(), bot.tally().to_json());
        assert!(!shown.contains(KEY), "{shown}");
        // Checks that the key is not in it.
        assert_eq!(transcript(&settings).len(), 3);
    }
}
