//! The record of a match.

use super::state::DecidedTake;
use super::{
    EndReason, Event, EventHash, InvalidEvent, MAX_PLIES, MAX_ROUND_MESSAGES, MAX_STRIKES, MAX_TALK_ROUNDS,
    MatchSetup, MatchSetupError, MatchState, TalkMessage, TimedEvent,
};
use crate::game::{BySeat, MAX_SEATS, MatchId, Seat};
use crate::oracle::{Audit, AuditError, Mover};
use std::sync::OnceLock;
use thiserror::Error;

/// The maximum number of events in a record: `created`, `dealt`, `revealed` and `ended`; a row, a forfeit and all
/// strikes for each seat; all takes; and, for each round of talk, all messages, the end of each seat's talk, and its
/// end.
pub const MAX_EVENTS: usize = 4
    + MAX_SEATS * (MAX_STRIKES as usize + 2)
    + MAX_PLIES as usize
    + MAX_TALK_ROUNDS as usize * (MAX_SEATS * (MAX_ROUND_MESSAGES as usize + 1) + 1);

/// The initial capacity of the list of events. Few matches have fewer events than this, and longer matches need fewer
/// reallocations.
const INITIAL_CAPACITY: usize = 16;

/// The events of one match, in order, beginning with its setup. Replaying the events of a `Record` never fails.
#[derive(Debug, Clone)]
pub struct Record {
    id: MatchId,
    events: Vec<TimedEvent>,
    state: MatchState,
    /// The hash of each event; the last one covers the whole record. Computed on first use, then kept up to date.
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

/// Two records are equal if their ids and events are equal, because hashes and state follow from these.
impl PartialEq for Record {
    fn eq(&self, other: &Self) -> bool {
        self.id == other.id && self.events == other.events
    }
}

impl Eq for Record {}

/// Why events do not form a record, or why a record cannot be audited.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum RecordError {
    /// There are no events.
    #[error("the record has no events: expected `created` first")]
    Empty,
    /// The first event is not `created`.
    #[error("event 0 is not `created`")]
    NotCreated,
    /// There are more events than a record can have.
    #[error("{0} events: expected at most {MAX_EVENTS} in a record")]
    TooMany(usize),
    /// The first event sets up a match that cannot be played.
    #[error("event 0: {0}")]
    Setup(MatchSetupError),
    /// An event does not fit the events before it.
    #[error("event {index}: {misfit}")]
    RuleViolation {
        /// The index of the event, from 0.
        index: usize,
        /// Why the event does not fit.
        misfit: InvalidEvent,
    },
    /// An event happened before the previous event.
    #[error("the time of event {index} is before that of the previous event")]
    Earlier {
        /// The index of the event, from 0.
        index: usize,
    },
    /// The match is not over.
    #[error(
        "the match is not over after {plies} {plies_word}: only finished matches can be audited",
        plies_word = if *plies == 1 { "ply" } else { "plies" }
    )]
    NotEnded {
        /// The number of takes made.
        plies: u32,
    },
    /// The match was cancelled.
    #[error(
        "the match was cancelled after {plies} {plies_word}: it has no winner, so there is nothing to audit",
        plies_word = if *plies == 1 { "ply" } else { "plies" }
    )]
    Cancelled {
        /// The number of takes made.
        plies: u32,
    },
    /// The oracle rejects the game.
    #[error(transparent)]
    Audit(#[from] AuditError),
}

impl Record {
    /// Begins a record with its first event.
    ///
    /// # Errors
    /// If the event is not `created`, or its setup is invalid.
    pub fn begin(id: MatchId, created: TimedEvent) -> Result<Self, RecordError> {
        let Event::Created(setup) = &created.event else { return Err(RecordError::NotCreated) };
        let checked = MatchSetup::clone(setup).validate();
        let state = MatchState::new(checked.map_err(|mut errors| RecordError::Setup(errors.swap_remove(0)))?);
        let mut events = Vec::with_capacity(INITIAL_CAPACITY);
        events.push(created);
        Ok(Self { id, events, state, hashes: OnceLock::new() })
    }

    /// Replays the events of a match, which may still be open.
    ///
    /// # Errors
    /// If there are no events, or if an event cannot follow those before it; the error names the first such event.
    pub fn replay(id: MatchId, events: impl IntoIterator<Item = TimedEvent>) -> Result<Self, RecordError> {
        let mut events = events.into_iter();
        let mut record = Self::begin(id, events.next().ok_or(RecordError::Empty)?)?;
        for event in events {
            record.push_event(event)?;
        }
        Ok(record)
    }

