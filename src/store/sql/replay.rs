//! A match, replayed from its rows and held against its hashes.

use super::columns::small_number;
use super::row::{Columns, Why};
use super::rows::{damaged, plain_json, read_seal, read_seat, read_setup, read_winner, seat_versions};
use super::words::{Kind, Word};
use crate::game::{AllianceMatrix, MatchId, Row, SeatCount, SeatVersions};
use crate::oracle::Mover;
use crate::referee::{Event, EventHash, MatchSetup, NoteHash, Record, Seal, TimedEvent};
use crate::store::{StoreError, StoredMatch};
use std::time::Duration;

/// A match of which the first events have been read.
#[derive(Debug)]
pub(super) struct Replay {
    id: MatchId,
    end: RecordedEnd,
    seal: Result<Option<Seal>, Why>,
    versions: Vec<SeatVersions>,
    seats: SeatCount,
    /// None once the event that says it is read.
    setup: Option<Box<MatchSetup>>,
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

impl Replay {
    /// Begins with the row of a match.
    ///
    /// # Errors
    /// [`StoreError::Quarantined`] if that says so, [`StoreError::Damaged`] if it cannot be read.
    pub(super) fn begin(id: MatchId, row: &impl Columns) -> Result<Self, StoreError> {
        let read = || {
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
            let (seats, versions) = (setup.seats(), seat_versions(row.nullable("seat_versions")?)?);
            Ok(Ok(Self {
                id,
                end,
                seal: read_seal(row),
                versions,
                seats,
                setup: Some(Box::new(setup)),
                record: None,
            }))
        };
        damaged(format_args!("the record of match {id}"), read())?
    }

    /// Adds the next event.
    pub(super) fn push(&mut self, row: &impl Columns) -> Result<(), StoreError> {
        let id = self.id;
        damaged(format_args!("the record of match {id}"), self.try_to_push(row))
    }

    fn try_to_push(&mut self, row: &impl Columns) -> Result<(), Why> {
        let index = self.record.as_ref().map_or(0, |record| record.events().len());
        let at_event = |why: Why| format!("event {index}: {why}");
        let (event, hash) = self.timed_event(index, row).map_err(at_event)?;
        let pushed = match &mut self.record {
            None => Record::begin(self.id, event).map(|begun| self.record = Some(begun)),
            Some(record) => record.push(event),
        };
        pushed.map_err(|error| error.to_string())?;
        if self.record.as_ref().map(Record::head) != Some(hash) {
            let why = "its hash is not that of what is kept of it and of the events before";
            return Err(at_event(why.to_owned()));
        }
        Ok(())
    }

    fn timed_event(&mut self, index: usize, row: &impl Columns) -> Result<(TimedEvent, EventHash), Why> {
        let seq: i64 = row.get("seq")?;
        if usize::try_from(seq) != Ok(index) {
            return Err(format!("it is missing, and event {seq} is there"));
        }
        let hash = EventHash::from_bytes(row.bytes("hash")?);
        Ok((TimedEvent { at: row.time("at_us")?, event: self.event(row)? }, hash))
    }

    fn event(&mut self, row: &impl Columns) -> Result<Event, Why> {
        let seats = self.seats;
        let of_seat = || read_seat("seat", row.get("seat")?, seats);
        let note_hash = || row.nullable_bytes("note_hash").map(|bytes| bytes.map(NoteHash::from_bytes));
        let micros = |column| row.number(column).map(Duration::from_micros);
        Ok(match row.word("kind")? {
            Kind::Created => Event::Created(self.setup.take().ok_or("a second `created`")?),
            Kind::Declared => {
                let offsets: Vec<u64> = plain_json("detail", &row.get::<String>("detail")?)?;
                let declared = Row::parse(&offsets, seats).map_err(|error| error.to_string())?;
                let defaulted = row.nullable_word("reason")?;
                Event::Declared { seat: of_seat()?, row: declared, defaulted, note_hash: note_hash()? }
            }
            Kind::Revealed => {
                let rows: Vec<Vec<u64>> = plain_json("detail", &row.get::<String>("detail")?)?;
                Event::Revealed { matrix: AllianceMatrix::parse(&rows).map_err(|error| error.to_string())? }
            }
            Kind::Took => Event::Took {
                ply: row.number("ply")?,
                seat: of_seat()?,
                take: row.number("take")?,
                mover: if row.get("steward")? { Mover::Steward } else { Mover::Bot },
                charged: micros("charged_us")?,
                credited: micros("lag_us")?,
                note_hash: note_hash()?,
            },
            Kind::Struck => {
                Event::Struck { seat: of_seat()?, ply: row.number("ply")?, reason: row.word("reason")? }
            }
            Kind::Forfeited => Event::Forfeited { seat: of_seat()?, reason: row.word("reason")? },
            Kind::Ended => Event::Ended { reason: row.word("reason")?, winner: read_winner(row, seats)? },
        })
    }

    /// Returns the match, if all events are there that its row tells of.
    pub(super) fn finish(self) -> Result<StoredMatch, StoreError> {
        let Self { id, record, .. } = self;
        let none = || "it has no events".to_owned();
        let record = damaged(format_args!("the record of match {id}"), record.ok_or_else(none))?;
        let state = record.state();
        let told = state.end();
        let end = RecordedEnd {
            reason: told.map(|(reason, _)| reason.word().to_owned()),
            winner: told.and_then(|(_, winner)| winner).map(small_number),
            plies: told.map(|_| state.ply().into()),
            head_hash: told.map(|_| record.head().as_bytes().to_vec()),
        };
        if self.end != end {
            let why = "its reason, winner, plies or head_hash is not what its events come to".to_owned();
            return damaged(format_args!("the row of match {id}"), Err(why));
        }
        let seal = damaged(format_args!("the seal of match {id}"), self.seal)?;
        Ok(StoredMatch { record, seal, versions: self.versions })
    }
}
