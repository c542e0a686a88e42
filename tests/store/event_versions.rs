//! Events that an earlier version of the program wrote.

use crate::kept_events::{events_of_part, events_of_run};
use crate::place::{Client, Place};
use crate::played::{bots, events, match_id, open_match_of, over, play, written};
use crate::store_checks::assert_kept;
use lastnim_core::referee::{EventHash, Record};
use lastnim_store::{Change, StoreError};
use std::ops::Range;

/// The version that kept the hash of each event.
const WITH_HASHES: u8 = 1;

/// Returns events as that version kept them.
fn with_hashes(bytes: &[u8], events: Vec<Range<usize>>, hashes: &[EventHash]) -> Vec<u8> {
    let mut kept = Vec::new();
    for (event, hash) in events.into_iter().zip(hashes) {
        kept.extend_from_slice(&u32::try_from(event.len()).unwrap().to_le_bytes());
        kept.extend_from_slice(&bytes[event]);
        kept.extend_from_slice(hash.as_bytes());
    }
    kept
}

/// Returns the row of the journal with events of one match, as that version wrote it.
fn row_with_hashes(row: &[u8], record: &Record, seq: usize) -> Vec<u8> {
    let events = events_of_run(row, record.id().as_bytes());
    let count = events.len();
    let kept = with_hashes(row, events, &record.hashes()[seq..]);
    let mut old = vec![WITH_HASHES, 1, 0, 0, 0];
    old.extend_from_slice(record.id().as_bytes());
    for number in [seq, count, kept.len()] {
        old.extend_from_slice(&u32::try_from(number).unwrap().to_le_bytes());
    }
    let check = blake3::hash(&old);
    old.extend_from_slice(&check.as_bytes()[..16]);
    [old, kept].concat()
}

pub fn events_with_hashes_are_read_and_go_on(place: &Place) {
    let ended = play(match_id(1), bots(0..3), None, 3, u32::MAX);
    let open = play(match_id(2), bots(0..3), None, 7, u32::MAX);
    assert!(open.events().len() > 9);
    let store = place.open();
    place.write(&store, &written(&ended));
    place.write(&store, &[events(&open, 0, 5)]);
    drop(store);
    // What the journal had is in a part now, and the next events are in the journal.
    let store = place.open();
    place.write(&store, &[events(&open, 5, 8)]);
    drop(store);
    let mut client = place.client();
    let update = |client: &mut Client, table: &str, which: &str, bytes: &[u8]| {
        let statement = format!("UPDATE {table} SET events = {} WHERE {which}", client.literal(bytes));
        assert_eq!(place.execute(client, &statement), 1, "{statement}");
    };
    for record in [&ended, &open] {
        let of_match = format!("match_id = '{}'", record.id());
        let part = place.bytes(&mut client, &format!("SELECT events FROM record_parts WHERE {of_match}"));
        let kept = with_hashes(&part, events_of_part(&part), record.hashes());
        update(&mut client, "record_parts", &of_match, &[&[WITH_HASHES], kept.as_slice()].concat());
    }
    let newest = "id = (SELECT max(id) FROM journal)";
    let row = place.bytes(&mut client, &format!("SELECT events FROM journal WHERE {newest}"));
    update(&mut client, "journal", newest, &row_with_hashes(&row, &open, 5));

    let store = place.open();
    assert_kept(place, &store, std::slice::from_ref(&ended));
    assert_eq!(
        place.run(store.match_record(open.id())).unwrap().unwrap().record.events(),
        &open.events()[..8]
    );
    let last = open.events().len();
    place.write(&store, &[events(&open, 8, last), Change::MatchOver(Box::new(over(&open)))]);
    assert_kept(place, &store, &[ended.clone(), open.clone()]);
    drop(store);
    let store = place.open();
    assert_kept(place, &store, &[ended.clone(), open]);

    // A hash that is not that of its event is found.
    let of_match = format!("match_id = '{}'", ended.id());
    let mut part = place.bytes(&mut client, &format!("SELECT events FROM record_parts WHERE {of_match}"));
    let end = part.len() - 1;
    part[end] ^= 1;
    update(&mut client, "record_parts", &of_match, &part);
    let Err(StoreError::Damaged { why, .. }) = place.run(store.match_record(ended.id())) else {
        panic!("a changed hash is not found")
    };
    assert!(why.starts_with(&format!("event {}:", ended.events().len() - 1)), "{why}");
}

pub fn events_with_hashes_that_were_changed_in_the_journal_are_found(place: &Place) {
    let store = place.open();
    let [intact, changed] = [1, 2].map(|number| open_match_of(match_id(number), None));
    for record in [&intact, &changed] {
        place.write(&store, &[events(record, 0, record.events().len() - 1)]);
    }
    let rows = [&intact, &changed].map(|record| {
        let seq = record.events().len() - 1;
        place.write(&store, &[events(record, seq, seq + 1)]);
        let mut client = place.client();
        let newest = place.number(&mut client, "SELECT max(id) FROM journal");
        let row = place.bytes(&mut client, &format!("SELECT events FROM journal WHERE id = {newest}"));
        (newest, row_with_hashes(&row, record, seq))
    });
    drop(store);
    let mut client = place.client();
    for (at, (id, mut row)) in rows.into_iter().enumerate() {
        if at == 1 {
            // A byte of the time that the clock was charged for, in front of the lag and the hash: the take stays legal.
            let charge_place = row.len() - 32 - 8 - 8;
            row[charge_place] ^= 1;
        }
        let statement = format!("UPDATE journal SET events = {} WHERE id = {id}", client.literal(&row));
        assert_eq!(place.execute(&mut client, &statement), 1);
    }
    for _ in 0..2 {
        let store = place.open();
        assert_eq!(place.run(store.match_record(intact.id())).unwrap().unwrap().record, intact);
        let Err(StoreError::Damaged { why, .. }) = place.run(store.match_record(changed.id())) else {
            panic!("a changed take is not found")
        };
        assert!(why.contains(&format!("event {}: its hash", changed.events().len() - 1)), "{why}");
    }
}
