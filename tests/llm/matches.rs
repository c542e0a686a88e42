//! Matches on a real server.

use super::{
    asking::{KEY, LONG, fresh_file, lines_of},
    scripted_endpoint::{Reply, ScriptedEndpoint, simplest_answer},
    server::Server,
};
use lastnim_client::{
    AsyncBot, Choice, MatchEnd, MatchFailure, MatchInfo, MatchView, Options, TakeFeed, run_async_until,
};
use lastnim_core::game::Row;
use lastnim_llm::{ApiKey, LlmBot, LlmSettings};
use std::collections::BTreeSet;
use tokio::{
    sync::{mpsc, oneshot},
    time::timeout,
};

/// A model that reports the ends of its matches.
struct Telling {
    bot: LlmBot,
    ends: mpsc::UnboundedSender<()>,
}

impl AsyncBot for Telling {
    fn take_feed(&self) -> TakeFeed {
        self.bot.take_feed()
    }

    async fn declare(&self, game: &MatchInfo) -> Result<Choice<Row>, MatchFailure> {
        self.bot.declare(game).await
    }

    async fn play(&self, game: &MatchView) -> Result<Choice<u64>, MatchFailure> {
        self.bot.play(game).await
    }

    async fn ended(&self, _: &MatchEnd) {
        let _ = self.ends.send(());
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn matches_are_played_concurrently() {
    // Calls are answered only after both matches have made one.
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
    let (ends, mut ended) = mpsc::unbounded_channel();
    let playing = tokio::spawn(run_async_until(Telling { bot: bot.clone(), ends }, options, async {
        let _ = stopped.await;
    }));
    let ids = [server.begin_match("model").await, server.begin_match("model").await];
    for _ in &ids {
        timeout(LONG, ended.recv()).await.expect("the matches do not end");
    }
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
    // Prompts contain the opponent's takes.
    let prompts = endpoint.calls();
    assert!(prompts.iter().any(|call| call.last_message().contains("seat 1 took")), "{prompts:#?}");
}
