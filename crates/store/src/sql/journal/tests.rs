//! Tests of the journal and its tables, with crashes at arbitrary points.

use super::*;
use crate::sql::event_bytes::parse_journal_row;
use lastnim_core::referee::{EndReason, Timestamp};
use lastnim_tournament::SeededDraw;
use std::collections::BTreeMap;

const LIMITS: JournalLimits =
    JournalLimits { part_bytes: 700, journal_bytes: 3_000, journal_bytes_per_match: 1_400 };
/// The size in bytes of an event in these tests, with its length field and its checksum.
const EVENT: usize = 4 + 11 + 4;

/// The contents of the database.
#[derive(Debug, Clone, Default)]
struct SimulatedTables {
    rows: BTreeMap<i64, Vec<u8>>,
    parts: BTreeMap<(MatchId, i64), RecordPart>,
}

fn match_id(number: u64) -> MatchId {
    MatchId::new(number, &[7; 10])
}

fn event(number: u64) -> TimedEvent {
    let event = Event::Ended { reason: EndReason::Cancelled, winner: None };
    TimedEvent { at: Timestamp::from_micros(number), event }
}

fn column_number(number: usize) -> i64 {
    i64::try_from(number).unwrap()
}

/// Returns the bytes of a match's events; the first one has the given index in the record.
fn bytes_of(id: MatchId, seq: usize, events: impl IntoIterator<Item = u64>) -> Vec<u8> {
    let mut bytes = Vec::new();
    for (place, number) in (seq..).zip(events) {
        append_event(&mut bytes, id, place, &event(number));
    }
    bytes
}

impl SimulatedTables {
    fn write(&mut self, write: JournalWrite) {
        self.rows.extend(write.row);
        self.insert_parts(write.parts);
        for row in write.removed {
            assert!(self.rows.remove(&row).is_some(), "row {row} is removed twice");
        }
    }

    fn insert_parts(&mut self, parts: Vec<RecordPart>) {
        self.parts.extend(parts.into_iter().map(|part| ((part.id, part.seq), part)));
    }

    fn parts_of(&self, id: MatchId) -> impl Iterator<Item = &RecordPart> {
        self.parts.values().filter(move |part| part.id == id)
    }

    /// Reads the events of a match, as a reader of the database does.
    fn read(&self, id: MatchId, is_open: bool) -> Vec<u8> {
        let (mut bytes, mut next) = (Vec::new(), 0);
        for part in self.parts_of(id) {
            assert_eq!(part.seq, next, "parts follow each other");
            bytes.extend_from_slice(&part.bytes[1..]);
            next = part.next_seq;
        }
        for row in self.rows.values().filter(|_| is_open) {
            for run in parse_journal_row(row).unwrap().iter().filter(|run| run.id == id) {
                if column_number(run.seq) >= next {
                    assert_eq!(column_number(run.seq), next);
                    bytes.extend_from_slice(run.bytes);
                    next += column_number(run.count);
                }
            }
        }
        assert_eq!(column_number(bytes.len()), next * column_number(EVENT));
        bytes
    }

    /// Loads the tables again, as a writer does after a crash.
    fn load(&mut self, open: impl Iterator<Item = MatchId>) -> Journal {
        let next = self.rows.keys().next_back().map_or(1, |row| row + 1);
        let mut journal = Journal::with_limits(LIMITS, next);
        for id in open {
            journal.open_match(id);
            let last = self.parts_of(id).last().cloned();
            if let Some(part) = last {
                journal.insert_last_part(part).unwrap();
            }
        }
        let mut parts = Vec::new();
        for row in std::mem::take(&mut self.rows).values() {
            for run in parse_journal_row(row).unwrap() {
                journal.add_loaded_run(&run, &mut parts).unwrap();
            }
        }
        parts.append(&mut journal.finish_loading().unwrap());
        self.insert_parts(parts);
        journal
    }

    fn bytes(&self) -> usize {
        self.rows.values().map(Vec::len).sum()
    }
}

