//! A database of SQLite that was not closed, and whose write-ahead log is gone.

use crate::played::{bots, events_change, finished_match, match_changes, match_id, play_match};
use crate::records::assert_kept;
use crate::test_database::{Client, TemporaryFolder, TestDatabase};
use lastnim_core::referee::Record;
use lastnim_store::{Change, OpenOptions, StoreError, open_reader, open_reader_with, open_store_with};
use sqlx::Connection as _;
use std::fs;
use std::path::{Path, PathBuf};
#[cfg(target_os = "linux")]
use std::{
    thread,
    time::{Duration, Instant},
};

/// A database whose server was killed, with everything in its log.
struct Crashed {
    database: TestDatabase,
    file: PathBuf,
    record: Record,
    _folder: TemporaryFolder,
}

fn file_beside(file: &Path, end: &str) -> PathBuf {
    format!("{}{end}", file.display()).into()
}

/// The files of a database that a killed server leaves.
const ENDS: [&str; 4] = ["", "-wal", "-shm", ".id"];

impl Crashed {
    fn new() -> Self {
        let folder = TemporaryFolder::new();
        let running = folder.path().join("running.db");
        let database = TestDatabase::new(&format!("sqlite:{}", running.display()));
        let record = play_match(match_id(1), bots(0..3), None, 4, u32::MAX);
        let store = database.open();
        database.write(&store, &match_changes(&record));
        let file = copy(&running, "store.db");
        database.run(store.close());
        Self {
            database: TestDatabase::new(&format!("sqlite:{}", file.display())),
            file,
            record,
            _folder: folder,
        }
    }

    fn assert_refused(&self) {
        for error in
            [self.database.try_open().err(), self.database.run(open_reader(&self.database.url)).err()]
        {
            match error {
                Some(StoreError::Unusable(why)) => {
                    assert!(
                        why.contains("store.db-wal is missing, is empty or belongs to another database"),
                        "{why}"
                    );
                    assert!(why.contains("--accept-lost-wal"), "{why}");
                }
                other => panic!("{other:?}"),
            }
        }
    }
}

/// Copies the files of a database as they are now, which is as a killed server leaves them.
fn copy(database: &Path, name: &str) -> PathBuf {
    let file = database.with_file_name(name);
    for end in ENDS {
        fs::copy(file_beside(database, end), file_beside(&file, end)).unwrap();
    }
    file
}

#[test]
fn a_killed_server_leaves_a_database_that_opens() {
    let crashed = Crashed::new();
    let reader = crashed.database.run(open_reader(&crashed.database.url)).unwrap();
    crashed.database.run(reader.close());
    drop(reader);
    assert!(file_beside(&crashed.file, "-wal").exists(), "reading does not remove the log");
    assert_kept(&crashed.database, &crashed.database.open(), std::slice::from_ref(&crashed.record));
}

#[test]
fn a_server_killed_before_it_noted_its_last_commit_leaves_a_database_that_opens() {
    let folder = TemporaryFolder::new();
    let running = folder.path().join("running.db");
    let database = TestDatabase::new(&format!("sqlite:{}", running.display()));
    let mut played = (0..1_000).map(|seed| play_match(match_id(1), bots(0..3), None, seed, u32::MAX));
    let record = played.find(|record| record.events().len() > 30).unwrap();
    let store = database.open();
    let last = record.events().len() - 1;
    for at in 0..last {
        database.write(&store, &[events_change(&record, at, at + 1)]);
    }
    let noted = fs::read(file_beside(&running, ".id")).unwrap();
    // The end of the match removes all rows of the journal.
    let end_change = Change::MatchOver(Box::new(finished_match(&record)));
    database.write(&store, &[events_change(&record, last, last + 1), end_change]);
    assert_eq!(database.number(&mut database.client(), "SELECT count(*) FROM journal"), 0);
    let file = copy(&running, "store.db");
    fs::write(file_beside(&file, ".id"), noted).unwrap();
    database.run(store.close());
    let killed = TestDatabase::new(&format!("sqlite:{}", file.display()));
    assert_kept(&killed, &killed.open(), std::slice::from_ref(&record));
}

#[test]
fn a_missing_log_is_noticed() {
    let crashed = Crashed::new();
    let wal = file_beside(&crashed.file, "-wal");
    let saved = fs::read(&wal).unwrap();
    fs::remove_file(&wal).unwrap();
    crashed.assert_refused();
    assert!(!wal.exists(), "no new log is made in its place");
    fs::remove_file(file_beside(&crashed.file, "-shm")).unwrap();
    crashed.assert_refused();
    // An empty log, or a log that contains only its header, is refused in the same way.
    for length in [0, 32] {
        fs::write(&wal, &saved[..length]).unwrap();
        crashed.assert_refused();
    }
    fs::write(&wal, saved).unwrap();
    assert_kept(&crashed.database, &crashed.database.open(), std::slice::from_ref(&crashed.record));
}

