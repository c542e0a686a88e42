//! A server killed while it cancels a tournament resumes the cancellation.

use super::database::Database;
use super::server::Folder;
use super::stage::{Stage, small_positions};
use lastnim_proto::pb;
use std::time::Duration;

/// Attempts to kill a server in the middle of a cancellation.
const MAX_TRIES: usize = 100;

async fn a_tournament_ends_cancelled(database: impl FnOnce(&Folder) -> Database) {
    let mut stage = Stage::new(database);
    let mut server = stage.start.start().await;
    stage.invite(["anna", "bert", "cleo", "dora"], Duration::from_millis(40)).await;
    let mut hit = false;
    for number in 0..MAX_TRIES {
        // Many open matches make the cancellation take a while.
        let mut settings = small_positions(&format!("cancelled {number}"), &[[9, 9].as_slice(); 30], 60_000);
        settings.concurrency = 300;
        let id = stage.begin(settings, &["anna", "bert", "cleo", "dora"]).await;
        stage.until_takes(stage.ledger.take_count() + 50).await;
        let mut reader = stage.database.reader().await;
        let (organiser, cancels) = (stage.organiser.clone(), id.clone());
        let cancelling = tokio::spawn(async move { organiser.cancel(&cancels).await });
        let query = format!("tournaments WHERE id = '{id}' AND state = 'cancelled'");
        while reader.count(&query).await == 0 {}
        server.kill();
        hit = reader.count(&format!("{query} AND over_at_us IS NULL")).await == 1;
        let open = reader.open_matches().await;
        reader.close().await;
        server = stage.start.start().await;
        assert_eq!(cancelling.await.unwrap(), pb::TournamentState::Cancelled);
        let ended = stage.organiser.tournament_over(&id).await;
        assert_eq!(ended.state(), pb::TournamentState::Cancelled);
        let matches = stage.organiser.matches(&id).await;
        assert!(matches.iter().all(|game| game.phase() == pb::Phase::Ended));
        assert_eq!(ended.matches_played as usize, matches.len());
        for game in matches.iter().filter(|game| game.reason() == pb::EndReason::Cancelled) {
            assert!(game.winner.is_none(), "{game:?}");
        }
        if hit {
            println!("killed while {open} matches were still to be cancelled");
            break;
        }
    }
    assert!(hit, "the server was faster {MAX_TRIES} times");
    stage.witnesses.dismiss().await;
    let told = stage.ledger.told();
    assert_eq!((&told.contradictions, &told.forfeited), (&Vec::new(), &Vec::new()));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_tournament_ends_cancelled_on_sqlite() {
    a_tournament_ends_cancelled(Database::sqlite).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_tournament_ends_cancelled_on_postgres() {
    if let Some(database) = Database::postgres() {
        a_tournament_ends_cancelled(|_| database).await;
    }
}
