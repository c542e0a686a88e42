//! Limits on guessing tokens.

use super::{
    host::{Host, bearing, soon},
    http2::{RawConnection, framed, local, request, status_of},
    session::{BotSession, reason},
};
use lastnim_client::connect;
use lastnim_proto::pb::{self, match_service_client::MatchServiceClient};
use lastnim_server::Config;
use std::time::Duration;
use tonic::{Code, Status, transport::Channel};
use tonic_types::StatusExt as _;

const GET_KEY: &str = "/lastnim.v1.MatchService/GetPublicKey";
/// The gRPC status for a wrong token, and for too many wrong tokens.
const WRONG: &str = "16";
const TOO_MANY: &str = "8";

fn slow(burst: u32, interval: Duration) -> Config {
    Config { failed_logins: burst, failed_login_interval: interval, ..Config::default() }
}

async fn get_key(channel: &Channel, token: &str) -> Result<(), Status> {
    let call = bearing(token, pb::GetPublicKeyRequest {});
    soon("an answer", MatchServiceClient::new(channel.clone()).get_public_key(call)).await.map(drop)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn only_the_guessing_address_is_refused() {
    let host = Host::with(slow(3, Duration::from_hours(1))).await;
    let [player, newcomer] = host.register_all(["player", "newcomer"]).await;
    let (line, _) = BotSession::open(&host, &player).await;
    let guesser = connect(&host.address).await.unwrap();
    for guess in ["a", "b", "c"] {
        let refused = get_key(&guesser, guess).await.unwrap_err();
        assert_eq!((refused.code(), reason(&refused).as_str()), (Code::Unauthenticated, "BAD_TOKEN"));
    }
    let refused = get_key(&guesser, "d").await.unwrap_err();
    assert_eq!(
        (refused.code(), reason(&refused).as_str()),
        (Code::ResourceExhausted, "TOO_MANY_FAILED_LOGINS")
    );
    assert!(refused.message().contains("127.0.0.1: try again in"), "{refused:?}");
    assert!(refused.get_details_retry_info().and_then(|info| info.retry_delay).is_some());
    // A valid token passes from the same address, even the first time.
    get_key(&guesser, &newcomer).await.unwrap();
    drop(line);
    let (_line, welcome) = BotSession::open(&host, &player).await;
    assert_eq!(welcome.bot, "player");
    get_key(&guesser, host.admin.reveal()).await.unwrap();
    let elsewhere = RawConnection::open(&host.address, local(9)).await;
    assert_eq!(elsewhere.call(GET_KEY, Some(&newcomer), &[]).await.unwrap(), "0");
    // Calls without a token are not affected.
    let stranger = RawConnection::open(&host.address, local(1)).await;
    assert_eq!(stranger.call(GET_KEY, None, &[]).await.unwrap(), "0");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_login_limit_applies_to_authenticated_connections_and_recovers() {
    let host = Host::with(slow(2, Duration::from_secs(2))).await;
    let token = host.register("player").await;
    let channel = connect(&host.address).await.unwrap();
    get_key(&channel, &token).await.unwrap();
    for guess in ["a", "b"] {
        assert_eq!(get_key(&channel, guess).await.unwrap_err().code(), Code::Unauthenticated);
    }
    // A guess that takes more than two seconds is admitted.
    let refusing =
        async { while get_key(&channel, "guess").await.unwrap_err().code() != Code::ResourceExhausted {} };
    soon("a refusal", refusing).await;
    let admitting = async {
        while get_key(&channel, "guess").await.unwrap_err().code() != Code::Unauthenticated {
            tokio::task::yield_now().await;
        }
    };
    soon("room for another guess", admitting).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn behind_a_trusted_proxy_the_limit_applies_to_the_client() {
    let trusted = "127.0.0.7".parse().unwrap();
    let host =
        Host::with(Config { trusted_proxies: vec![trusted], ..slow(2, Duration::from_hours(1)) }).await;
    let token = host.register("player").await;
    let proxy = RawConnection::open(&host.address, local(7)).await;
    let call = |client: &'static str, token: String| {
        let requests = proxy.requests.clone();
        async move {
            let mut requests = soon("room for a request", requests.ready()).await.unwrap();
            let mut request = request(GET_KEY, Some(&token));
            request.headers_mut().insert("x-forwarded-for", client.parse().unwrap());
            let (response, mut body) = requests.send_request(request, false).unwrap();
            // A refused request may be answered before its body is sent.
            let _ = body.send_data(framed(&[]), true);
            status_of(soon("a response", response).await.unwrap()).await.unwrap()
        }
    };
    for expected in [WRONG, WRONG, TOO_MANY] {
        assert_eq!(call("192.0.2.1", "guess".into()).await, expected);
    }
    // What the client itself put into the header does not count.
    assert_eq!(call("198.51.100.9, 192.0.2.1", "guess".into()).await, TOO_MANY);
    assert_eq!(call("192.0.2.2", token.clone()).await, "0");
    assert_eq!(call("192.0.2.2", "guess".into()).await, WRONG);
    // The header is ignored from other addresses.
    let liar = RawConnection::open(&host.address, local(8)).await;
    for expected in [WRONG, WRONG, TOO_MANY] {
        assert_eq!(liar.call(GET_KEY, Some("guess"), &[]).await.unwrap(), expected);
    }
}
