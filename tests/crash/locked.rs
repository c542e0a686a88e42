//! Another client locks the database.

use super::database::Database;
use super::outage;
use super::stage::Stage;
use sqlx::{ConnectOptions as _, Connection as _, sqlite::SqliteConnectOptions};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_first_call_on_a_locked_database_is_answered() {
    let stage = Stage::new(Database::sqlite);
    let server = stage.start.start().await;
    let options = SqliteConnectOptions::new().filename(stage.folder.path().join("lastnim.db"));
    let mut other = options.connect().await.unwrap();
    sqlx::query("BEGIN IMMEDIATE").execute(&mut other).await.unwrap();
    // No match is played, so nothing else has found the lock.
    outage::assert_registering_refused(&stage, "anna").await;
    sqlx::query("ROLLBACK").execute(&mut other).await.unwrap();
    other.close().await.unwrap();
    // The refusal said that the registration may still go through; it does.
    stage.start.wait_for_log("play continues", 1).await;
    stage.organiser.wait_for_bot("anna").await;
    server.stop();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_clock_runs_while_another_client_locks_the_database() {
    let mut stage = Stage::new(Database::sqlite);
    let server = stage.start.start().await;
    let id = outage::begin(&mut stage).await;
    let options = SqliteConnectOptions::new().filename(stage.folder.path().join("lastnim.db"));
    let mut other = options.connect().await.unwrap();
    sqlx::query("BEGIN IMMEDIATE").execute(&mut other).await.unwrap();
    outage::check_outage(&stage, &id).await;
    sqlx::query("ROLLBACK").execute(&mut other).await.unwrap();
    other.close().await.unwrap();
    outage::wait_for_recovery(&stage, &id).await;
    stage.judge(server, &id, &[]).await;
}
