//! Changed rows, and the quarantine of their matches.

use crate::kept_events::{TAKE, directory_end, events_of_part, events_of_run};
use crate::played::{
    all_events, bots, events_change, finished_match, match_changes, match_id, open_match_of, play_match,
    tournament_id,
};
use crate::test_database::{Client, TestDatabase};
use lastnim_core::referee::{Event, MatchPhase, Origin, Record, Timestamp};
use lastnim_store::{Change, MatchFilter, Store, StoreError, StoredResult};
use std::ops::Range;
use std::sync::Arc;

pub fn a_changed_row_is_found_and_its_match_is_named(database: &TestDatabase) {
    let store = database.open();
    // A match that ended by takes.
    let mut played = (0..).map(|seed| play_match(match_id(seed), bots(0..3), None, seed, u32::MAX));
    let record: Record =
        played.find(|record| record.state().ply() > 20 && finished_match(record).outcome.is_some()).unwrap();
    database.write(&store, &match_changes(&record));
    let id = record.id();
    let position = |wanted: fn(&Event) -> bool, skip: usize| {
        let found = record.events().iter().enumerate().filter(|(_, timed)| wanted(&timed.event));
        found.map(|(index, _)| index).nth(skip).unwrap()
    };
    let took = position(|event| matches!(event, Event::Took { .. }), 7);
    let revealed = position(|event| matches!(event, Event::Revealed { .. }), 0);
    let last = record.events().len() - 1;
    let mut client = database.client();
    let part = database.bytes(&mut client, "SELECT events FROM record_parts");
    let events = events_of_part(&part);
    assert_eq!(events.len(), record.events().len(), "a match that is over is one row");
    let damage_with = |client: &Client, bytes: &[u8], named: String| {
        (format!("UPDATE record_parts SET events = {}", client.literal(bytes)), named)
    };
    let damage_event = |client: &Client, place: usize, seq: usize| {
        let mut bytes = part.clone();
        bytes[place] ^= 1;
        damage_with(client, &bytes, format!("event {seq}:"))
    };
    let event =
        |client: &Client, seq: usize, offset: usize| damage_event(client, events[seq].start + offset, seq);
    let shortened = [&part[..events[took].start - 4], &part[events[took].end + 4..]].concat();
    let cut_off = &part[..part.len() - 1];
    let other_bot = match client {
        Client::Sqlite(_) => "replace(setup, 'bot-1', 'bot-9')",
        Client::Postgres(_) => "replace(setup::text, 'bot-1', 'bot-9')::jsonb",
    };
    let row =
        |set: &str, named: &str| (format!("UPDATE matches SET {set} WHERE id = '{id}'"), named.to_owned());
    let mut damages = vec![
        event(&client, took, 0),
        event(&client, took, 1),
        event(&client, took, TAKE - 1),
        event(&client, took, TAKE),
        event(&client, took, TAKE + 9),
        event(&client, took, TAKE + 17),
        event(&client, revealed, 9 + 4 + 4),
        event(&client, last, 9),
        event(&client, last, 11),
        damage_event(&client, events[took].end, took),
        damage_with(&client, &shortened, format!("event {took}:")),
        damage_with(&client, cut_off, format!("event {last}:")),
        damage_with(&client, &[], "event 0:".to_owned()),
        damage_event(&client, 0, 0),
        ("UPDATE record_parts SET next_seq = next_seq + 1".to_owned(), format!("event {}:", last + 1)),
        ("UPDATE record_parts SET seq = 1".to_owned(), "event 0:".to_owned()),
        row("plies = plies + 1", "row of match"),
        row("winner = (winner + 1) % 3", "row of match"),
        row("signature = NULL", "the signature of match"),
        row(&format!("setup = {other_bot}"), "row of match"),
    ];
    // Any byte may be changed, and a part may be cut off anywhere.
    for at in (0..part.len()).step_by(23) {
        damages.push((damage_event(&client, at, 0).0, "event".to_owned()));
        damages.push(damage_with(&client, &part[..at], "event".to_owned()));
    }
    let copies = "CREATE TABLE kept_parts AS SELECT * FROM record_parts; CREATE TABLE kept_matches AS SELECT * FROM matches";
    database.execute(&mut client, copies);
    for (damage, named) in damages {
        assert_eq!(database.execute(&mut client, &damage), 1, "{damage}");
        let Err(error @ StoreError::Damaged { .. }) = database.run(store.match_record(id)) else {
            panic!("{damage}")
        };
        let message = error.to_string();
        assert!(message.contains(&named) && message.contains(&id.to_string()), "{damage}: {message}");
        database.execute(
            &mut client,
            "DELETE FROM record_parts; INSERT INTO record_parts SELECT * FROM kept_parts;
            UPDATE matches SET setup = kept.setup, plies = kept.plies, winner = kept.winner, signature = kept.signature
            FROM kept_matches AS kept WHERE kept.id = matches.id",
        );
    }
    assert_eq!(database.run(store.match_record(id)).unwrap().unwrap().record, record);
}

