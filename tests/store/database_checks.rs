//! Checks for every database.

use crate::played::{
    all_events, bots, events_change, finished_match, match_changes, match_id, one_event_each, play_match,
    tournament_id,
};
use crate::records::assert_kept;
use crate::test_database::{Client, TestDatabase};
use crate::tournaments::tournament;
use lastnim_core::game::BotProfile;
use lastnim_core::referee::{Origin, Record, Timestamp};
use lastnim_store::{Change, MatchFilter, StoreError, StoredBot, TokenHash, open_reader};
use std::time::Duration;

fn bot(name: &str) -> Change {
    let registered_at = Timestamp::from_micros(1);
    Change::Bot(StoredBot {
        name: name.parse().unwrap(),
        registered_at,
        token: TokenHash::of_token(name),
        profile: BotProfile::default(),
    })
}

pub fn a_batch_is_written_completely_or_not_at_all(database: &TestDatabase) {
    let store = database.open();
    let record = play_match(match_id(1), bots(0..3), None, 4, u32::MAX);
    let gap = events_change(&record, 5, 6);
    let batch = [bot("early"), events_change(&record, 0, 3), gap, bot("late")];
    assert!(matches!(database.run(store.write(&batch)), Err(StoreError::Refused(_))));
    assert_eq!(database.run(store.bots(None, 9)), Ok(Vec::new()));
    assert_eq!(database.run(store.match_record(record.id())), Ok(None));
    // A pairing has one match; the tables reject a second one with everything in its transaction.
    let origin = Some(Origin { tournament: tournament_id(1), number: 7, group: 1 });
    let pairing = |number| play_match(match_id(number), bots(0..3), origin.clone(), number, u32::MAX);
    database.write(&store, &match_changes(&pairing(2)));
    let second = [vec![bot("early")], match_changes(&pairing(3))].concat();
    assert!(matches!(database.run(store.write(&second)), Err(StoreError::Refused(_))));
    assert_eq!(database.run(store.bots(None, 9)), Ok(Vec::new()));
    assert_eq!(database.run(store.match_record(match_id(3))), Ok(None));
    // A rolled back transaction can be written afterwards.
    database.write(&store, &match_changes(&record));
    assert_kept(database, &store, &[record, pairing(2)]);
}

pub fn everything_is_kept_after_reopening(database: &TestDatabase) {
    let store = database.open();
    let stored = tournament(1);
    let ended = play_match(match_id(1), bots(0..3), None, 4, u32::MAX);
    let whole = play_match(match_id(2), bots(0..4), None, 8, u32::MAX);
    let cut = whole.events().len() / 2;
    database.write(&store, &[bot("one"), Change::TournamentCreated(stored.clone())]);
    database.write(&store, &match_changes(&ended));
    database.write(&store, &[events_change(&whole, 0, cut)]);
    drop(store);

    let store = database.open();
    assert_eq!(database.run(store.bots(None, 9)).unwrap().len(), 1);
    assert_eq!(database.run(store.unfinished_tournaments()), Ok(vec![stored]));
    assert_eq!(database.run(store.unfinished_matches()), Ok(vec![whole.id()]));
    assert_kept(database, &store, std::slice::from_ref(&ended));
    let half = database.run(store.match_record(whole.id())).unwrap().unwrap();
    assert_eq!(half.record.events(), &whole.events()[..cut]);
    // Changes from before the restart may be repeated; further ones follow.
    database.write(&store, &match_changes(&ended));
    database.write(&store, &[events_change(&whole, cut - 1, cut + 1)]);
    let last = whole.events().len();
    database.write(
        &store,
        &[events_change(&whole, cut + 1, last), Change::MatchOver(Box::new(finished_match(&whole)))],
    );
    assert_kept(database, &store, &[ended, whole]);
    let newest = database.run(store.match_summaries(&MatchFilter::default(), None, 9)).unwrap();
    assert_eq!(newest.iter().map(|summary| summary.id).collect::<Vec<_>>(), [2, 1].map(match_id));
}

pub fn events_of_many_alternating_matches_are_kept(database: &TestDatabase) {
    let store = database.open();
    let records: Vec<Record> =
        (0..250).map(|number| play_match(match_id(number), bots(0..3), None, number, 60)).collect();
    let longest = records.iter().map(|record| record.events().len()).max().unwrap();
    let total: i64 = records.iter().map(|record| i64::try_from(record.events().len()).unwrap()).sum();
    for at in 0..longest {
        database.write(&store, &one_event_each(&records, at));
    }
    assert_kept(database, &store, &records);
    drop(store);
    let store = database.open();
    assert_kept(database, &store, &records);
    let mut client = database.client();
    let kept = "SELECT CAST(sum(next_seq - seq) AS bigint) FROM record_parts";
    assert_eq!(database.number(&mut client, kept), total, "each event is there once");
    let one_match = format!("{kept} WHERE match_id = '{}'", records[7].id());
    assert_eq!(database.number(&mut client, &one_match), i64::try_from(records[7].events().len()).unwrap());
    assert_eq!(database.number(&mut client, "SELECT count(*) FROM journal"), 0);
}

