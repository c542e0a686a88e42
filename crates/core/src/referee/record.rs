//! Everything that happened in a match.

use super::state::DecidedTake;
use super::{
    EndReason, Event, EventHash, EventMisfit, MAX_PLIES, MAX_STRIKES, MatchSetup, MatchSetupError,
    MatchState, TimedEvent,
};
use crate::game::{MAX_SEATS, MatchId};
use crate::oracle::{Audit, AuditError};
use std::sync::OnceLock;
use thiserror::Error;

/// The most events that a record can have: `created`, `revealed` and `ended`; for each seat its row, all its strikes and
/// its loss; and the takes.
pub const MAX_EVENTS: usize = 3 + MAX_SEATS * (MAX_STRIKES as usize + 2) + MAX_PLIES as usize;

/// The events for which a record makes room when it begins: few matches have fewer, and a longer one moves its events less
/// often.
const USUAL_EVENTS: usize = 16;

/// The events of one match, from its setup on, in order. A record that exists replays.
#[derive(Debug, Clone)]
pub struct Record {
    id: MatchId,
    events: Vec<TimedEvent>,
    state: MatchState,
    /// The hash of each event, of which the last one stands for the whole record; empty until somebody asks for them, and
    /// from then on complete.
    hashes: OnceLock<Box<HashChain>>,
}

/// The hashes of a record's events, in order.
#[derive(Debug, Clone)]
struct HashChain(Vec<EventHash>);

impl HashChain {
    fn of_events(id: MatchId, events: &[TimedEvent]) -> Self {
        let mut head = EventHash::before_first_event(id);
        let hashes = events.iter().map(|event| {
            head = head.hash_of_next(event);
            head
        });
        Self(hashes.collect())
    }

    fn last(&self) -> EventHash {
        *self.0.last().expect("a record begins with an event")
    }

    fn push_event(&mut self, event: &TimedEvent) {
        self.0.push(self.last().hash_of_next(event));
    }
}

/// Hashes and state follow from the id and the events.
impl PartialEq for Record {
    fn eq(&self, other: &Self) -> bool {
        self.id == other.id && self.events == other.events
    }
}

impl Eq for Record {}

/// Why events are no record, or a record cannot be audited.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum RecordError {
    /// There is no event.
    #[error("a record without events: the first is `created`")]
    Empty,
    /// The first event does not set the match up.
    #[error("event 0 is not `created`")]
    NotCreated,
    /// There are more events than any match has.
    #[error("{0} events: a record has at most {MAX_EVENTS}")]
    TooMany(usize),
    /// The first event sets up a match that cannot be played.
    #[error("event 0: {0}")]
    Setup(MatchSetupError),
    /// An event does not fit the events before it.
    #[error("event {index}: {misfit}")]
    Misfit {
        /// The index of the event, from 0.
        index: usize,
        /// Why it does not fit.
        misfit: EventMisfit,
    },
    /// An event happened before the event that it follows.
    #[error("event {index} is earlier than the event before it")]
    Earlier {
        /// The index of the event, from 0.
        index: usize,
    },
    /// The match is not over.
    #[error("the match is not over after {plies} plies: an audit needs its end")]
    NotEnded {
        /// Takes made.
        plies: u32,
    },
    /// The match was cancelled.
    #[error("the match was cancelled after {plies} plies: without a winner there is nothing to audit")]
    Cancelled {
        /// Takes made.
        plies: u32,
    },
    /// The oracle refuses the game.
    #[error(transparent)]
    Audit(#[from] AuditError),
}

impl Record {
    /// Begins a record.
    ///
    /// # Errors
    /// If the event is not `created`, or what keeps its match from being played.
    pub fn begin(id: MatchId, created: TimedEvent) -> Result<Self, RecordError> {
        let Event::Created(setup) = &created.event else { return Err(RecordError::NotCreated) };
        let checked = MatchSetup::clone(setup).validate();
        let state = MatchState::new(checked.map_err(|mut errors| RecordError::Setup(errors.swap_remove(0)))?);
        let mut events = Vec::with_capacity(USUAL_EVENTS);
        events.push(created);
        Ok(Self { id, events, state, hashes: OnceLock::new() })
    }

