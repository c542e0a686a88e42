//! PostgreSQL crashes and restarts while the server runs.

use super::database::Database;
use super::outage;
use super::stage::Stage;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_clock_runs_while_postgres_is_down() {
    let Some(database) = Database::postgres() else { return };
    let mut stage = Stage::new(|_| database);
    let server = stage.start.start().await;
    let id = outage::begin(&mut stage).await;
    stage.postgres().kill();
    outage::check_outage_without_reads(&stage, &id).await;
    stage.postgres().restart();
    outage::wait_for_recovery(&stage, &id).await;
    stage.judge(server, &id, &[]).await;
}
