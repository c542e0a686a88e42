//! Another client holds the database.

use super::database::Database;
use super::outage;
use super::stage::Stage;
use sqlx::{ConnectOptions as _, Connection as _, sqlite::SqliteConnectOptions};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_first_call_that_meets_a_locked_database_is_answered_as_well() {
    let stage = Stage::new(Database::sqlite);
    let server = stage.start.start().await;
    let options = SqliteConnectOptions::new().filename(stage.folder.path().join("lastnim.db"));
    let mut other = options.connect().await.unwrap();
    sqlx::query("BEGIN IMMEDIATE").execute(&mut other).await.unwrap();
    // Nobody plays, so that nothing else has met the lock.
    outage::registering_is_refused(&stage, "anna").await;
    sqlx::query("ROLLBACK").execute(&mut other).await.unwrap();
    other.close().await.unwrap();
    // It was told that it may still be carried out, and so it is.
    stage.start.until_said("play goes on", 1).await;
    assert_eq!(stage.organiser.bot("anna").await.name, "anna");
    server.stop();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn while_another_holds_the_database_nobody_loses_time() {
    let mut stage = Stage::new(Database::sqlite);
    let server = stage.start.start().await;
    let id = outage::begin(&mut stage).await;
    let options = SqliteConnectOptions::new().filename(stage.folder.path().join("lastnim.db"));
    let mut other = options.connect().await.unwrap();
    sqlx::query("BEGIN IMMEDIATE").execute(&mut other).await.unwrap();
    outage::sit_out(&stage, &id).await;
    sqlx::query("ROLLBACK").execute(&mut other).await.unwrap();
    other.close().await.unwrap();
    outage::play_on(&stage, &id).await;
    stage.judge(server, &id, &[]).await;
}