/// Damage to a journal row.
struct JournalDamage {
    what: &'static str,
    /// Changes the row with the first two takes.
    change: fn(&mut Vec<u8>, events: [Range<usize>; 2]),
    /// Which of the two matches are reported.
    named: [bool; 2],
}

pub fn a_damaged_journal_is_found_and_its_matches_are_named(database: &TestDatabase) {
    let damages = [
        JournalDamage {
            what: "a byte of an event of the first match",
            change: |row, [first, _]| row[first.start + 3] ^= 1,
            named: [true, false],
        },
        JournalDamage {
            what: "a byte of the checksum of an event of the second match",
            change: |row, [_, second]| row[second.end] ^= 1,
            named: [false, true],
        },
        JournalDamage {
            what: "the row ends within the second match",
            change: |row, [_, second]| row.truncate(second.start),
            named: [false, true],
        },
        JournalDamage {
            what: "the row ends after its directory",
            change: |row, _| row.truncate(directory_end(row)),
            named: [true, true],
        },
        JournalDamage { what: "a byte of the directory", change: |row, _| row[9] ^= 1, named: [true, true] },
        JournalDamage { what: "nothing is left", change: |row, _| row.clear(), named: [true, true] },
    ];
    for (round, JournalDamage { what, change, named }) in (0..).zip(damages) {
        let store = database.open();
        let ids = [1, 2].map(|number| match_id(10 * round + number));
        let records = ids.map(|id| open_match_of(id, None));
        let cuts = records.each_ref().map(|record| record.events().len() - 2);
        let write = |from: [usize; 2], to: [usize; 2]| {
            let changes = [0, 1].map(|at| events_change(&records[at], from[at], to[at]));
            database.write(&store, &changes);
        };
        write([0; 2], cuts);
        write(cuts, cuts.map(|cut| cut + 1));
        // A later match has no events in the row.
        let later = open_match_of(match_id(10 * round + 3), None);
        database.write(&store, &[all_events(&later)]);
        let mut client = database.client();
        let newest = "(SELECT max(id) - 1 FROM journal)";
        let mut row = database.bytes(&mut client, &format!("SELECT events FROM journal WHERE id = {newest}"));
        let places = ids.map(|id| events_of_run(&row, id.as_bytes())[0].clone());
        change(&mut row, places);
        let changed = format!("UPDATE journal SET events = {} WHERE id = {newest}", client.literal(&row));
        assert_eq!(database.execute(&mut client, &changed), 1);
        drop(client);
        let judge = |store: &Arc<dyn Store>| {
            for ((id, named), cut) in ids.iter().zip(named).zip(cuts) {
                match database.run(store.match_record(*id)) {
                    Ok(found) => {
                        assert!(!named, "{what}");
                        assert_eq!(found.unwrap().record.events().len(), cut + 1);
                    }
                    Err(StoreError::Damaged { what: whose, why }) => {
                        assert!(named && whose.contains(&id.to_string()), "{what}: {whose}: {why}");
                    }
                    Err(other) => panic!("{what}: {other}"),
                }
            }
            let later_record = database.run(store.match_record(later.id())).unwrap().unwrap().record;
            assert_eq!(later_record, later);
        };
        judge(&store);
        drop(store);
        // Every server that starts later finds the same damage.
        for _ in 0..2 {
            let store = database.open();
            judge(&store);
            let created = open_match_of(match_id(10 * round + 4), None);
            database.write(&store, &[all_events(&created)]);
            assert_eq!(database.run(store.match_record(created.id())).unwrap().unwrap().record, created);
        }
        let store = database.open();
        let at = Timestamp::from_micros(1_800_000_000_000_000);
        let opened = database.run(store.unfinished_matches()).unwrap();
        let quarantine = |id| Change::MatchQuarantined { id, at, why: "the end of this test".to_owned() };
        database.write(&store, &opened.into_iter().map(quarantine).collect::<Vec<_>>());
    }
}