#[test]
fn written_events_survive_idle_matches_endings_and_crashes() {
    for seed in 0..30 {
        let mut draw = SeededDraw::new(seed, 0);
        let mut tables = SimulatedTables::default();
        let mut journal = Journal::with_limits(LIMITS, 1);
        let mut lengths: BTreeMap<MatchId, u64> = BTreeMap::new();
        let (mut over, mut created) = (Vec::new(), 0);
        for step in 0..800 {
            let (mut touched, mut closed, mut ended) = (Vec::new(), Vec::new(), Vec::new());
            while lengths.len() < 12 {
                created += 1;
                lengths.insert(match_id(created), 0);
            }
            let ids: Vec<_> = lengths.keys().copied().collect();
            for (place, &id) in ids.iter().enumerate() {
                // The first matches get events in few rounds, the last ones in most rounds.
                if draw.number_below(1 + 4 * (ids.len() - place) as u64) > 1 {
                    continue;
                }
                for _ in 0..=draw.number_below(3) {
                    let length = lengths.get_mut(&id).unwrap();
                    journal.open_match(id).push(id, &event(*length));
                    *length += 1;
                    touched.push(id);
                }
                if draw.number_below(20) == 0 {
                    closed.push((id, journal.close_match(id).unwrap()));
                    ended.push(id);
                }
            }
            let write = journal.plan_write(&touched, closed).unwrap();
            assert!(write.parts.len() <= 2 * touched.len() + EXTRA_MOVED_MATCHES + ended.len());
            assert!(write.removed.end - write.removed.start <= MAX_REMOVED_ROWS);
            tables.write(write);
            over.extend(ended.into_iter().map(|id| (id, lengths.remove(&id).unwrap())));
            // Unneeded rows remain until enough of them can be removed together.
            assert!(tables.bytes() < 3_000 + 14 * 1_400 + 16 * 2_000, "{} bytes", tables.bytes());
            if draw.number_below(50) == 0 {
                journal = tables.load(lengths.keys().copied());
                assert!(tables.rows.is_empty());
            }
            if step % 40 == 0 {
                for (&id, &length) in &lengths {
                    assert_eq!(tables.read(id, true), bytes_of(id, 0, 0..length), "seed {seed}");
                }
            }
        }
        assert!(over.len() > 10);
        for (id, length) in over {
            assert_eq!(tables.read(id, false), bytes_of(id, 0, 0..length), "seed {seed}");
        }
    }
}

#[test]
fn a_short_match_becomes_one_part_and_leaves_the_journal() {
    let (mut tables, mut journal) = (SimulatedTables::default(), Journal::with_limits(LIMITS, 1));
    for number in 1..=200 {
        let id = match_id(number);
        for at in 0..5 {
            journal.open_match(id).push(id, &event(at));
            let closed = if at == 4 { vec![(id, journal.close_match(id).unwrap())] } else { Vec::new() };
            tables.write(journal.plan_write(&[id], closed).unwrap());
        }
        assert_eq!(tables.parts_of(id).count(), 1);
        assert!(tables.rows.len() < 2 * usize::try_from(MIN_REMOVED_ROWS).unwrap());
    }
    // A match that begins and ends in one write skips the journal.
    let (id, rows) = (match_id(201), tables.rows.clone());
    (0..9).for_each(|at| journal.open_match(id).push(id, &event(at)));
    let closed = vec![(id, journal.close_match(id).unwrap())];
    let write = journal.plan_write(&[id], closed).unwrap();
    assert_eq!((write.row.as_ref(), write.parts.len()), (None, 1));
    tables.write(write);
    assert!(tables.rows.keys().all(|row| rows.contains_key(row)));
}

#[test]
fn a_run_with_a_gap_becomes_a_part_unchanged() {
    let id = match_id(1);
    for (seq, length, next) in [(3, 6 * EVENT, 9), (2, 6 * EVENT - 1, 8), (1, 0, 7)] {
        let bytes = bytes_of(id, seq, 0..6);
        let mut journal = Journal::with_limits(LIMITS, 1);
        journal.open_match(id);
        let mut parts = Vec::new();
        let first = bytes_of(id, 0, 0..2);
        journal.add_loaded_run(&JournalRun { id, seq: 0, count: 2, bytes: &first }, &mut parts).unwrap();
        journal
            .add_loaded_run(&JournalRun { id, seq, count: 6, bytes: &bytes[..length] }, &mut parts)
            .unwrap();
        let after = bytes_of(id, next, 20..21);
        journal.add_loaded_run(&JournalRun { id, seq: next, count: 1, bytes: &after }, &mut parts).unwrap();
        parts.append(&mut journal.finish_loading().unwrap());
        let places: Vec<_> = parts.iter().map(|part| (part.seq, part.next_seq)).collect();
        let (seq, next) = (column_number(seq.max(2)), column_number(next));
        assert_eq!(places, [(0, 2), (seq, next), (next, next + 1)]);
        assert_eq!(parts[1].bytes, [&[VERSION], &bytes[..length]].concat());
    }
}
