//! Messages as large as they may be, and larger.

use super::host::Host;
use lastnim::{
    game::MAX_COUNTERS,
    oracle::MAX_PLIES,
    wire::pb::{self, oracle_service_client::OracleServiceClient},
};
use prost::Message as _;
use tonic::Code;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_largest_game_is_audited_and_a_larger_request_refused() {
    let host = Host::start().await;
    let mut oracle = OracleServiceClient::new(host.channel.clone()).max_decoding_message_size(6 << 20);
    // Nearly as many takes as there may be, each as large as it may be or one: most of the piles are taken whole.
    let mut piles = vec![MAX_COUNTERS; 1_023];
    let ones = MAX_PLIES - piles.len();
    piles.insert(0, ones as u64);
    let mut takes = vec![MAX_COUNTERS; 1_023];
    takes.resize(MAX_PLIES, 1);
    let rows = vec![pb::Row { offsets: (0..32).collect() }; 32];
    let alliance_matrix = Some(pb::AllianceMatrix { rows });
    let game = pb::Game { piles, alliance_matrix, first: 31, ..pb::Game::default() };
    let request = pb::AuditRequest { game: Some(game.clone()), takes };
    let audit = oracle.audit(request).await.unwrap().into_inner().audit.unwrap();
    assert_eq!(audit.plies.len(), MAX_PLIES);

    // As many bytes as any legal request can have are at least read, and refused for what is wrong in them.
    let request = pb::AuditRequest { game: Some(game.clone()), takes: vec![MAX_COUNTERS; MAX_PLIES] };
    assert!(request.encoded_len() > 590_000);
    let refused = oracle.audit(request).await.unwrap_err();
    assert_eq!(refused.code(), Code::InvalidArgument);

    let request = pb::AuditRequest { game: Some(game), takes: vec![MAX_COUNTERS; 2 * MAX_PLIES] };
    let bytes = request.encoded_len();
    let refused = oracle.audit(request).await.unwrap_err();
    assert_eq!(refused.code(), Code::OutOfRange);
    let words = refused.message();
    assert!(words.contains(&bytes.to_string()) && words.contains(&(1 << 20).to_string()), "{words}");
}
