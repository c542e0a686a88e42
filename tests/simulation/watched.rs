//! The part of a match that a watcher has seen.

use super::talk::may_be_watched;
use lastnim_core::referee::{Record, TimedEvent};
use lastnim_proto::pb::{self, record_event::Event};

/// The part of a match that a watcher has seen.
#[derive(Debug, Default)]
pub struct WatchedEvents {
    pub events: Vec<pb::RecordEvent>,
}

impl WatchedEvents {
    /// Returns whether a record has the newest event, and may show it.
    pub fn newest_is_committed(&self, record: &Record) -> bool {
        let Some(newest) = self.events.last() else { return true };
        let is_newest = |timed: &TimedEvent| pb::RecordEvent::from(timed) == *newest;
        record.events().iter().rev().any(is_newest) && may_show(record, newest)
    }

    /// Returns whether a record has these events in order, except for rows and messages, which a watcher sees later.
    pub fn are_committed(&self, record: &Record) -> bool {
        let events: Vec<pb::RecordEvent> = record.events().iter().map(Into::into).collect();
        let is_late = |event: &&pb::RecordEvent| {
            matches!(event.event, Some(Event::Declared(_) | Event::Dealt(_) | Event::Said(_)))
        };
        let other_events = |events: &[pb::RecordEvent]| -> Vec<_> {
            events.iter().filter(|event| !is_late(event)).cloned().collect()
        };
        let mut late = self.events.iter().filter(is_late);
        late.all(|event| events.contains(event) && may_show(record, event))
            && other_events(&events).starts_with(&other_events(&self.events))
    }
}

/// Returns whether watchers may see an event of a record: dealt rows and private messages once the match has a winner.
fn may_show(record: &Record, event: &pb::RecordEvent) -> bool {
    match event.event {
        Some(Event::Dealt(_)) => record.state().opened_rows().is_some(),
        _ => may_be_watched(record, event),
    }
}
