//! One open session, as matches and the roster see it.

use crate::sessions::outbox::{CloseReason, Outbox};
use lastnim_core::game::{BotVersion, MatchId};
use lastnim_core::referee::{RefusalReason, Timestamp};
use lastnim_proto::{MatchEvent, ServerEvent, TakeFeed, pb};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::task::Waker;
use std::time::Duration;

/// One open session, as its matches and the roster see it. Cheap to clone.
#[derive(Debug, Clone)]
pub struct SessionLink {
    shared: Arc<SessionState>,
}

/// What every message needs stands first, beside the number of links.
#[derive(Debug)]
#[repr(C)]
struct SessionState {
    outbox: Outbox<ServerEvent>,
    unproductive: UnproductiveMessages,
    id: u64,
    version: Arc<BotVersion>,
    opened_at: Timestamp,
    own_turns_only: AtomicBool,
    lag_micros: AtomicU64,
}

/// Messages that led nowhere: refused, repeated, unasked for.
#[derive(Debug, Default)]
#[repr(C)]
struct UnproductiveMessages {
    count: AtomicU64,
    /// What was wrong with the last of them.
    last: Mutex<Option<String>>,
}

/// Says what was wrong with a message, with the word that its refusal has for programs.
pub fn describe_refusal(reason: RefusalReason, message: &str, id: Option<MatchId>) -> String {
    let word = pb::RefusalReason::from(reason).as_str_name();
    match id {
        Some(id) => format!("{word}: match {id}: {message}"),
        None => format!("{word}: {message}"),
    }
}

impl SessionLink {
    pub(crate) fn new(
        id: u64,
        version: BotVersion,
        opened_at: Timestamp,
        outbox: Outbox<ServerEvent>,
    ) -> Self {
        let (own_turns_only, unproductive, lag_micros) = Default::default();
        let version = Arc::new(version);
        let shared =
            SessionState { outbox, unproductive, id, version, opened_at, own_turns_only, lag_micros };
        Self { shared: Arc::new(shared) }
    }

    /// Returns its number; a newer session of the same bot has a higher one.
    pub fn id(&self) -> u64 {
        self.shared.id
    }

    /// Returns what its bot said of the program that plays.
    pub fn version(&self) -> &Arc<BotVersion> {
        &self.shared.version
    }

    /// Returns when it began.
    pub fn opened_at(&self) -> Timestamp {
        self.shared.opened_at
    }

    pub(crate) fn outbox(&self) -> &Outbox<ServerEvent> {
        &self.shared.outbox
    }

    /// Queues an event of a match, and returns what wakes the session's stream, if it sleeps.
    #[must_use = "a stream that sleeps does not see the event"]
    pub(crate) fn queue_match_event(&self, match_id: MatchId, event: MatchEvent) -> Option<Waker> {
        self.shared.outbox.queue(ServerEvent::InMatch { match_id, event })
    }

    /// Sends an event to the bot.
    pub fn send(&self, event: ServerEvent) {
        self.shared.outbox.push(event);
    }

    /// Sends an event besides those of the bot's matches, for which there is always room: a session must not be lost for it.
    pub fn send_beyond_limit(&self, event: ServerEvent) {
        self.shared.outbox.raise_limit(1);
        self.send(event);
        self.shared.outbox.lower_limit(1);
    }

    /// Returns how many messages wait to be sent to the bot.
    pub fn waiting_messages(&self) -> usize {
        self.shared.outbox.waiting()
    }

    /// Waits until nothing waits to be sent to the bot, or the session is over.
    pub async fn wait_until_drained(&self) {
        self.shared.outbox.wait_until_drained().await;
    }

    /// Ends the session.
    pub fn close(&self, closing: CloseReason) {
        self.shared.outbox.close(closing);
    }

    /// Ends the session, and names an example of what led to it.
    pub fn close_with_example(&self, closing: CloseReason, example: &str) {
        self.shared.outbox.close_with_example(closing, example);
    }

    /// Returns whether the session is over: what its bot sends is read no more.
    pub fn is_over(&self) -> bool {
        self.shared.outbox.is_over()
    }

    /// Waits until the session's stream is over.
    pub async fn wait_until_over(&self) {
        self.shared.outbox.wait_until_over().await;
    }

    /// Waits until the bot has read all that is still to be sent, or is gone; for at most so long, after which it is
    /// dropped.
    pub async fn flush_within(&self, within: Duration) {
        if tokio::time::timeout(within, self.shared.outbox.wait_until_read()).await.is_err() {
            self.shared.outbox.discard_queue();
        }
    }

    /// Counts a message of the bot that led nowhere, and keeps in mind what was wrong with it.
    pub fn count_unproductive(&self, wrong: String) {
        *self.shared.unproductive.last.lock().unwrap_or_else(PoisonError::into_inner) = Some(wrong);
        self.shared.unproductive.count.fetch_add(1, Ordering::Relaxed);
    }

    /// Returns how many messages of the bot led nowhere.
    pub fn unproductive_count(&self) -> u64 {
        self.shared.unproductive.count.load(Ordering::Relaxed)
    }

    /// Returns what was wrong with the last message that led nowhere.
    pub fn last_unproductive(&self) -> Option<String> {
        self.shared.unproductive.last.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Sets the round-trip lag as it was last measured.
    pub fn set_lag(&self, lag: Duration) {
        self.shared.lag_micros.store(u64::try_from(lag.as_micros()).unwrap_or(u64::MAX), Ordering::Relaxed);
    }

    /// Returns the round-trip lag as it was last measured; zero before that.
    pub fn lag(&self) -> Duration {
        Duration::from_micros(self.shared.lag_micros.load(Ordering::Relaxed))
    }

    /// Returns the round-trip lag as it was last measured, if it was.
    pub fn measured_lag(&self) -> Option<Duration> {
        Some(self.lag()).filter(|lag| !lag.is_zero())
    }

    /// Sets which takes the session hears of.
    pub fn set_feed(&self, feed: TakeFeed) {
        self.shared.own_turns_only.store(feed == TakeFeed::OwnTurns, Ordering::Relaxed);
    }

    /// Returns which takes the session hears of.
    pub fn feed(&self) -> TakeFeed {
        if self.shared.own_turns_only.load(Ordering::Relaxed) { TakeFeed::OwnTurns } else { TakeFeed::All }
    }
}
