//! A server stopped in mid-play resumes everything after a restart.

use super::database::Database;
use super::stage::{Stage, long_exhibition, small_positions};
use std::time::Duration;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_stopped_server_resumes_everything() {
    let mut stage = Stage::new(Database::sqlite);
    let mut server = stage.start.start().await;
    stage.invite(["anna", "bert", "cleo", "dora"], Duration::from_millis(10)).await;
    let exhibition = stage.organiser.create_match(&long_exhibition(["dora", "bert"], 250)).await;
    // Many more matches than are played before the last stop.
    let positions = [&[4, 5][..], &[12], &[1, 2, 6]].repeat(4);
    let settings = small_positions("stopped", &positions, 20_000);
    let id = stage.begin(settings, &["anna", "bert", "cleo", "dora"]).await;
    for stop in 1..=4 {
        stage.until_ended(&id, 6 * stop).await;
        server.stop();
        assert!(stage.check_tables().await > 1, "it was stopped in mid-play");
        server = stage.start.start().await;
    }
    assert_eq!(
        stage.start.log_text().matches("resuming unfinished matches and tournaments").count(),
        4,
        "{}",
        stage.start.log_text()
    );
    stage.judge(server, &id, &[exhibition]).await;
}
