//! Detects the protocol of a connection, and answers clients that do not speak HTTP/2.

use super::listener::Connection;
use std::io;
use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _};

/// The first byte of a TLS connection: a handshake record (RFC 8446, section 5.1).
const TLS_HANDSHAKE: u8 = 22;
/// The fatal TLS alert `handshake_failure` (RFC 8446, section 6), in a record of version 1.0, which every client
/// understands.
const TLS_ALERT: [u8; 7] = [21, 3, 1, 0, 2, 2, 40];

/// The maximum number of bytes that are read of a request head before it is answered.
const MAX_HEAD_BYTES: usize = 16 << 10;

/// The status line and first headers of the answer to an HTTP/1 request when the server has no web pages.
const UPGRADE_HEAD: &str =
    "HTTP/1.1 426 Upgrade Required\r\nUpgrade: HTTP/2.0\r\nConnection: Upgrade, close\r\n";
/// The body of that answer.
const UPGRADE_TEXT: &str = "This is a lastnim server: bots play Last Nim here, over gRPC. It accepts HTTP/2 without an upgrade, and has no web pages (--no-web). Try `lastnim record key --server` with this address.\n";

/// The status line and first headers of the answer to an HTTP/1 request when all connection slots are taken.
const BUSY_HEAD: &str = "HTTP/1.1 503 Service Unavailable\r\nRetry-After: 10\r\nConnection: close\r\n";
/// The body of that answer.
const BUSY_TEXT: &str = "The server has too many connections: try again later.\n";

/// The protocol of a connection, as detected from its first bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ClientProtocol {
    /// HTTP/2, or an unknown protocol, whose bytes the HTTP/2 codec rejects.
    Http2,
    Http1,
    Tls,
}

/// Waits for the first bytes of a connection, and detects its protocol without consuming them.
pub(super) async fn detect_protocol(stream: &mut impl Connection) -> io::Result<ClientProtocol> {
    let mut first = [0; 3];
    let peeked = stream.peek(&mut first).await?;
    Ok(protocol_of(&first[..peeked]))
}

fn protocol_of(first: &[u8]) -> ClientProtocol {
    match first {
        [TLS_HANDSHAKE, ..] => ClientProtocol::Tls,
        // HTTP/2 connections start with `PRI`, which is not an HTTP/1 method.
        first if b"PRI".starts_with(first) => ClientProtocol::Http2,
        [b'A'..=b'Z', ..] => ClientProtocol::Http1,
        _ => ClientProtocol::Http2,
    }
}

/// Reads the head of an HTTP/1 request, and explains what this server is.
pub(super) async fn answer_http1(stream: &mut (impl AsyncRead + AsyncWrite + Unpin)) -> io::Result<()> {
    answer_after_head(stream, UPGRADE_HEAD, UPGRADE_TEXT).await
}

/// Reads the head of an HTTP/1 request, and tells the client to try again later.
pub(super) async fn answer_busy(stream: &mut impl Connection) -> io::Result<()> {
    answer_after_head(stream, BUSY_HEAD, BUSY_TEXT).await
}

async fn answer_after_head(
    stream: &mut (impl AsyncRead + AsyncWrite + Unpin),
    start: &str,
    text: &str,
) -> io::Result<()> {
    let mut head = Vec::new();
    let mut piece = [0; 1024];
    while head.len() < MAX_HEAD_BYTES && !contains_full_head(&head) {
        match stream.read(&mut piece).await? {
            0 => break,
            read => head.extend_from_slice(&piece[..read]),
        }
    }
    let length = text.len();
    let text = if head.starts_with(b"HEAD ") { "" } else { text };
    let answer =
        format!("{start}Content-Type: text/plain; charset=utf-8\r\nContent-Length: {length}\r\n\r\n{text}");
    stream.write_all(answer.as_bytes()).await?;
    stream.shutdown().await
}

/// Returns whether the bytes contain an empty line, which ends a head.
fn contains_full_head(head: &[u8]) -> bool {
    head.windows(4).any(|bytes| bytes == b"\r\n\r\n") || head.windows(2).any(|bytes| bytes == b"\n\n")
}

/// Tells a TLS client that this port does not use TLS.
pub(super) async fn answer_tls(stream: &mut impl Connection) -> io::Result<()> {
    stream.write_all(&TLS_ALERT).await?;
    stream.shutdown().await
}

/// Reads what the client still sends, up to a limit. If the connection were closed with unread bytes, the answer could
/// be lost in transit.
pub(super) async fn drain_input(stream: &mut (impl AsyncRead + AsyncWrite + Unpin)) -> io::Result<()> {
    let mut piece = [0; 1024];
    let mut left = MAX_HEAD_BYTES;
    while left > 0 {
        match stream.read(&mut piece).await? {
            0 => break,
            read => left = left.saturating_sub(read),
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_protocol_is_recognised_by_the_first_bytes() {
        use ClientProtocol::{Http1, Http2, Tls};
        let cases: [(&[u8], _); 13] = [
            (b"PRI", Http2),
            (b"PR", Http2),
            (b"P", Http2),
            (b"", Http2),
            (b"PRO", Http1),
            (b"PU", Http1),
            (b"POS", Http1),
            (b"GET", Http1),
            (b"H", Http1),
            (&[22, 3, 1], Tls),
            (&[22], Tls),
            (b"get", Http2),
            (&[0, 0, 0], Http2),
        ];
        for (first, protocol) in cases {
            assert_eq!(protocol_of(first), protocol, "{first:?}");
        }
    }
}
