//! What is kept of one match.

use super::MatchSummary;
use crate::game::{MatchId, Seat};
use crate::oracle::Audit;
use crate::referee::{EndReason, Event, MatchSetup, Phase, TimedEvent, Timestamp};
use std::sync::Arc;

/// Events of a chunk that is full. A reader shares the full chunks and copies only the last, short one.
const CHUNK: usize = 256;

/// The events of one match, and what they come to. Nothing that a list shows has to be worked out from the events.
#[derive(Debug, Default)]
pub(super) struct KeptMatch {
    created: Option<(Timestamp, Arc<MatchSetup>)>,
    full: Vec<Arc<Vec<TimedEvent>>>,
    latest: Vec<TimedEvent>,
    plies: u32,
    is_revealed: bool,
    end: Option<(EndReason, Option<Seat>)>,
    pub(super) audit: Option<Arc<Audit>>,
}

/// The events of a match up to one moment.
#[derive(Debug)]
pub(super) struct EventsSoFar {
    created: Option<(Timestamp, Arc<MatchSetup>)>,
    full: Vec<Arc<Vec<TimedEvent>>>,
    latest: Vec<TimedEvent>,
}

impl KeptMatch {
    /// Adds the next event.
    pub(super) fn push(&mut self, timed: TimedEvent) {
        match timed.event {
            Event::Created(setup) if self.len() == 0 => {
                self.created = Some((timed.at, Arc::from(setup)));
                return;
            }
            Event::Revealed { .. } => self.is_revealed = true,
            Event::Took { .. } => self.plies += 1,
            Event::Ended { reason, winner } => self.end = Some((reason, winner)),
            Event::Created(_) | Event::Declared { .. } | Event::Struck { .. } | Event::Forfeited { .. } => {}
        }
        if self.latest.len() == CHUNK {
            self.full.push(Arc::new(std::mem::take(&mut self.latest)));
        }
        self.latest.push(timed);
        if self.is_over() {
            self.latest.shrink_to_fit();
        }
    }

    /// Returns how many events there are.
    pub(super) fn len(&self) -> usize {
        usize::from(self.created.is_some()) + self.full.len() * CHUNK + self.latest.len()
    }

    /// Returns what was fixed before the first move; `None` if the events do not begin with it.
    pub(super) fn setup(&self) -> Option<&Arc<MatchSetup>> {
        self.created.as_ref().map(|(_, setup)| setup)
    }

    /// Returns whether the match is over.
    pub(super) fn is_over(&self) -> bool {
        self.end.is_some()
    }

    /// Sums the match up; `None` if its events do not begin with its setup.
    pub(super) fn summary(&self, id: MatchId) -> Option<MatchSummary> {
        let phase = match (self.end, self.is_revealed) {
            (Some(_), _) => Phase::Ended,
            (None, true) => Phase::Playing,
            (None, false) => Phase::Declaring,
        };
        Some(MatchSummary { id, setup: Arc::clone(self.setup()?), phase, plies: self.plies, end: self.end })
    }

    /// Returns the events so far, copying few of them however many there are.
    pub(super) fn events(&self) -> EventsSoFar {
        EventsSoFar { created: self.created.clone(), full: self.full.clone(), latest: self.latest.clone() }
    }
}

impl EventsSoFar {
    /// Copies the events into one list.
    pub(super) fn into_vec(self) -> Vec<TimedEvent> {
        let created = self.created.into_iter().map(|(at, setup)| {
            let setup = MatchSetup::clone(&setup);
            TimedEvent { at, event: Event::Created(Box::new(setup)) }
        });
        let full = self.full.iter().flat_map(|chunk| chunk.iter().cloned());
        created.chain(full).chain(self.latest).collect()
    }
}
