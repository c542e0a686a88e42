//! Handles through which matches and the roster use open sessions.

use crate::sessions::late_messages::LateMessages;
use crate::sessions::outbox::{CloseReason, Outbox};
use lastnim_core::game::{BotVersion, MatchId};
use lastnim_core::referee::{RefusalReason, Timestamp};
use lastnim_proto::{MatchEvent, ServerEvent, TakeFeed, pb};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::Waker;
use std::time::Duration;

/// A handle through which matches and the roster use an open session. Cheap to clone.
#[derive(Debug, Clone)]
pub struct SessionLink {
    shared: Arc<SessionState>,
}

/// The state of an open session. The fields that every message needs come first, next to the reference count.
#[derive(Debug)]
#[repr(C)]
struct SessionState {
    outbox: Outbox<ServerEvent>,
    idle_messages: IdleMessages,
    late_messages: Mutex<LateMessages>,
    id: u64,
    version: Arc<BotVersion>,
    opened_at: Timestamp,
    own_turns_only: AtomicBool,
    lag_micros: AtomicU64,
}

/// The bot's messages that changed nothing, because they were refused, repeated or unrequested.
#[derive(Debug, Default)]
#[repr(C)]
struct IdleMessages {
    count: AtomicU64,
    /// A description of the last such message.
    last: Mutex<Option<String>>,
}

/// Describes a refusal, beginning with the name of its reason code.
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
        let (own_turns_only, idle_messages, late_messages, lag_micros) = Default::default();
        let version = Arc::new(version);
        let shared = SessionState {
            outbox,
            idle_messages,
            late_messages,
            id,
            version,
            opened_at,
            own_turns_only,
            lag_micros,
        };
        Self { shared: Arc::new(shared) }
    }

    /// Returns the session's number; newer sessions of the same bot have higher numbers.
    pub fn id(&self) -> u64 {
        self.shared.id
    }

    /// Returns the version that the bot reported when it opened the session.
    pub fn version(&self) -> &Arc<BotVersion> {
        &self.shared.version
    }

    /// Returns when the session was opened.
    pub fn opened_at(&self) -> Timestamp {
        self.shared.opened_at
    }

    pub(crate) fn outbox(&self) -> &Outbox<ServerEvent> {
        &self.shared.outbox
    }

    /// Queues an event of a match, and returns the waker of the session's stream if the stream is asleep.
    #[must_use = "a sleeping stream does not see the event unless this waker is woken"]
    pub(crate) fn queue_match_event(&self, match_id: MatchId, event: MatchEvent) -> Option<Waker> {
        self.shared.outbox.queue(ServerEvent::InMatch { match_id, event })
    }

    /// Sends an event to the bot.
    pub fn send(&self, event: ServerEvent) {
        self.shared.outbox.push(event);
    }

    /// Sends an event that is not part of a match. The event ignores the queue limit, so that it never closes the
    /// session.
    pub fn send_beyond_limit(&self, event: ServerEvent) {
        self.shared.outbox.raise_limit(1);
        self.send(event);
        self.shared.outbox.lower_limit(1);
    }

    /// Returns the number of messages queued for the bot.
    pub fn waiting_message_count(&self) -> usize {
        self.shared.outbox.waiting()
    }

    /// Waits until the queue is empty, or the session is over.
    pub async fn wait_until_drained(&self) {
        self.shared.outbox.wait_until_drained().await;
    }

    /// Closes the session.
    pub fn close(&self, closing: CloseReason) {
        self.shared.outbox.close(closing);
    }

    /// Closes the session, with an example of the cause.
    pub fn close_with_example(&self, closing: CloseReason, example: &str) {
        self.shared.outbox.close_with_example(closing, example);
    }

    /// Returns whether the session is over, so that no further messages to it will be read.
    pub fn is_over(&self) -> bool {
        self.shared.outbox.is_over()
    }

    /// Waits until the session's stream is closed.
    pub async fn wait_until_over(&self) {
        self.shared.outbox.wait_until_over().await;
    }

    /// Waits for at most `within` until the bot has read all queued messages or is gone. If it has not by then, drops
    /// the remaining messages.
    pub async fn flush_within(&self, within: Duration) {
        if tokio::time::timeout(within, self.shared.outbox.wait_until_read()).await.is_err() {
            self.shared.outbox.discard_queue();
        }
    }

    /// Counts an idle message from the bot, and keeps its description.
    pub fn count_idle_message(&self, wrong: String) {
        *self.shared.idle_messages.last.lock().unwrap_or_else(PoisonError::into_inner) = Some(wrong);
        self.shared.idle_messages.count.fetch_add(1, Ordering::Relaxed);
    }

    /// Returns the number of idle messages so far.
    pub fn idle_message_count(&self) -> u64 {
        self.shared.idle_messages.count.load(Ordering::Relaxed)
    }

    /// Returns the description of the last idle message.
    pub fn last_idle_message(&self) -> Option<String> {
        self.shared.idle_messages.last.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Notes that the end of a match was sent to the session.
    pub(crate) fn note_match_end_sent(&self) {
        self.late_messages().note_end_sent();
    }

    /// Returns the number of ends of matches sent so far, to be remembered with the next ping.
    pub(crate) fn sent_match_ends(&self) -> u64 {
        self.late_messages().sent_ends()
    }

    /// Notes that the bot answered a ping that was sent after the first `sent_ends` ends of matches.
    pub(crate) fn confirm_match_ends(&self, sent_ends: u64) {
        self.late_messages().confirm_ends(sent_ends);
    }

    /// Returns whether the bot may have sent a message for an ended match before it read the end. Each end excuses only
    /// a few messages.
    pub(crate) fn excuse_late_message(&self) -> bool {
        self.late_messages().excuse_message()
    }

    fn late_messages(&self) -> MutexGuard<'_, LateMessages> {
        self.shared.late_messages.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Sets the last measured round-trip lag.
    pub fn set_lag(&self, lag: Duration) {
        self.shared.lag_micros.store(u64::try_from(lag.as_micros()).unwrap_or(u64::MAX), Ordering::Relaxed);
    }

    /// Returns the last measured round-trip lag; zero before the first measurement.
    pub fn lag(&self) -> Duration {
        Duration::from_micros(self.shared.lag_micros.load(Ordering::Relaxed))
    }

    /// Returns the last measured round-trip lag, if there is one.
    pub fn measured_lag(&self) -> Option<Duration> {
        Some(self.lag()).filter(|lag| !lag.is_zero())
    }

    /// Sets which takes are sent to the session.
    pub fn set_feed(&self, feed: TakeFeed) {
        self.shared.own_turns_only.store(feed == TakeFeed::OwnTurns, Ordering::Relaxed);
    }

    /// Returns which takes are sent to the session.
    pub fn feed(&self) -> TakeFeed {
        if self.shared.own_turns_only.load(Ordering::Relaxed) { TakeFeed::OwnTurns } else { TakeFeed::All }
    }
}
