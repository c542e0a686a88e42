//! Arbitrary bytes to the listener: the connection ends, and other clients are still served.

use super::server::try_server;
use lastnim_proto::pb;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};

/// The connection preface of an HTTP/2 client.
const PREFACE: &[u8] = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";

/// Sends an input, after an HTTP/2 preface and empty settings if its first byte is even.
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
        // The server may close the connection at any byte.
        let _ = stream.write_all(&sent).await;
        let _ = stream.shutdown().await;
        let _ = stream.read_to_end(&mut Vec::new()).await;
        let asked = server.matches.clone().get_public_key(pb::GetPublicKeyRequest {}).await;
        assert!(asked.is_ok(), "{asked:?}");
    });
}
