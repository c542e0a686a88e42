//! Checks for every database.

use crate::place::{Client, Place};
use crate::played::{
    all_events, bots, events_change, finished_match, match_changes, match_id, one_event_each, play_match,
    tournament_id,
};
use crate::records::assert_kept;
use crate::tournaments::tournament;
use lastnim_core::referee::{Origin, Record, Timestamp};
use lastnim_store::{Change, MatchFilter, StoreError, StoredBot, TokenHash, open_reader};
use std::time::Duration;

fn bot(name: &str) -> Change {
    let registered_at = Timestamp::from_micros(1);
    Change::Bot(StoredBot { name: name.parse().unwrap(), registered_at, token: TokenHash::of_token(name) })
}

pub fn a_batch_is_written_completely_or_not_at_all(place: &Place) {
    let store = place.open();
    let record = play_match(match_id(1), bots(0..3), None, 4, u32::MAX);
    let gap = events_change(&record, 5, 6);
    let batch = [bot("early"), events_change(&record, 0, 3), gap, bot("late")];
    assert!(matches!(place.run(store.write(&batch)), Err(StoreError::Refused(_))));
    assert_eq!(place.run(store.bots(None, 9)), Ok(Vec::new()));
    assert_eq!(place.run(store.match_record(record.id())), Ok(None));
    // A pairing has one match; the tables reject a second one with everything in its transaction.
    let origin = Some(Origin { tournament: tournament_id(1), number: 7, group: 1 });
    let pairing = |number| play_match(match_id(number), bots(0..3), origin.clone(), number, u32::MAX);
    place.write(&store, &match_changes(&pairing(2)));
    let second = [vec![bot("early")], match_changes(&pairing(3))].concat();
    assert!(matches!(place.run(store.write(&second)), Err(StoreError::Refused(_))));
    assert_eq!(place.run(store.bots(None, 9)), Ok(Vec::new()));
    assert_eq!(place.run(store.match_record(match_id(3))), Ok(None));
    // A rolled back transaction can be written afterwards.
    place.write(&store, &match_changes(&record));
    assert_kept(place, &store, &[record, pairing(2)]);
}

pub fn everything_is_kept_after_reopening(place: &Place) {
    let store = place.open();
    let stored = tournament(1);
    let ended = play_match(match_id(1), bots(0..3), None, 4, u32::MAX);
    let whole = play_match(match_id(2), bots(0..4), None, 8, u32::MAX);
    let cut = whole.events().len() / 2;
    place.write(&store, &[bot("one"), Change::TournamentCreated(stored.clone())]);
    place.write(&store, &match_changes(&ended));
    place.write(&store, &[events_change(&whole, 0, cut)]);
    drop(store);

    let store = place.open();
    assert_eq!(place.run(store.bots(None, 9)).unwrap().len(), 1);
    assert_eq!(place.run(store.unfinished_tournaments()), Ok(vec![stored]));
    assert_eq!(place.run(store.unfinished_matches()), Ok(vec![whole.id()]));
    assert_kept(place, &store, std::slice::from_ref(&ended));
    let half = place.run(store.match_record(whole.id())).unwrap().unwrap();
    assert_eq!(half.record.events(), &whole.events()[..cut]);
    // Changes from before the restart may be repeated; further ones follow.
    place.write(&store, &match_changes(&ended));
    place.write(&store, &[events_change(&whole, cut - 1, cut + 1)]);
    let last = whole.events().len();
    place.write(
        &store,
        &[events_change(&whole, cut + 1, last), Change::MatchOver(Box::new(finished_match(&whole)))],
    );
    assert_kept(place, &store, &[ended, whole]);
    let newest = place.run(store.match_summaries(&MatchFilter::default(), None, 9)).unwrap();
    assert_eq!(newest.iter().map(|summary| summary.id).collect::<Vec<_>>(), [2, 1].map(match_id));
}

pub fn events_of_many_alternating_matches_are_kept(place: &Place) {
    let store = place.open();
    let records: Vec<Record> =
        (0..250).map(|number| play_match(match_id(number), bots(0..3), None, number, 60)).collect();
    let longest = records.iter().map(|record| record.events().len()).max().unwrap();
    let total: i64 = records.iter().map(|record| i64::try_from(record.events().len()).unwrap()).sum();
    for at in 0..longest {
        place.write(&store, &one_event_each(&records, at));
    }
    assert_kept(place, &store, &records);
    drop(store);
    let store = place.open();
    assert_kept(place, &store, &records);
    let mut client = place.client();
    let kept = "SELECT CAST(sum(next_seq - seq) AS bigint) FROM record_parts";
    assert_eq!(place.number(&mut client, kept), total, "each event is there once");
    let of_one = format!("{kept} WHERE match_id = '{}'", records[7].id());
    assert_eq!(place.number(&mut client, &of_one), i64::try_from(records[7].events().len()).unwrap());
    assert_eq!(place.number(&mut client, "SELECT count(*) FROM journal"), 0);
}

