//! A match, replayed from what is kept of its events and held against its last hash, and theirs where they are kept.

use super::columns::small_number;
use super::event_bytes::{KeptEvent, KeptEvents, parse_journal_row};
use super::row::{DamageReason, RowColumns};
use super::rows::{
    name_damage, parse_plain_json, read_seal, read_seat, read_seat_versions, read_setup, read_winner,
};
use super::words::{EventKind, StoredWord};
use crate::{StoreError, StoredMatch};
use lastnim_core::game::{AllianceMatrix, MatchId, Row, SeatCount, SeatVersions};
use lastnim_core::oracle::Mover;
use lastnim_core::referee::{
    Event, EventHash, MatchSetup, NoteHash, Record, Seal, TimedEvent, parse_canonical_bytes,
};
use std::time::Duration;

/// A match of which the first events have been read.
#[derive(Debug)]
pub(super) struct RecordReplay {
    id: MatchId,
    end: RecordedEnd,
    seal: Result<Option<Seal>, DamageReason>,
    versions: Vec<SeatVersions>,
    seats: SeatCount,
    setup: Box<MatchSetup>,
    /// The first row of the journal that may have events of it; none of a match that is over.
    journal_from: Option<i64>,
    record: Option<Record>,
}

/// How a match ended, as its row says; empty of one that is not over.
#[derive(Debug, PartialEq, Eq)]
struct RecordedEnd {
    reason: Option<String>,
    winner: Option<i64>,
    plies: Option<i64>,
    head_hash: Option<Vec<u8>>,
}

/// A part of a record as it is kept.
#[derive(Debug)]
pub(super) struct KeptPart {
    seq: u64,
    next_seq: u64,
    bytes: Vec<u8>,
}

impl KeptPart {
    /// Reads a part of the record of a match.
    pub(super) fn read(id: MatchId, row: &impl RowColumns) -> Result<Self, StoreError> {
        let read = || {
            Ok(Self { seq: row.number("seq")?, next_seq: row.number("next_seq")?, bytes: row.get("events")? })
        };
        name_damage(format_args!("the record of match {id}"), read())
    }

    /// Goes through its events, of the record of a match.
    pub(super) fn events(&self, id: MatchId) -> Result<KeptEvents<'_>, DamageReason> {
        let seq = usize::try_from(self.seq).map_err(|_| format!("its seq is {}", self.seq))?;
        KeptEvents::of_part(id, seq, &self.bytes)
    }

    /// Returns whether events come before those of this part.
    pub(super) fn follows_others(&self) -> bool {
        self.seq > 0
    }
}

fn at_event(index: usize, why: &str) -> DamageReason {
    format!("event {index}: {why}")
}

