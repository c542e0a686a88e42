//! A store belongs to one server.

use super::database::Database;
use super::server::{Folder, Start};
use super::stage::{Stage, small_positions};
use std::time::Duration;

async fn a_second_server_is_refused(database: impl FnOnce(&Folder) -> Database) {
    let mut stage = Stage::new(database);
    let server = stage.start.start().await;
    stage.invite(["anna", "bert", "cleo"], Duration::from_millis(10)).await;
    let settings = small_positions("alone", &[&[4, 5], &[12]], 20_000);
    let id = stage.begin(settings, &["anna", "bert", "cleo"]).await;
    stage.until_takes(5).await;
    let second =
        Start { log: stage.folder.path().join("second"), ..Start::new(&stage.folder, stage.database.url()) };
    for _ in 0..3 {
        let (status, said) = second.fail();
        assert_eq!(status.code(), Some(1), "{said}");
        let error: serde_json::Value = serde_json::from_str(&said).unwrap_or_else(|_| panic!("{said}"));
        let message = error["error"]["message"].as_str().unwrap_or_default();
        assert!(message.starts_with("--store ") && message.contains("belongs to another server"), "{said}");
    }
    stage.organiser.tournament_over(&id).await;
    assert!(!stage.start.log_text().contains("ERROR"), "{}", stage.start.log_text());
    stage.judge(server, &id, &[]).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_second_server_is_refused_on_sqlite() {
    a_second_server_is_refused(Database::sqlite).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_second_server_is_refused_on_postgres() {
    if let Some(database) = Database::postgres() {
        a_second_server_is_refused(|_| database).await;
    }
}
