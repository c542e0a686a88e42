//! Handles of running matches.

use crate::matches::shard::{AnnouncedMatch, MatchInput, ShardHandle, WatchAdmission, WatchEvent};
use crate::sessions::outbox::Outbox;
use crate::sessions::session_link::SessionLink;
use lastnim_core::game::{MatchId, SeatCount, SeatVersions};
use lastnim_core::referee::{Record, TimedEvent};

/// The maximum number of events that are copied while the shard is locked, which delays its other matches.
const MAX_COPIED_EVENTS: usize = 1_024;

/// Sends inputs to one match, which ignores them once it is finished. The handle is cheap to clone.
#[derive(Debug, Clone)]
pub struct MatchHandle {
    id: MatchId,
    seats: SeatCount,
    shard: ShardHandle,
}

impl MatchHandle {
    pub(crate) fn new(id: MatchId, seats: SeatCount, shard: ShardHandle) -> Self {
        Self { id, seats, shard }
    }

    /// Returns the number of seats.
    pub fn seats(&self) -> SeatCount {
        self.seats
    }

    pub(crate) fn start(&self) {
        self.shard.batch().start(self.id);
    }

    /// Sends an input; returns whether the match is open.
    pub(crate) fn send(&self, input: MatchInput<SessionLink>) -> bool {
        self.shard.batch().send_input(self.id, input)
    }

    pub(crate) fn freeze(&self) {
        self.send(MatchInput::Freeze);
    }

    pub(crate) fn resume(&self) {
        self.send(MatchInput::Thaw);
    }

    /// Drops the match without ending it, if it is still open.
    pub(crate) fn abandon(&self) {
        self.shard.batch().abandon(self.id);
    }

    /// Returns the announced state of the match; `None` until its beginning is announced, and again once its end is
    /// announced.
    pub(crate) fn view(&self) -> Option<AnnouncedMatch> {
        self.shard.view(self.id)
    }

    /// Returns the bot versions that have played, by seat; empty if no version was reported.
    pub(crate) fn seat_versions(&self) -> Vec<SeatVersions> {
        self.shard.seat_versions(self.id)
    }

    /// Adds a watcher, unless the match already has `limit` of them.
    pub(crate) fn watch(&self, outbox: Outbox<WatchEvent>, limit: usize) -> WatchAdmission {
        self.shard.watch(self.id, outbox, limit)
    }

    /// Returns the announced events; `None` once the match is over. The shard is unlocked between blocks of events.
    pub(crate) async fn announced_events(&self) -> Option<Vec<TimedEvent>> {
        let mut events = Vec::new();
        loop {
            let more = self.shard.copy_events(self.id, events.len(), MAX_COPIED_EVENTS)?;
            let is_all = more.len() < MAX_COPIED_EVENTS;
            events.extend(more);
            if is_all {
                return Some(events);
            }
            tokio::task::yield_now().await;
        }
    }

    /// Returns the announced part of the record; `None` until the beginning of the match is announced, and again once
    /// its end is announced.
    pub(crate) async fn announced_record(&self) -> Option<Record> {
        let mut events = self.announced_events().await?.into_iter();
        let mut record = Record::begin(self.id, events.next()?).expect("the first event is valid");
        for (count, event) in events.enumerate() {
            record.push_event(event).expect("announced events are valid");
            if count.is_multiple_of(MAX_COPIED_EVENTS) {
                tokio::task::yield_now().await;
            }
        }
        Some(record)
    }
}