    /// Appends an event.
    ///
    /// # Errors
    /// If the event does not fit; the record is then unchanged.
    pub fn push_event(&mut self, event: TimedEvent) -> Result<(), RecordError> {
        let index = self.events.len();
        if self.events.last().is_some_and(|last| event.at < last.at) {
            return Err(RecordError::Earlier { index });
        }
        self.state
            .apply_event(&event.event)
            .map_err(|misfit| RecordError::RuleViolation { index, misfit })?;
        self.add_event(event);
        Ok(())
    }

    /// Appends a take that the referee decided from this record's state, at a time no earlier than the last event.
    /// Skips the checks of [`push_event`](Self::push_event), because they would pass.
    pub(super) fn push_decided_take(&mut self, decided: DecidedTake, event: TimedEvent) {
        debug_assert!(self.events.last().is_some_and(|last| event.at >= last.at), "time never decreases");
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

    /// Returns the id of the match.
    pub fn id(&self) -> MatchId {
        self.id
    }

    /// Returns the events, in order.
    pub fn events(&self) -> &[TimedEvent] {
        &self.events
    }

    /// Returns the hash of each event, in order. Each hash covers its event and all earlier events.
    pub fn hashes(&self) -> &[EventHash] {
        &self.chain().0
    }

    /// Returns the hashes, which are computed on first use because they are needed only when the record is shown or
    /// signed.
    fn chain(&self) -> &HashChain {
        self.hashes.get_or_init(|| Box::new(HashChain::of_events(self.id, &self.events)))
    }

    /// Returns the hash of the last event. It covers the whole record; the server signs it when the match is over.
    pub fn last_hash(&self) -> EventHash {
        self.chain().last()
    }

    /// Returns the last hash of the chain of public events; `None` if all events are public. It does not depend on rows
    /// and messages that are still secret.
    pub fn public_head(&self) -> Option<EventHash> {
        let begin = EventHash::before_first_public_event(self.id);
        let has_secrets = !self.state.is_all_public();
        has_secrets.then(|| self.public_events().fold(begin, |head, event| head.hash_of_next(event)))
    }

    /// Returns the events that everybody may see: declared rows once they are revealed, messages to everyone once their
    /// round has ended, dealt rows and messages to some seats once the match has a winner, and all other events.
    pub fn public_events(&self) -> impl Iterator<Item = &TimedEvent> {
        self.events.iter().filter(|timed| self.state.is_public(&timed.event))
    }

    /// Returns the messages of all seats, in order.
    pub fn messages(&self) -> impl Iterator<Item = &TalkMessage> {
        self.events.iter().filter_map(|timed| match &timed.event {
            Event::Said(message) => Some(&**message),
            _ => None,
        })
    }

    /// Returns the messages of a round that a seat hears when the round ends: those of other seats that are addressed
    /// to it or to everyone.
    pub fn messages_heard(&self, seat: Seat, round: u32) -> impl Iterator<Item = &TalkMessage> {
        let is_heard = move |message: &&TalkMessage| {
            message.round == round && message.seat != seat && message.audience.contains(seat)
        };
        self.messages().filter(is_heard)
    }

    /// Returns the state after all events.
    pub fn state(&self) -> &MatchState {
        &self.state
    }

    /// Returns the thinking time that the mover had left before each take, as a percentage of its initial bank, capped
    /// at 100.
    pub fn time_left_percent(&self) -> Vec<u8> {
        let clock = self.state.setup().clock();
        let initial = clock.initial.as_micros().max(1);
        let mut left = BySeat::filled(self.state.position().seats(), &clock.initial);
        let takes = self.events.iter().filter_map(|timed| match timed.event {
            Event::Took { seat, mover, charged, .. } => Some((seat, mover, charged)),
            _ => None,
        });
        let percents = takes.map(|(seat, mover, charged)| {
            let percent = 100 * left[seat].as_micros() / initial;
            if mover == Mover::Bot {
                left[seat] = left[seat].saturating_sub(charged) + clock.increment;
            }
            u8::try_from(percent.min(100)).expect("at most 100")
        });
        percents.collect()
    }

    /// Audits the match.
    ///
    /// # Errors
    /// If the match is not over or was cancelled, or the oracle rejects the game.
    pub fn audit(&self) -> Result<Audit, RecordError> {
        let plies = self.state.ply();
        let (reason, game) = match (self.state.end(), self.state.game()) {
            (None, _) => return Err(RecordError::NotEnded { plies }),
            (Some((EndReason::Cancelled, _)), _) | (_, None) => return Err(RecordError::Cancelled { plies }),
            (Some((reason, _)), Some(game)) => (reason, game),
        };
        let audit = match reason {
            EndReason::Finished => Audit::of_finished(game, self.state.takes())?,
            _ => Audit::of_adjudicated(game, self.state.takes())?,
        };
        Ok(audit.with_dealt_rows(game, self.state.opened_rows()))
    }
}
