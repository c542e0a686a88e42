//! The binary format in which events are stored in a column.
//!
//! # Format
//! All numbers are little-endian. An event consists of
//! - the length of its stored bytes, `u32`;
//! - the stored bytes, as `canonical.rs` of the referee defines them;
//! - a CRC-32 checksum (the one that Ethernet and gzip use), `u32`, of the 16 bytes of the match's id, the index of the
//!   event in the record as `u32`, and the stored bytes.
//!
//! Events follow each other without gaps.
//!
//! A record part consists of the version of this format, `u8`, and events of one match.
//!
//! A journal row contains events of many matches. It consists of the version, a directory, and the events of each run
//! that the directory lists. A run is a sequence of consecutive events of one match. The directory consists of
//! - the number of runs, `u32`;
//! - for each run, the 16 bytes of its match's id, and three `u32` numbers: the index of its first event in the record,
//!   the number of its events, and their length in bytes;
//! - the first 16 bytes of the BLAKE3 hash of the row up to this point.
//!
//! Because the directory has its own hash, a row that is truncated or has changed events still shows which matches are
//! affected.

use super::row::DamageReason;
use lastnim_core::game::MatchId;
use lastnim_core::referee::{TimedEvent, append_stored_bytes};

/// The version of the format.
pub(super) const VERSION: u8 = 1;
/// The number of hash bytes at the end of a row's directory.
const DIRECTORY_HASH_BYTES: usize = 16;

/// Appends an event that has index `place` in the record of match `id`.
pub(super) fn append_event(bytes: &mut Vec<u8>, id: MatchId, place: usize, event: &TimedEvent) {
    let begin = bytes.len() + size_of::<u32>();
    bytes.extend_from_slice(&[0; size_of::<u32>()]);
    append_stored_bytes(event, bytes);
    let (count, sum) = (to_u32(bytes.len() - begin), event_checksum(id, place, &bytes[begin..]));
    bytes[begin - size_of::<u32>()..begin].copy_from_slice(&count.to_le_bytes());
    bytes.extend_from_slice(&sum.to_le_bytes());
}

/// Returns the checksum of an event, which also covers its match and its index.
fn event_checksum(id: MatchId, place: usize, canonical: &[u8]) -> u32 {
    let mut sum = crc32fast::Hasher::new();
    sum.update(id.as_bytes());
    sum.update(&to_u32(place).to_le_bytes());
    sum.update(canonical);
    sum.finalize()
}

/// Converts a count of events or bytes, which is far below the maximum of `u32`.
fn to_u32(number: usize) -> u32 {
    u32::try_from(number).expect("no transaction has that many events or bytes")
}

/// Iterates over the canonical bytes of events, up to the first truncated or changed one.
#[derive(Debug)]
pub(super) struct EncodedEvents<'a> {
    id: MatchId,
    /// The index of the next event.
    place: usize,
    rest: &'a [u8],
}

impl<'a> EncodedEvents<'a> {
    pub(super) fn of_run(run: &JournalRun<'a>) -> Self {
        Self { id: run.id, place: run.seq, rest: run.bytes }
    }

    /// Reads a record part whose first event has index `seq`.
    pub(super) fn of_part(id: MatchId, seq: usize, bytes: &'a [u8]) -> Result<Self, DamageReason> {
        read_version(bytes).map(|rest| Self { id, place: seq, rest })
    }

    fn read_next(&mut self) -> Result<&'a [u8], DamageReason> {
        let truncation = || "it is truncated".to_owned();
        let mut rest = self.rest;
        let count = take_u32(&mut rest).ok_or_else(truncation)?;
        let (canonical, rest) = rest.split_at_checked(count).ok_or_else(truncation)?;
        let (check, rest) = rest.split_first_chunk().ok_or_else(truncation)?;
        if u32::from_le_bytes(*check) != event_checksum(self.id, self.place, canonical) {
            return Err("its checksum does not match its bytes, its index and its match".to_owned());
        }
        (self.rest, self.place) = (rest, self.place + 1);
        Ok(canonical)
    }
}

