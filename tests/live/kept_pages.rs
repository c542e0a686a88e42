//! Cached pages.

use super::{
    host::{Host, round_robin},
    pages::{get, send},
};
use lastnim_proto::pb;
use lastnim_store::{RetentionLimits, open_store};
use std::{
    fs,
    path::Path,
    process,
    sync::Arc,
    time::{Duration, Instant},
};
use tokio::task::JoinSet;

/// Starts a server on a database, which caches pages.
pub async fn host_on_sqlite(name: &str) -> Host {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{name}-{}", process::id()));
    // Files of an earlier process with the same id are removed.
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).unwrap();
    let url = format!("sqlite:{}", folder.join("store.db").display());
    let store = open_store(&url.parse().unwrap(), RetentionLimits::default()).await.unwrap();
    Host::on_store(store).await
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn pages_of_ended_tournaments_follow_later_changes() {
    let host = host_on_sqlite("kept-over").await;
    host.register_all(["one", "two"]).await;
    let id = host.create_tournament(round_robin(&[&[3]]), &["one", "two"]).await;
    let request = pb::CancelTournamentRequest { tournament_id: id.clone() };
    host.tournaments().cancel_tournament(request).await.unwrap();
    for path in [format!("/tournaments/{id}"), format!("/tournaments/{id}/standings")] {
        let page = get(&host, &path).await.body;
        assert!(page.contains("/bots/one") && page.contains("/bots/two"), "{page}");
        assert_eq!(get(&host, &path).await.body, page);
    }
    host.bots().remove_bot(pb::RemoveBotRequest { name: "two".into() }).await.unwrap();
    for path in [format!("/tournaments/{id}"), format!("/tournaments/{id}/standings")] {
        let page = get(&host, &path).await.body;
        assert!(page.contains("/bots/one") && !page.contains("two"), "{page}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn pages_show_all_earlier_changes() {
    let host = host_on_sqlite("kept-now").await;
    for name in ["one", "two"] {
        // This is long enough for pages to be cached.
        let began = Instant::now();
        let mut page = get(&host, "/bots").await.body;
        while began.elapsed() < Duration::from_millis(1_200) {
            page = get(&host, "/bots").await.body;
        }
        assert!(!page.contains(&format!("/bots/{name}")), "{page}");
        host.register(name).await;
        let page = get(&host, "/bots").await.body;
        assert!(page.contains(&format!("/bots/{name}")), "{page}");
        assert_eq!(get(&host, &format!("/bots/{name}")).await.status, 200);
    }
    let id = host.create_tournament(round_robin(&[&[3]]), &["one", "two"]).await;
    for path in ["/", "/tournaments"] {
        let page = get(&host, path).await.body;
        assert!(page.contains(&id), "{path}: {page}");
    }
}

/// Returns how many pages the server has rendered.
async fn made_pages(host: &Host) -> u64 {
    // Metrics are available only to clients on the machine itself.
    let address = &host.address;
    let request = format!("GET /metrics HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n\r\n");
    let metrics = send(host, &request).await.body;
    let made = metrics.lines().find_map(|line| line.strip_prefix("lastnim_made_pages_total "));
    made.unwrap_or_else(|| panic!("{metrics}")).parse().unwrap()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn concurrent_requests_share_one_rendering() {
    let host = Arc::new(host_on_sqlite("kept-once").await);
    host.register_all(["one", "two"]).await;
    let id = host.create_tournament(round_robin(&[&[3]]), &["one", "two"]).await;
    let began = Instant::now();
    while began.elapsed() < Duration::from_millis(1_200) {
        get(&host, "/bots").await;
    }
    for path in ["/".to_owned(), format!("/tournaments/{id}"), format!("/tournaments/{id}/standings.json")] {
        let before = made_pages(&host).await;
        let mut asking = JoinSet::new();
        for _ in 0..32 {
            let (host, path) = (Arc::clone(&host), path.clone());
            asking.spawn(async move { get(&host, &path).await });
        }
        let answers = asking.join_all().await;
        for answer in &answers {
            assert_eq!((answer.status, &answer.body), (200, &answers[0].body), "{path}");
        }
        assert_eq!(made_pages(&host).await - before, 1, "{path}");
    }
}
