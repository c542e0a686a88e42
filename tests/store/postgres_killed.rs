//! PostgreSQL is killed during writes.

use crate::played::{bots, match_id, one_event_each, play_match};
use crate::records::assert_kept;
use crate::server::PostgresServer;
use crate::test_database::TestDatabase;
use lastnim_core::referee::Record;
use lastnim_store::StoreError;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

#[test]
fn acknowledged_writes_survive_a_killed_postgres() {
    let Some(mut server) = PostgresServer::start() else { return };
    let database = TestDatabase::new(&server.create_database("killed"));
    let store = database.open();
    let records: Vec<Record> =
        (0..40).map(|number| play_match(match_id(number), bots(0..3), None, number, 60)).collect();
    let longest = records.iter().map(|record| record.events().len()).max().unwrap();
    let progress = AtomicUsize::new(0);
    let failures = thread::scope(|scope| {
        scope.spawn(|| {
            for kill_at in [longest / 4, longest / 2, longest * 3 / 4] {
                while progress.load(Ordering::SeqCst) < kill_at {
                    thread::yield_now();
                }
                server.kill();
                server.restart();
            }
        });
        let mut failures = 0;
        for at in 0..longest {
            progress.store(at, Ordering::SeqCst);
            let batch = one_event_each(&records, at);
            let until = Instant::now() + Duration::from_mins(1);
            loop {
                match database.run(store.write(&batch)) {
                    Ok(()) => break,
                    Err(StoreError::Unavailable(_)) => failures += 1,
                    Err(other) => panic!("{other}"),
                }
                assert!(Instant::now() < until, "the store does not recover");
                thread::sleep(Duration::from_millis(20));
            }
        }
        failures
    });
    assert!(failures > 0, "no write failed although the server was killed");
    assert_kept(&database, &store, &records);
    drop(store);
    let store = database.open();
    let mut client = database.client();
    let total: i64 = records.iter().map(|record| i64::try_from(record.events().len()).unwrap()).sum();
    assert_eq!(
        database.number(&mut client, "SELECT CAST(sum(next_seq - seq) AS bigint) FROM record_parts"),
        total
    );
    // If its database does not answer, a starting server reports that and does not retry.
    drop(store);
    server.kill();
    assert!(matches!(database.try_open(), Err(StoreError::Unavailable(_))));
}

/// Ends all other sessions of a database.
const END_SESSIONS: &str = "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity
    WHERE datname = current_database() AND pid <> pg_backend_pid()";

#[test]
fn an_idle_server_notices_that_another_has_taken_its_database() {
    let Some(server) = PostgresServer::start() else { return };
    let database = TestDatabase::new(&server.create_database("taken"));
    let first = database.open();
    let mut client = database.client();
    let check = || database.run(first.check_intact());
    assert_eq!(check(), Ok(()));

    assert!(database.number(&mut client, END_SESSIONS) > 0);
    let lost = (0..100_000).map(|_| check()).find(Result::is_err).unwrap();
    assert!(matches!(lost, Err(StoreError::Unavailable(_))), "{lost:?}");
    assert_eq!(check(), Ok(()), "a session that is lost is replaced");

    assert!(database.number(&mut client, END_SESSIONS) > 0);
    let second = database.open();
    let taken = (0..100_000)
        .map(|_| check())
        .find(|result| !matches!(result, Err(StoreError::Unavailable(_))))
        .unwrap();
    assert!(matches!(taken, Err(StoreError::Taken(_))), "{taken:?}");
    assert_eq!(database.run(second.check_intact()), Ok(()));
}