    /// Accepts the events of a match, which may still be open.
    ///
    /// # Errors
    /// Names the first event that does not fit.
    pub fn replay(id: MatchId, events: impl IntoIterator<Item = TimedEvent>) -> Result<Self, RecordError> {
        let mut events = events.into_iter();
        let mut record = Self::begin(id, events.next().ok_or(RecordError::Empty)?)?;
        for event in events {
            record.push_event(event)?;
        }
        Ok(record)
    }

    /// Adds an event.
    ///
    /// # Errors
    /// The record is unchanged if the event does not fit.
    pub fn push_event(&mut self, event: TimedEvent) -> Result<(), RecordError> {
        let index = self.events.len();
        if self.events.last().is_some_and(|last| event.at < last.at) {
            return Err(RecordError::Earlier { index });
        }
        self.state.apply_event(&event.event).map_err(|misfit| RecordError::Misfit { index, misfit })?;
        self.add_event(event);
        Ok(())
    }

    /// Adds a take that the referee has decided on from this record's own state, at a time that is no earlier than the last
    /// event: what [`push_event`](Self::push_event) would check holds already.
    pub(super) fn push_decided_take(&mut self, decided: DecidedTake, event: TimedEvent) {
        debug_assert!(self.events.last().is_some_and(|last| event.at >= last.at), "time runs forwards");
        debug_assert!(self.state.allows_take(decided, &event.event), "{decided:?} does not fit {event:?}");
        self.state.make_take(decided);
        self.add_event(event);
    }

    fn add_event(&mut self, event: TimedEvent) {
        if let Some(hashes) = self.hashes.get_mut() {
            hashes.push_event(&event);
        }
        self.events.push(event);
    }

    /// Returns the match.
    pub fn id(&self) -> MatchId {
        self.id
    }

    /// Returns the events, in order.
    pub fn events(&self) -> &[TimedEvent] {
        &self.events
    }

    /// Returns the hash of each event, in order: each covers its event and all before it.
    pub fn hashes(&self) -> &[EventHash] {
        &self.chain().0
    }

    /// Returns the hashes, which are made when they are first asked for: while a match is played, nobody needs them before
    /// its record is shown or signed.
    fn chain(&self) -> &HashChain {
        self.hashes.get_or_init(|| Box::new(HashChain::of_events(self.id, &self.events)))
    }

    /// Returns the hash of the last event, which stands for the whole record and is what the server signs once the match
    /// is over.
    pub fn last_hash(&self) -> EventHash {
        self.chain().last()
    }

    /// Returns the last hash of the chain of the public events alone, which stands for a record whose rows are not revealed:
    /// it depends on nothing but what such a record shows. None where they are revealed.
    pub fn public_head(&self) -> Option<EventHash> {
        let begin = EventHash::before_first_public_event(self.id);
        let is_unrevealed = self.state.game().is_none();
        is_unrevealed.then(|| self.public_events().fold(begin, |head, event| head.hash_of_next(event)))
    }

    /// Returns the events that seats and watchers may see: before the rows are revealed, none that holds a row.
    pub fn public_events(&self) -> impl Iterator<Item = &TimedEvent> {
        let revealed = self.state.game().is_some();
        self.events.iter().filter(move |event| revealed || event.event.is_public())
    }

    /// Returns what the events have brought about.
    pub fn state(&self) -> &MatchState {
        &self.state
    }

    /// Holds the match against the oracle.
    ///
    /// # Errors
    /// If the match is not over or was cancelled.
    pub fn audit(&self) -> Result<Audit, RecordError> {
        let plies = self.state.ply();
        match (self.state.end(), self.state.game()) {
            (None, _) => Err(RecordError::NotEnded { plies }),
            (Some((EndReason::Cancelled, _)), _) | (_, None) => Err(RecordError::Cancelled { plies }),
            (Some((EndReason::Finished, _)), Some(game)) => Ok(Audit::of_finished(game, self.state.takes())?),
            (Some((EndReason::PlyLimit | EndReason::AllForfeited, _)), Some(game)) => {
                Ok(Audit::of_adjudicated(game, self.state.takes())?)
            }
        }
    }
}
