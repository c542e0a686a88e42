//! Events in the bytes of a column.
//!
//! # Format
//! Numbers are little-endian. An event is the number of its canonical bytes, `u32`; these, as `canonical.rs` of the referee sets them out;
//! and the 32 bytes of its hash. Events follow each other without gaps.
//!
//! A part of a record is the version of this format, `u8`, and events of one match.
//!
//! A row of the journal has events of many matches. It is the version; its directory; and the events of each run that the directory
//! lists. The directory is the number of runs, `u32`; for each run the 16 bytes of its match's id, the place of its first event in the record, the
//! number of its events, and the number of their bytes, each `u32`; and the first 16 bytes of BLAKE3 of the row up to here. So a row that
//! is cut off, or whose events were changed, still says which matches that concerns.

use super::row::DamageReason;
use crate::game::MatchId;
use crate::referee::{EventHash, append_canonical_bytes};
use crate::store::ChainedEvent;

/// The version of the format.
pub(super) const VERSION: u8 = 1;
/// The bytes of BLAKE3 behind the directory of a row.
const CHECK_BYTES: usize = 16;

/// Adds an event.
pub(super) fn append_event(bytes: &mut Vec<u8>, chained: &ChainedEvent) {
    let begin = bytes.len();
    bytes.extend_from_slice(&[0; size_of::<u32>()]);
    append_canonical_bytes(&chained.event, bytes);
    let count = bytes.len() - begin - size_of::<u32>();
    bytes[begin..begin + size_of::<u32>()].copy_from_slice(&to_u32(count).to_le_bytes());
    bytes.extend_from_slice(chained.hash.as_bytes());
}

/// Returns a number of what an event or a transaction has, which is far from the largest one.
fn to_u32(number: usize) -> u32 {
    u32::try_from(number).expect("no transaction holds as many events or bytes")
}

/// An event as it is kept.
#[derive(Debug, Clone, Copy)]
pub(super) struct KeptEvent<'a> {
    /// Its canonical bytes.
    pub(super) canonical: &'a [u8],
    /// Its hash.
    pub(super) hash: EventHash,
}

/// Goes through events, until one is cut off.
#[derive(Debug)]
pub(super) struct KeptEvents<'a>(&'a [u8]);

impl<'a> KeptEvents<'a> {
    /// Begins with the events of a run.
    pub(super) fn of_run(bytes: &'a [u8]) -> Self {
        Self(bytes)
    }

    /// Begins with the events of a part.
    pub(super) fn of_part(bytes: &'a [u8]) -> Result<Self, DamageReason> {
        check_version(bytes).map(Self)
    }

    fn read_next(&mut self) -> Option<KeptEvent<'a>> {
        let (count, rest) = self.0.split_first_chunk()?;
        let count = usize::try_from(u32::from_le_bytes(*count)).ok()?;
        let (canonical, rest) = rest.split_at_checked(count)?;
        let (hash, rest) = rest.split_first_chunk()?;
        self.0 = rest;
        Some(KeptEvent { canonical, hash: EventHash::from_bytes(*hash) })
    }
}

impl<'a> Iterator for KeptEvents<'a> {
    type Item = Result<KeptEvent<'a>, DamageReason>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.0.is_empty() {
            return None;
        }
        let next = self.read_next();
        if next.is_none() {
            self.0 = &[];
        }
        Some(next.ok_or_else(|| "it is cut off".to_owned()))
    }
}

/// Reads the version, and returns what is behind it.
fn check_version(bytes: &[u8]) -> Result<&[u8], DamageReason> {
    match bytes.split_first() {
        Some((&VERSION, rest)) => Ok(rest),
        Some((version, _)) => {
            Err(format!("bytes of version {version}: this program reads version {VERSION}"))
        }
        None => Err("it has no bytes".to_owned()),
    }
}

/// Events of one match that follow each other, in a row of the journal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct JournalRun<'a> {
    /// The match.
    pub(super) id: MatchId,
    /// The place of the first of them in the record.
    pub(super) seq: usize,
    /// How many they are.
    pub(super) count: usize,
    /// The events.
    pub(super) bytes: &'a [u8],
}

/// Writes a row of the journal.
pub(super) fn journal_row(runs: &[JournalRun<'_>]) -> Vec<u8> {
    let events: usize = runs.iter().map(|run| run.bytes.len()).sum();
    let mut row = Vec::with_capacity(1 + 4 + runs.len() * (16 + 3 * 4) + CHECK_BYTES + events);
    row.push(VERSION);
    row.extend_from_slice(&to_u32(runs.len()).to_le_bytes());
    for run in runs {
        row.extend_from_slice(run.id.as_bytes());
        for number in [run.seq, run.count, run.bytes.len()] {
            row.extend_from_slice(&to_u32(number).to_le_bytes());
        }
    }
    let check = blake3::hash(&row);
    row.extend_from_slice(&check.as_bytes()[..CHECK_BYTES]);
    for run in runs {
        row.extend_from_slice(run.bytes);
    }
    row
}

/// Reads a row of the journal. The bytes of a run that is cut off are those that are left of it.
pub(super) fn parse_journal_row(row: &[u8]) -> Result<Vec<JournalRun<'_>>, DamageReason> {
    let cut_off = || "its directory is cut off".to_owned();
    let mut rest = check_version(row)?;
    let count = take_u32(&mut rest).ok_or_else(cut_off)?;
    let mut runs = Vec::new();
    for _ in 0..count {
        let (id, behind) = rest.split_first_chunk().ok_or_else(cut_off)?;
        rest = behind;
        let mut number = || take_u32(&mut rest).ok_or_else(cut_off);
        runs.push((MatchId::from_bytes(*id), number()?, number()?, number()?));
    }
    let (check, mut events) = rest.split_at_checked(CHECK_BYTES).ok_or_else(cut_off)?;
    if blake3::hash(&row[..row.len() - rest.len()]).as_bytes()[..CHECK_BYTES] != *check {
        return Err("its directory is not what was written".to_owned());
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
    use crate::referee::{EndReason, Event, TimedEvent, Timestamp};

    fn chained(number: u64) -> ChainedEvent {
        let event = Event::Ended { reason: EndReason::Cancelled, winner: None };
        let hash = EventHash::from_bytes([number as u8; EventHash::BYTES]);
        ChainedEvent { event: TimedEvent { at: Timestamp::from_micros(number), event }, hash }
    }

    fn run_bytes(numbers: std::ops::Range<u64>) -> Vec<u8> {
        let mut bytes = Vec::new();
        for number in numbers {
            append_event(&mut bytes, &chained(number));
        }
        bytes
    }

    fn match_id(number: u64) -> MatchId {
        MatchId::new(number, &[7; 10])
    }

    #[test]
    fn a_row_that_is_damaged_says_which_matches_that_concerns() {
        let (first, second) = (run_bytes(0..3), run_bytes(7..9));
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

    #[test]
    fn events_are_read_until_one_is_cut_off() {
        let bytes = run_bytes(0..4);
        let whole = bytes.len() / 4;
        for cut in 0..=bytes.len() {
            let read: Vec<_> = KeptEvents::of_run(&bytes[..cut]).collect();
            assert_eq!(read.iter().filter(|event| event.is_ok()).count(), cut / whole);
            assert_eq!(read.iter().any(Result::is_err), cut % whole > 0);
        }
        assert!(KeptEvents::of_part(&[]).is_err() && KeptEvents::of_part(&[2, 0]).is_err());
        assert_eq!(KeptEvents::of_part(&[VERSION]).unwrap().count(), 0);
    }
}