pub fn a_closed_store_is_complete_in_its_file(place: &Place) {
    let store = place.open();
    let record = play_match(match_id(1), bots(0..3), None, 1, u32::MAX);
    place.write(&store, &match_changes(&record));
    place.run(store.close());
    drop(store);
    if let Client::Sqlite(_) = place.client() {
        let file = place.url.sqlite_file().unwrap().display().to_string();
        let beside = |end: &str| std::fs::metadata(format!("{file}{end}")).map_or(0, |file| file.len());
        assert_eq!(beside("-wal"), 0, "nothing is left beside the database");
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt as _;
            let mode = std::fs::metadata(&file).unwrap().permissions().mode();
            assert_eq!(mode & 0o077, 0, "other users cannot read it");
        }
    }
    assert_kept(place, &place.open(), &[record]);
}

pub fn a_second_server_is_refused(place: &Place) {
    let first = place.open();
    place.write(&first, &[bot("one")]);
    let Err(StoreError::Taken(why)) = place.try_open() else { panic!("it is opened twice") };
    assert!(why.contains("stop it"), "{why}");
    place.write(&first, &[bot("two")]);
    drop(first);
    let second = place.open();
    assert_eq!(place.run(second.bots(None, 9)).unwrap().len(), 2);
}

pub fn a_server_that_lost_the_database_stops_writing(place: &Place) {
    let store = place.open();
    place.write(&store, &[bot("one")]);
    let mut client = place.client();
    assert_eq!(place.execute(&mut client, "UPDATE server SET epoch = epoch + 1"), 1);
    for _ in 0..2 {
        assert!(matches!(place.run(store.write(&[bot("two")])), Err(StoreError::Taken(_))));
    }
    assert_eq!(place.number(&mut client, "SELECT count(*) FROM bots"), 1);
}

pub fn tables_of_another_version_are_not_changed(place: &Place) {
    drop(place.open());
    let mut client = place.client();
    place.execute(&mut client, "DROP TABLE journal");
    let epoch = place.number(&mut client, "SELECT epoch FROM server");
    for found in [0, 1, 99] {
        place.execute(&mut client, &format!("UPDATE server SET schema_version = {found}"));
        for refused in [place.try_open().err(), place.run(open_reader(&place.url)).err()] {
            let refused = refused.expect("another version is refused");
            assert_eq!(refused, StoreError::OtherVersion { found, wanted: 7 });
            let expected =
                format!("the store's tables have version {found}, but this program reads version 7:");
            assert!(refused.to_string().starts_with(&expected), "{refused}");
        }
        assert_eq!(place.number(&mut client, "SELECT epoch FROM server"), epoch);
        assert_eq!(place.number(&mut client, "SELECT schema_version FROM server"), found);
        assert_eq!(
            place.number(&mut client, "SELECT count(*) FROM bots"),
            0,
            "nothing is created or removed"
        );
    }
}

pub fn writes_succeed_once_another_client_releases_its_lock(place: &Place) {
    let store = place.open();
    let record = play_match(match_id(1), bots(0..3), None, 4, u32::MAX);
    let half = record.events().len() / 2;
    place.write(&store, &[events_change(&record, 0, half)]);
    let mut client = place.client();
    let lock = match client {
        Client::Sqlite(_) => "BEGIN IMMEDIATE",
        Client::Postgres(_) => "BEGIN; LOCK TABLE journal, record_parts IN EXCLUSIVE MODE",
    };
    place.execute(&mut client, lock);
    let rest = [
        events_change(&record, half, record.events().len()),
        Change::MatchOver(Box::new(finished_match(&record))),
    ];
    for _ in 0..2 {
        let refused = place.run(store.write(&rest));
        assert!(matches!(refused, Err(StoreError::Unavailable(_))), "{refused:?}");
    }
    // Readers do not wait.
    let reading =
        async { tokio::time::timeout(Duration::from_mins(1), store.match_record(record.id())).await };
    let stored = place.run(reading).expect("it is read at once").unwrap().unwrap();
    assert_eq!(stored.record.events(), &record.events()[..half]);
    place.execute(&mut client, "ROLLBACK");
    place.write(&store, &rest);
    assert_kept(place, &store, std::slice::from_ref(&record));
    place.write(&store, &[all_events(&record)]);
    assert_kept(place, &store, &[record]);
}

pub fn errors_that_an_operator_can_fix_are_transient(place: &Place) {
    let store = place.open();
    let mut client = place.client();
    let fails = |what: &str| match place.run(store.write(&[bot("anna")])) {
        Err(StoreError::Unavailable(_)) => {}
        other => panic!("{what}: {other:?}"),
    };
    place.execute(&mut client, "ALTER TABLE bots RENAME TO mislaid");
    fails("a table is gone");
    place.execute(&mut client, "ALTER TABLE mislaid RENAME TO bots");
    place.write(&store, &[bot("anna")]);
    // Without its row in `server`, the owner of a database is unknown.
    place.execute(&mut client, "DELETE FROM server");
    let Err(error @ StoreError::Damaged { .. }) = place.run(store.write(&[bot("bert")])) else { panic!() };
    assert!(error.to_string().contains("`server`"), "{error}");
}
