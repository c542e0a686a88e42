//! A PostgreSQL database that lacks commits that it had confirmed.

use crate::played::{bots, events_change, match_changes, match_id, play_match};
use crate::server::PostgresServer;
use crate::test_database::{Client, TestDatabase};
use lastnim_core::referee::Record;
use lastnim_store::{GroupCommit, Store, StoreError, open_reader};
use sqlx::{Connection as _, PgConnection};
use std::sync::Arc;
use std::time::{Duration, Instant};

fn record() -> Record {
    play_match(match_id(1), bots(0..3), None, 4, u32::MAX)
}

/// Checks a store until the result is something other than that it is unavailable now.
fn verdict(database: &TestDatabase, store: &Arc<dyn Store>) -> Result<(), StoreError> {
    let until = Instant::now() + Duration::from_mins(1);
    loop {
        match database.run(store.check_intact()) {
            Err(StoreError::Unavailable(_)) if Instant::now() < until => {
                std::thread::sleep(Duration::from_millis(20));
            }
            verdict => return verdict,
        }
    }
}

fn lost_commits(result: Result<(), StoreError>) -> String {
    match result {
        Err(StoreError::LostCommits(why)) => why,
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_replica_that_lacks_commits_is_noticed() {
    let Some(mut server) = PostgresServer::start() else { return };
    let database = TestDatabase::new(&server.create_database("back"));
    let store = database.open();
    let record = record();
    database.write(&store, &[events_change(&record, 0, 2)]);
    let mut replica = server.replica();
    replica.kill();
    database.write(&store, &[events_change(&record, 2, 3)]);
    database.write(&store, &[events_change(&record, 3, 5)]);
    server.kill();
    server.fail_over(replica);
    let why = lost_commits(verdict(&database, &store));
    assert!(why.contains("lost commits: 2, events: 3, matches with events: 1"), "{why}");
    // The error remains, and nothing is written.
    lost_commits(database.run(store.write(&[events_change(&record, 5, 6)])));
    let found = database.run(store.match_record(record.id()));
    assert!(matches!(found, Err(StoreError::Unavailable(_))), "{found:?}");
    drop(store);
    // A server that starts again uses the data that is left.
    let store = database.open();
    let kept = database.run(store.match_record(record.id())).unwrap().unwrap();
    assert_eq!(kept.record.events(), &record.events()[..2]);
    database.write(&store, &match_changes(&record));
    assert_eq!(database.run(store.check_intact()), Ok(()));
}

#[test]
fn a_replica_that_has_every_commit_takes_over() {
    let Some(mut server) = PostgresServer::start() else { return };
    let database = TestDatabase::new(&server.create_database("whole"));
    let store = database.open();
    let record = record();
    database.write(&store, &[events_change(&record, 0, 2)]);
    let mut replica = server.replica();
    replica.kill();
    server.kill();
    server.fail_over(replica);
    assert_eq!(verdict(&database, &store), Ok(()));
    database.write(&store, &match_changes(&record));
    let kept = database.run(store.match_record(record.id())).unwrap().unwrap();
    assert_eq!(kept.record.events(), record.events());
}

#[test]
fn a_replica_from_before_the_server_started_is_noticed() {
    let Some(mut server) = PostgresServer::start() else { return };
    let database = TestDatabase::new(&server.create_database("earlier"));
    drop(database.open());
    let mut replica = server.replica();
    replica.kill();
    let store = database.open();
    database.write(&store, &[events_change(&record(), 0, 2)]);
    server.kill();
    server.fail_over(replica);
    let why = lost_commits(verdict(&database, &store));
    assert!(why.contains("does not know this server"), "{why}");
}

#[test]
fn a_replica_from_before_the_tables_is_noticed() {
    let Some(mut server) = PostgresServer::start() else { return };
    let database = TestDatabase::new(&server.create_database("empty"));
    let mut replica = server.replica();
    replica.kill();
    let store = database.open();
    server.kill();
    server.fail_over(replica);
    let why = lost_commits(verdict(&database, &store));
    assert!(why.contains("it has no tables"), "{why}");
}

#[test]
fn a_database_that_loses_commits_within_a_session_is_noticed() {
    let Some(server) = PostgresServer::start() else { return };
    let database = TestDatabase::new(&server.create_database("under"));
    let store = database.open();
    let record = record();
    database.write(&store, &[events_change(&record, 0, 2)]);
    database.write(&store, &[events_change(&record, 2, 3)]);
    let mut client = database.client();
    database.execute(&mut client, "UPDATE server SET commit_number = commit_number - 1");
    let why = lost_commits(database.run(store.write(&[events_change(&record, 3, 4)])));
    assert!(why.contains("newest commit is 1, although it confirmed commit 2"), "{why}");
    assert_eq!(database.number(&mut client, "SELECT commit_number FROM server"), 1);
    // Only this server writes.
    database.execute(&mut client, "UPDATE server SET commit_number = commit_number + 9");
    assert!(matches!(verdict(&database, &store), Err(StoreError::Taken(_))));
}

#[test]
fn a_commit_fails_after_the_database_lost_commits_and_nothing_is_announced() {
    let Some(server) = PostgresServer::start() else { return };
    let database = TestDatabase::new(&server.create_database("group"));
    let store = database.open();
    database.write(&store, &[events_change(&record(), 0, 2)]);
    database.execute(&mut database.client(), "UPDATE server SET commit_number = 0");
    database.run(async {
        let commits = GroupCommit::start(Arc::clone(&store));
        let lost = tokio::time::timeout(Duration::from_mins(5), commits.wait_until_lost()).await;
        assert!(matches!(lost, Ok(StoreError::LostCommits(_))), "an idle server notices: {lost:?}");
        let refused = commits.commit(vec![events_change(&record(), 2, 3)]).await;
        assert!(matches!(refused, Err(StoreError::LostCommits(_))), "{refused:?}");
    });
}

#[test]
fn an_ordinary_owner_needs_no_further_rights() {
    let Some(server) = PostgresServer::start() else { return };
    let url = server.create_database("plain");
    let database = TestDatabase::new(&url);
    database.execute(&mut database.client(), "CREATE ROLE plain LOGIN; ALTER DATABASE plain OWNER TO plain;");
    let plain = url.replace("lastnim@", "plain@");
    let database = TestDatabase::new(&plain);
    let store = database.open();
    database.write(&store, &[events_change(&record(), 0, 2)]);
    assert_eq!(database.run(store.check_intact()), Ok(()));
    let Client::Postgres(mut client) = database.client() else { panic!() };
    let timeline: String = database
        .run(sqlx::query_scalar("SELECT pg_walfile_name(pg_current_wal_lsn())").fetch_one(&mut client))
        .unwrap();
    assert!(timeline.starts_with("00000001"), "{timeline}");
    // Without this right, only commit numbers are compared.
    let mut admin = database.run(PgConnection::connect(&url)).unwrap();
    let revoke = "REVOKE EXECUTE ON FUNCTION pg_walfile_name(pg_lsn) FROM public";
    database.run(sqlx::query(revoke).execute(&mut admin)).unwrap();
    drop(store);
    let store = database.open();
    assert_eq!(database.run(store.check_intact()), Ok(()));
    assert!(database.run(open_reader(&database.url)).is_ok());
}
