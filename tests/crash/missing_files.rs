//! The files of a database are removed, moved, exchanged or cut off while the server runs.

use super::database::Database;
use super::server::Server;
use super::stage::{Stage, long_exhibition};
use std::fs::{self, File};
use std::io::{Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};
use std::time::Duration;

fn file(stage: &Stage, end: &str) -> PathBuf {
    stage.folder.path().join(format!("lastnim.db{end}"))
}

/// Starts a server on which a long match is played.
async fn play(stage: &mut Stage) -> Server {
    let server = stage.start.start().await;
    stage.invite(["anna", "bert"], Duration::from_millis(5)).await;
    stage.organiser.create_match(&long_exhibition(["anna", "bert"], 100_000)).await;
    stage.until_takes(20).await;
    server
}

/// Waits until a server has ended by itself because of its store, and checks what it said.
fn has_ended(mut server: Server, why: &str) {
    let status = server.wait();
    assert_eq!(status.code(), Some(1), "{}", server.start.said());
    let said = server.start.said();
    let last = said.lines().last().unwrap();
    assert!(last.contains("had to stop") && last.contains(why), "{last}");
    assert!(said.contains("the store is lost"), "{said}");
}

/// Checks that everything that was announced is in the database.
async fn nothing_is_lost(stage: &Stage) {
    let takes = stage.ledger.told().takes.clone();
    let mut reader = stage.database.reader().await;
    for ((id, ply), told) in &takes {
        assert_eq!(reader.take(id, *ply).await, Some((told.seat, told.take)), "match {id}, ply {ply}");
    }
    reader.close().await;
}

/// Starts a server that is to refuse the place of its database; returns what it says.
fn refused(stage: &Stage) -> String {
    let (status, said) = stage.start.fail();
    assert_eq!(status.code(), Some(1), "{said}");
    said
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_database_that_is_moved_away_is_missed_and_not_made_anew() {
    let mut stage = Stage::new(Database::sqlite);
    let server = play(&mut stage).await;
    let (here, away) = (file(&stage, ""), file(&stage, ".away"));
    fs::rename(&here, &away).unwrap();
    has_ended(server, "lastnim.db is gone");
    let said = refused(&stage);
    assert!(said.contains("lastnim.db.id") && said.contains("put it back"), "{said}");
    assert!(!here.exists(), "no new one is made");
    fs::rename(&away, &here).unwrap();
    nothing_is_lost(&stage).await;
    let before = stage.ledger.takes();
    let server = stage.start.start().await;
    assert_eq!(server.carried_on(), 1);
    stage.until_takes(before + 20).await;
    stage.witnesses.dismiss().await;
    assert_eq!(stage.ledger.told().contradictions, Vec::<String>::new());
    server.stop();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_removed_database_is_missed_also_where_nobody_plays() {
    let mut stage = Stage::new(Database::sqlite);
    let server = stage.start.start().await;
    fs::remove_file(file(&stage, "")).unwrap();
    has_ended(server, "lastnim.db is gone");
    assert!(refused(&stage).contains("--new-store"));
    stage.start.more = vec!["--new-store".into()];
    stage.start.start().await.stop();
    // The file beside it names the new one now.
    stage.start.more.clear();
    stage.start.start().await.stop();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_removed_log_is_missed() {
    let mut stage = Stage::new(Database::sqlite);
    let server = play(&mut stage).await;
    fs::remove_file(file(&stage, "-wal")).unwrap();
    has_ended(server, "lastnim.db-wal is gone");
    // What it had open went to the database at the end.
    nothing_is_lost(&stage).await;
    stage.start.start().await.stop();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn another_database_in_its_place_is_noticed_and_refused() {
    let mut stage = Stage::new(Database::sqlite);
    let other = Stage::new(Database::sqlite);
    other.start.start().await.stop();
    let server = play(&mut stage).await;
    fs::copy(file(&other, ""), file(&stage, ".new")).unwrap();
    fs::rename(file(&stage, ""), file(&stage, ".old")).unwrap();
    fs::rename(file(&stage, ".new"), file(&stage, "")).unwrap();
    has_ended(server, "lastnim.db is");
    let id = |stage: &Stage| fs::read_to_string(file(stage, ".id")).unwrap().trim().to_owned();
    for end in ["-wal", "-shm"] {
        let _ = fs::remove_file(file(&stage, end));
    }
    let said = refused(&stage);
    assert!(said.contains(&id(&stage)) && said.contains(&id(&other)), "{said}");
    // It is the right one again.
    fs::rename(file(&stage, ".old"), file(&stage, "")).unwrap();
    nothing_is_lost(&stage).await;
    stage.start.start().await.stop();
    // Somebody means it.
    fs::copy(file(&other, ""), file(&stage, "")).unwrap();
    stage.start.more = vec!["--new-store".into()];
    stage.start.start().await.stop();
    assert_eq!(id(&stage), id(&other));
}

/// Overwrites all pages of a database but the first two.
fn spoil(database: &Path) {
    const PAGE: u64 = 4_096;
    let mut database = File::options().write(true).open(database).unwrap();
    let length = database.metadata().unwrap().len();
    database.seek(SeekFrom::Start(2 * PAGE)).unwrap();
    database.write_all(&vec![0xa5; usize::try_from(length - 2 * PAGE).unwrap()]).unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn spoilt_pages_are_found_while_nobody_reads_them() {
    let mut stage = Stage::new(Database::sqlite);
    let server = play(&mut stage).await;
    let database = file(&stage, "");
    // Everything is in the database itself then.
    server.stop();
    stage.witnesses.dismiss().await;
    stage.start.more = vec!["--integrity-interval".into(), "200ms".into()];
    let server = stage.start.start().await;
    spoil(&database);
    has_ended(server, "the database is corrupt");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_database_that_is_cut_off_is_missed() {
    let stage = Stage::new(Database::sqlite);
    let server = stage.start.start().await;
    File::options().write(true).open(file(&stage, "")).unwrap().set_len(8_192).unwrap();
    has_ended(server, "was cut off");
}
