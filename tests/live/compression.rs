//! Compression of records, lists and exports on request, but never of play.

use super::{
    host::{Host, exhibition, patient_clock, soon},
    http2::{RawConnection, framed, local, request},
    session::{BotSession, reason},
};
use lastnim_proto::pb::{self, match_service_client::MatchServiceClient};
use prost::Message as _;
use tonic::{Code, codec::CompressionEncoding, codegen::http::HeaderMap};

/// Calls a method, accepting the given encoding, and returns the headers and the size of the body.
async fn fetch(host: &Host, path: &str, token: &str, message: &[u8], accepted: &str) -> (HeaderMap, usize) {
    let connection = RawConnection::open(&host.address, local(1)).await;
    let mut requests = soon("room for a request", connection.requests.clone().ready()).await.unwrap();
    let mut request = request(path, Some(token));
    request.headers_mut().insert("grpc-accept-encoding", accepted.parse().unwrap());
    let (response, mut body) = requests.send_request(request, false).unwrap();
    body.send_data(framed(message), true).unwrap();
    let (head, mut body) = soon("a response", response).await.unwrap().into_parts();
    let mut bytes = 0;
    while let Some(data) = soon("data", body.data()).await {
        let data = data.unwrap();
        bytes += data.len();
        body.flow_control().release_capacity(data.len()).unwrap();
    }
    (head.headers, bytes)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn records_and_lists_are_compressed_on_request_but_play_is_not() {
    let host = Host::start().await;
    let tokens = host.register_all(["one", "two"]).await;
    let mut playing = Vec::new();
    for token in &tokens {
        playing.push(BotSession::open(&host, token).await.0.playing_timidly(1));
    }
    let request = pb::CreateMatchRequest {
        clock: Some(patient_clock()),
        max_plies: 300,
        ..exhibition(["one", "two"], &[u64::MAX >> 1])
    };
    let id = host.create_match(request).await;
    for playing in playing {
        soon("the end of the match", playing).await.unwrap();
    }
    for _ in 0..40 {
        host.create_match(exhibition(["one", "two"], &[3; 40])).await;
    }
    let viewer = host.viewer.reveal();
    let record = pb::GetRecordRequest { match_id: id.clone() }.encode_to_vec();
    let list = pb::ListMatchesRequest { page_size: 100, ..Default::default() }.encode_to_vec();
    let cases = [
        ("/lastnim.v1.MatchService/GetRecord", &record, 110),
        ("/lastnim.v1.MatchService/ListMatches", &list, 300),
    ];
    for (path, message, percent) in cases {
        let (headers, plain) = fetch(&host, path, viewer, message, "identity").await;
        assert!(!headers.contains_key("grpc-encoding"));
        let (headers, compressed) = fetch(&host, path, viewer, message, "gzip").await;
        assert_eq!(headers["grpc-encoding"], "gzip");
        assert!(100 * plain > percent * compressed, "{path}: {plain} bytes, {compressed} compressed");
    }
    // A bot's first message is invalid, which ends its session.
    let (headers, _) = fetch(&host, "/lastnim.v1.ArenaService/Play", &tokens[0], &[0xff; 9], "gzip").await;
    assert!(!headers.contains_key("grpc-encoding"));

    let mut matches = MatchServiceClient::new(host.authorized(viewer));
    let plain = matches.get_record(pb::GetRecordRequest { match_id: id.clone() }).await.unwrap().into_inner();
    let mut reading = matches.clone().accept_compressed(CompressionEncoding::Gzip);
    let request = pb::GetRecordRequest { match_id: id.clone() };
    assert_eq!(reading.get_record(request).await.unwrap().into_inner(), plain);
    // Compressed requests are refused, since they could expand.
    let mut sending = matches.send_compressed(CompressionEncoding::Gzip);
    let refused = sending.get_record(pb::GetRecordRequest { match_id: id }).await.unwrap_err();
    assert_eq!((refused.code(), reason(&refused).as_str()), (Code::Unimplemented, "UNKNOWN_COMPRESSION"));
}
