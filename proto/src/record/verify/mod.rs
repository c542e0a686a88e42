//! Verifies that a record is complete and unchanged, and finds its signer.

use super::{
    EventHash, MAX_EVENTS, Record, RecordError, Seal, TimedEvent, parse_created, parse_event,
    seats_of_created,
};
use crate::{Violations, parse_request, pb};
use lastnim_core::game::{MatchId, MatchIdError, SeatCount};
use lastnim_core::referee::{InvalidEvent, PublicKey, PublicKeyError, Signature};
use thiserror::Error;

/// A verified record, with its seal if it has one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SealedRecord {
    record: Record,
    seal: Option<Seal>,
}

impl SealedRecord {
    /// Returns the record.
    pub fn record(&self) -> &Record {
        &self.record
    }

    /// Returns the record, and drops the seal.
    pub fn into_record(self) -> Record {
        self.record
    }

    /// Returns the seal; `None` if the record is unsigned. A server does not sign the record of a match that is not
    /// over or whose rows were never revealed.
    pub fn seal(&self) -> Option<&Seal> {
        self.seal.as_ref()
    }
}

/// The first mistake in a record.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum RecordFlaw {
    /// The match id is invalid.
    #[error("match_id: {0}")]
    MatchId(#[from] MatchIdError),
    /// An event is invalid.
    #[error("event {index} cannot be read: {violations}")]
    Unreadable {
        /// The index of the event, from 0.
        index: usize,
        /// The mistakes in the event.
        violations: Violations,
    },
    /// An event has no hash, although other events have hashes.
    #[error("event {index} has no hash, although other events have hashes")]
    NoHash {
        /// The index of the event, from 0.
        index: usize,
    },
    /// An event was changed after it was hashed.
    #[error(
        "event {index} was changed, or events just before it were removed: its hash does not match the events up to it"
    )]
    Changed {
        /// The index of the event, from 0.
        index: usize,
    },
    /// The first event was changed, or it was hashed for another match.
    #[error("event 0 or the match's id was changed: the hash does not match them")]
    Beginning,
    /// Only the hash of an event was changed.
    #[error("the hash of event {index} was changed: the event itself fits those before and after it")]
    HashChanged {
        /// The index of the event, from 0.
        index: usize,
    },
    /// Events are missing.
    #[error("events were removed before event {index}: {misfit}")]
    Removed {
        /// The index of the event after the gap, from 0.
        index: usize,
        /// The broken rule, which shows that there is a gap.
        misfit: InvalidEvent,
    },
    /// Events were inserted.
    #[error("{} inserted: event {} {}", describe_inserted(*.first, *.last), last + 1, describe_before(*.first))]
    Inserted {
        /// The index of the first inserted event, from 0.
        first: usize,
        /// The index of the last inserted event, from 0.
        last: usize,
    },
    /// The hashes are consistent, but the events break the rules, so the whole record was fabricated.
    #[error(transparent)]
    RuleViolation(#[from] RecordError),
    /// The signer is not a public key.
    #[error("signer: {0}")]
    Signer(#[from] PublicKeyError),
    /// A field of the seal has the wrong length.
    #[error("{field} of {given} bytes: expected {bytes}")]
    SealBytes {
        /// The name of the field.
        field: &'static str,
        /// The length of the given value in bytes.
        given: usize,
        /// The expected length in bytes.
        bytes: usize,
    },
    /// The record is signed although its match is not over.
    #[error(
        "events were removed from the end: the record is signed, but its match is not over after event {last}"
    )]
    CutShort {
        /// The index of the last event, from 0.
        last: usize,
    },
    /// The signature does not match the last hash.
    #[error(
        "the signature does not match this record: the signature, the signer or the whole record was replaced"
    )]
    Signature,
    /// The signature does not match a record without hashes, so the changed event cannot be found.
    #[error(
        "the signature does not match this record; its events have no hashes, which would show what was changed"
    )]
    SignatureWithoutHashes,
}

/// The kind of a flaw, which has a name in JSON.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RecordFlawKind {
    /// An event or a value is invalid.
    Unreadable,
    /// An event or its hash was changed.
    Changed,
    /// Events were removed.
    Removed,
    /// Events were inserted.
    Inserted,
    /// An event breaks the rules.
    RuleViolation,
    /// The signature is invalid.
    Signature,
}

impl RecordFlaw {
    /// Returns the index of the first wrong event; `None` if the flaw is not in an event.
    pub fn event(&self) -> Option<usize> {
        match *self {
            Self::Unreadable { index, .. }
            | Self::NoHash { index }
            | Self::Changed { index }
            | Self::HashChanged { index }
            | Self::Removed { index, .. }
            | Self::RuleViolation(
                RecordError::RuleViolation { index, .. } | RecordError::Earlier { index },
            )
            | Self::Inserted { first: index, .. } => Some(index),
            Self::Beginning | Self::RuleViolation(RecordError::NotCreated | RecordError::Setup(_)) => Some(0),
            Self::MatchId(_)
            | Self::RuleViolation(_)
            | Self::Signer(_)
            | Self::SealBytes { .. }
            | Self::CutShort { .. }
            | Self::Signature
            | Self::SignatureWithoutHashes => None,
        }
    }

