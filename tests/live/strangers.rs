//! Connections without a token must not block others.

use super::{
    host::{Host, bearing, exhibition, soon},
    http2::{PREFACE, RawConnection, SETTINGS, local, socket},
    session::BotSession,
};
use lastnim_client::connect;
use lastnim_proto::pb::{self, match_service_client::MatchServiceClient};
use lastnim_server::Config;
use std::time::Duration;
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::TcpStream,
};

const GET_KEY: &str = "/lastnim.v1.MatchService/GetPublicKey";
/// A PING frame.
const PING: &[u8] = &[0, 0, 8, 6, 0, 0, 0, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8];

/// Ways to start a connection and then stay silent.
const BEGINNINGS: [&[&[u8]]; 5] =
    [&[], &[PREFACE.split_at(11).0], &[PREFACE], &[PREFACE, SETTINGS], &[PREFACE, SETTINGS, PING, PING]];

async fn silent_sockets(server: &str, count: usize, addresses: u8) -> Vec<TcpStream> {
    let mut sockets = Vec::new();
    for index in 0..count {
        let mut stream = socket(server, local(1 + (index % usize::from(addresses)) as u8)).await;
        for bytes in BEGINNINGS[index / usize::from(addresses) % BEGINNINGS.len()] {
            // A socket that was evicted already may refuse the write.
            let _ = stream.write_all(bytes).await;
        }
        sockets.push(stream);
    }
    sockets
}

/// Reads until a connection is closed.
async fn wait_until_closed(mut stream: TcpStream) {
    let reading = async {
        let mut bytes = [0; 256];
        while stream.read(&mut bytes).await.is_ok_and(|read| read > 0) {}
    };
    soon("the end of a connection", reading).await;
}

async fn assert_calls_are_answered(host: &Host, token: &str) {
    for from in [1, 9] {
        let stranger = RawConnection::open(&host.address, local(from)).await;
        assert_eq!(stranger.call(GET_KEY, None, &[]).await.unwrap(), "0");
    }
    let channel = connect(&host.address).await.unwrap();
    let call = bearing(token, pb::GetPublicKeyRequest {});
    soon("an answer", MatchServiceClient::new(channel).get_public_key(call)).await.unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn silent_connections_are_evicted_for_others() {
    for addresses in [1, 5, 60] {
        // Here silence alone does not close connections.
        let patience = Duration::from_hours(1);
        let host = Host::with(Config {
            connections: 40,
            first_call_timeout: patience,
            stranger_idle_timeout: patience,
            ..Config::default()
        })
        .await;
        let tokens = host.register_all(["one", "two"]).await;
        let (one, _) = BotSession::open(&host, &tokens[0]).await;
        let (two, _) = BotSession::open(&host, &tokens[1]).await;
        let sockets = silent_sockets(&host.address, 60, addresses).await;
        assert_calls_are_answered(&host, &tokens[0]).await;
        // A connection with a token keeps its slot.
        let id = host.create_match(exhibition(["one", "two"], &[3])).await;
        for playing in [one.playing_timidly(1), two.playing_timidly(1)] {
            soon("the end of the match", playing).await.unwrap();
        }
        assert!(host.get_match(&id).await.r#match.unwrap().winner.is_some());
        drop(sockets);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn strangers_cannot_use_the_slots_reserved_for_tokens() {
    let host = Host::with(Config { connections: 8, ..Config::default() }).await;
    let names = ["a", "b", "c", "d", "e", "f", "g"];
    let tokens = host.register_all(names).await;
    let sockets = silent_sockets(&host.address, 20, 3).await;
    let mut lines = Vec::new();
    for token in &tokens {
        lines.push(BotSession::open(&host, token).await.0);
    }
    // Together with the host's own channel there are eight connections, so all slots are taken.
    for stream in sockets {
        wait_until_closed(stream).await;
    }
    wait_until_closed(socket(&host.address, local(9)).await).await;
    drop(lines.pop());
    let entering = async {
        loop {
            let mut stream = socket(&host.address, local(9)).await;
            stream.write_all(PREFACE).await.unwrap();
            if stream.read_u8().await.is_ok() {
                break;
            }
        }
    };
    soon("a place", entering).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_connection_without_a_call_is_closed() {
    let brief = Duration::from_secs(2);
    let host =
        Host::with(Config { first_call_timeout: brief, stranger_idle_timeout: brief, ..Config::default() })
            .await;
    let token = host.register("patient").await;
    let (_patient, _) = BotSession::open(&host, &token).await;
    for stream in silent_sockets(&host.address, 10, 2).await {
        wait_until_closed(stream).await;
    }
    let stranger = RawConnection::open(&host.address, local(1)).await;
    assert_eq!(stranger.call(GET_KEY, None, &[]).await.unwrap(), "0");
    soon("the end of a connection", stranger.driving).await.unwrap().unwrap();
    // A bot may be silent for any time.
    assert!(host.bot("patient").await.connected);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_trusted_proxy_identifies_clients() {
    let trusted = "127.0.0.7".parse().unwrap();
    let host =
        Host::with(Config { trusted_proxies: vec![trusted], strangers_per_address: 1, ..Config::default() })
            .await;
    let header = |client: u8| {
        let addresses = [192, 0, 2, client, 127, 0, 0, 1, 1, 0, 2, 0];
        [&b"\r\n\r\n\0\r\nQUIT\n\x21\x11\0\x0c"[..], &addresses].concat()
    };
    let announced_matches = |client| {
        let (server, first) = (host.address.clone(), header(client));
        async move { RawConnection::announced(&server, local(7), &first).await }
    };
    let first = announced_matches(1).await;
    assert_eq!(first.call(GET_KEY, None, &[]).await.unwrap(), "0");
    let other = announced_matches(2).await;
    assert_eq!(other.call(GET_KEY, None, &[]).await.unwrap(), "0");
    // A second connection of the first client replaces its first.
    let second = announced_matches(1).await;
    assert_eq!(second.call(GET_KEY, None, &[]).await.unwrap(), "0");
    let _ = soon("the end of a connection", first.driving).await;
    assert_eq!(other.call(GET_KEY, None, &[]).await.unwrap(), "0");
    assert_eq!(second.call(GET_KEY, None, &[]).await.unwrap(), "0");
    // Many clients share one proxy that identifies them only in requests.
    let shared = [
        RawConnection::open(&host.address, local(7)).await,
        RawConnection::open(&host.address, local(7)).await,
    ];
    for connection in &shared {
        assert_eq!(connection.call(GET_KEY, None, &[]).await.unwrap(), "0");
    }
    // The header is ignored from other addresses.
    let mut liar = socket(&host.address, local(8)).await;
    liar.write_all(&header(1)).await.unwrap();
    wait_until_closed(liar).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_burst_from_one_address_loses_no_connection() {
    // These are far more than the connections that one address may have without a token.
    const BURST: usize = 400;
    // The connections are opened long before their first calls.
    let host = Host::with(Config { first_call_timeout: Duration::from_hours(1), ..Config::default() }).await;
    let token = host.register("busy").await;
    let mut connections = Vec::new();
    for _ in 0..BURST {
        connections.push(RawConnection::open(&host.address, local(1)).await);
    }
    for connection in &connections {
        assert_eq!(connection.call(GET_KEY, Some(&token), &[]).await.unwrap(), "0");
    }
}