#[test]
fn a_log_without_its_end_is_noticed() {
    let crashed = Crashed::new();
    let wal = file_beside(&crashed.file, "-wal");
    let saved = fs::read(&wal).unwrap();
    // The header and the first page: an earlier commit.
    let beginning = &saved[..32 + 24 + 4_096];
    fs::write(&wal, beginning).unwrap();
    match crashed.database.try_open() {
        Err(StoreError::Unusable(why)) => assert!(why.contains("belongs to another database"), "{why}"),
        other => panic!("{other:?}"),
    }
    assert_eq!(fs::read(&wal).unwrap(), beginning, "nothing is written to it");
}

#[test]
fn the_loss_of_a_log_can_be_accepted() {
    let crashed = Crashed::new();
    let Crashed { database, file, record, .. } = &crashed;
    fs::remove_file(file_beside(file, "-wal")).unwrap();
    fs::remove_file(file_beside(file, "-shm")).unwrap();
    let reader = database.run(open_reader_with(&database.url, true)).unwrap();
    assert_eq!(database.run(reader.match_record(record.id())), Ok(None));
    database.run(reader.close());
    drop(reader);
    // Reading changes nothing.
    crashed.assert_refused();
    let options = OpenOptions { accept_lost_wal: true, ..OpenOptions::default() };
    let store = database.run(open_store_with(&database.url, &options)).unwrap();
    assert_eq!(database.run(store.match_record(record.id())), Ok(None));
    database.write(&store, &match_changes(record));
    database.run(store.close());
    drop(store);
    assert_kept(database, &database.open(), std::slice::from_ref(record));
}

#[test]
fn a_database_that_was_closed_needs_no_log() {
    let crashed = Crashed::new();
    let Crashed { database, file, record, .. } = &crashed;
    let id_file_says = |end: &str| fs::read_to_string(file_beside(file, ".id")).unwrap().contains(end);
    let store = database.open();
    assert!(id_file_says("\nopen "));
    database.run(store.close());
    drop(store);
    assert!(id_file_says("\nclosed\n"));
    let _ = fs::remove_file(file_beside(file, "-wal"));
    let reader = database.run(open_reader(&database.url)).unwrap();
    assert!(database.run(reader.match_record(record.id())).unwrap().is_some());
}

/// Waits until this process has the log of a database open only `kept` times: the threads of the other connections end
/// after the store is dropped.
#[cfg(target_os = "linux")]
fn wait_for_connections(database: &Path, kept: usize) {
    let wal = file_beside(database, "-wal");
    let open_count = || {
        let files = fs::read_dir("/proc/self/fd").unwrap().flatten();
        files.filter_map(|file| fs::read_link(file.path()).ok()).filter(|file| *file == wal).count()
    };
    let began = Instant::now();
    while open_count() > kept {
        assert!(began.elapsed() < Duration::from_mins(1), "{} is open {} times", wal.display(), open_count());
        thread::yield_now();
    }
    assert_eq!(open_count(), kept, "a connection that reads nothing keeps the log");
}

#[cfg(target_os = "linux")]
#[test]
fn a_store_that_is_dropped_and_not_closed_keeps_its_log() {
    let crashed = Crashed::new();
    let Crashed { database, file, record, .. } = &crashed;
    for (kept, name) in [(1, "second.db"), (2, "third.db")] {
        let store = database.open();
        database.write(&store, &match_changes(record));
        drop(store);
        wait_for_connections(file, kept);
        let left = copy(file, name);
        let left = TestDatabase::new(&format!("sqlite:{}", left.display()));
        assert_kept(&left, &left.open(), std::slice::from_ref(record));
    }
}

#[test]
fn a_log_that_another_program_has_emptied_is_not_an_error() {
    let crashed = Crashed::new();
    let Crashed { database, file, record, .. } = &crashed;
    // SQLite moves everything to the database when the last connection ends.
    let mut client = database.client();
    assert!(database.number(&mut client, "SELECT count(*) FROM matches") > 0);
    let Client::Sqlite(client) = client else { panic!() };
    database.run(client.close()).unwrap();
    assert!(!file_beside(file, "-wal").exists());
    let reader = database.run(open_reader(&database.url)).unwrap();
    assert!(database.run(reader.match_record(record.id())).unwrap().is_some());
    database.run(reader.close());
    drop(reader);
    assert_kept(database, &database.open(), std::slice::from_ref(record));
}
