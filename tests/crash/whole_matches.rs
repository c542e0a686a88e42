//! Matches that are written when they end: a killed server loses the open ones, and their pairings are replayed.

use super::database::Database;
use super::server::Folder;
use super::stage::{Stage, long_exhibition, small_positions};
use std::collections::BTreeSet;
use std::time::Duration;
use tonic::Code;

async fn open_pairings_are_replayed(database: impl FnOnce(&Folder) -> Database) {
    let mut stage = Stage::new(database);
    stage.start.durability = "match";
    let mut server = stage.start.start().await;
    stage.invite(["anna", "bert", "cleo", "dora"], Duration::from_millis(10)).await;
    let exhibition = stage.organiser.create_match(&long_exhibition(["dora", "bert"], 10_000)).await;
    let settings = small_positions("whole", &[&[4, 5], &[12], &[1, 2, 6]], 20_000);
    let id = stage.begin(settings, &["anna", "bert", "cleo", "dora"]).await;
    let mut lost = BTreeSet::new();
    for kill in 1..=4 {
        stage.until_ended(&id, 6 * kill).await;
        tokio::time::sleep(stage.span(30)).await;
        server.kill();
        let mut reader = stage.database.reader().await;
        assert_eq!(reader.open_matches().await, 0, "no match is begun in the tables");
        reader.close().await;
        server = stage.start.start().await;
        // Some of these ended without an announcement.
        let told = stage.ledger.told();
        lost.extend(told.started.keys().filter(|id| !told.ends.contains_key(*id)).cloned());
    }
    assert!(lost.len() > 4, "{} matches were open when the server died", lost.len());
    assert_eq!(stage.organiser.get_match(&exhibition).await.unwrap_err().code(), Code::NotFound);
    stage.organiser.tournament_over(&id).await;
    // Nothing more is announced about lost matches; the others are judged as usual.
    let matches: BTreeSet<String> =
        stage.organiser.matches(&id).await.into_iter().map(|game| game.id).collect();
    stage.witnesses.dismiss().await;
    let mut told = std::mem::take(&mut *stage.ledger.told());
    assert!(told.ends.keys().all(|ended| matches.contains(ended)), "finished matches are stored");
    told.started.retain(|id, _| matches.contains(id));
    told.takes.retain(|(id, _), _| matches.contains(id));
    told.rows.retain(|(id, _), _| matches.contains(id));
    told.matrices.retain(|id, _| matches.contains(id));
    super::verdict::judge(&stage.organiser, server, &told, &id, &[]).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn open_pairings_are_replayed_on_sqlite() {
    open_pairings_are_replayed(Database::sqlite).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn open_pairings_are_replayed_on_postgres() {
    if let Some(database) = Database::postgres() {
        open_pairings_are_replayed(|_| database).await;
    }
}
