//! More viewers of live pages than the server has room for.

use super::{
    event_source::EventSource,
    host::{Host, exhibition, soon},
    http2::{RawConnection, local, socket},
    pages::get,
    session::BotSession,
};
use lastnim_server::Config;
use std::time::{Duration, Instant};
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::net::TcpStream;

/// A new connection is not ended for another one within this time.
const NEWCOMER_GRACE: Duration = Duration::from_millis(100);

/// Opens the live home page and reads the head of the answer, which is empty if the connection ends before it. The stream
/// of an accepted viewer stays open.
async fn watch_home(server: &str, from: u8) -> (Vec<String>, BufReader<TcpStream>) {
    let mut stream = socket(server, local(from)).await;
    // A connection that has ended may refuse this, or be reset.
    let _ = stream.write_all(b"GET /events HTTP/1.1\r\nHost: cup.example\r\n\r\n").await;
    let mut stream = BufReader::new(stream);
    let mut head = Vec::new();
    loop {
        let mut line = String::new();
        soon("a line of an answer", stream.read_line(&mut line)).await.unwrap_or_default();
        match line.trim_end() {
            "" => return (head, stream),
            line => head.push(line.to_ascii_lowercase()),
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_viewer_gets_an_answer() {
    const VIEWERS: u8 = 240;
    const ROOM: usize = 30;
    let hour = Duration::from_hours(1);
    let config = Config {
        connections: 300,
        stranger_share: 10,
        strangers_per_address: 8,
        stranger_call_time: hour,
        ..Config::default()
    };
    let host = Host::with(config).await;
    let tokens = host.register_all(["one", "two"]).await;
    let (one, _) = BotSession::open(&host, &tokens[0]).await;
    let (two, _) = BotSession::open(&host, &tokens[1]).await;
    let viewers: Vec<_> = (0..VIEWERS)
        .map(|number| {
            let server = host.address.clone();
            tokio::spawn(async move {
                loop {
                    let began = Instant::now();
                    let viewer = watch_home(&server, 2 + number % 20).await;
                    // A busy server may not read a request in time, and end the connection for a newer one.
                    if !viewer.0.is_empty() || began.elapsed() < NEWCOMER_GRACE {
                        return viewer;
                    }
                }
            })
        })
        .collect();
    let mut watching = Vec::new();
    for viewer in viewers {
        let (head, stream) = soon("an answer", viewer).await.unwrap();
        match head.first().map(String::as_str) {
            Some("http/1.1 200 ok") => watching.push(stream),
            Some("http/1.1 503 service unavailable") => {
                for header in ["retry-after: 10", "connection: close"] {
                    assert!(head.iter().any(|line| line == header), "{header}: {head:?}");
                }
            }
            other => panic!("no answer: {other:?}"),
        }
    }
    assert_eq!(watching.len(), ROOM);
    // A probe of the server and a gRPC call are still answered.
    assert_eq!(get(&host, "/readyz").await.status, 200);
    let stranger = RawConnection::open(&host.address, local(1)).await;
    let key = stranger.call("/lastnim.v1.MatchService/GetPublicKey", None, &[]).await;
    assert_eq!(key.unwrap(), "14", "UNAVAILABLE");
    // The bots keep their sessions.
    host.create_match(exhibition(["one", "two"], &[3])).await;
    for playing in [one.playing_timidly(1), two.playing_timidly(1)] {
        soon("the end of the match", playing).await.unwrap();
    }
    // A viewer that leaves makes room for another.
    watching.pop();
    let is_in =
        async || watch_home(&host.address, 30).await.0.first().is_some_and(|line| line.ends_with("200 ok"));
    let entering = async { while !is_in().await {} };
    soon("room for a viewer", entering).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn viewers_are_disconnected_in_turn_for_new_viewers() {
    let config = Config { strangers_per_address: 2, stranger_call_time: Duration::ZERO, ..Config::default() };
    let host = Host::with(config).await;
    let mut first = EventSource::open(&host, "/events").await;
    first.until(|event| event.name == "message").await;
    let mut second = EventSource::open(&host, "/events").await;
    let mut third = EventSource::open(&host, "/events").await;
    let rest = first.rest().await;
    let last = rest.last().map(|event| (event.name.as_str(), event.retry.as_deref()));
    assert_eq!(last, Some(("busy", Some("60000"))), "the one that has watched longest");
    assert!(first.has_ended_well());
    let _fourth = EventSource::open(&host, "/events").await;
    assert!(second.rest().await.iter().any(|event| event.name == "busy"));
    third.until(|event| event.name == "message").await;
    // A stream of gRPC ends with a status.
    let watcher = RawConnection::open(&host.address, local(3)).await;
    let watching = tokio::spawn(async move { watcher.call("/grpc.health.v1.Health/Watch", None, &[]).await });
    let mut later = Vec::new();
    let ended = async {
        while !watching.is_finished() {
            let (head, stream) = watch_home(&host.address, 3).await;
            assert_eq!(head[0], "http/1.1 200 ok");
            later.push(stream);
        }
        watching.await.unwrap()
    };
    assert_eq!(soon("the end of the watching", ended).await.unwrap(), "14", "UNAVAILABLE");
}
