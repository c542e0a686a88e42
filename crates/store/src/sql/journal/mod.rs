//! The events of matches that are not over, on their way into the tables.
//!
//! What one write decides is one row of the journal, whatever matches its events are of. From there the events of each match go to parts of its
//! record, some hundred at a time, and with its end the last of them. No transaction moves more than a bounded multiple of what it
//! adds, and the journal is bounded: a match that stands still gives its events to a part before its oldest row holds up too many others.

use super::columns::to_column_integer;
use super::event_bytes::{JournalRun, KeptEvents, VERSION, append_event, journal_row};
use crate::StoreError;
use lastnim_core::game::{MAX_SEATS, MatchId, MatchMap, SeatCount};
use lastnim_core::referee::{Event, TimedEvent, parse_canonical_bytes};
use std::collections::{BTreeSet, VecDeque};
use std::ops::Range;

/// The bytes of events of a match that become a part of its record: some hundred takes.
const PART_BYTES: usize = 8 << 10;
/// The bytes that the journal has at least before matches that stand still give their events to parts.
const JOURNAL_BYTES: usize = 1 << 20;
/// The same for each match that is not over: more than a match puts there that keeps pace with the others.
const JOURNAL_BYTES_A_MATCH: usize = 2 * PART_BYTES;
/// Matches that stand still whose events one write moves in any case; besides, one for each match that it has events of. So many can
/// wait for a row at most, so that rows go as fast as they come.
const MIN_MOVED: usize = 4;
/// Rows that nobody needs any more and that one write removes at least, or none.
const MIN_REMOVED: i64 = 16;
/// Rows that one write removes at most: each write adds one.
const MAX_REMOVED: i64 = 64;

/// How large what is kept may grow before it is moved.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct JournalLimits {
    part_bytes: usize,
    journal_bytes: usize,
    journal_bytes_a_match: usize,
}

/// What the writer knows of the events of matches that are not over. What a write brings about is noted here before it is
/// committed: after one that fails this is of no more use.
#[derive(Debug)]
pub(super) struct Journal {
    limits: JournalLimits,
    open: MatchMap<OpenMatch>,
    /// The matches with events that are in the journal alone, by the first row of these.
    pending: BTreeSet<(i64, MatchId)>,
    /// The first row that is not removed.
    first_row: i64,
    /// The first row that a match needs.
    needed_from: i64,
    /// The bytes of that row and of all behind it.
    needed: VecDeque<usize>,
    needed_bytes: usize,
    next_row: i64,
}

/// How far a match has come that is not over, and its newest events: those that no full part of its record has.
#[derive(Debug)]
pub(super) struct OpenMatch {
    /// The place of the first of these events.
    seq: usize,
    count: usize,
    /// Takes of the match.
    plies: u32,
    /// The version and the events.
    bytes: Vec<u8>,
    /// So many of the events, and of the bytes, were written before.
    written: (usize, usize),
    /// The first row of the journal with events that no part has.
    pending_from: Option<i64>,
}

/// A part of a record: events that follow each other.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct RecordPart {
    pub(super) id: MatchId,
    /// The place of the first of them.
    pub(super) seq: i64,
    /// The place behind the last of them.
    pub(super) next_seq: i64,
    /// Takes of the match up to here.
    pub(super) plies: i64,
    pub(super) bytes: Vec<u8>,
}

/// What a write does to the journal and the parts.
#[derive(Debug, Default)]
pub(super) struct JournalWrite {
    /// The row that it adds, and its id.
    pub(super) row: Option<(i64, Vec<u8>)>,
    /// Parts; one of the same match and place takes the place of what is there.
    pub(super) parts: Vec<RecordPart>,
    /// Rows that it removes.
    pub(super) removed: Range<i64>,
}

impl OpenMatch {
    /// Begins behind so many events and takes.
    pub(super) fn behind(seq: usize, plies: u32) -> Self {
        Self { seq, count: 0, plies, bytes: vec![VERSION], written: (0, 1), pending_from: None }
    }

    /// Returns how many events the match has.
    pub(super) fn len(&self) -> usize {
        self.seq + self.count
    }

    /// Returns how many takes it has.
    pub(super) fn plies(&self) -> u32 {
        self.plies
    }

    /// Adds the next event of the match.
    pub(super) fn push(&mut self, id: MatchId, event: &TimedEvent) {
        let place = self.len();
        append_event(&mut self.bytes, id, place, event);
        self.count += 1;
        if let Event::Took { ply, .. } = event.event {
            self.plies = ply + 1;
        }
    }

