//! PostgreSQL fails over to a replica that lacks what was announced last.

use super::database::Database;
use super::outage;
use super::server::TIMEOUT;
use super::stage::Stage;
use super::standby::{SERVES, STANDS_BY};
use lastnim_store::{check_store, open_reader};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

const RECOVERED: &str = "recovered after the database lost commits";

/// Waits until the standby server has read the number of the newest commit once more.
async fn until_commits_are_seen(stage: &Stage) {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_secs_f64();
    let has_read = format!(
        "pg_stat_activity WHERE starts_with(application_name, 'lastnim standby ') AND state = 'idle' \
         AND query LIKE 'SELECT holder, commit_number %' AND query_start > to_timestamp({now})"
    );
    let mut reader = stage.database.reader().await;
    let began = Instant::now();
    while reader.count(&has_read).await == 0 {
        assert!(
            began.elapsed() < TIMEOUT,
            "the standby server does not read the number of the newest commit"
        );
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
    reader.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_server_continues_from_the_data_of_a_promoted_replica() {
    let Some(database) = Database::postgres() else { return };
    let mut stage = Stage::new(|_| database);
    let server = stage.start.start().await;
    let mut replica = stage.postgres().replica();
    let id = outage::begin(&mut stage).await;
    replica.kill();
    let kept = stage.ledger.take_count();
    stage.until_takes(kept + 30).await;
    stage.postgres().kill();
    stage.postgres().fail_over(replica);
    stage.until("the recovery", || stage.start.log_text().contains(RECOVERED)).await;
    let log = stage.start.log_text();
    assert!(log.contains("THE DATABASE LOST COMMITS") && log.contains("lost commits: "), "{log}");
    // The same process continues from the contents of the database, on the same port and with the same bots.
    let ended = stage.organiser.tournament_over(&id).await;
    assert_eq!(ended.matches_played, ended.matches_total);
    stage.witnesses.dismiss().await;
    server.stop();
    let log = stage.start.log_text();
    assert!(!log.contains("quarantined"), "{log}");
    let reader = open_reader(&stage.database.url().parse().unwrap()).await.unwrap();
    let found = check_store(reader.as_ref()).await.unwrap();
    reader.close().await;
    assert_eq!(
        (found.fault_count, found.quarantined, found.unfinished),
        (0, 0, 0),
        "{:?}",
        found.described_faults
    );
    assert!(found.matches >= ended.matches_total);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_server_pair_reports_commits_missing_from_a_promoted_replica() {
    let Some((mut stage, second)) = Stage::for_pair() else { return };
    let mut active = stage.start.start().await;
    let mut standby = second.launch();
    second.wait_for_log(STANDS_BY, 1).await;
    let mut replica = stage.postgres().replica();
    let id = outage::begin(&mut stage).await;
    replica.kill();
    stage.until_takes(stage.ledger.take_count() + 30).await;
    until_commits_are_seen(&stage).await;
    active.signal("STOP");
    stage.postgres().kill();
    stage.postgres().fail_over(replica);
    let lost = "THE DATABASE LOST COMMITS made by the other server";
    second.wait_for_log(lost, 1).await;
    second.wait_for_log(SERVES, 1).await;
    active.signal("TERM");
    active.signal("CONT");
    assert_eq!(active.wait().code(), Some(0), "{}", stage.start.log_text());
    let ended = stage.organiser.tournament_over(&id).await;
    assert_eq!(ended.matches_played, ended.matches_total);
    stage.witnesses.dismiss().await;
    standby.signal("TERM");
    assert_eq!(standby.wait().code(), Some(0), "{}", second.log_text());
}