impl<'a> Iterator for EncodedEvents<'a> {
    type Item = Result<&'a [u8], DamageReason>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.rest.is_empty() {
            return None;
        }
        let next = self.read_next();
        if next.is_err() {
            self.rest = &[];
        }
        Some(next)
    }
}

/// Reads the version, and returns the remaining bytes.
fn read_version(bytes: &[u8]) -> Result<&[u8], DamageReason> {
    match bytes.split_first() {
        Some((&VERSION, rest)) => Ok(rest),
        Some((version, _)) => {
            Err(format!("it has format version {version}, but this program reads version {VERSION}"))
        }
        None => Err("it is empty".to_owned()),
    }
}

/// Consecutive events of one match in a journal row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct JournalRun<'a> {
    pub(super) id: MatchId,
    /// The index of the first event in the record.
    pub(super) seq: usize,
    /// The number of events.
    pub(super) count: usize,
    pub(super) bytes: &'a [u8],
}

/// Encodes a journal row.
pub(super) fn journal_row(runs: &[JournalRun<'_>]) -> Vec<u8> {
    let events: usize = runs.iter().map(|run| run.bytes.len()).sum();
    let mut row = Vec::with_capacity(1 + 4 + runs.len() * (16 + 3 * 4) + DIRECTORY_HASH_BYTES + events);
    row.push(VERSION);
    row.extend_from_slice(&to_u32(runs.len()).to_le_bytes());
    for run in runs {
        row.extend_from_slice(run.id.as_bytes());
        for number in [run.seq, run.count, run.bytes.len()] {
            row.extend_from_slice(&to_u32(number).to_le_bytes());
        }
    }
    let check = blake3::hash(&row);
    row.extend_from_slice(&check.as_bytes()[..DIRECTORY_HASH_BYTES]);
    for run in runs {
        row.extend_from_slice(run.bytes);
    }
    row
}

/// Parses a journal row. A run that is truncated has only the bytes that are left.
pub(super) fn parse_journal_row(row: &[u8]) -> Result<Vec<JournalRun<'_>>, DamageReason> {
    let truncation = || "its directory is truncated".to_owned();
    let mut rest = read_version(row)?;
    let count = take_u32(&mut rest).ok_or_else(truncation)?;
    let mut runs = Vec::new();
    for _ in 0..count {
        let (id, behind) = rest.split_first_chunk().ok_or_else(truncation)?;
        rest = behind;
        let mut number = || take_u32(&mut rest).ok_or_else(truncation);
        runs.push((MatchId::from_bytes(*id), number()?, number()?, number()?));
    }
    let (check, mut events) = rest.split_at_checked(DIRECTORY_HASH_BYTES).ok_or_else(truncation)?;
    if blake3::hash(&row[..row.len() - rest.len()]).as_bytes()[..DIRECTORY_HASH_BYTES] != *check {
        return Err("its directory does not match its checksum".to_owned());
    }
    let run = |(id, seq, count, length): (MatchId, usize, usize, usize)| {
        let (bytes, behind) = events.split_at(length.min(events.len()));
        events = behind;
        JournalRun { id, seq, count, bytes }
    };
    Ok(runs.into_iter().map(run).collect())
}

