//! Replays a match from its stored events, and checks that the result agrees with the database row of the match.

use super::columns::small_number;
use super::event_bytes::{EncodedEvents, parse_journal_row};
use super::keywords::StoredKeyword;
use super::row::{DamageReason, RowColumns};
use super::rows::{read_seal, read_seat_versions, read_setup, with_damage_context};
use crate::{StoreError, StoredMatch};
use lastnim_core::game::{MatchId, SeatCount, SeatVersions};
use lastnim_core::referee::{MatchSetup, Record, Seal, TimedEvent, parse_canonical_bytes};

/// A partly replayed match.
#[derive(Debug)]
pub(super) struct RecordReplay {
    id: MatchId,
    end: RecordedEnd,
    seal: Result<Option<Seal>, DamageReason>,
    versions: Vec<SeatVersions>,
    seats: SeatCount,
    setup: Box<MatchSetup>,
    /// The first journal row that may have events of the match; `None` if it is over.
    journal_from: Option<i64>,
    record: Option<Record>,
}

/// The end of a match according to its row; all fields are `None` if the match is not over.
#[derive(Debug, PartialEq, Eq)]
struct RecordedEnd {
    reason: Option<String>,
    winner: Option<i64>,
    plies: Option<i64>,
    head_hash: Option<Vec<u8>>,
}

/// A stored record part.
#[derive(Debug)]
pub(super) struct StoredPart {
    seq: u64,
    next_seq: u64,
    bytes: Vec<u8>,
}

impl StoredPart {
    /// Reads one part of a match's record.
    pub(super) fn read(id: MatchId, row: &impl RowColumns) -> Result<Self, StoreError> {
        let read = || {
            Ok(Self { seq: row.number("seq")?, next_seq: row.number("next_seq")?, bytes: row.get("events")? })
        };
        with_damage_context(format_args!("the record of match {id}"), read())
    }

    /// Returns an iterator over its events.
    pub(super) fn events(&self, id: MatchId) -> Result<EncodedEvents<'_>, DamageReason> {
        let seq = usize::try_from(self.seq)
            .map_err(|_| format!("its column seq is {}, which is out of range", self.seq))?;
        EncodedEvents::of_part(id, seq, &self.bytes)
    }
}

fn event_damage(index: usize, why: &str) -> DamageReason {
    format!("event {index}: {why}")
}

impl RecordReplay {
    /// Creates a replay from the row of a match.
    ///
    /// # Errors
    /// [`StoreError::Quarantined`] or [`StoreError::Pruned`] if the row says so, and [`StoreError::Damaged`] if the row
    /// cannot be read.
    pub(super) fn begin(id: MatchId, row: &impl RowColumns) -> Result<Self, StoreError> {
        let read = || {
            if row.nullable::<i64>("pruned_at_us")?.is_some() {
                return Ok(Err(StoreError::Pruned(id)));
            }
            let setup = match row.nullable("damage")? {
                Some(why) => return Ok(Err(StoreError::Quarantined { id, why })),
                None => read_setup(&row.get::<String>("setup")?)?,
            };
            let end = RecordedEnd {
                reason: row.nullable("reason")?,
                winner: row.nullable("winner")?,
                plies: row.nullable("plies")?,
                head_hash: row.nullable("head_hash")?,
            };
            let (seats, versions) = (setup.seats(), read_seat_versions(row.nullable("seat_versions")?)?);
            let journal_from = match row.nullable::<i64>("over_at_us")? {
                Some(_) => None,
                None => Some(row.get("journal_from")?),
            };
            Ok(Ok(Self {
                id,
                end,
                seal: read_seal(row),
                versions,
                seats,
                setup: Box::new(setup),
                journal_from,
                record: None,
            }))
        };
        with_damage_context(format_args!("the record of match {id}"), read())?
    }

    /// Returns the first journal row that may have events of the match, if it is not over.
    pub(super) fn journal_from(&self) -> Option<i64> {
        self.journal_from
    }

    fn len(&self) -> usize {
        self.record.as_ref().map_or(0, |record| record.events().len())
    }

    pub(super) fn push_part(&mut self, part: &StoredPart) -> Result<(), StoreError> {
        let index = self.len();
        let events = part.events(self.id).map_err(|why| event_damage(index, &why));
        let added = events.and_then(|events| self.push_encoded_events(part.seq, part.next_seq, events));
        with_damage_context(format_args!("the record of match {}", self.id), added)
    }

    /// Adds the match's events from a journal row, except for those that were already added from a part.
    pub(super) fn push_journal_row(&mut self, row: &impl RowColumns) -> Result<(), StoreError> {
        let id = self.id;
        let mut add = || {
            let (number, bytes): (i64, Vec<u8>) = (row.get("id")?, row.get("events")?);
            let unreadable =
                |why| format!("journal row {number}, which may contain events of this match: {why}");
            for run in parse_journal_row(&bytes).map_err(unreadable)?.iter().filter(|run| run.id == id) {
                if run.seq + run.count > self.len() {
                    let (seq, next) = (run.seq as u64, (run.seq + run.count) as u64);
                    self.push_encoded_events(seq, next, EncodedEvents::of_run(run))?;
                }
            }
            Ok(())
        };
        with_damage_context(format_args!("the record of match {id}"), add())
    }

    /// Adds the events with the indexes `seq..next`.
    fn push_encoded_events(
        &mut self,
        seq: u64,
        next: u64,
        events: EncodedEvents<'_>,
    ) -> Result<(), DamageReason> {
        if seq != self.len() as u64 {
            return Err(event_damage(self.len(), &format!("it is missing, but event {seq} exists")));
        }
        for kept in events {
            let index = self.len();
            let canonical = kept.map_err(|why| event_damage(index, &why))?;
            let seats = self.record.is_some().then_some(self.seats);
            let event = parse_canonical_bytes(canonical, seats);
            self.push_event(event.map_err(|error| event_damage(index, &error.to_string()))?)?;
        }
        if next != self.len() as u64 {
            return Err(event_damage(
                self.len(),
                &format!("the stored row ends before this event, but should end before event {next}"),
            ));
        }
        Ok(())
    }

    fn push_event(&mut self, event: TimedEvent) -> Result<(), DamageReason> {
        let pushed = match &mut self.record {
            None => Record::begin(self.id, event).map(|begun| self.record = Some(begun)),
            Some(record) => record.push_event(event),
        };
        pushed.map_err(|error| error.to_string())
    }

    /// Returns the match if its events agree with its row.
    pub(super) fn finish(self) -> Result<StoredMatch, StoreError> {
        let Self { id, record, setup, .. } = self;
        let none = || "it has no events".to_owned();
        let record = with_damage_context(format_args!("the record of match {id}"), record.ok_or_else(none))?;
        let state = record.state();
        if state.setup() != setup.as_ref() {
            let why = "its setup differs from event 0".to_owned();
            return with_damage_context(format_args!("the row of match {id}"), Err(why));
        }
        let end_state = state.end();
        let end = RecordedEnd {
            reason: end_state.map(|(reason, _)| reason.as_keyword().to_owned()),
            winner: end_state.and_then(|(_, winner)| winner).map(small_number),
            plies: end_state.map(|_| state.ply().into()),
            head_hash: end_state.map(|_| record.last_hash().as_bytes().to_vec()),
        };
        if self.end != end {
            let why = "its reason, winner, plies or head_hash does not follow from its events".to_owned();
            return with_damage_context(format_args!("the row of match {id}"), Err(why));
        }
        let seal = with_damage_context(format_args!("the signature of match {id}"), self.seal)?;
        Ok(StoredMatch { record, seal, versions: self.versions })
    }
}
