//! Bounds on the memory of unfinished requests and unread responses.

use super::{
    host::{Host, round_robin, soon},
    http2::{RawConnection, framed, local, request, socket, status_of},
    session::BotSession,
};
use h2::{Reason, SendStream, client::Builder, client::ResponseFuture};
use lastnim_core::game::MAX_COUNTERS;
use lastnim_proto::pb;
use lastnim_server::Config;
use prost::{Message as _, bytes::Bytes};
use std::time::Duration;
use tokio::task::JoinSet;

const GET_KEY: &str = "/lastnim.v1.MatchService/GetPublicKey";
const GET_TOURNAMENT: &str = "/lastnim.v1.TournamentService/GetTournament";
const MIB: usize = 1 << 20;
const FOR_EVER: Duration = Duration::from_hours(1);

/// Starts a call whose request announces a MiB and never ends.
async fn unfinished_calls(
    connection: &RawConnection,
    path: &str,
    token: Option<&str>,
) -> (ResponseFuture, SendStream<Bytes>) {
    let mut requests = soon("room for a request", connection.requests.clone().ready()).await.unwrap();
    let (response, mut body) = requests.send_request(request(path, token), false).unwrap();
    let message = framed(&vec![0; MIB]);
    // A call that was refused stops reading.
    let _ = body.send_data(message.slice(..40_000), false);
    (response, body)
}

async fn status_after(response: ResponseFuture) -> Result<String, h2::Error> {
    status_of(response.await?).await
}