fn take_u32(rest: &mut &[u8]) -> Option<usize> {
    let (number, behind) = rest.split_first_chunk()?;
    *rest = behind;
    usize::try_from(u32::from_le_bytes(*number)).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use lastnim_core::game::{Seat, SeatCount};
    use lastnim_core::referee::{
        Audience, DealHash, EndReason, Event, TalkContent, TalkMessage, Timestamp, parse_canonical_bytes,
    };

    fn end_event(number: u64) -> TimedEvent {
        let event = Event::Ended { reason: EndReason::Cancelled, winner: None };
        TimedEvent { at: Timestamp::from_micros(number), event }
    }

    /// Returns the bytes of a match's events, starting at an index.
    fn run_bytes(id: MatchId, seq: usize, numbers: std::ops::Range<u64>) -> Vec<u8> {
        let mut bytes = Vec::new();
        for (place, number) in (seq..).zip(numbers) {
            append_event(&mut bytes, id, place, &end_event(number));
        }
        bytes
    }

    fn match_id(number: u64) -> MatchId {
        MatchId::new(number, &[7; 10])
    }

    #[test]
    fn a_stored_message_keeps_its_content() {
        let seats = SeatCount::new(3).unwrap();
        let audience =
            Audience::Seats { seats: [seats.seat(1).unwrap()].into_iter().collect(), published: false };
        let content = TalkContent::Text("for one".to_owned());
        let said = TalkMessage::new((Seat::FIRST, 0, 0), audience, content, DealHash::from_bytes([1; 32]));
        let said = TimedEvent { at: Timestamp::from_micros(1), event: Event::Said(Box::new(said)) };
        let mut bytes = Vec::new();
        append_event(&mut bytes, match_id(1), 0, &said);
        let event_bytes = EncodedEvents::of_run(&run(&bytes)).next().unwrap().unwrap();
        assert_eq!(parse_canonical_bytes(event_bytes, Some(seats)), Ok(said));
    }

    #[test]
    fn a_damaged_row_shows_which_matches_are_affected() {
        let (first, second) = (run_bytes(match_id(1), 5, 0..3), run_bytes(match_id(2), 0, 7..9));
        let runs = [
            JournalRun { id: match_id(1), seq: 5, count: 3, bytes: &first },
            JournalRun { id: match_id(2), seq: 0, count: 2, bytes: &second },
        ];
        let row = journal_row(&runs);
        assert_eq!(parse_journal_row(&row), Ok(runs.to_vec()));
        assert_eq!(parse_journal_row(&journal_row(&[])), Ok(Vec::new()));
        let events = row.len() - first.len() - second.len();
        for cut in 0..row.len() {
            match parse_journal_row(&row[..cut]) {
                Err(_) => assert!(cut < events),
                Ok(found) => {
                    assert!(cut >= events);
                    let lost = row.len() - cut;
                    assert_eq!(found[1].bytes.len(), second.len().saturating_sub(lost));
                    assert_eq!(found.iter().map(|run| run.count).collect::<Vec<_>>(), [3, 2]);
                }
            }
        }
        for place in 0..events {
            let mut changed = row.clone();
            changed[place] ^= 1;
            assert!(parse_journal_row(&changed).is_err(), "byte {place}");
        }
    }

    fn run(bytes: &[u8]) -> JournalRun<'_> {
        JournalRun { id: match_id(1), seq: 0, count: 4, bytes }
    }

    #[test]
    fn events_are_read_up_to_the_first_changed_event() {
        let bytes = run_bytes(match_id(1), 0, 0..4);
        let whole = bytes.len() / 4;
        for place in 0..bytes.len() {
            let mut changed = bytes.clone();
            changed[place] ^= 1;
            let read: Vec<_> = EncodedEvents::of_run(&run(&changed)).collect();
            let intact = read.iter().filter(|event| event.is_ok()).count();
            assert_eq!((intact, read.len()), (place / whole, place / whole + 1), "byte {place}");
        }
        for run in [JournalRun { id: match_id(2), ..run(&bytes) }, JournalRun { seq: 1, ..run(&bytes) }] {
            let read: Vec<_> = EncodedEvents::of_run(&run).collect();
            assert!(matches!(read[..], [Err(_)]), "they belong to another match or index");
        }
    }

    #[test]
    fn events_are_read_up_to_a_truncated_event() {
        let bytes = run_bytes(match_id(1), 0, 0..4);
        let whole = bytes.len() / 4;
        for cut in 0..=bytes.len() {
            let read: Vec<_> = EncodedEvents::of_run(&run(&bytes[..cut])).collect();
            assert_eq!(read.iter().filter(|event| event.is_ok()).count(), cut / whole);
            assert_eq!(read.iter().any(Result::is_err), cut % whole > 0);
        }
        let part = |bytes| EncodedEvents::of_part(match_id(1), 0, bytes);
        assert!(part(&[]).is_err());
        let other = part(&[VERSION + 1, 0]).map(drop);
        assert_eq!(other, Err("it has format version 2, but this program reads version 1".to_owned()));
        assert_eq!(part(&[VERSION]).unwrap().count(), 0);
    }
}
