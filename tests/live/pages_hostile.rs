//! Hostile and stalled requests for pages.

use super::{
    host::{Host, soon},
    http2::{PREFACE, RawConnection, SETTINGS, local, read_frame, socket},
    pages::{get, send, send_to, style_address},
};
use lastnim_proto::pb;
use lastnim_server::Config;
use std::time::Duration;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::time::timeout;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn malformed_requests_time_out() {
    let brief = Duration::from_millis(200);
    let config = Config { first_call_timeout: brief, request_timeout: brief, ..Config::default() };
    let host = Host::with(config).await;
    let endless = format!("GET /{} HTTP/1.1\r\n", "x".repeat(100_000));
    let many = "GET / HTTP/1.1\r\n".to_owned() + &"x: y\r\n".repeat(5_000);
    for said in ["GET", "GET / HTTP/1.1\r\nHost: s\r\n", "NONSENSE\r\n\r\n", &endless, &many] {
        let mut stream = socket(&host.address, local(1)).await;
        // The server may close it during the write.
        let _ = stream.write_all(said.as_bytes()).await;
        let mut answer = Vec::new();
        let _ = soon("the end of a connection", stream.read_to_end(&mut answer)).await;
        assert!(!answer.starts_with(b"HTTP/1.1 200"), "{said:.40}");
    }
    // Responses are sent completely.
    let host = Host::start().await;
    let post = "POST / HTTP/1.1\r\nHost: s\r\nConnection: close\r\nContent-Length: 1000000\r\n\r\nsome of it";
    let refused = send(&host, post).await;
    assert_eq!((refused.status, refused.header("allow")), (405, "GET, HEAD"));
    let head = send(&host, "HEAD / HTTP/1.1\r\nHost: s\r\nConnection: close\r\n\r\n").await;
    assert_eq!((head.status, head.body.as_str()), (200, ""));
    // A gRPC call over HTTP/1.1 does not count as a gRPC call.
    let call = "POST /lastnim.v1.MatchService/GetPublicKey HTTP/1.1\r\nHost: s\r\nConnection: close\r\nContent-Type: application/grpc\r\n\r\n";
    assert_eq!(send(&host, call).await.status, 405);
    let stranger = RawConnection::open(&host.address, local(1)).await;
    let key = stranger.call("/lastnim.v1.MatchService/GetPublicKey", None, &[]).await;
    assert_eq!(key.unwrap(), "0");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_http1_request_must_name_one_host() {
    let host = Host::start().await;
    let ask = |version: &str, headers: &str| {
        let request = format!("GET /healthz HTTP/{version}\r\n{headers}Connection: close\r\n\r\n");
        let server = &host.address;
        async move { send_to(server, &request).await }
    };
    for headers in [
        "",
        "Host: one\r\nHost: two\r\n",
        "Host: one\r\nhost: one\r\n",
        "Host:\r\n",
        "Host: o ne\r\n",
        "Host: <b>\r\n",
    ] {
        let refused = ask("1.1", headers).await;
        assert_eq!(refused.status, 400, "{headers:?}: {}", refused.body);
        assert!(refused.body.contains("ost"), "it says why: {}", refused.body);
    }
    for (version, headers) in [("1.1", "Host: one:7600\r\n"), ("1.1", "Host: [::1]\r\n"), ("1.0", "")] {
        assert_eq!(ask(version, headers).await.status, 200, "{version} {headers:?}");
    }
}

/// A HEADERS frame for stream 1, which ends there. No header is compressed.
fn headers_frame(headers: &[(&str, &str)]) -> Vec<u8> {
    let mut block = Vec::new();
    for (name, value) in headers {
        block.push(0);
        for text in [name, value] {
            block.push(text.len() as u8);
            block.extend_from_slice(text.as_bytes());
        }
    }
    [&[0, 0, block.len() as u8, 1, 5, 0, 0, 0, 1], &block[..]].concat()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_http2_request_must_name_one_host() {
    // The answers in static entries of HPACK (RFC 7541, appendix A), and a reset stream.
    const OK: (u8, Option<u8>) = (1, Some(0x88));
    const BAD_REQUEST: (u8, Option<u8>) = (1, Some(0x8c));
    const RESET: (u8, Option<u8>) = (3, None);
    let host = Host::start().await;
    for (named, expected) in [
        (&[(":authority", "one")][..], OK),
        (&[(":authority", "one"), ("host", "ONE")], OK),
        (&[("host", "one")], OK),
        (&[], BAD_REQUEST),
        (&[(":authority", "one"), ("host", "two")], BAD_REQUEST),
        (&[(":authority", "one"), ("host", "one"), ("host", "one")], BAD_REQUEST),
        (&[(":authority", "one"), (":authority", "one")], RESET),
        (&[(":authority", "o ne")], RESET),
    ] {
        let asked = [(":method", "GET"), (":scheme", "http"), (":path", "/healthz")];
        let mut stream = socket(&host.address, local(1)).await;
        let request = headers_frame(&[&asked, named].concat());
        stream.write_all(&[PREFACE, SETTINGS, &request].concat()).await.unwrap();
        let answer = loop {
            let frame = soon("an answer", read_frame(&mut stream)).await.unwrap();
            if frame.stream == 1 {
                break (frame.kind, frame.payload.first().copied().filter(|_| frame.kind == 1));
            }
        };
        assert_eq!(answer, expected, "{named:?}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn clients_that_read_nothing_are_dropped() {
    let config = Config { response_timeout: Duration::from_millis(300), ..Config::default() };
    let host = Host::with(config).await;
    let style = style_address(&get(&host, "/").await);
    let request = format!("GET {style} HTTP/1.1\r\nHost: s\r\n\r\n");
    let mut stream = socket(&host.address, local(2)).await;
    // It requests more than all buffers hold, then blocks when they are full.
    let asking = async { while stream.write_all(request.as_bytes()).await.is_ok() {} };
    let others = async {
        for _ in 0..20 {
            assert_eq!(get(&host, "/").await.status, 200);
        }
    };
    // An idle connection would be closed after a minute.
    let end = timeout(Duration::from_secs(20), asking);
    let (end, ()) = tokio::join!(end, others);
    end.expect("a connection that nobody reads is closed soon after the time limit");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn wrong_tokens_count_in_the_same_way_for_pages_and_calls() {
    let host = Host::with(Config { failed_logins: 3, ..Config::default() }).await;
    let request_with = |token: &str| {
        format!(
            "GET /bots.json HTTP/1.1\r\nHost: s\r\nConnection: close\r\nAuthorization: Bearer {token}\r\n\r\n"
        )
    };
    let mut statuses = Vec::new();
    for guess in 0..6 {
        statuses.push(send(&host, &request_with(&format!("lastnim_{guess}"))).await.status);
    }
    assert_eq!(statuses[0], 401);
    assert_eq!(statuses[5], 429, "{statuses:?}");
    let right = send(&host, &request_with(host.viewer.reveal())).await;
    assert_eq!(right.status, 200, "a valid token passes despite the guesses");
}

/// The maximum size of a page.
const MAX_PAGE_BYTES: usize = 100 << 10;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn pages_are_small() {
    let host = Host::start().await;
    let names: Vec<_> = (0..200).map(|bot| format!("a-bot-with-a-long-name-{bot:04}")).collect();
    for name in &names {
        host.register(name).await;
    }
    let title = "x".repeat(60);
    let settings = pb::TournamentSettings { title, ..super::host::round_robin(&[&[3]]) };
    let field: Vec<_> = names.iter().map(String::as_str).collect();
    let tournament = host.create_tournament(settings, &field).await;
    // A match with the maximum number of seats and piles, and with known rows.
    let rows = (0..32).map(|_| pb::Row { offsets: (0..32).collect() }).collect();
    let request = pb::CreateMatchRequest {
        bots: names[..32].to_vec(),
        piles: vec![i64::MAX as u64; 1_024],
        assigned: Some(pb::AllianceMatrix { rows }),
        ..Default::default()
    };
    let game = host.create_match(request).await;
    for path in [
        "/".to_owned(),
        format!("/tournaments/{tournament}"),
        format!("/tournaments/{tournament}/standings"),
        "/matches".into(),
        format!("/matches/{game}"),
        "/bots".into(),
    ] {
        let page = get(&host, &path).await;
        assert_eq!(page.status, 200, "{path}: {}", page.body);
        assert!(page.body.len() < MAX_PAGE_BYTES, "{path}: {} bytes", page.body.len());
    }
}
