//! Clients that do not speak HTTP/2 get an explanation.

use super::{
    host::{Host, soon},
    http2::{RawConnection, local, socket},
};
use lastnim_server::Config;
use std::time::Duration;
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::TcpStream,
};

/// The start of a TLS handshake: a record of version 1.0 with a `ClientHello` of 512 bytes.
const CLIENT_HELLO: &[u8] = &[22, 3, 1, 2, 0, 1, 0, 1, 0xfc, 3, 3];

async fn answer(mut stream: TcpStream) -> Vec<u8> {
    let mut answer = Vec::new();
    soon("the end of an answer", stream.read_to_end(&mut answer)).await.unwrap();
    answer
}

/// Starts a server with gRPC only.
async fn without_pages(config: Config) -> Host {
    Host::with(Config { no_web: true, ..config }).await
}

async fn answer_to(host: &Host, said: &[u8]) -> Vec<u8> {
    let mut stream = socket(&host.address, local(1)).await;
    stream.write_all(said).await.unwrap();
    answer(stream).await
}

/// Splits an HTTP/1.1 response into status line, headers and body.
fn parts(response: &[u8]) -> (&str, Vec<(&str, &str)>, &str) {
    let response = str::from_utf8(response).unwrap();
    let (head, body) = response.split_once("\r\n\r\n").unwrap();
    let mut lines = head.split("\r\n");
    let status = lines.next().unwrap();
    (status, lines.map(|line| line.split_once(": ").unwrap()).collect(), body)
}

fn assert_explains_protocol(response: &[u8]) {
    let (status, headers, body) = parts(response);
    assert_eq!(status, "HTTP/1.1 426 Upgrade Required");
    let header = |name: &str| headers.iter().find(|(key, _)| *key == name).map(|(_, value)| *value);
    assert_eq!(header("Content-Length"), Some(body.len().to_string().as_str()));
    assert_eq!((header("Upgrade"), header("Connection")), (Some("HTTP/2.0"), Some("Upgrade, close")));
    assert!(body.contains("lastnim server") && body.contains("gRPC") && body.ends_with('\n'), "{body}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn without_pages_http1_requests_get_an_explanation() {
    let host = without_pages(Config::default()).await;
    let long = format!("GET / HTTP/1.1\r\nHost: server\r\nCookie: {}\r\n\r\n", "x".repeat(10_000));
    let endless = format!("GET /{} HTTP/1.1\r\n", "x".repeat(30_000));
    let requests: [&str; 6] = [
        "GET / HTTP/1.1\r\nHost: server\r\n\r\n",
        "POST /path HTTP/1.1\r\nHost: server\r\nContent-Length: 100000\r\n\r\nsome of the body",
        "PROPFIND / HTTP/1.0\n\n",
        "PUT / HTTP/1.1\r\nExpect: 100-continue\r\n\r\n",
        &long,
        &endless,
    ];
    for request in requests {
        assert_explains_protocol(&answer_to(&host, request.as_bytes()).await);
    }
    let answer = answer_to(&host, b"HEAD / HTTP/1.1\r\n\r\n").await;
    assert_eq!(parts(&answer).2, "", "no body answers HEAD");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn fragmented_requests_are_answered_when_complete() {
    let host = without_pages(Config::default()).await;
    let mut stream = socket(&host.address, local(1)).await;
    for piece in ["GE", "T / HTTP/1.1\r", "\nHost: server\r\n", "\r", "\n"] {
        stream.write_all(piece.as_bytes()).await.unwrap();
        stream.flush().await.unwrap();
        tokio::task::yield_now().await;
    }
    assert_explains_protocol(&answer(stream).await);
    // An incomplete request is closed after a while, and blocks no other request before that.
    let brief = Duration::from_secs(2);
    let host = without_pages(Config { first_call_timeout: brief, ..Config::default() }).await;
    let mut streams = Vec::new();
    for said in [&b""[..], b"G", b"GET / HTTP/1.1\r\n", b"P", &CLIENT_HELLO[..1]] {
        let mut stream = socket(&host.address, local(1)).await;
        stream.write_all(said).await.unwrap();
        streams.push(stream);
    }
    for stream in streams {
        answer(stream).await;
    }
    let stranger = RawConnection::open(&host.address, local(1)).await;
    let key = stranger.call("/lastnim.v1.MatchService/GetPublicKey", None, &[]).await;
    assert_eq!(key.unwrap(), "0");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn tls_handshakes_get_a_tls_alert() {
    let trusted = "127.0.0.7".parse().unwrap();
    let host = without_pages(Config { trusted_proxies: vec![trusted], ..Config::default() }).await;
    // A fatal alert: handshake_failure.
    let alert = [21, 3, 1, 0, 2, 2, 40];
    assert_eq!(answer_to(&host, CLIENT_HELLO).await, alert);
    // A proxy announces its client first.
    let header = b"\r\n\r\n\0\r\nQUIT\n\x21\x11\0\x0c\xc0\0\x02\x01\x7f\0\0\x01\x01\0\x02\0";
    let mut stream = socket(&host.address, local(7)).await;
    stream.write_all(&[&header[..], CLIENT_HELLO].concat()).await.unwrap();
    assert_eq!(answer(stream).await, alert);
    let mut stream = socket(&host.address, local(7)).await;
    stream.write_all(&[&header[..], b"GET / HTTP/1.1\r\n\r\n"].concat()).await.unwrap();
    assert_explains_protocol(&answer(stream).await);
}