pub fn a_closed_store_is_complete_in_its_file(database: &TestDatabase) {
    let store = database.open();
    let record = play_match(match_id(1), bots(0..3), None, 1, u32::MAX);
    database.write(&store, &match_changes(&record));
    database.run(store.close());
    drop(store);
    if let Client::Sqlite(_) = database.client() {
        let file = database.url.sqlite_file().unwrap().display().to_string();
        let size_beside = |end: &str| std::fs::metadata(format!("{file}{end}")).map_or(0, |file| file.len());
        assert_eq!(size_beside("-wal"), 0, "nothing is left beside the database");
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt as _;
            let mode = std::fs::metadata(&file).unwrap().permissions().mode();
            assert_eq!(mode & 0o077, 0, "other users cannot read it");
        }
    }
    assert_kept(database, &database.open(), &[record]);
}

pub fn a_second_server_is_refused(database: &TestDatabase) {
    let first = database.open();
    database.write(&first, &[bot("one")]);
    let Err(StoreError::Taken(why)) = database.try_open() else { panic!("it is opened twice") };
    assert!(why.contains("stop it"), "{why}");
    database.write(&first, &[bot("two")]);
    drop(first);
    let second = database.open();
    assert_eq!(database.run(second.bots(None, 9)).unwrap().len(), 2);
}

pub fn a_server_that_lost_the_database_stops_writing(database: &TestDatabase) {
    let store = database.open();
    database.write(&store, &[bot("one")]);
    let mut client = database.client();
    assert_eq!(database.execute(&mut client, "UPDATE server SET epoch = epoch + 1"), 1);
    for _ in 0..2 {
        assert!(matches!(database.run(store.write(&[bot("two")])), Err(StoreError::Taken(_))));
    }
    assert_eq!(database.number(&mut client, "SELECT count(*) FROM bots"), 1);
}

pub fn tables_of_another_version_are_not_changed(database: &TestDatabase) {
    drop(database.open());
    let mut client = database.client();
    database.execute(&mut client, "DROP TABLE journal");
    let epoch = database.number(&mut client, "SELECT epoch FROM server");
    for found in [0, 1, 99] {
        database.execute(&mut client, &format!("UPDATE server SET schema_version = {found}"));
        for refused in [database.try_open().err(), database.run(open_reader(&database.url)).err()] {
            let refused = refused.expect("another version is refused");
            assert_eq!(refused, StoreError::OtherVersion { found, wanted: 8 });
            let expected =
                format!("the store's tables have version {found}, but this program reads version 8:");
            assert!(refused.to_string().starts_with(&expected), "{refused}");
        }
        assert_eq!(database.number(&mut client, "SELECT epoch FROM server"), epoch);
        assert_eq!(database.number(&mut client, "SELECT schema_version FROM server"), found);
        assert_eq!(
            database.number(&mut client, "SELECT count(*) FROM bots"),
            0,
            "nothing is created or removed"
        );
    }
}

pub fn writes_succeed_once_another_client_releases_its_lock(database: &TestDatabase) {
    let store = database.open();
    let record = play_match(match_id(1), bots(0..3), None, 4, u32::MAX);
    let half = record.events().len() / 2;
    database.write(&store, &[events_change(&record, 0, half)]);
    let mut client = database.client();
    let lock = match client {
        Client::Sqlite(_) => "BEGIN IMMEDIATE",
        Client::Postgres(_) => "BEGIN; LOCK TABLE journal, record_parts IN EXCLUSIVE MODE",
    };
    database.execute(&mut client, lock);
    let rest = [
        events_change(&record, half, record.events().len()),
        Change::MatchOver(Box::new(finished_match(&record))),
    ];
    for _ in 0..2 {
        let refused = database.run(store.write(&rest));
        assert!(matches!(refused, Err(StoreError::Unavailable(_))), "{refused:?}");
    }
    // Readers do not wait.
    let reading =
        async { tokio::time::timeout(Duration::from_mins(1), store.match_record(record.id())).await };
    let stored = database.run(reading).expect("it is read at once").unwrap().unwrap();
    assert_eq!(stored.record.events(), &record.events()[..half]);
    database.execute(&mut client, "ROLLBACK");
    database.write(&store, &rest);
    assert_kept(database, &store, std::slice::from_ref(&record));
    database.write(&store, &[all_events(&record)]);
    assert_kept(database, &store, &[record]);
}

pub fn errors_that_an_operator_can_fix_are_transient(database: &TestDatabase) {
    let store = database.open();
    let mut client = database.client();
    let fails = |what: &str| match database.run(store.write(&[bot("anna")])) {
        Err(StoreError::Unavailable(_)) => {}
        other => panic!("{what}: {other:?}"),
    };
    database.execute(&mut client, "ALTER TABLE bots RENAME TO mislaid");
    fails("a table is gone");
    database.execute(&mut client, "ALTER TABLE mislaid RENAME TO bots");
    database.write(&store, &[bot("anna")]);
    // Without its row in `server`, the owner of a database is unknown.
    database.execute(&mut client, "DELETE FROM server");
    let Err(error @ StoreError::Damaged { .. }) = database.run(store.write(&[bot("bert")])) else { panic!() };
    assert!(error.to_string().contains("`server`"), "{error}");
}
