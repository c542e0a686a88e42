//! Finds events in the bytes that databases store, whose layout `crates/store/src/sql/event_bytes.rs` defines: for
//! tests that change bytes behind the server's back.

use std::ops::Range;

/// The length of the version, which comes first, in bytes.
const VERSION: usize = 1;
/// The bytes of a number.
const NUMBER: usize = 4;
/// The bytes of the checksum after each event.
const SUM: usize = 4;
/// The bytes of the checksum after a directory.
const CHECK: usize = 16;
/// The bytes of a run in a directory: a match, a place, a count, a length.
const RUN: usize = 16 + 3 * NUMBER;
/// The kinds of a take in canonical bytes.
const TOOK: [u8; 2] = [4, 9];
/// Where the counters of a take are in its canonical bytes: after its kind, its time, its ply and its seat.
pub const TAKE: usize = 1 + 8 + 4 + 1;

fn number_at(bytes: &[u8], place: usize) -> usize {
    u32::from_le_bytes(bytes[place..place + NUMBER].try_into().unwrap()) as usize
}

/// Returns the position of the canonical bytes of each event in a range.
pub fn events_in(bytes: &[u8], range: Range<usize>) -> Vec<Range<usize>> {
    let (mut found, mut at) = (Vec::new(), range.start);
    while at < range.end {
        let begin = at + NUMBER;
        let end = begin + number_at(bytes, at);
        found.push(begin..end);
        at = end + SUM;
    }
    found
}

/// Returns where the events of a part of a record are.
#[allow(dead_code, reason = "not all tests look into parts")]
pub fn events_of_part(part: &[u8]) -> Vec<Range<usize>> {
    events_in(part, VERSION..part.len())
}

/// Returns where the directory of a row of the journal ends.
pub fn directory_end(row: &[u8]) -> usize {
    VERSION + NUMBER + number_at(row, VERSION) * RUN + CHECK
}

/// Returns where the events of a match are in a row of the journal.
pub fn events_of_run(row: &[u8], id: &[u8; 16]) -> Vec<Range<usize>> {
    let mut at = directory_end(row);
    for run in 0..number_at(row, VERSION) {
        let entry = VERSION + NUMBER + run * RUN;
        let length = number_at(row, entry + RUN - NUMBER);
        if row[entry..entry + 16] == *id {
            return events_in(row, at..at + length);
        }
        at += length;
    }
    Vec::new()
}

/// Returns the first take among events.
#[allow(dead_code, reason = "not all tests look for takes")]
pub fn first_take(bytes: &[u8], events: Vec<Range<usize>>) -> Option<Range<usize>> {
    events.into_iter().find(|event| TOOK.contains(&bytes[event.start]))
}
