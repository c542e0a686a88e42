//! Announced takes are already in the tables.

use super::database::Database;
use super::server::Folder;
use super::stage::{Stage, small_positions};
use std::collections::BTreeSet;
use std::time::Duration;

async fn a_take_is_stored_before_it_is_announced(database: impl FnOnce(&Folder) -> Database) {
    let mut stage = Stage::new(database);
    let server = stage.start.start().await;
    stage.invite(["anna", "bert", "cleo"], Duration::from_millis(2)).await;
    let settings = small_positions("announced", &[&[9, 9], &[20]], 60_000);
    let id = stage.begin(settings, &["anna", "bert", "cleo"]).await;
    let mut reader = stage.database.reader().await;
    let mut seen = BTreeSet::new();
    while seen.len() < 60 {
        stage.until("another take", || stage.ledger.take_count() > seen.len()).await;
        let takes = stage.ledger.told().takes.clone();
        for ((id, ply), told) in takes {
            if seen.insert((id.clone(), ply)) {
                let kept = reader.take(&id, ply).await;
                assert_eq!(kept, Some((told.seat, told.take)), "match {id}, ply {ply}");
            }
        }
    }
    reader.close().await;
    stage.judge(server, &id, &[]).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_take_is_stored_before_it_is_announced_on_sqlite() {
    a_take_is_stored_before_it_is_announced(Database::sqlite).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_take_is_stored_before_it_is_announced_on_postgres() {
    if let Some(database) = Database::postgres() {
        a_take_is_stored_before_it_is_announced(|_| database).await;
    }
}
