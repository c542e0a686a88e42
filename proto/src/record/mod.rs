//! Converts records and their events to and from messages.

mod json;
mod verify;

pub use json::{RecordJsonError, read_record_json};
pub use verify::{RecordFlaw, RecordFlawKind, SealedRecord, read_until_flaw, verify_record};

use super::setup::parse_recorded_setup;
use super::{
    FromWire, RequestField, Violations,
    deal::parse_dealt_rows,
    game::{parse_alliance_matrix, parse_row},
    parse_request, pb,
    talk::parse_said,
};
use lastnim_core::game::{MatchId, SeatCount};
use lastnim_core::oracle::Mover;
use lastnim_core::referee::{
    Event, EventHash, ForfeitReason, MAX_EVENTS, NoteHash, Record, RecordError, Seal, TimedEvent, Timestamp,
};
use lastnim_tournament::SeatLoss;
use std::time::Duration;
use thiserror::Error;

use pb::record_event::Event as Wire;

/// Returns how the standings count a seat that was forfeited for this reason.
pub fn seat_loss_of_forfeit(reason: ForfeitReason) -> SeatLoss {
    match reason {
        ForfeitReason::NoShow => SeatLoss::NoShow,
        _ => SeatLoss::Forfeited,
    }
}

impl From<&TimedEvent> for pb::RecordEvent {
    fn from(timed: &TimedEvent) -> Self {
        let event = match &timed.event {
            Event::Created(setup) => Wire::Created(setup.as_ref().into()),
            Event::Dealt(dealt) => Wire::Dealt(dealt.as_ref().into()),
            Event::Said(message) => Wire::Said(message.as_ref().into()),
            Event::TalkEnded { seat, round } => {
                Wire::TalkEnded(pb::TalkEndedEvent { seat: (*seat).into(), round: *round })
            }
            Event::Heard { round } => Wire::Heard(pb::HeardEvent { round: *round }),
            Event::Declared { seat, row, defaulted, note_hash } => Wire::Declared(pb::DeclaredEvent {
                seat: (*seat).into(),
                row: Some(row.into()),
                defaulted: defaulted.map_or(pb::RowDefault::Unspecified, pb::RowDefault::from).into(),
                note_hash: note_hash_bytes(note_hash.as_ref()),
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
                    note_hash: note_hash_bytes(note_hash.as_ref()),
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

fn note_hash_bytes(note_hash: Option<&NoteHash>) -> Vec<u8> {
    note_hash.map(|note_hash| note_hash.as_bytes().to_vec()).unwrap_or_default()
}

impl pb::MatchRecord {
    /// Writes a record, with the seal if one is given. While rows are secret, this leaves them out, and also the hashes
    /// and the seal, which depend on them.
    pub fn of(record: &Record, seal: Option<&Seal>) -> Self {
        let match_id = record.id().to_string();
        let mut events: Vec<pb::RecordEvent> = record.public_events().map(Into::into).collect();
        if !record.state().is_all_public() {
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

/// The reason why a message is not a record.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum RecordParseError {
    /// Some fields are invalid.
    #[error(transparent)]
    Fields(#[from] Violations),
    /// An event does not follow from the events before it.
    #[error(transparent)]
    Events(#[from] RecordError),
    /// A hash does not match its event.
    #[error("event {index}: its hash does not match the events up to it")]
    Hash {
        /// The index of the event, from 0.
        index: usize,
    },
}

/// Reads and replays a record. Hashes may be missing; the signature is not checked.
///
/// # Errors
/// If fields are invalid, the error lists all of them. Otherwise it names the first event that contradicts the events
/// before it or its own hash. A record with too many events is refused before its events are read.
pub fn parse_record(record: &pb::MatchRecord) -> Result<Record, RecordParseError> {
    if record.events.len() > MAX_EVENTS {
        return Err(RecordError::TooMany(record.events.len()).into());
    }
    let first = record.events.first().ok_or(RecordError::Empty)?;
    if !matches!(first.event, Some(Wire::Created(_))) {
        return Err(RecordError::NotCreated.into());
    }
    let (id, events) = parse_request(|request| {
        let id = request.member("match_id").ok_or_report(record.match_id.parse::<MatchId>());
        let events = parse_events(&record.events, request.member("events"));
        id.zip(events)
    })?;
    let parsed = Record::replay(id, events)?;
    let mut hashes = record.events.iter().zip(parsed.hashes()).enumerate();
    match hashes.find(|(_, (event, hash))| !event.hash.is_empty() && event.hash != hash.as_bytes()) {
        Some((index, _)) => Err(RecordParseError::Hash { index }),
        None => Ok(parsed),
    }
}

fn parse_events(events: &[pb::RecordEvent], field: RequestField<'_>) -> Option<Vec<TimedEvent>> {
    let created = parse_created(events.first()?, field.element(0))?;
    let seats = seats_of_created(&created)?;
    let rest = events.iter().enumerate().skip(1);
    let rest: Vec<_> = rest.map(|(index, event)| parse_event(event, seats, field.element(index))).collect();
    [Some(created)].into_iter().chain(rest).collect()
}

fn parse_created(first: &pb::RecordEvent, field: RequestField<'_>) -> Option<TimedEvent> {
    let Some(Wire::Created(setup)) = &first.event else { return None };
    let setup = parse_recorded_setup(setup, field.member("created"))?;
    Some(TimedEvent { at: Timestamp::from_micros(first.at_us), event: Event::Created(Box::new(setup)) })
}

/// Returns the number of seats in a `created` event.
fn seats_of_created(created: &TimedEvent) -> Option<SeatCount> {
    match &created.event {
        Event::Created(setup) => Some(setup.seats()),
        _ => None,
    }
}

fn parse_event(timed: &pb::RecordEvent, seats: SeatCount, field: RequestField<'_>) -> Option<TimedEvent> {
    let seat_of = |seat: u32| field.member("seat").ok_or_report(seats.seat(seat as usize));
    let event = match field.require(timed.event.as_ref())? {
        Wire::Created(_) => {
            field.report("a second `created`: only the first event may be `created`");
            return None;
        }
        Wire::Said(said) => Event::Said(Box::new(parse_said(said, seats, field)?)),
        Wire::TalkEnded(ended) => Event::TalkEnded { seat: seat_of(ended.seat)?, round: ended.round },
        Wire::Heard(heard) => Event::Heard { round: heard.round },
        Wire::Dealt(dealt) => Event::Dealt(Box::new(parse_dealt_rows(dealt, field)?)),
        Wire::Declared(declared) => {
            let seat = seat_of(declared.seat);
            let row = declared.row.as_ref();
            let row = field.member("row").parse_required(row, |row, at| parse_row(row, seats, at));
            let defaulted = field.member("defaulted").optional_enum(declared.defaulted)?;
            let note_hash = NoteHash::parse_optional(&declared.note_hash);
            let note_hash = field.member("note_hash").ok_or_report(note_hash);
            Event::Declared { seat: seat?, row: row?, defaulted, note_hash: note_hash? }
        }
        Wire::Revealed(revealed) => {
            let matrix = revealed.alliance_matrix.as_ref();
            let matrix = field.member("alliance_matrix").parse_required(matrix, parse_alliance_matrix);
            Event::Revealed { matrix: matrix? }
        }
        Wire::Took(took) => Event::Took {
            ply: took.ply,
            seat: seat_of(took.seat)?,
            take: took.take,
            mover: if took.steward { Mover::Steward } else { Mover::Bot },
            charged: Duration::from_micros(took.charged_us),
            credited: Duration::from_micros(took.lag_us),
            note_hash: field.member("note_hash").ok_or_report(NoteHash::parse_optional(&took.note_hash))?,
        },
        Wire::Struck(struck) => {
            let seat = seat_of(struck.seat);
            let reason = parse_reason(struck.reason, field);
            Event::Struck { seat: seat?, ply: struck.ply, reason: reason? }
        }
        Wire::Forfeited(forfeited) => {
            let seat = seat_of(forfeited.seat);
            let reason = parse_reason(forfeited.reason, field);
            Event::Forfeited { seat: seat?, reason: reason? }
        }
        Wire::Ended(ended) => {
            let reason = parse_reason(ended.reason, field);
            let winner = ended.winner.map(|winner| seats.seat(winner as usize)).transpose();
            let winner = field.member("winner").ok_or_report(winner);
            Event::Ended { reason: reason?, winner: winner? }
        }
    };
    Some(TimedEvent { at: Timestamp::from_micros(timed.at_us), event })
}

fn parse_reason<T: FromWire>(number: i32, field: RequestField<'_>) -> Option<T> {
    let reason = T::from_wire(number);
    field.member("reason").ok_or_report(reason.ok_or_else(|| format!("{number} is not a known reason")))
}

pub(super) fn whole_micros(span: Duration) -> u64 {
    u64::try_from(span.as_micros()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests;
