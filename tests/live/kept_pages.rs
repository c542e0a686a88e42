//! Cached pages.

use super::{
    host::{Host, round_robin, soon},
    pages::{get, send},
    sharing::played_tournament,
};
use lastnim_proto::pb;
use lastnim_store::{RetentionLimits, open_store};
use sqlx::{Connection as _, SqliteConnection};
use std::{fs, path::Path, process, sync::Arc};
use tokio::task::JoinSet;

/// Starts a server on a database, which caches pages.
pub async fn host_on_sqlite(name: &str) -> Host {
    host_on_database(&new_database(name)).await
}

/// Returns the URL of a database that does not exist yet.
fn new_database(name: &str) -> String {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{name}-{}", process::id()));
    // Files of an earlier process with the same id are removed.
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).unwrap();
    format!("sqlite:{}", folder.join("store.db").display())
}

async fn host_on_database(url: &str) -> Host {
    let store = open_store(&url.parse().unwrap(), RetentionLimits::default()).await.unwrap();
    Host::on_store(store).await
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn lists_show_other_tournaments_if_one_is_damaged() {
    let url = new_database("kept-damaged");
    let host = host_on_database(&url).await;
    let (damaged, _) = played_tournament(&host, "Spring").await;
    let sound = host.create_tournament(round_robin(&[&[3]]), &["greedy", "random"]).await;
    host.stop().await.unwrap().unwrap();
    let mut database = SqliteConnection::connect(&url).await.unwrap();
    let damage = sqlx::query("UPDATE standings SET bot = 'not a name' WHERE tournament_id = $1");
    let changed = damage.bind(&damaged).execute(&mut database).await.unwrap();
    assert!(changed.rows_affected() > 0);
    database.close().await.unwrap();

    let host = host_on_database(&url).await;
    assert_eq!(get(&host, &format!("/tournaments/{damaged}")).await.status, 500);
    for path in ["/", "/tournaments", "/tournaments.csv", "/tournaments.atom"] {
        let page = get(&host, path).await;
        assert_eq!(page.status, 200, "{path}: {}", page.body);
        assert!(page.body.contains(&damaged) && page.body.contains(&sound), "{path}: {}", page.body);
        assert!(page.body.contains("Its standings cannot be read"), "{path}: {}", page.body);
    }
    for path in ["/index.json", "/tournaments.json"] {
        assert_eq!(get(&host, path).await.status, 200, "{path}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn unknown_queries_do_not_add_cached_pages() {
    let host = host_on_sqlite("kept-queries").await;
    host.register("one").await;
    let (page, before) = (cache_control(&host, "/tournaments").await, made_pages(&host).await);
    for query in ["x=1", "page=", "from=3&x=y"] {
        assert_eq!(get(&host, &format!("/tournaments?{query}")).await.body, page, "{query}");
    }
    assert_eq!(made_pages(&host).await, before);
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
        assert!(
            page.contains("/bots/one") && !page.contains("/bots/two") && !page.contains(", two"),
            "{page}"
        );
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn pages_show_all_earlier_changes() {
    let host = host_on_sqlite("kept-now").await;
    for name in ["one", "two"] {
        let page = cache_control(&host, "/bots").await;
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

/// Gets a page until it comes from the cache, and returns it.
async fn cache_control(host: &Host, path: &str) -> String {
    let getting = async {
        loop {
            let before = made_pages(host).await;
            let page = get(host, path).await.body;
            if made_pages(host).await == before {
                return page;
            }
        }
    };
    soon("a cached page", getting).await
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
    cache_control(&host, "/bots").await;
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