    fn is_new(&self) -> bool {
        self.count > self.written.0
    }

    /// Returns the part that these events make.
    fn part(&self, id: MatchId, bytes: Vec<u8>) -> Result<RecordPart, StoreError> {
        Ok(RecordPart {
            id,
            seq: to_column_integer("a place", self.seq)?,
            next_seq: to_column_integer("a place", self.len())?,
            plies: self.plies.into(),
            bytes,
        })
    }
}

fn damaged_part_error(id: MatchId, number: i64) -> StoreError {
    StoreError::Damaged {
        what: format!("a part of the record of match {id}"),
        why: format!("its seq, next_seq or plies is {number}"),
    }
}

/// Returns the ply of a take.
fn parse_take(canonical: &[u8]) -> Option<u32> {
    match parse_canonical_bytes(canonical, SeatCount::new(MAX_SEATS).ok()).ok()?.event {
        Event::Took { ply, .. } => Some(ply),
        _ => None,
    }
}

impl Journal {
    /// Begins with an empty journal, and the id of its first row.
    pub(super) fn starting_at(next_row: i64) -> Self {
        let limits = JournalLimits {
            part_bytes: PART_BYTES,
            journal_bytes: JOURNAL_BYTES,
            journal_bytes_a_match: JOURNAL_BYTES_A_MATCH,
        };
        Self::with_limits(limits, next_row)
    }

    fn with_limits(limits: JournalLimits, next_row: i64) -> Self {
        Self {
            limits,
            open: MatchMap::default(),
            pending: BTreeSet::new(),
            first_row: next_row,
            needed_from: next_row,
            needed: VecDeque::new(),
            needed_bytes: 0,
            next_row,
        }
    }

    /// Returns the id of the row to come.
    pub(super) fn next_row(&self) -> i64 {
        self.next_row
    }

    /// Returns whether a match is not over, as far as anything is known of it.
    pub(super) fn knows(&self, id: &MatchId) -> bool {
        self.open.contains_key(id)
    }

    /// Returns a match that is not over; one that is not known begins.
    pub(super) fn open_match(&mut self, id: MatchId) -> &mut OpenMatch {
        self.open.entry(id).or_insert_with(|| OpenMatch::behind(0, 0))
    }

    /// Notes how far a match has come by the last part of its record, which is added to unless it is full.
    pub(super) fn insert_last_part(&mut self, part: RecordPart) -> Result<(), StoreError> {
        let place = |number| usize::try_from(number).map_err(|_| damaged_part_error(part.id, number));
        let (seq, next_seq) = (place(part.seq)?, place(part.next_seq)?);
        let plies = u32::try_from(part.plies).map_err(|_| damaged_part_error(part.id, part.plies))?;
        let count = next_seq.checked_sub(seq).ok_or_else(|| damaged_part_error(part.id, part.next_seq))?;
        let (id, bytes) = (part.id, part.bytes);
        let is_full = bytes.first() != Some(&VERSION) || bytes.len() >= self.limits.part_bytes;
        let open = if is_full {
            OpenMatch::behind(next_seq, plies)
        } else {
            OpenMatch { count, written: (count, bytes.len()), bytes, ..OpenMatch::behind(seq, plies) }
        };
        self.open.insert(id, open);
        Ok(())
    }

    /// Takes out a match that is over.
    pub(super) fn close_match(&mut self, id: MatchId) -> Option<OpenMatch> {
        let closed = self.open.remove(&id)?;
        if let Some(row) = closed.pending_from {
            self.pending.remove(&(row, id));
        }
        Some(closed)
    }

