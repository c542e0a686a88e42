//! Whole matches on a real server.

use super::{
    asking::{KEY, LONG, fresh_file, lines_of},
    scripted_endpoint::{Reply, ScriptedEndpoint, simplest_answer},
    server::Server,
};
use lastnim::{
    client::{Options, run_async_until},
    llm::{ApiKey, LlmBot, LlmSettings},
};
use std::{collections::BTreeSet, time::Duration};
use tokio::{sync::oneshot, time::timeout};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn matches_are_thought_about_side_by_side() {
    // No call is answered before both matches have made one.
    let endpoint = ScriptedEndpoint::start(|_, call| match simplest_answer(call) {
        Reply::Bytes(bytes) => Reply::AfterCalls(2, bytes),
        other => other,
    })
    .await;
    let server = Server::start().await;
    let token = server.register("model").await;
    let settings = LlmSettings {
        model: "model-1".into(),
        base_url: endpoint.url.clone(),
        transcript: Some(fresh_file("matches.jsonl")),
        ..LlmSettings::default()
    };
    let bot = LlmBot::with_key(settings.clone(), 0, Some(ApiKey::new(KEY))).unwrap();
    let options = Options::new(&server.address, token);
    let (stop, stopped) = oneshot::channel::<()>();
    let playing = tokio::spawn(run_async_until(bot.clone(), options, async {
        let _ = stopped.await;
    }));
    let ids = [server.begin_match("model").await, server.begin_match("model").await];
    let over = async {
        // Each of the two matches has at most four plies of the model.
        while server.get_bot("model").await.bot.unwrap().open_matches > 0 || bot.tally().answered < 4 {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    };
    timeout(LONG, over).await.expect("the matches do not end");
    stop.send(()).unwrap();
    let summary = timeout(LONG, playing).await.unwrap().unwrap().unwrap();
    assert_eq!((summary.matches, summary.forfeits), (2, 0));
    let tally = bot.tally();
    assert_eq!((tally.answered, tally.unanswered.len(), tally.failures.len()), (tally.questions, 0, 0));
    let played: BTreeSet<_> = lines_of(&settings, "decision")
        .iter()
        .map(|line| line["match_id"].as_str().unwrap().to_owned())
        .collect();
    assert_eq!(played, ids.into());
    // Prompts tell what the opponent took.
    let prompts = endpoint.calls();
    assert!(prompts.iter().any(|call| call.last_message().contains("seat 1 took")), "{prompts:#?}");
}
