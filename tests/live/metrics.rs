//! Metrics in the format of Prometheus.
#![expect(clippy::float_cmp, reason = "integers are exact")]

use super::host::{Host, exhibition, round_robin, soon};
use super::pages::{Answer, get, send};
use super::session::{BotSession, declare};
use lastnim_bots::HouseBot;
use lastnim_server::Config;
use std::collections::{BTreeMap, BTreeSet};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

/// Samples by name with labels.
type Samples = BTreeMap<String, f64>;

/// Parses and validates an exposition: each metric has one help and one type followed by its samples; names, labels and
/// values are well-formed; samples are unique; the buckets of histograms add up.
fn parse(text: &str) -> Samples {
    let mut samples = Samples::new();
    let mut types = BTreeMap::new();
    let mut current = String::new();
    assert!(text.ends_with('\n') && !text.contains('\r'), "lines end with a line feed");
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        if let Some(help) = line.strip_prefix("# HELP ") {
            let (name, words) = help.split_once(' ').expect("a help has words");
            assert!(is_name(name) && words.ends_with('.'), "{line}");
            let kind = lines.next().and_then(|line| line.strip_prefix("# TYPE ")).expect("a type follows");
            let (same, kind) = kind.split_once(' ').unwrap();
            assert!(same == name && ["counter", "gauge", "histogram"].contains(&kind), "{line}");
            assert_eq!(kind == "counter", name.ends_with("_total"), "{name}");
            assert!(types.insert(name.to_owned(), kind.to_owned()).is_none(), "{name} is repeated");
            name.clone_into(&mut current);
            continue;
        }
        let (sample, value) = line.rsplit_once(' ').unwrap_or_else(|| panic!("{line:?}"));
        let name = sample.split('{').next().unwrap();
        let base = match types.get(&current).map(String::as_str) {
            Some("histogram") => {
                ["_bucket", "_sum", "_count"].into_iter().find_map(|end| name.strip_suffix(end))
            }
            _ => Some(name),
        };
        assert_eq!(base, Some(current.as_str()), "{line} is not below its metric");
        if let Some(labels) = sample.strip_prefix(name).filter(|labels| !labels.is_empty()) {
            let labels =
                labels.strip_prefix('{').and_then(|labels| labels.strip_suffix("\"}")).expect("labels");
            for pair in labels.split("\",") {
                let (label, value) = pair.split_once("=\"").expect("a label with a value");
                assert!(is_name(label) && !value.contains('"'), "{line}");
            }
        }
        let value: f64 = value.parse().unwrap_or_else(|_| panic!("{line}"));
        assert!(value.is_finite() && value >= 0.0, "{line}");
        assert!(samples.insert(sample.to_owned(), value).is_none(), "{sample} is repeated");
    }
    for (name, _) in types.iter().filter(|(_, kind)| *kind == "histogram") {
        let bucket = format!("{name}_bucket{{le=\"");
        let mut bounds: Vec<(f64, f64)> = samples
            .iter()
            .filter_map(|(sample, &count)| Some((sample.strip_prefix(&bucket)?.strip_suffix("\"}")?, count)))
            .map(|(bound, count)| (bound.parse().unwrap_or(f64::INFINITY), count))
            .collect();
        bounds.sort_by(|one, other| one.0.total_cmp(&other.0));
        assert!(bounds.iter().map(|&(_, count)| count).is_sorted(), "{bounds:?}");
        let &(last, count) = bounds.last().expect("buckets");
        assert!(last.is_infinite() && count == samples[&format!("{name}_count")], "{bounds:?}");
        assert!(samples.contains_key(&format!("{name}_sum")));
    }
    samples
}

fn is_name(name: &str) -> bool {
    let first = name.starts_with(|first: char| first.is_ascii_lowercase());
    first && name.chars().all(|char| char.is_ascii_lowercase() || char.is_ascii_digit() || char == '_')
}