    /// Says what a write does that adds events to some matches and closes others.
    pub(super) fn plan_write(
        &mut self,
        touched: &[MatchId],
        closed: Vec<(MatchId, OpenMatch)>,
    ) -> Result<JournalWrite, StoreError> {
        let mut write = JournalWrite::default();
        for (id, mut closed) in closed {
            // Nothing has to be written of one that ended with a full part.
            if closed.count > 0 && (closed.is_new() || closed.pending_from.is_some()) {
                let bytes = std::mem::take(&mut closed.bytes);
                write.parts.push(closed.part(id, bytes)?);
            }
        }
        let row = self.next_row;
        let mut runs = Vec::with_capacity(touched.len());
        for &id in touched {
            // One that is closed is written whole, and one of which a run came before is in that already.
            let Some(open) = self.open.get_mut(&id).filter(|open| open.is_new()) else { continue };
            if open.bytes.len() >= self.limits.part_bytes {
                if let Some(row) = open.pending_from {
                    self.pending.remove(&(row, id));
                }
                let bytes = std::mem::take(&mut open.bytes);
                write.parts.push(open.part(id, bytes)?);
                *open = OpenMatch::behind(open.len(), open.plies);
                continue;
            }
            let (count, from) = std::mem::replace(&mut open.written, (open.count, open.bytes.len()));
            runs.push((id, open.seq + count, open.count - count, from));
            if open.pending_from.is_none() {
                open.pending_from = Some(row);
                self.pending.insert((row, id));
            }
        }
        if !runs.is_empty() {
            let run = |&(id, seq, count, from): &(MatchId, usize, usize, usize)| JournalRun {
                id,
                seq,
                count,
                bytes: &self.open[&id].bytes[from..],
            };
            let bytes = journal_row(&runs.iter().map(run).collect::<Vec<_>>());
            self.needed.push_back(bytes.len());
            self.needed_bytes += bytes.len();
            self.next_row += 1;
            write.row = Some((row, bytes));
        }
        self.move_oldest(MIN_MOVED + touched.len(), row, &mut write)?;
        self.forget_rows();
        if self.needed_from - self.first_row >= MIN_REMOVED {
            let until = self.needed_from.min(self.first_row + MAX_REMOVED);
            write.removed = std::mem::replace(&mut self.first_row, until)..until;
        }
        Ok(write)
    }

    /// Moves the events of matches that stand still to parts, while the journal is too large: of the oldest ones first, and never what
    /// this write adds.
    fn move_oldest(&mut self, most: usize, newest: i64, write: &mut JournalWrite) -> Result<(), StoreError> {
        let max_bytes = self.limits.journal_bytes + self.limits.journal_bytes_a_match * self.open.len();
        for _ in 0..most {
            self.forget_rows();
            if self.needed_bytes <= max_bytes {
                break;
            }
            let Some(&(row, id)) = self.pending.first().filter(|(row, _)| *row < newest) else { break };
            self.pending.remove(&(row, id));
            if let Some(open) = self.open.get_mut(&id) {
                open.pending_from = None;
                write.parts.push(open.part(id, open.bytes.clone())?);
            }
        }
        Ok(())
    }

    /// Counts rows no longer that no match needs.
    fn forget_rows(&mut self) {
        let needed = self.pending.first().map_or(self.next_row, |&(row, _)| row);
        while self.needed_from < needed {
            self.needed_bytes -= self.needed.pop_front().unwrap_or_default();
            self.needed_from += 1;
        }
    }

    /// Takes in a run that a writer before this one left in the journal. One that does not follow what is known of its match, or was
    /// changed, becomes a part as it is: whoever reads the record finds what is wrong.
    pub(super) fn take_in(
        &mut self,
        run: &JournalRun<'_>,
        parts: &mut Vec<RecordPart>,
    ) -> Result<(), StoreError> {
        // What is left of a match that is over is in its parts.
        let Some(open) = self.open.get_mut(&run.id) else { return Ok(()) };
        let end = run.seq + run.count;
        if end <= open.len() {
            return Ok(());
        }
        let events: Option<Vec<_>> = KeptEvents::of_run(run).map(Result::ok).collect();
        if let Some(events) = events.filter(|events| events.len() == run.count && run.seq == open.len()) {
            let newest_take = events.iter().rev().find_map(|canonical| parse_take(canonical));
            open.plies = newest_take.map_or(open.plies, |ply| ply + 1);
            open.bytes.extend_from_slice(run.bytes);
            open.count += run.count;
            return Ok(());
        }
        if open.is_new() {
            parts.push(open.part(run.id, open.bytes.clone())?);
        }
        let seq = run.seq.max(open.len());
        let as_it_is = OpenMatch { seq, count: end - seq, ..OpenMatch::behind(seq, open.plies) };
        let bytes = [&[VERSION], run.bytes].concat();
        parts.push(as_it_is.part(run.id, bytes)?);
        *open = OpenMatch::behind(end, open.plies);
        Ok(())
    }

    /// Returns the parts for which the journal need not be kept after all runs were taken in.
    pub(super) fn settle(&mut self) -> Result<Vec<RecordPart>, StoreError> {
        let mut parts = Vec::new();
        for (&id, open) in self.open.iter_mut().filter(|(_, open)| open.is_new()) {
            parts.push(open.part(id, open.bytes.clone())?);
            open.written = (open.count, open.bytes.len());
        }
        Ok(parts)
    }
}

#[cfg(test)]
mod tests;