    /// Returns the kind of the flaw.
    pub fn kind(&self) -> RecordFlawKind {
        match self {
            Self::MatchId(_) | Self::Unreadable { .. } | Self::Signer(_) | Self::SealBytes { .. } => {
                RecordFlawKind::Unreadable
            }
            Self::NoHash { .. } | Self::Changed { .. } | Self::Beginning | Self::HashChanged { .. } => {
                RecordFlawKind::Changed
            }
            Self::Removed { .. } | Self::CutShort { .. } => RecordFlawKind::Removed,
            Self::Inserted { .. } => RecordFlawKind::Inserted,
            Self::RuleViolation(_) => RecordFlawKind::RuleViolation,
            Self::Signature | Self::SignatureWithoutHashes => RecordFlawKind::Signature,
        }
    }
}

impl RecordFlawKind {
    /// Returns the kind's name in JSON.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Unreadable => "unreadable",
            Self::Changed => "changed",
            Self::Removed => "removed",
            Self::Inserted => "inserted",
            Self::RuleViolation => "misfit",
            Self::Signature => "signature",
        }
    }
}

fn describe_inserted(first: usize, last: usize) -> String {
    if first == last { format!("event {first} was") } else { format!("events {first} to {last} were") }
}

fn describe_before(first: usize) -> String {
    first.checked_sub(1).map_or_else(
        || "is the first event of the match".to_owned(),
        |index| format!("follows event {index}"),
    )
}

/// Reads and verifies a record event by event. Each event must be valid, have the hash that follows from the previous
/// hash, and fit the match so far. If there is a signature, it must match the last hash. Hashes may be missing only if
/// no event has one.
///
/// The caller must check whether there is a signer, and whether it is the right one.
///
/// # Errors
/// If the record has a mistake. The error describes the first one.
pub fn verify_record(given: &pb::MatchRecord) -> Result<SealedRecord, RecordFlaw> {
    if given.events.len() > MAX_EVENTS {
        return Err(RecordError::TooMany(given.events.len()).into());
    }
    let reading =
        RecordReader { given, id: given.match_id.parse()?, hashed: given.events.iter().any(has_hash) };
    let record = reading.read_record()?;
    let seal = reading.read_seal()?;
    if let Some(seal) = &seal {
        if record.state().end().is_none() {
            return Err(RecordFlaw::CutShort { last: given.events.len() - 1 });
        }
        if !seal.verifies(record.last_hash()) {
            return Err(if reading.hashed {
                RecordFlaw::Signature
            } else {
                RecordFlaw::SignatureWithoutHashes
            });
        }
    }
    Ok(SealedRecord { record, seal })
}

/// Reads a record like [`verify_record`], but returns the events before the first mistake together with that mistake.
/// The signature is not checked. But if a record is signed although its match is not over, that is a mistake, because
/// events are missing.
///
/// # Errors
/// If the match id or the first event is wrong, or if there are too many events.
pub fn read_until_flaw(given: &pb::MatchRecord) -> Result<(Record, Option<RecordFlaw>), RecordFlaw> {
    if given.events.len() > MAX_EVENTS {
        return Err(RecordError::TooMany(given.events.len()).into());
    }
    let reading =
        RecordReader { given, id: given.match_id.parse()?, hashed: given.events.iter().any(has_hash) };
    let (mut record, seats) = reading.read_beginning()?;
    let flaw = reading.read_remaining_events(&mut record, seats).err().or_else(|| {
        let cut_short = !given.signature.is_empty() && record.state().end().is_none();
        cut_short.then(|| RecordFlaw::CutShort { last: given.events.len() - 1 })
    });
    Ok((record, flaw))
}

fn has_hash(event: &pb::RecordEvent) -> bool {
    !event.hash.is_empty()
}

fn read_created(first: &pb::RecordEvent) -> Result<TimedEvent, RecordFlaw> {
    if !matches!(first.event, Some(pb::record_event::Event::Created(_))) {
        return Err(RecordError::NotCreated.into());
    }
    parse_request(|request| parse_created(first, request.member("events").element(0)))
        .map_err(|violations| RecordFlaw::Unreadable { index: 0, violations })
}

struct RecordReader<'a> {
    given: &'a pb::MatchRecord,
    id: MatchId,
    hashed: bool,
}

