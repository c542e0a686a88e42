//! Database files that are removed, moved, replaced or truncated while the server runs.

use super::database::Database;
use super::server::Server;
use super::stage::{Stage, long_exhibition};
use std::fs::{self, File};
use std::io::{Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};
use std::time::Duration;

fn database_file(stage: &Stage, end: &str) -> PathBuf {
    stage.folder.path().join(format!("lastnim.db{end}"))
}

/// Starts a server with a long match.
async fn start_long_match(stage: &mut Stage) -> Server {
    let server = stage.start.start().await;
    stage.invite(["anna", "bert"], Duration::from_millis(5)).await;
    stage.organiser.create_match(&long_exhibition(["anna", "bert"], 100_000)).await;
    stage.until_takes(20).await;
    server
}

/// Waits until a server has stopped because of its store, and checks its messages.
fn wait_for_end(server: Server, why: &str) {
    let last = last_log_line(server);
    assert!(last.contains(why), "{last}");
}

/// Waits until a server has stopped because of its store; returns its last message.
fn last_log_line(mut server: Server) -> String {
    let status = server.wait();
    assert_eq!(status.code(), Some(1), "{}", server.start.log_text());
    let log = server.start.log_text();
    assert!(log.contains("the store is lost"), "{log}");
    let last = log.lines().last().unwrap().to_owned();
    assert!(last.contains("had to stop"), "{last}");
    last
}

/// Checks that everything announced is in the database.
async fn check_nothing_is_lost(stage: &Stage) {
    let takes = stage.ledger.told().takes.clone();
    let mut reader = stage.database.reader().await;
    for ((id, ply), told) in &takes {
        assert_eq!(reader.take(id, *ply).await, Some((told.seat, told.take)), "match {id}, ply {ply}");
    }
    reader.close().await;
}

/// Starts a server that must reject its database; returns its message.
fn start_refused(stage: &Stage) -> String {
    let (status, error_text) = stage.start.fail();
    assert_eq!(status.code(), Some(1), "{error_text}");
    error_text
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_moved_database_is_noticed_and_not_recreated() {
    let mut stage = Stage::new(Database::sqlite);
    let server = start_long_match(&mut stage).await;
    let (here, away) = (database_file(&stage, ""), database_file(&stage, ".away"));
    fs::rename(&here, &away).unwrap();
    wait_for_end(server, "lastnim.db was removed");
    let error_text = start_refused(&stage);
    assert!(error_text.contains("lastnim.db.id") && error_text.contains("restore it"), "{error_text}");
    assert!(!here.exists(), "no new one is created");
    fs::rename(&away, &here).unwrap();
    check_nothing_is_lost(&stage).await;
    let before = stage.ledger.take_count();
    let server = stage.start.start().await;
    assert_eq!(server.count_resumed_matches(), 1);
    stage.until_takes(before + 20).await;
    stage.witnesses.dismiss().await;
    assert_eq!(stage.ledger.told().contradictions, Vec::<String>::new());
    server.stop();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_removed_database_is_noticed_even_without_matches() {
    let mut stage = Stage::new(Database::sqlite);
    let server = stage.start.start().await;
    fs::remove_file(database_file(&stage, "")).unwrap();
    wait_for_end(server, "lastnim.db was removed");
    assert!(start_refused(&stage).contains("--new-store"));
    stage.start.more = vec!["--new-store".into()];
    stage.start.start().await.stop();
    // The id file names the new database now.
    stage.start.more.clear();
    stage.start.start().await.stop();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_removed_log_is_noticed() {
    let mut stage = Stage::new(Database::sqlite);
    let server = start_long_match(&mut stage).await;
    fs::remove_file(database_file(&stage, "-wal")).unwrap();
    wait_for_end(server, "lastnim.db-wal was removed");
    // The open log was moved to the database at the end.
    check_nothing_is_lost(&stage).await;
    stage.start.start().await.stop();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn another_database_in_its_place_is_noticed_and_rejected() {
    let mut stage = Stage::new(Database::sqlite);
    let other = Stage::new(Database::sqlite);
    other.start.start().await.stop();
    let server = start_long_match(&mut stage).await;
    fs::copy(database_file(&other, ""), database_file(&stage, ".new")).unwrap();
    fs::rename(database_file(&stage, ""), database_file(&stage, ".old")).unwrap();
    fs::rename(database_file(&stage, ".new"), database_file(&stage, "")).unwrap();
    wait_for_end(server, "lastnim.db was replaced");
    let id = |stage: &Stage| {
        fs::read_to_string(database_file(stage, ".id")).unwrap().lines().next().unwrap().to_owned()
    };
    for end in ["-wal", "-shm"] {
        let _ = fs::remove_file(database_file(&stage, end));
    }
    let error_text = start_refused(&stage);
    assert!(error_text.contains(&id(&stage)) && error_text.contains(&id(&other)), "{error_text}");
    // The right database is back.
    fs::rename(database_file(&stage, ".old"), database_file(&stage, "")).unwrap();
    check_nothing_is_lost(&stage).await;
    stage.start.start().await.stop();
    // The replacement is accepted explicitly.
    fs::copy(database_file(&other, ""), database_file(&stage, "")).unwrap();
    stage.start.more = vec!["--new-store".into()];
    stage.start.start().await.stop();
    assert_eq!(id(&stage), id(&other));
}

/// Overwrites all pages of a database except for the first two.
fn corrupt_pages(database: &Path) {
    const PAGE: u64 = 4_096;
    let mut database = File::options().write(true).open(database).unwrap();
    let length = database.metadata().unwrap().len();
    database.seek(SeekFrom::Start(2 * PAGE)).unwrap();
    database.write_all(&vec![0xa5; usize::try_from(length - 2 * PAGE).unwrap()]).unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn corrupt_pages_are_found_although_no_request_reads_them() {
    let mut stage = Stage::new(Database::sqlite);
    let server = start_long_match(&mut stage).await;
    let database = database_file(&stage, "");
    // A server that stops moves everything to the database file.
    server.stop();
    stage.witnesses.dismiss().await;
    stage.start.more = vec!["--integrity-interval".into(), "200ms".into()];
    let server = stage.start.start().await;
    corrupt_pages(&database);
    wait_for_end(server, "the database is corrupt");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_truncated_database_is_noticed() {
    let stage = Stage::new(Database::sqlite);
    let server = stage.start.start().await;
    File::options().write(true).open(database_file(&stage, "")).unwrap().set_len(8_192).unwrap();
    // A write may find it before the check of the file's size does.
    let last = last_log_line(server);
    assert!(last.contains("was truncated") || last.contains("the database is corrupt"), "{last}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_log_that_is_removed_after_a_crash_is_noticed() {
    let mut stage = Stage::new(Database::sqlite);
    let server = start_long_match(&mut stage).await;
    server.kill();
    std::mem::take(&mut stage.witnesses).dismiss().await;
    fs::rename(database_file(&stage, "-wal"), database_file(&stage, ".away")).unwrap();
    let error_text = start_refused(&stage);
    assert!(
        error_text.contains("lacks its newest changes") && error_text.contains("--accept-lost-wal"),
        "{error_text}"
    );
    fs::rename(database_file(&stage, ".away"), database_file(&stage, "-wal")).unwrap();
    check_nothing_is_lost(&stage).await;
    let server = stage.start.start().await;
    server.kill();
    fs::remove_file(database_file(&stage, "-wal")).unwrap();
    start_refused(&stage);
    stage.start.more = vec!["--accept-lost-wal".into()];
    stage.start.start().await.stop();
    stage.start.more.clear();
    stage.start.start().await.stop();
}
