//! The journal, which stores the newest events of unfinished matches until they move to record parts.
//!
//! Each write adds one journal row with the new events of all matches in the write. Later, the events of each match
//! move to parts of its record: several hundred at a time, and the rest when the match ends. Each transaction moves at
//! most a fixed multiple of the data that it adds. The size of the journal is bounded: when the journal is too large,
//! the events of idle matches also move to parts, so that the rows that contain them can be removed.

use super::columns::to_column_integer;
use super::event_bytes::{EncodedEvents, JournalRun, VERSION, append_event, journal_row};
use crate::StoreError;
use lastnim_core::game::{MAX_SEATS, MatchId, MatchMap, SeatCount};
use lastnim_core::referee::{Event, TimedEvent, parse_canonical_bytes};
use std::collections::{BTreeSet, VecDeque};
use std::ops::Range;

/// The size in bytes at which a match's newest events become a full record part: several hundred takes.
const PART_BYTES: usize = 8 << 10;
/// The events of idle matches move to parts while the journal is larger than this size in bytes, plus
/// [`JOURNAL_BYTES_PER_MATCH`] for each unfinished match.
const JOURNAL_BYTES: usize = 1 << 20;
/// The size that each unfinished match adds to this limit. An active match never has more bytes in the journal.
const JOURNAL_BYTES_PER_MATCH: usize = 2 * PART_BYTES;
/// The number of idle matches whose events a write may move to parts, in addition to one for each match with events in
/// the write. So a write can move at least as many matches as its row contains, and rows are removed as fast as they
/// are added.
const EXTRA_MOVED_MATCHES: usize = 4;
/// The minimum number of unneeded rows that are removed together.
const MIN_REMOVED_ROWS: i64 = 16;
/// The maximum number of rows removed per write; each write adds one row.
const MAX_REMOVED_ROWS: i64 = 64;

/// The sizes in bytes above which events move from the journal to record parts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct JournalLimits {
    part_bytes: usize,
    journal_bytes: usize,
    journal_bytes_per_match: usize,
}

/// The writer's in-memory view of the journal and of unfinished matches. It is updated before each commit, and must be
/// rebuilt if the commit fails.
#[derive(Debug)]
pub(super) struct Journal {
    limits: JournalLimits,
    open: MatchMap<OpenMatch>,
    /// The matches with events that are only in the journal, ordered by the first row that contains such events.
    pending: BTreeSet<(i64, MatchId)>,
    /// The id of the first row that still exists.
    first_row: i64,
    /// The id of the first row that is still needed.
    needed_from: i64,
    /// The sizes in bytes of the row `needed_from` and all later rows.
    needed: VecDeque<usize>,
    needed_bytes: usize,
    next_row: i64,
}

/// The progress of an unfinished match, and its newest events, which are those that are not in a full record part.
#[derive(Debug)]
pub(super) struct OpenMatch {
    /// The index of the first of the newest events.
    seq: usize,
    count: usize,
    plies: u32,
    /// The format version, followed by the newest events.
    bytes: Vec<u8>,
    /// How many of the newest events were written by earlier writes, and the length of `bytes` at that time.
    written: (usize, usize),
    /// The first journal row with events of this match that are not in a part.
    pending_from: Option<i64>,
}

/// A part of a record, which contains consecutive events.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct RecordPart {
    pub(super) id: MatchId,
    /// The index of the first event.
    pub(super) seq: i64,
    /// The index after the last event.
    pub(super) next_seq: i64,
    /// The number of takes in the match up to the end of this part.
    pub(super) plies: i64,
    pub(super) bytes: Vec<u8>,
}

/// The changes that a write makes to the journal and the record parts.
#[derive(Debug, Default)]
pub(super) struct JournalWrite {
    /// The row to add, as its id and its contents.
    pub(super) row: Option<(i64, Vec<u8>)>,
    /// The parts to write. Each replaces the part of the same match with the same first index, if there is one.
    pub(super) parts: Vec<RecordPart>,
    /// The ids of the rows to remove.
    pub(super) removed: Range<i64>,
}

impl OpenMatch {
    /// Creates a match with `seq` events and `plies` takes, and no newest events.
    pub(super) fn after_events(seq: usize, plies: u32) -> Self {
        Self { seq, count: 0, plies, bytes: vec![VERSION], written: (0, 1), pending_from: None }
    }

    /// Returns the number of events.
    pub(super) fn len(&self) -> usize {
        self.seq + self.count
    }

    /// Returns the number of takes.
    pub(super) fn ply_count(&self) -> u32 {
        self.plies
    }

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

    /// Returns the newest events as a record part.
    fn part(&self, id: MatchId, bytes: Vec<u8>) -> Result<RecordPart, StoreError> {
        Ok(RecordPart {
            id,
            seq: to_column_integer("an index", self.seq)?,
            next_seq: to_column_integer("an index", self.len())?,
            plies: self.plies.into(),
            bytes,
        })
    }
}

fn damaged_part_error(id: MatchId, number: i64) -> StoreError {
    StoreError::Damaged {
        what: format!("part of the record of match {id}"),
        why: format!("its seq, next_seq or plies is {number}, which is out of range"),
    }
}

/// Returns the ply if the event is a take.
fn parse_take(canonical: &[u8]) -> Option<u32> {
    match parse_canonical_bytes(canonical, SeatCount::new(MAX_SEATS).ok()).ok()?.event {
        Event::Took { ply, .. } => Some(ply),
        _ => None,
    }
}