/// Calls until the call succeeds.
async fn until_answered(connection: &RawConnection, path: &str, message: &[u8]) {
    let calling = async { while connection.call(path, None, message).await.unwrap() != "0" {} };
    soon("an answer", calling).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn unfinished_requests_are_limited_per_address_and_in_total() {
    let config = Config {
        stranger_memory_per_address: 5 * MIB / 2,
        stranger_memory_bytes: 5 * MIB,
        request_timeout: FOR_EVER,
        ..Config::default()
    };
    let host = Host::with(config).await;
    let mut connections = Vec::new();
    let (mut answers, mut bodies) = (JoinSet::new(), Vec::new());
    for address in 0..3_u8 {
        let connection = RawConnection::open(&host.address, local(1 + address)).await;
        for _ in 0..15 {
            let (response, body) = unfinished_calls(&connection, GET_KEY, None).await;
            answers.spawn(async move { (address, status_after(response).await) });
            bodies.push(body);
        }
        connections.push(connection);
    }
    // Two calls from an address fit, and four in total.
    let mut refused = [0; 3];
    while refused.iter().any(|&refused| refused < 13) || refused.iter().sum::<usize>() < 41 {
        let (address, status) = soon("a refusal", answers.join_next()).await.unwrap().unwrap();
        assert_eq!(status.unwrap(), "8", "RESOURCE_EXHAUSTED");
        refused[usize::from(address)] += 1;
    }
    // Callers with a token have a separate limit.
    let viewer = Some(host.viewer.reveal());
    assert_eq!(connections[0].call(GET_KEY, viewer, &[]).await.unwrap(), "0");
    // Abandoned calls are no longer counted.
    drop((answers, bodies));
    until_answered(&connections[0], GET_KEY, &[]).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn calls_without_a_valid_token_are_refused_before_reading() {
    let host = Host::with(Config { private: true, request_timeout: FOR_EVER, ..Config::default() }).await;
    let connection = RawConnection::open(&host.address, local(1)).await;
    for method in [
        "ArenaService/Play",
        "BotService/RegisterBot",
        "BotService/RotateToken",
        "BotService/ListBots",
        "MatchService/CreateMatch",
        "MatchService/GetRecord",
        "MatchService/WatchMatch",
        "TournamentService/CreateTournament",
        "TournamentService/JoinTournament",
        "TournamentService/LeaveTournament",
        "TournamentService/StartTournament",
        "TournamentService/CancelTournament",
        "TournamentService/GetStandings",
        "OracleService/Solve",
        "OracleService/AuditRecords",
    ] {
        for token in [None, Some("lastnim_a_token_that_nobody_knows")] {
            let path = format!("/lastnim.v1.{method}");
            let (response, _body) = unfinished_calls(&connection, &path, token).await;
            let response = soon("a refusal", response).await.unwrap();
            assert_eq!(status_of(response).await.unwrap(), "16", "{method}: UNAUTHENTICATED");
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn stalled_requests_time_out_but_silent_bots_do_not() {
    let host = Host::with(Config { request_timeout: Duration::from_secs(2), ..Config::default() }).await;
    let token = host.register("silent").await;
    let (_silent, _) = BotSession::open(&host, &token).await;
    let connection = RawConnection::open(&host.address, local(1)).await;
    let mut calls = Vec::new();
    for path in [GET_KEY, "/lastnim.v1.OracleService/AuditRecords", "/lastnim.v1.OracleService/AuditBatch"] {
        calls.push((path, unfinished_calls(&connection, path, None).await));
    }
    for (path, (response, _body)) in calls {
        let response = soon("the end of a call", response).await.unwrap();
        assert_eq!(status_of(response).await.unwrap(), "4", "{path}: DEADLINE_EXCEEDED");
    }
    assert!(host.bot("silent").await.connected);
}

/// Opens a connection on which the server may send this many bytes of each response.
async fn reading_at_most(host: &Host, bytes: u32) -> RawConnection {
    let socket = socket(&host.address, local(1)).await;
    RawConnection::over(socket, Builder::new().initial_window_size(bytes)).await
}

async fn asking(connection: &RawConnection, path: &str, message: &[u8]) -> ResponseFuture {
    let mut requests = soon("room for a request", connection.requests.clone().ready()).await.unwrap();
    let (response, mut body) = requests.send_request(request(path, None), false).unwrap();
    // A refused request may be answered before its body is sent.
    let _ = body.send_data(framed(message), true);
    response
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn unread_responses_time_out() {
    let host = Host::with(Config { response_timeout: Duration::from_millis(200), ..Config::default() }).await;
    for window in [0, 1] {
        let connection = reading_at_most(&host, window).await;
        for _ in 0..3 {
            let response = asking(&connection, GET_KEY, &[]).await.await.unwrap();
            let mut body = response.into_body();
            let end = async {
                loop {
                    match body.data().await {
                        Some(Ok(_)) => {}
                        Some(Err(error)) => return error,
                        None => panic!("the response came whole through a window of {window}"),
                    }
                }
            };
            // The stream ends, but the connection stays open.
            assert_eq!(soon("the end of a call", end).await.reason(), Some(Reason::CANCEL));
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn unread_responses_are_limited() {
    let config =
        Config { stranger_memory_per_address: 5 * MIB / 4, response_timeout: FOR_EVER, ..Config::default() };
    let host = Host::with(config).await;
    // Each pile takes nine bytes, so the tournament takes half a MiB.
    let id = host.create_tournament(round_robin(&[&[MAX_COUNTERS; 58][..]; 1_000]), &[]).await;
    let message = pb::GetTournamentRequest { tournament_id: id }.encode_to_vec();
    let connection = reading_at_most(&host, 0).await;
    let mut answers = JoinSet::new();
    for _ in 0..12 {
        let response = asking(&connection, GET_TOURNAMENT, &message).await;
        answers.spawn(status_after(response));
    }
    for _ in 2..12 {
        let answer = soon("a refusal", answers.join_next()).await.unwrap().unwrap();
        assert_eq!(answer.unwrap(), "8", "RESOURCE_EXHAUSTED");
    }
    drop((answers, connection));
    // Abandoned responses are no longer counted, and a response larger than a fragment arrives whole.
    let reader = RawConnection::open(&host.address, local(1)).await;
    until_answered(&reader, GET_TOURNAMENT, &message).await;
}

#[tokio::test]
async fn errors_of_the_transport_have_reasons() {
    use super::{raw, session::reason};
    let host = Host::start().await;
    let too_large = Bytes::from(vec![0; MIB + 1]);
    let (admin, oracle) = (host.admin.reveal(), "/lastnim.v1.OracleService/Solve");
    let cases = [
        (oracle, too_large, "MESSAGE_TOO_LARGE", "1048576"),
        (oracle, Bytes::from_static(&[0xff; 9]), "MALFORMED", ""),
        ("/lastnim.v1.MatchService/Nothing", Bytes::new(), "UNKNOWN_METHOD", "MatchService/Nothing"),
        ("/no.Such/Service", Bytes::new(), "UNKNOWN_METHOD", "/no.Such/Service"),
    ];
    for (path, message, expected, named) in cases {
        let refused = raw::call(host.channel.clone(), admin, path, message).await.unwrap_err();
        assert_eq!(reason(&refused), expected, "{refused:?}");
        assert!(refused.message().contains(named), "{refused:?}");
    }
}
