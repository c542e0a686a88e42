//! A PostgreSQL database that lacks commits that it had confirmed.

use crate::place::{Client, Place};
use crate::played::{bots, events_change, match_changes, match_id, play_match};
use crate::server::PostgresServer;
use lastnim_core::referee::Record;
use lastnim_store::{GroupCommit, Store, StoreError, open_reader};
use sqlx::{Connection as _, PgConnection};
use std::sync::Arc;
use std::time::{Duration, Instant};

fn record() -> Record {
    play_match(match_id(1), bots(0..3), None, 4, u32::MAX)
}

/// Checks a store until the result is something other than that it is unavailable now.
fn verdict(place: &Place, store: &Arc<dyn Store>) -> Result<(), StoreError> {
    let until = Instant::now() + Duration::from_mins(1);
    loop {
        match place.run(store.check_intact()) {
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
    let place = Place::new(&server.create_database("back"));
    let store = place.open();
    let record = record();
    place.write(&store, &[events_change(&record, 0, 2)]);
    let mut replica = server.replica();
    replica.kill();
    place.write(&store, &[events_change(&record, 2, 3)]);
    place.write(&store, &[events_change(&record, 3, 5)]);
    server.kill();
    server.fail_over(replica);
    let why = lost_commits(verdict(&place, &store));
    assert!(why.contains("lost commits: 2, events: 3, matches with events: 1"), "{why}");
    // The error remains, and nothing is written.
    lost_commits(place.run(store.write(&[events_change(&record, 5, 6)])));
    let found = place.run(store.match_record(record.id()));
    assert!(matches!(found, Err(StoreError::Unavailable(_))), "{found:?}");
    drop(store);
    // A server that starts uses the remaining data.
    let store = place.open();
    let kept = place.run(store.match_record(record.id())).unwrap().unwrap();
    assert_eq!(kept.record.events(), &record.events()[..2]);
    place.write(&store, &match_changes(&record));
    assert_eq!(place.run(store.check_intact()), Ok(()));
}

#[test]
fn a_replica_that_has_every_commit_takes_over() {
    let Some(mut server) = PostgresServer::start() else { return };
    let place = Place::new(&server.create_database("whole"));
    let store = place.open();
    let record = record();
    place.write(&store, &[events_change(&record, 0, 2)]);
    let mut replica = server.replica();
    replica.kill();
    server.kill();
    server.fail_over(replica);
    assert_eq!(verdict(&place, &store), Ok(()));
    place.write(&store, &match_changes(&record));
    let kept = place.run(store.match_record(record.id())).unwrap().unwrap();
    assert_eq!(kept.record.events(), record.events());
}

#[test]
fn a_replica_from_before_the_server_started_is_noticed() {
    let Some(mut server) = PostgresServer::start() else { return };
    let place = Place::new(&server.create_database("earlier"));
    drop(place.open());
    let mut replica = server.replica();
    replica.kill();
    let store = place.open();
    place.write(&store, &[events_change(&record(), 0, 2)]);
    server.kill();
    server.fail_over(replica);
    let why = lost_commits(verdict(&place, &store));
    assert!(why.contains("does not know this server"), "{why}");
}

#[test]
fn a_replica_from_before_the_tables_is_noticed() {
    let Some(mut server) = PostgresServer::start() else { return };
    let place = Place::new(&server.create_database("empty"));
    let mut replica = server.replica();
    replica.kill();
    let store = place.open();
    server.kill();
    server.fail_over(replica);
    let why = lost_commits(verdict(&place, &store));
    assert!(why.contains("it has no tables"), "{why}");
}

#[test]
fn a_database_that_loses_commits_within_a_session_is_noticed() {
    let Some(server) = PostgresServer::start() else { return };
    let place = Place::new(&server.create_database("under"));
    let store = place.open();
    let record = record();
    place.write(&store, &[events_change(&record, 0, 2)]);
    place.write(&store, &[events_change(&record, 2, 3)]);
    let mut client = place.client();
    place.execute(&mut client, "UPDATE server SET commit_number = commit_number - 1");
    let why = lost_commits(place.run(store.write(&[events_change(&record, 3, 4)])));
    assert!(why.contains("newest commit is 1, although it confirmed commit 2"), "{why}");
    assert_eq!(place.number(&mut client, "SELECT commit_number FROM server"), 1);
    // Only this server writes.
    place.execute(&mut client, "UPDATE server SET commit_number = commit_number + 9");
    assert!(matches!(verdict(&place, &store), Err(StoreError::Taken(_))));
}

#[test]
fn a_commit_fails_after_the_database_lost_commits_and_nothing_is_announced() {
    let Some(server) = PostgresServer::start() else { return };
    let place = Place::new(&server.create_database("group"));
    let store = place.open();
    place.write(&store, &[events_change(&record(), 0, 2)]);
    place.execute(&mut place.client(), "UPDATE server SET commit_number = 0");
    place.run(async {
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
    let place = Place::new(&url);
    place.execute(&mut place.client(), "CREATE ROLE plain LOGIN; ALTER DATABASE plain OWNER TO plain;");
    let plain = url.replace("lastnim@", "plain@");
    let place = Place::new(&plain);
    let store = place.open();
    place.write(&store, &[events_change(&record(), 0, 2)]);
    assert_eq!(place.run(store.check_intact()), Ok(()));
    let Client::Postgres(mut client) = place.client() else { panic!() };
    let timeline: String = place
        .run(sqlx::query_scalar("SELECT pg_walfile_name(pg_current_wal_lsn())").fetch_one(&mut client))
        .unwrap();
    assert!(timeline.starts_with("00000001"), "{timeline}");
    // Without this right, only commit numbers are compared.
    let mut admin = place.run(PgConnection::connect(&url)).unwrap();
    let revoke = "REVOKE EXECUTE ON FUNCTION pg_walfile_name(pg_lsn) FROM public";
    place.run(sqlx::query(revoke).execute(&mut admin)).unwrap();
    drop(store);
    let store = place.open();
    assert_eq!(place.run(store.check_intact()), Ok(()));
    assert!(place.run(open_reader(&place.url)).is_ok());
}
