//! A match, replayed from its rows and held against its hashes.

use super::columns::small_number;
use super::row::{DamageReason, RowColumns};
use super::rows::{
    name_damage, parse_plain_json, read_seal, read_seat, read_seat_versions, read_setup, read_winner,
};
use super::words::{EventKind, StoredWord};
use crate::game::{AllianceMatrix, MatchId, Row, SeatCount, SeatVersions};
use crate::oracle::Mover;
use crate::referee::{Event, EventHash, MatchSetup, NoteHash, Record, Seal, TimedEvent};
use crate::store::{StoreError, StoredMatch};
use std::time::Duration;

/// A match of which the first events have been read.
#[derive(Debug)]
pub(super) struct RecordReplay {
    id: MatchId,
    end: RecordedEnd,
    seal: Result<Option<Seal>, DamageReason>,
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
        name_damage(format_args!("the record of match {id}"), read())?
    }

    /// Adds the next event.
    pub(super) fn push_row(&mut self, row: &impl RowColumns) -> Result<(), StoreError> {
        let id = self.id;
        name_damage(format_args!("the record of match {id}"), self.try_push_row(row))
    }

    fn try_push_row(&mut self, row: &impl RowColumns) -> Result<(), DamageReason> {
        let index = self.record.as_ref().map_or(0, |record| record.events().len());
        let at_event = |why: DamageReason| format!("event {index}: {why}");
        let (event, hash) = self.read_timed_event(index, row).map_err(at_event)?;
        let pushed = match &mut self.record {
            None => Record::begin(self.id, event).map(|begun| self.record = Some(begun)),
            Some(record) => record.push_event(event),
        };
        pushed.map_err(|error| error.to_string())?;
        if self.record.as_ref().map(Record::last_hash) != Some(hash) {
            let why = "its hash is not that of what is kept of it and of the events before";
            return Err(at_event(why.to_owned()));
        }
        Ok(())
    }

    fn read_timed_event(
        &mut self,
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

    fn read_event(&mut self, row: &impl RowColumns) -> Result<Event, DamageReason> {
        let seats = self.seats;
        let of_seat = || read_seat("seat", row.get("seat")?, seats);
        let note_hash = || row.nullable_bytes("note_hash").map(|bytes| bytes.map(NoteHash::from_bytes));
        let micros = |column| row.number(column).map(Duration::from_micros);
        Ok(match row.word("kind")? {
            EventKind::Created => Event::Created(self.setup.take().ok_or("a second `created`")?),
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
        let Self { id, record, .. } = self;
        let none = || "it has no events".to_owned();
        let record = name_damage(format_args!("the record of match {id}"), record.ok_or_else(none))?;
        let state = record.state();
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
