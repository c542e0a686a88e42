//! Subscriptions to takes.

use super::script::{Script, ended};
use lastnim_client::{
    AsyncBot, Bot, Choice, Error, MatchFailure, MatchView, Summary, TakeFeed, run_async_until, run_until,
};
use lastnim_proto::pb::Feed;
use std::sync::{
    Arc,
    atomic::{AtomicU32, Ordering},
};
use tokio::{sync::oneshot, task::JoinHandle};
use tonic::Status;

/// Subscribes to all takes on the first call, and to its own turns on the second.
struct Fickle {
    asked: Arc<AtomicU32>,
}

impl Fickle {
    fn next_feed(&self) -> TakeFeed {
        if self.asked.fetch_add(1, Ordering::SeqCst) == 0 { TakeFeed::All } else { TakeFeed::OwnTurns }
    }
}

impl Bot for Fickle {
    fn take_feed(&self) -> TakeFeed {
        self.next_feed()
    }

    fn play(&mut self, _: &MatchView) -> u64 {
        1
    }
}

/// The same as an async bot.
struct FickleTask(Fickle);

impl AsyncBot for FickleTask {
    fn take_feed(&self) -> TakeFeed {
        self.0.next_feed()
    }

    async fn play(&self, _: &MatchView) -> Result<Choice<u64>, MatchFailure> {
        Ok(1.into())
    }
}

/// Lets a bot open three sessions, and asserts that each subscribes to all takes.
async fn assert_all_sessions_want_all_takes(
    mut script: Script,
    asked: &AtomicU32,
    run: JoinHandle<Result<Summary, Error>>,
    stop: oneshot::Sender<()>,
) {
    for _ in 0..2 {
        let mut session = script.next_session().await;
        assert_eq!(session.welcome_to_feed(0).await, Feed::All);
        session.break_with(Status::unavailable("restarting")).await;
    }
    let mut session = script.next_session().await;
    assert_eq!(session.welcome_to_feed(0).await, Feed::All);
    stop.send(()).unwrap();
    ended(run).await.unwrap();
    assert_eq!(asked.load(Ordering::SeqCst), 1);
}

#[tokio::test]
async fn the_subscription_of_a_bot_is_read_once() {
    let script = Script::start().await;
    let asked = Arc::new(AtomicU32::new(0));
    let bot = Fickle { asked: Arc::clone(&asked) };
    let (stop, stopped) = oneshot::channel::<()>();
    let run = tokio::spawn(run_until(bot, script.options(), async {
        let _ = stopped.await;
    }));
    assert_all_sessions_want_all_takes(script, &asked, run, stop).await;
}

#[tokio::test]
async fn the_subscription_of_an_async_bot_is_read_once() {
    let script = Script::start().await;
    let asked = Arc::new(AtomicU32::new(0));
    let bot = FickleTask(Fickle { asked: Arc::clone(&asked) });
    let (stop, stopped) = oneshot::channel::<()>();
    let run = tokio::spawn(run_async_until(bot, script.options(), async {
        let _ = stopped.await;
    }));
    assert_all_sessions_want_all_takes(script, &asked, run, stop).await;
}