impl Journal {
    /// Creates an empty journal whose next row has this id.
    pub(super) fn starting_at(next_row: i64) -> Self {
        let limits = JournalLimits {
            part_bytes: PART_BYTES,
            journal_bytes: JOURNAL_BYTES,
            journal_bytes_per_match: JOURNAL_BYTES_PER_MATCH,
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

    /// Returns the id of the next row.
    pub(super) fn next_row(&self) -> i64 {
        self.next_row
    }

    /// Returns whether the match is known to be unfinished.
    pub(super) fn knows(&self, id: &MatchId) -> bool {
        self.open.contains_key(id)
    }

    /// Returns an unfinished match, creating it if it is unknown.
    pub(super) fn open_match(&mut self, id: MatchId) -> &mut OpenMatch {
        self.open.entry(id).or_insert_with(|| OpenMatch::after_events(0, 0))
    }

    /// Sets the progress of a match from the last part of its record. Later events extend this part unless it is full.
    pub(super) fn insert_last_part(&mut self, part: RecordPart) -> Result<(), StoreError> {
        let place = |number| usize::try_from(number).map_err(|_| damaged_part_error(part.id, number));
        let (seq, next_seq) = (place(part.seq)?, place(part.next_seq)?);
        let plies = u32::try_from(part.plies).map_err(|_| damaged_part_error(part.id, part.plies))?;
        let count = next_seq.checked_sub(seq).ok_or_else(|| damaged_part_error(part.id, part.next_seq))?;
        let (id, bytes) = (part.id, part.bytes);
        let is_full = bytes.first() != Some(&VERSION) || bytes.len() >= self.limits.part_bytes;
        let open = if is_full {
            OpenMatch::after_events(next_seq, plies)
        } else {
            OpenMatch { count, written: (count, bytes.len()), bytes, ..OpenMatch::after_events(seq, plies) }
        };
        self.open.insert(id, open);
        Ok(())
    }

    /// Removes a match that is over, and returns it; `None` if it is unknown.
    pub(super) fn close_match(&mut self, id: MatchId) -> Option<OpenMatch> {
        let closed = self.open.remove(&id)?;
        if let Some(row) = closed.pending_from {
            self.pending.remove(&(row, id));
        }
        Some(closed)
    }

    /// Plans a write that adds events to some matches and closes others.
    pub(super) fn plan_write(
        &mut self,
        touched: &[MatchId],
        closed: Vec<(MatchId, OpenMatch)>,
    ) -> Result<JournalWrite, StoreError> {
        let mut write = JournalWrite::default();
        for (id, mut closed) in closed {
            // Nothing needs to be written if all events of the match are already in parts.
            if closed.count > 0 && (closed.is_new() || closed.pending_from.is_some()) {
                let bytes = std::mem::take(&mut closed.bytes);
                write.parts.push(closed.part(id, bytes)?);
            }
        }
        let row = self.next_row;
        let mut runs = Vec::with_capacity(touched.len());
        for &id in touched {
            // Closed matches are written completely above, and the events of a match that occurs again are already in
            // its run.
            let Some(open) = self.open.get_mut(&id).filter(|open| open.is_new()) else { continue };
            if open.bytes.len() >= self.limits.part_bytes {
                if let Some(row) = open.pending_from {
                    self.pending.remove(&(row, id));
                }
                let bytes = std::mem::take(&mut open.bytes);
                write.parts.push(open.part(id, bytes)?);
                *open = OpenMatch::after_events(open.len(), open.plies);
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
        self.move_oldest(EXTRA_MOVED_MATCHES + touched.len(), row, &mut write)?;
        self.forget_rows();
        if self.needed_from - self.first_row >= MIN_REMOVED_ROWS {
            let until = self.needed_from.min(self.first_row + MAX_REMOVED_ROWS);
            write.removed = std::mem::replace(&mut self.first_row, until)..until;
        }
        Ok(write)
    }

    /// Moves the events of idle matches to parts while the journal is too large. The oldest events move first, and
    /// those of this write never do.
    fn move_oldest(
        &mut self,
        max_moves: usize,
        newest: i64,
        write: &mut JournalWrite,
    ) -> Result<(), StoreError> {
        let max_bytes = self.limits.journal_bytes + self.limits.journal_bytes_per_match * self.open.len();
        for _ in 0..max_moves {
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

    /// Stops counting the sizes of rows that no match needs.
    fn forget_rows(&mut self) {
        let needed = self.pending.first().map_or(self.next_row, |&(row, _)| row);
        while self.needed_from < needed {
            self.needed_bytes -= self.needed.pop_front().unwrap_or_default();
            self.needed_from += 1;
        }
    }

    /// Adds a run that an earlier writer left in the journal. A run that was altered, or that does not follow the
    /// events of its match, is moved to a part as it is, so that readers find the damage.
    pub(super) fn add_loaded_run(
        &mut self,
        run: &JournalRun<'_>,
        parts: &mut Vec<RecordPart>,
    ) -> Result<(), StoreError> {
        // The remaining events of a finished match are already in its parts.
        let Some(open) = self.open.get_mut(&run.id) else { return Ok(()) };
        let end = run.seq + run.count;
        if end <= open.len() {
            return Ok(());
        }
        let events: Option<Vec<_>> = EncodedEvents::of_run(run).map(Result::ok).collect();
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
        let as_it_is = OpenMatch { seq, count: end - seq, ..OpenMatch::after_events(seq, open.plies) };
        let bytes = [&[VERSION], run.bytes].concat();
        parts.push(as_it_is.part(run.id, bytes)?);
        *open = OpenMatch::after_events(end, open.plies);
        Ok(())
    }

    /// Returns the parts that replace the journal. Call this after all runs were added.
    pub(super) fn finish_loading(&mut self) -> Result<Vec<RecordPart>, StoreError> {
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