async fn metrics(host: &Host) -> Samples {
    let request = format!("GET /metrics HTTP/1.1\r\nHost: {}\r\nConnection: close\r\n\r\n", host.address);
    let answer = send(host, &request).await;
    assert_eq!(answer.status, 200, "{}", answer.body);
    assert_eq!(answer.header("content-type"), "text/plain; version=0.0.4; charset=utf-8");
    parse(&answer.body)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn play_is_counted() {
    let host = Host::start().await;
    let before = metrics(&host).await;
    assert_eq!((before["lastnim_plies_total"], before["lastnim_sessions"]), (0.0, 0.0));
    let trio = [HouseBot::Random, HouseBot::Greedy, HouseBot::Oracle];
    let party = host.house_bots(&trio, 1).await;
    let id = host.create_tournament(round_robin(&[&[3, 4], &[2, 5]]), &trio.map(HouseBot::kind)).await;
    host.start_tournament(&id).await;
    host.tournament_over(&id).await;
    let played = metrics(&host).await;
    let plies: u32 = host.matches_of(&id).await.iter().map(|game| game.plies).sum();
    assert_eq!(played["lastnim_plies_total"], f64::from(plies));
    assert_eq!(played["lastnim_matches_ended_total"], 6.0);
    assert_eq!((played["lastnim_bots"], played["lastnim_open_matches"]), (3.0, 0.0));
    assert_eq!((played["lastnim_sessions"], played["lastnim_open_tournaments"]), (3.0, 0.0));
    // With a store in memory, each match is committed once, at its end.
    assert!(played["lastnim_commit_duration_seconds_count"] >= 6.0, "{played:?}");
    assert!(played["lastnim_waiting_commits"] >= 0.0);
    assert!(played["lastnim_store_transactions_total"] >= 1.0 && played["lastnim_uptime_seconds"] > 0.0);
    assert!(played["lastnim_connections"] >= 4.0 && played["lastnim_runtime_workers"] >= 1.0, "{played:?}");
    party.dismiss().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn refusals_are_counted_by_reason() {
    let host = Host::start().await;
    let tokens = host.register_all(["one", "two"]).await;
    let (mut line, _) = BotSession::open(&host, &tokens[0]).await;
    let id = host.create_match(exhibition(["one", "two"], &[4])).await;
    line.started().await;
    line.send(declare(&id, vec![0, 0])).await;
    line.refused().await;
    let nobody = host.matches().get_match(lastnim_proto::pb::GetMatchRequest { match_id: "x".into() }).await;
    assert!(nobody.is_err());
    assert_eq!(get(&host, "/nothing").await.status, 404);
    let unsent = "POST /play HTTP/1.1\r\nHost: x\r\nOrigin: http://x\r\nConnection: close\r\nContent-Length: 0\r\n\r\n";
    assert_eq!(send(&host, unsent).await.status, 403);
    assert_eq!(get(&host, "/matches/0192f0c1-2e6b-7c3a-8f4d-5a6b7c8d9e0f").await.status, 404);
    // An aborted stream has the reason in its trailers.
    let (_newer, _) = BotSession::open(&host, &tokens[0]).await;
    assert_eq!(line.end().await.reason(), "REPLACED");
    let counted = metrics(&host).await;
    let refused_count =
        |reason: &str| counted[&format!("lastnim_refused_actions_total{{reason=\"{reason}\"}}")];
    assert_eq!((refused_count("INVALID_ROW"), refused_count("ILLEGAL_TAKE")), (1.0, 0.0));
    let call = "lastnim_refused_calls_total{code=\"INVALID_ARGUMENT\",reason=\"BAD_REQUEST\"}";
    assert_eq!(counted.get(call), Some(&1.0), "{counted:?}");
    let replaced = "lastnim_refused_calls_total{code=\"ABORTED\",reason=\"REPLACED\"}";
    assert_eq!(counted.get(replaced), Some(&1.0), "{counted:?}");
    assert_eq!(counted.get("lastnim_pages_total{status=\"404\"}"), Some(&2.0), "{counted:?}");
    let page = |status: u16, reason: &str| {
        counted.get(&format!("lastnim_refused_pages_total{{status=\"{status}\",reason=\"{reason}\"}}"))
    };
    assert_eq!([page(403, "FORM_COOKIE"), page(404, "NOT_FOUND")], [Some(&1.0); 2], "{counted:?}");
    assert_eq!(page(404, "NO_SUCH_MATCH"), Some(&1.0), "{counted:?}");
    let game = lastnim_proto::pb::Game {
        piles: vec![3, 4],
        alliance_matrix: Some(lastnim_proto::pb::AllianceMatrix {
            rows: vec![lastnim_proto::pb::Row { offsets: vec![0, 1] }; 2],
        }),
        ..Default::default()
    };
    host.oracle().solve(lastnim_proto::pb::SolveRequest { game: Some(game) }).await.unwrap();
    assert_eq!(metrics(&host).await["lastnim_oracle_questions_total"], 1.0);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn remote_access_to_metrics_needs_a_token() {
    let trusted_proxies = vec!["127.0.0.0/8".parse().unwrap()];
    let host = Host::with(Config { trusted_proxies, ..Config::default() }).await;
    let bot = host.register("ann").await;
    let asking = |token: Option<&str>| {
        let token = token.map(|token| format!("Authorization: Bearer {token}\r\n")).unwrap_or_default();
        format!(
            "GET /metrics HTTP/1.1\r\nHost: cup.example\r\nConnection: close\r\nX-Forwarded-For: 192.0.2.1\r\n{token}\r\n"
        )
    };
    let status = |answer: Answer| answer.status;
    assert_eq!(status(send(&host, &asking(None)).await), 401);
    assert_eq!(status(send(&host, &asking(Some(&bot))).await), 403);
    for token in [host.viewer.reveal(), host.admin.reveal()] {
        let answer = send(&host, &asking(Some(token))).await;
        assert_eq!(answer.status, 200, "{}", answer.body);
        parse(&answer.body);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn metrics_can_have_a_separate_listener() {
    // A port that is free on a loopback address that nothing else uses.
    let own = std::net::TcpListener::bind("127.83.21.7:0").unwrap().local_addr().unwrap();
    let metrics_listen = vec![own];
    let host = Host::with(Config { metrics_listen, private: true, no_web: true, ..Config::default() }).await;
    let ask = |request: String| async move {
        let mut stream = TcpStream::connect(own).await.unwrap();
        stream.write_all(request.as_bytes()).await.unwrap();
        let mut answer = Vec::new();
        soon("an answer", stream.read_to_end(&mut answer)).await.unwrap();
        Answer::read(&answer)
    };
    let answer = ask("GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n".into()).await;
    assert_eq!(answer.status, 200, "{}", answer.body);
    assert!(parse(&answer.body).contains_key("lastnim_plies_total"));
    assert_eq!(ask("GET / HTTP/1.1\r\nHost: x\r\n\r\n".into()).await.status, 404);
    assert_eq!(ask("POST /metrics HTTP/1.1\r\nHost: x\r\n\r\n".into()).await.status, 405);
    assert_ne!(ask(format!("GET /{} HTTP/1.1\r\nHost: x\r\n\r\n", "x".repeat(20_000))).await.status, 200);
    drop(host);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_metric_is_documented() {
    const DOCS: &str = include_str!("../../docs/reference/metrics.md");
    let host = Host::start().await;
    let names: BTreeSet<_> = metrics(&host)
        .await
        .into_keys()
        .map(|sample| sample.split('{').next().unwrap().to_owned())
        .map(|name| {
            ["_bucket", "_sum", "_count"].iter().fold(name, |name, end| name.trim_end_matches(end).to_owned())
        })
        .collect();
    for name in names {
        assert!(DOCS.contains(&format!("`{name}`")), "docs/reference/metrics.md has no {name}");
    }
}
