//! Records and their events, both ways.

mod json;
mod verify;

pub use json::{RecordJsonError, read_json};
pub use verify::{Flaw, FlawKind, SealedRecord, read_to_flaw, verify};

use super::setup::parse_recorded_setup;
use super::{
    Field, FromWire as _, Violations,
    game::{parse_alliance_matrix, parse_row},
    pb,
};
use crate::game::{MatchId, Seat, SeatCount};
use crate::oracle::Mover;
use crate::referee::{
    EndReason, Event, EventHash, ForfeitReason, MAX_EVENTS, NoteHash, Record, RecordError, RefusalReason,
    RowDefault, Seal, TimedEvent, Timestamp,
};
use crate::tournament::SeatLoss;
use std::time::Duration;
use thiserror::Error;

use pb::record_event::Event as Wire;

/// Returns what the loss of a seat is to the standings.
pub fn seat_loss(reason: ForfeitReason) -> SeatLoss {
    match reason {
        ForfeitReason::NoShow => SeatLoss::NoShow,
        _ => SeatLoss::Forfeited,
    }
}

impl From<&TimedEvent> for pb::RecordEvent {
    fn from(timed: &TimedEvent) -> Self {
        let event = match &timed.event {
            Event::Created(setup) => Wire::Created(setup.as_ref().into()),
            Event::Declared { seat, row, defaulted, note_hash } => Wire::Declared(pb::DeclaredEvent {
                seat: (*seat).into(),
                row: Some(row.into()),
                defaulted: defaulted.map_or(pb::RowDefault::Unspecified, pb::RowDefault::from).into(),
                note_hash: bytes_of(note_hash.as_ref()),
            }),
            Event::Revealed { matrix } => {
                Wire::Revealed(pb::RevealedEvent { alliance_matrix: Some(matrix.into()) })
            }
            Event::Took { ply, seat, take, mover, charged, credited, note_hash } => {
                Wire::Took(pb::TookEvent {
                    ply: *ply,
                    seat: (*seat).into(),
                    take: *take,
                    steward: *mover == Mover::Steward,
                    charged_us: whole_micros(*charged),
                    lag_us: whole_micros(*credited),
                    note_hash: bytes_of(note_hash.as_ref()),
                })
            }
            Event::Struck { seat, ply, reason } => Wire::Struck(pb::StruckEvent {
                seat: (*seat).into(),
                ply: *ply,
                reason: pb::RefusalReason::from(*reason).into(),
            }),
            Event::Forfeited { seat, reason } => Wire::Forfeited(pb::ForfeitedEvent {
                seat: (*seat).into(),
                reason: pb::ForfeitReason::from(*reason).into(),
            }),
            Event::Ended { reason, winner } => Wire::Ended(pb::EndedEvent {
                reason: pb::EndReason::from(*reason).into(),
                winner: winner.map(u32::from),
            }),
        };
        Self { at_us: timed.at.as_micros(), event: Some(event), hash: Vec::new() }
    }
}

fn bytes_of(note_hash: Option<&NoteHash>) -> Vec<u8> {
    note_hash.map(|note_hash| note_hash.as_bytes().to_vec()).unwrap_or_default()
}

impl pb::MatchRecord {
    /// Writes a record, with its seal if its match is over. As long as the rows are not revealed, what could give them away is
    /// left out: rows, hashes, the seal.
    pub fn of(record: &Record, seal: Option<&Seal>) -> Self {
        let match_id = record.id().to_string();
        let mut events: Vec<pb::RecordEvent> = record.open_events().map(Into::into).collect();
        if record.state().game().is_none() {
            return Self { match_id, events, ..Self::default() };
        }
        for (event, hash) in events.iter_mut().zip(record.hashes()) {
            event.hash = hash.as_bytes().to_vec();
        }
        Self {
            match_id,
            events,
            signer: seal.map(|seal| seal.signer.as_bytes().to_vec()).unwrap_or_default(),
            signature: seal.map(|seal| seal.signature.as_bytes().to_vec()).unwrap_or_default(),
        }
    }
}

impl From<&Record> for pb::MatchRecord {
    fn from(record: &Record) -> Self {
        Self::of(record, None)
    }
}

