//! PostgreSQL dies under the server, and comes back.

use super::database::Database;
use super::outage;
use super::stage::Stage;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn while_postgres_is_dead_nobody_loses_time() {
    let Some(database) = Database::postgres() else { return };
    let mut stage = Stage::new(|_| database);
    let server = stage.start.start().await;
    let id = outage::begin(&mut stage).await;
    stage.postgres().kill();
    outage::sit_out_blind(&stage, &id).await;
    stage.postgres().restart();
    outage::play_on(&stage, &id).await;
    stage.judge(server, &id, &[]).await;
}
