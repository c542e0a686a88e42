//! One open session, as matches and the roster see it.

use super::outbox::{CloseReason, Outbox};
use crate::game::{BotVersion, MatchId};
use crate::referee::{RefusalReason, Timestamp};
use crate::wire::{ServerEvent, TakeFeed, pb};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// One open session, as matches see it.
#[derive(Debug, Clone)]
pub struct SessionLink {
    /// Its number; a newer session of the same bot has a higher one.
    pub id: u64,
    /// What its bot said of the program that plays.
    pub version: Arc<BotVersion>,
    /// When it began.
    pub opened_at: Timestamp,
    pub(super) outbox: Outbox<ServerEvent>,
    own_turns_only: Arc<AtomicBool>,
    unproductive: Arc<UnproductiveMessages>,
    lag_micros: Arc<AtomicU64>,
}

/// Messages that led nowhere: refused, repeated, unasked for.
#[derive(Debug, Default)]
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
    pub(super) fn new(
        id: u64,
        version: BotVersion,
        opened_at: Timestamp,
        outbox: Outbox<ServerEvent>,
    ) -> Self {
        Self {
            id,
            version: Arc::new(version),
            opened_at,
            outbox,
            own_turns_only: Arc::default(),
            unproductive: Arc::default(),
            lag_micros: Arc::default(),
        }
    }

    /// Sends an event to the bot.
    pub fn send(&self, event: ServerEvent) {
        self.outbox.push(event);
    }

    /// Sends an event besides those of the bot's matches, for which there is always room: a session must not be lost for it.
    pub fn send_beyond_limit(&self, event: ServerEvent) {
        self.outbox.raise_limit(1);
        self.send(event);
        self.outbox.lower_limit(1);
    }

    /// Waits until nothing waits to be sent to the bot, or the session is over.
    pub async fn wait_until_drained(&self) {
        self.outbox.wait_until_drained().await;
    }

    /// Ends the session.
    pub fn close(&self, closing: CloseReason) {
        self.outbox.close(closing);
    }

    /// Ends the session, and names an example of what led to it.
    pub fn close_with_example(&self, closing: CloseReason, example: &str) {
        self.outbox.close_with_example(closing, example);
    }

    /// Waits until the session's stream is over.
    pub async fn wait_until_over(&self) {
        self.outbox.wait_until_over().await;
    }

    /// Waits until the bot has read all that is still to be sent, or is gone; for at most so long, after which it is
    /// dropped.
    pub async fn flush_within(&self, within: Duration) {
        if tokio::time::timeout(within, self.outbox.wait_until_read()).await.is_err() {
            self.outbox.discard_queue();
        }
    }

    /// Counts a message of the bot that led nowhere, and keeps in mind what was wrong with it.
    pub fn count_unproductive(&self, wrong: String) {
        *self.unproductive.last.lock().unwrap_or_else(PoisonError::into_inner) = Some(wrong);
        self.unproductive.count.fetch_add(1, Ordering::Relaxed);
    }

    /// Returns how many messages of the bot led nowhere.
    pub fn unproductive_count(&self) -> u64 {
        self.unproductive.count.load(Ordering::Relaxed)
    }

    /// Returns what was wrong with the last message that led nowhere.
    pub fn last_unproductive(&self) -> Option<String> {
        self.unproductive.last.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Sets the round-trip lag as it was last measured.
    pub fn set_lag(&self, lag: Duration) {
        self.lag_micros.store(u64::try_from(lag.as_micros()).unwrap_or(u64::MAX), Ordering::Relaxed);
    }

    /// Returns the round-trip lag as it was last measured; zero before that.
    pub fn lag(&self) -> Duration {
        Duration::from_micros(self.lag_micros.load(Ordering::Relaxed))
    }

    /// Returns the round-trip lag as it was last measured, if it was.
    pub fn measured_lag(&self) -> Option<Duration> {
        Some(self.lag()).filter(|lag| !lag.is_zero())
    }

    /// Sets which takes the session hears of.
    pub fn set_feed(&self, feed: TakeFeed) {
        self.own_turns_only.store(feed == TakeFeed::OwnTurns, Ordering::Relaxed);
    }

    /// Returns whether the session hears of every seat's takes.
    pub fn hears_all_takes(&self) -> bool {
        !self.own_turns_only.load(Ordering::Relaxed)
    }
}