impl RecordReader<'_> {
    fn read_record(&self) -> Result<Record, RecordFlaw> {
        let (mut record, seats) = self.read_beginning()?;
        self.read_remaining_events(&mut record, seats)?;
        Ok(record)
    }

    fn read_beginning(&self) -> Result<(Record, SeatCount), RecordFlaw> {
        let first = self.given.events.first().ok_or(RecordError::Empty)?;
        let created = read_created(first)?;
        let seats = seats_of_created(&created).ok_or(RecordError::NotCreated)?;
        self.check_hash(0, &created, None, seats)?;
        Ok((Record::begin(self.id, created)?, seats))
    }

    /// Adds the remaining events, up to the first mistake.
    fn read_remaining_events(&self, record: &mut Record, seats: SeatCount) -> Result<(), RecordFlaw> {
        for index in 1..self.given.events.len() {
            let event = self.read_event(index, seats)?;
            self.check_hash(index, &event, Some(record), seats)?;
            record.push_event(event)?;
        }
        Ok(())
    }

    fn read_event(&self, index: usize, seats: SeatCount) -> Result<TimedEvent, RecordFlaw> {
        let event = &self.given.events[index];
        parse_request(|request| parse_event(event, seats, request.member("events").element(index)))
            .map_err(|violations| RecordFlaw::Unreadable { index, violations })
    }

    fn hash(&self, index: usize) -> Result<EventHash, RecordFlaw> {
        let given = self.given.events[index].hash.as_slice();
        if given.is_empty() {
            return Err(RecordFlaw::NoHash { index });
        }
        let bytes = <[u8; EventHash::BYTES]>::try_from(given);
        let bytes =
            bytes.map_err(|_| format!("{} bytes: expected {} in a hash", given.len(), EventHash::BYTES));
        parse_request(|request| request.member("events").element(index).member("hash").ok_or_report(bytes))
            .map(EventHash::from_bytes)
            .map_err(|violations| RecordFlaw::Unreadable { index, violations })
    }

    /// Checks that an event's hash follows from the last hash in `record`, which contains all earlier events. The error
    /// explains why it does not.
    fn check_hash(
        &self,
        index: usize,
        event: &TimedEvent,
        record: Option<&Record>,
        seats: SeatCount,
    ) -> Result<(), RecordFlaw> {
        if !self.hashed {
            return Ok(());
        }
        let before = record.map_or_else(|| EventHash::before_first_event(self.id), Record::last_hash);
        let (carried, due) = (self.hash(index)?, before.hash_of_next(event));
        if carried == due {
            return Ok(());
        }
        let follows =
            |later: usize, earlier: EventHash| match (self.read_event(later, seats), self.hash(later)) {
                (Ok(event), Ok(hash)) => earlier.hash_of_next(&event) == hash,
                _ => false,
            };
        let next = Some(index + 1).filter(|&next| next < self.given.events.len());
        let hash_changed = match next {
            Some(next) => follows(next, due),
            None => self.read_seal()?.is_some_and(|seal| seal.verifies(due)),
        };
        if hash_changed {
            return Err(RecordFlaw::HashChanged { index });
        }
        // An inserted event may have a random hash, or a hash that was computed for it.
        let mut later = index + 1..self.given.events.len();
        if let Some(next) = later.find(|&later| index > 0 && follows(later, before)) {
            return Err(RecordFlaw::Inserted { first: index, last: next - 1 });
        }
        let mut earlier = (1..index).rev().filter_map(|first| Some((first, self.hash(first - 1).ok()?)));
        if let Some((first, _)) = earlier.find(|&(_, hash)| follows(index, hash)) {
            return Err(RecordFlaw::Inserted { first, last: index - 1 });
        }
        Err(match record.and_then(|record| self.find_gap(index, record, seats)) {
            Some(misfit) => RecordFlaw::Removed { index, misfit },
            None if index == 0 => RecordFlaw::Beginning,
            None => RecordFlaw::Changed { index },
        })
    }

    /// Returns the misfit, if any, which shows that events are missing between `record` and the event at `index`.
    fn find_gap(&self, index: usize, record: &Record, seats: SeatCount) -> Option<InvalidEvent> {
        let mut state = record.state().clone();
        for later in index..self.given.events.len() {
            match state.apply_event(&self.read_event(later, seats).ok()?.event) {
                Ok(()) => {}
                Err(misfit @ (InvalidEvent::NotRevealed | InvalidEvent::Revealed)) => return Some(misfit),
                Err(misfit @ InvalidEvent::Ply { given, expected }) if given > expected => {
                    return Some(misfit);
                }
                Err(_) => return None,
            }
        }
        None
    }

    fn read_seal(&self) -> Result<Option<Seal>, RecordFlaw> {
        let pb::MatchRecord { signer, signature, .. } = self.given;
        if signer.is_empty() && signature.is_empty() {
            return Ok(None);
        }
        let bytes = |field, given: &[u8], bytes| RecordFlaw::SealBytes { field, given: given.len(), bytes };
        let key = <[u8; PublicKey::BYTES]>::try_from(signer.as_slice())
            .map_err(|_| bytes("signer", signer, PublicKey::BYTES))?;
        let signature = <[u8; Signature::BYTES]>::try_from(signature.as_slice())
            .map_err(|_| bytes("signature", signature, Signature::BYTES))?;
        Ok(Some(Seal { signer: PublicKey::from_bytes(key)?, signature: Signature::from_bytes(signature) }))
    }
}

#[cfg(test)]
mod tests;