impl RecordReplay {
    /// Begins with the row of a match.
    ///
    /// # Errors
    /// [`StoreError::Quarantined`] or [`StoreError::Pruned`] if that says so, [`StoreError::Damaged`] if it cannot be read.
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
        name_damage(format_args!("the record of match {id}"), read())?
    }

    /// Returns the first row of the journal that may have events of the match, if it is not over.
    pub(super) fn journal_from(&self) -> Option<i64> {
        self.journal_from
    }

    /// Returns how many events were added.
    fn len(&self) -> usize {
        self.record.as_ref().map_or(0, |record| record.events().len())
    }

    /// Adds the next event, which stands in a row of its own.
    pub(super) fn push_row(&mut self, row: &impl RowColumns) -> Result<(), StoreError> {
        let index = self.len();
        let added = self.read_timed_event(index, row).map_err(|why| at_event(index, &why));
        let added = added.and_then(|(event, hash)| self.push_event(event, Some(hash)));
        name_damage(format_args!("the record of match {}", self.id), added)
    }

    /// Adds the events of a part.
    pub(super) fn push_part(&mut self, part: &KeptPart) -> Result<(), StoreError> {
        let index = self.len();
        let events = part.events(self.id).map_err(|why| at_event(index, &why));
        let added = events.and_then(|events| self.push_kept(part.seq, part.next_seq, events));
        name_damage(format_args!("the record of match {}", self.id), added)
    }

    /// Adds the events that a row of the journal has of the match, unless a part has them.
    pub(super) fn push_journal_row(&mut self, row: &impl RowColumns) -> Result<(), StoreError> {
        let id = self.id;
        let mut add = || {
            let (number, bytes): (i64, Vec<u8>) = (row.get("id")?, row.get("events")?);
            let unreadable = |why| format!("row {number} of the journal, which may have events of it: {why}");
            for run in parse_journal_row(&bytes).map_err(unreadable)?.iter().filter(|run| run.id == id) {
                if run.seq + run.count > self.len() {
                    let (seq, next) = (run.seq as u64, (run.seq + run.count) as u64);
                    self.push_kept(seq, next, KeptEvents::of_run(run))?;
                }
            }
            Ok(())
        };
        name_damage(format_args!("the record of match {id}"), add())
    }

    /// Adds events that begin at the place `seq` and end before `next`.
    fn push_kept(&mut self, seq: u64, next: u64, events: KeptEvents<'_>) -> Result<(), DamageReason> {
        if seq != self.len() as u64 {
            return Err(at_event(self.len(), &format!("it is missing, and event {seq} is there")));
        }
        for kept in events {
            let index = self.len();
            let KeptEvent { canonical, hash } = kept.map_err(|why| at_event(index, &why))?;
            let seats = self.record.is_some().then_some(self.seats);
            let event = parse_canonical_bytes(canonical, seats);
            self.push_event(event.map_err(|error| at_event(index, &error.to_string()))?, hash)?;
        }
        if next != self.len() as u64 {
            return Err(at_event(
                self.len(),
                &format!("it should be the event before {next}, and is not there"),
            ));
        }
        Ok(())
    }

    /// Adds an event, and holds it against its hash if that is kept.
    fn push_event(&mut self, event: TimedEvent, hash: Option<EventHash>) -> Result<(), DamageReason> {
        let index = self.len();
        let pushed = match &mut self.record {
            None => Record::begin(self.id, event).map(|begun| self.record = Some(begun)),
            Some(record) => record.push_event(event),
        };
        pushed.map_err(|error| error.to_string())?;
        if hash.is_some() && self.record.as_ref().map(Record::last_hash) != hash {
            let why = "its hash is not that of what is kept of it and of the events before";
            return Err(at_event(index, why));
        }
        Ok(())
    }

    fn read_timed_event(
        &self,
        index: usize,
        row: &impl RowColumns,
    ) -> Result<(TimedEvent, EventHash), DamageReason> {
        let seq: i64 = row.get("seq")?;
        if usize::try_from(seq) != Ok(index) {
            return Err(format!("it is missing, and event {seq} is there"));
        }
        let hash = EventHash::from_bytes(row.bytes("hash")?);
        Ok((TimedEvent { at: row.time("at_us")?, event: self.read_event(row)? }, hash))
    }

    fn read_event(&self, row: &impl RowColumns) -> Result<Event, DamageReason> {
        let seats = self.seats;
        let of_seat = || read_seat("seat", row.get("seat")?, seats);
        let note_hash = || row.nullable_bytes("note_hash").map(|bytes| bytes.map(NoteHash::from_bytes));
        let micros = |column| row.number(column).map(Duration::from_micros);
        Ok(match row.word("kind")? {
            EventKind::Created => Event::Created(self.setup.clone()),
            EventKind::Declared => {
                let offsets: Vec<u64> = parse_plain_json("detail", &row.get::<String>("detail")?)?;
                let declared = Row::parse(&offsets, seats).map_err(|error| error.to_string())?;
                let defaulted = row.nullable_word("reason")?;
                Event::Declared { seat: of_seat()?, row: declared, defaulted, note_hash: note_hash()? }
            }
            EventKind::Revealed => {
                let rows: Vec<Vec<u64>> = parse_plain_json("detail", &row.get::<String>("detail")?)?;
                Event::Revealed { matrix: AllianceMatrix::parse(&rows).map_err(|error| error.to_string())? }
            }
            EventKind::Took => Event::Took {
                ply: row.number("ply")?,
                seat: of_seat()?,
                take: row.number("take")?,
                mover: if row.get("steward")? { Mover::Steward } else { Mover::Bot },
                charged: micros("charged_us")?,
                credited: micros("lag_us")?,
                note_hash: note_hash()?,
            },
            EventKind::Struck => {
                Event::Struck { seat: of_seat()?, ply: row.number("ply")?, reason: row.word("reason")? }
            }
            EventKind::Forfeited => Event::Forfeited { seat: of_seat()?, reason: row.word("reason")? },
            EventKind::Ended => {
                Event::Ended { reason: row.word("reason")?, winner: read_winner(row, seats)? }
            }
        })
    }

    /// Returns the match, if all events are there that its row tells of.
    pub(super) fn finish(self) -> Result<StoredMatch, StoreError> {
        let Self { id, record, setup, .. } = self;
        let none = || "it has no events".to_owned();
        let record = name_damage(format_args!("the record of match {id}"), record.ok_or_else(none))?;
        let state = record.state();
        if state.setup() != setup.as_ref() {
            let why = "its setup is not that of event 0".to_owned();
            return name_damage(format_args!("the row of match {id}"), Err(why));
        }
        let told = state.end();
        let end = RecordedEnd {
            reason: told.map(|(reason, _)| reason.as_word().to_owned()),
            winner: told.and_then(|(_, winner)| winner).map(small_number),
            plies: told.map(|_| state.ply().into()),
            head_hash: told.map(|_| record.last_hash().as_bytes().to_vec()),
        };
        if self.end != end {
            let why = "its reason, winner, plies or head_hash is not what its events come to".to_owned();
            return name_damage(format_args!("the row of match {id}"), Err(why));
        }
        let seal = name_damage(format_args!("the seal of match {id}"), self.seal)?;
        Ok(StoredMatch { record, seal, versions: self.versions })
    }
}
