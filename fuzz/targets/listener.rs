//! Bytes at the listener, HTTP/2 or not: the connection ends, and the server answers everybody else.

use super::server::try_server;
use lastnim_proto::pb;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};

/// What a client of HTTP/2 begins with.
const PREFACE: &[u8] = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";

/// Sends an input: behind the preface of HTTP/2 and empty settings if its first byte is even, else as it is.
pub fn check(input: &[u8]) {
    let Some((first, bytes)) = input.split_first() else { return };
    try_server(async |server| {
        let mut stream = server.network.connect().expect("a connection");
        let mut sent = Vec::new();
        if first % 2 == 0 {
            sent.extend(PREFACE);
            sent.extend([0, 0, 0, 4, 0, 0, 0, 0, 0]);
        }
        sent.extend(bytes);
        // The server may have closed the connection at any byte.
        let _ = stream.write_all(&sent).await;
        let _ = stream.shutdown().await;
        let _ = stream.read_to_end(&mut Vec::new()).await;
        let asked = server.matches.clone().get_public_key(pb::GetPublicKeyRequest {}).await;
        assert!(asked.is_ok(), "{asked:?}");
    });
}
