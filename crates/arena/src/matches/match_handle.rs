//! How others reach a match that runs.

use crate::matches::shard::{AnnouncedMatch, MatchInput, ShardHandle, WatchAdmission, WatchEvent};
use crate::sessions::outbox::Outbox;
use crate::sessions::session_link::SessionLink;
use lastnim_core::game::{MatchId, SeatCount, SeatVersions};
use lastnim_core::referee::{Record, TimedEvent};

/// Events that are copied at once: the matches of a shard wait no longer than that takes.
const EVENTS_AT_ONCE: usize = 1_024;

/// Sends inputs to one match. Cheap to clone; a match that is over takes no more.
#[derive(Debug, Clone)]
pub struct MatchHandle {
    id: MatchId,
    seats: SeatCount,
    shard: ShardHandle,
}

impl MatchHandle {
    /// Makes a handle of a match that a shard owns.
    pub(crate) fn new(id: MatchId, seats: SeatCount, shard: ShardHandle) -> Self {
        Self { id, seats, shard }
    }

    /// Returns how many seats the match has.
    pub fn seats(&self) -> SeatCount {
        self.seats
    }

    /// Starts the match.
    pub(crate) fn start(&self) {
        self.shard.batch().start(self.id);
    }

    /// Sends an input; returns whether the match is open.
    pub(crate) fn send(&self, input: MatchInput<SessionLink>) -> bool {
        self.shard.batch().tell(self.id, input)
    }

    /// Lets the match wait, or go on.
    pub(crate) fn set_frozen(&self, frozen: bool) {
        self.send(if frozen { MatchInput::Freeze } else { MatchInput::Thaw });
    }

    /// Gives the match up, if it is still there.
    pub(crate) fn abandon(&self) {
        self.shard.batch().abandon(self.id);
    }

    /// Returns what is announced of the match; nothing before its beginning is, and once it is over.
    pub(crate) fn view(&self) -> Option<AnnouncedMatch> {
        self.shard.view(self.id)
    }

    /// Returns by seat the versions that have sat there; nothing if none was said.
    pub(crate) fn seat_versions(&self) -> Vec<SeatVersions> {
        self.shard.seat_versions(self.id)
    }

    /// Adds a watcher, unless the match has `most` already.
    pub(crate) fn watch(&self, outbox: Outbox<WatchEvent>, most: usize) -> WatchAdmission {
        self.shard.watch(self.id, outbox, most)
    }

    /// Returns the events that are announced; nothing once the match is over. Others have their turn meanwhile.
    pub(crate) async fn announced_events(&self) -> Option<Vec<TimedEvent>> {
        let mut events = Vec::new();
        loop {
            let more = self.shard.copy_events(self.id, events.len(), EVENTS_AT_ONCE)?;
            let is_all = more.len() < EVENTS_AT_ONCE;
            events.extend(more);
            if is_all {
                return Some(events);
            }
            tokio::task::yield_now().await;
        }
    }

    /// Returns the record as far as it is announced; nothing before the beginning is, and once the match is over.
    pub(crate) async fn announced_record(&self) -> Option<Record> {
        let mut events = self.announced_events().await?.into_iter();
        let mut record = Record::begin(self.id, events.next()?).expect("it begins a record");
        for (count, event) in events.enumerate() {
            record.push_event(event).expect("what begins a record is one");
            if count.is_multiple_of(EVENTS_AT_ONCE) {
                tokio::task::yield_now().await;
            }
        }
        Some(record)
    }
}