/// Why a message is no record.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum RecordParseError {
    /// Fields that do not fit, each by itself.
    #[error(transparent)]
    Fields(#[from] Violations),
    /// Events that do not fit each other.
    #[error(transparent)]
    Events(#[from] RecordError),
    /// A hash that does not fit its event.
    #[error("event {index}: its hash is not that of the event and all before it")]
    Hash {
        /// The index of the event, from 0.
        index: usize,
    },
}

/// Reads a record, and replays it. Its events may be without hashes; who signed it is not looked at.
///
/// # Errors
/// Every field that does not fit, or else the first event that does not fit the events before it, or whose hash does not.
/// More events than any match has are refused by their number.
pub fn parse_record(record: &pb::MatchRecord) -> Result<Record, RecordParseError> {
    if record.events.len() > MAX_EVENTS {
        return Err(RecordError::TooMany(record.events.len()).into());
    }
    let mut violations = Violations::default();
    let id = violations.keep(Field::root("match_id"), record.match_id.parse::<MatchId>());
    let at_events = Field::root("events");
    let first = record.events.first().ok_or(RecordError::Empty)?;
    if !matches!(first.event, Some(Wire::Created(_))) {
        return Err(RecordError::NotCreated.into());
    }
    let created = parse_created(first, &mut violations);
    let seats = created.as_ref().and_then(seats_of);
    let mut events: Vec<Option<TimedEvent>> = vec![created];
    if let Some(seats) = seats {
        let rest = record.events.iter().enumerate().skip(1);
        events.extend(
            rest.map(|(index, event)| parse_event(event, seats, at_events.element(index), &mut violations)),
        );
    }
    let parsed = id.zip(events.into_iter().collect::<Option<Vec<_>>>());
    let (id, events) = violations.finish(parsed)?;
    let parsed = Record::replay(id, events)?;
    let mut hashes = record.events.iter().zip(parsed.hashes()).enumerate();
    match hashes.find(|(_, (event, hash))| !event.hash.is_empty() && event.hash != hash.as_bytes()) {
        Some((index, _)) => Err(RecordParseError::Hash { index }),
        None => Ok(parsed),
    }
}

fn parse_created(first: &pb::RecordEvent, violations: &mut Violations) -> Option<TimedEvent> {
    let Some(Wire::Created(setup)) = &first.event else { return None };
    let field = Field::root("events");
    let setup = parse_recorded_setup(setup, field.element(0).member("created"), violations)?;
    Some(TimedEvent { at: Timestamp::from_micros(first.at_us), event: Event::Created(Box::new(setup)) })
}

/// Returns how many seats the match of a `created` has.
fn seats_of(created: &TimedEvent) -> Option<SeatCount> {
    match &created.event {
        Event::Created(setup) => Some(setup.seats()),
        _ => None,
    }
}

fn parse_event(
    timed: &pb::RecordEvent,
    seats: SeatCount,
    field: Field<'_>,
    violations: &mut Violations,
) -> Option<TimedEvent> {
    let seat_of = |seat: u32, violations: &mut Violations| -> Option<Seat> {
        violations.keep(field.member("seat"), seats.seat(seat as usize))
    };
    let event = match violations.require(field, timed.event.as_ref())? {
        Wire::Created(_) => {
            violations.report(field, "a second `created`: it stands at the beginning only");
            return None;
        }
        Wire::Declared(declared) => {
            let seat = seat_of(declared.seat, violations);
            let at_row = field.member("row");
            let row = violations.require(at_row, declared.row.as_ref());
            let row = row.and_then(|row| parse_row(row, seats, at_row, violations));
            let defaulted: pb::RowDefault =
                violations.known(field.member("defaulted"), declared.defaulted)?;
            let defaulted = RowDefault::from_wire(defaulted.into());
            let note_hash = NoteHash::parse_optional(&declared.note_hash);
            let note_hash = violations.keep(field.member("note_hash"), note_hash);
            Event::Declared { seat: seat?, row: row?, defaulted, note_hash: note_hash? }
        }
        Wire::Revealed(revealed) => {
            let at_matrix = field.member("alliance_matrix");
            let matrix = violations.require(at_matrix, revealed.alliance_matrix.as_ref())?;
            Event::Revealed { matrix: parse_alliance_matrix(matrix, at_matrix, violations)? }
        }
        Wire::Took(took) => Event::Took {
            ply: took.ply,
            seat: seat_of(took.seat, violations)?,
            take: took.take,
            mover: if took.steward { Mover::Steward } else { Mover::Bot },
            charged: Duration::from_micros(took.charged_us),
            credited: Duration::from_micros(took.lag_us),
            note_hash: violations
                .keep(field.member("note_hash"), NoteHash::parse_optional(&took.note_hash))?,
        },
        Wire::Struck(struck) => {
            let seat = seat_of(struck.seat, violations);
            let reason = known(field, struck.reason, RefusalReason::from_wire, violations);
            Event::Struck { seat: seat?, ply: struck.ply, reason: reason? }
        }
        Wire::Forfeited(forfeited) => {
            let seat = seat_of(forfeited.seat, violations);
            let reason = known(field, forfeited.reason, ForfeitReason::from_wire, violations);
            Event::Forfeited { seat: seat?, reason: reason? }
        }
        Wire::Ended(ended) => {
            let reason = known(field, ended.reason, EndReason::from_wire, violations);
            let winner = match ended.winner {
                None => None,
                Some(winner) => Some(violations.keep(field.member("winner"), seats.seat(winner as usize))?),
            };
            Event::Ended { reason: reason?, winner }
        }
    };
    Some(TimedEvent { at: Timestamp::from_micros(timed.at_us), event })
}

fn known<T>(
    field: Field<'_>,
    number: i32,
    from_wire: fn(i32) -> Option<T>,
    violations: &mut Violations,
) -> Option<T> {
    let reason = from_wire(number).ok_or_else(|| format!("{number} stands for no reason, and one is needed"));
    violations.keep(field.member("reason"), reason)
}

pub(super) fn whole_micros(span: Duration) -> u64 {
    u64::try_from(span.as_micros()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests;