pub fn a_quarantined_match_is_kept_but_does_not_count(database: &TestDatabase) {
    let store = database.open();
    let tournament = tournament_id(1);
    let origin = |number| Some(Origin { tournament, number, group: 0 });
    let ended = play_match(match_id(1), bots(0..3), origin(0), 4, u32::MAX);
    let open = open_match_of(match_id(2), origin(1).as_ref());
    let other = open_match_of(match_id(3), origin(2).as_ref());
    database.write(&store, &[match_changes(&ended), match_changes(&open), match_changes(&other)].concat());
    let why = "event 3: its hash differs";
    let quarantine = || {
        let at = Timestamp::from_micros(1_800_000_000_000_000);
        [Change::MatchQuarantined { id: open.id(), at, why: why.to_owned() }]
    };
    database.write(&store, &quarantine());
    // The write is repeated, as after a lost answer. Finished matches cannot be quarantined.
    database.write(&store, &quarantine());
    let at = Timestamp::from_micros(1);
    database.write(&store, &[Change::MatchQuarantined { id: ended.id(), at, why: "late".to_owned() }]);
    // Events after the quarantine are not written.
    database.write(&store, &[all_events(&open)]);
    let mut stores = vec![store];
    for _ in 0..2 {
        let store = stores.pop().unwrap();
        assert_eq!(database.run(store.unfinished_matches()), Ok(vec![other.id()]));
        let refused = database.run(store.match_record(open.id())).unwrap_err();
        assert_eq!(refused, StoreError::Quarantined { id: open.id(), why: why.to_owned() });
        let shown = database.run(store.match_summary(open.id())).unwrap().unwrap();
        assert_eq!((shown.damage.as_deref(), shown.phase, shown.end), (Some(why), MatchPhase::Ended, None));
        assert_eq!(shown.plies, open.state().ply());
        assert_eq!(shown.setup.as_deref(), Some(open.state().setup()));
        let filter = MatchFilter::of(Some(tournament), None);
        let listed = database.run(store.match_summaries(&filter, None, 9)).unwrap();
        assert_eq!(listed.iter().map(|match_| match_.id).collect::<Vec<_>>(), [open.id(), ended.id()]);
        assert_eq!(listed[0], shown);
        assert_eq!(listed[1].damage, None);
        assert_eq!(database.run(store.match_summary(other.id())), Ok(None), "it is not over");
        let bots = open.state().setup().bots.clone();
        let result = StoredResult { number: 1, group: 0, id: open.id(), bots, outcome: None };
        let results = database.run(store.match_results(tournament, 0, 9)).unwrap();
        assert_eq!((results.len(), &results[1]), (2, &result));
        if store.is_durable() {
            drop(store);
            let event_count = format!(
                "SELECT CAST(sum(next_seq - seq) AS bigint) FROM record_parts WHERE match_id = '{}'",
                open.id()
            );
            let kept = i64::try_from(open.events().len()).unwrap();
            assert_eq!(database.number(&mut database.client(), &event_count), kept, "its events stay");
            stores.push(database.open());
        } else {
            stores.push(store);
        }
    }
    database.write(&stores[0], &[events_change(&other, 0, 1)]);
}
