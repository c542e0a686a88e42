//! Messages at and above the size limits.

use super::host::{Host, round_robin};
use lastnim_core::{game::MAX_COUNTERS, oracle::MAX_PLIES};
use lastnim_proto::pb::{self, oracle_service_client::OracleServiceClient};
use prost::Message as _;
use tonic::Code;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_largest_game_is_audited_and_a_larger_request_refused() {
    let host = Host::start().await;
    let mut oracle = OracleServiceClient::new(host.channel.clone()).max_decoding_message_size(6 << 20);
    // The maximum number of takes: all piles but one are taken whole, and that one by single counters.
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

    // A request of the maximum legal size is read, and refused for its contents.
    let request = pb::AuditRequest { game: Some(game.clone()), takes: vec![MAX_COUNTERS; MAX_PLIES] };
    assert!(request.encoded_len() > 590_000);
    let refused = oracle.audit(request).await.unwrap_err();
    assert_eq!(refused.code(), Code::InvalidArgument);

    let request = pb::AuditRequest { game: Some(game), takes: vec![MAX_COUNTERS; 2 * MAX_PLIES] };
    let bytes = request.encoded_len();
    let refused = oracle.audit(request).await.unwrap_err();
    assert_eq!(refused.code(), Code::OutOfRange);
    let message = refused.message();
    assert!(message.contains(&bytes.to_string()) && message.contains(&(1 << 20).to_string()), "{message}");
}

#[tokio::test]
async fn pages_of_large_tournaments_are_shortened() {
    let host = Host::start().await;
    // Each pile takes nine bytes, so each tournament takes half a MiB.
    let piles = [MAX_COUNTERS; 58];
    let mut created = Vec::new();
    for _ in 0..6 {
        created.push(host.create_tournament(round_robin(&[&piles[..]; 1_000]), &[]).await);
    }
    let (mut pages, mut page_token) = (Vec::new(), String::new());
    loop {
        let request = pb::ListTournamentsRequest { page_size: 5, page_token, ..Default::default() };
        // With the default size limit of clients.
        let page = host.tournaments().list_tournaments(request).await.unwrap().into_inner();
        assert!(page.encoded_len() <= 2 << 20);
        pages.push(page.tournaments.into_iter().map(|tournament| tournament.id).collect::<Vec<_>>());
        page_token = page.next_page_token;
        if page_token.is_empty() {
            break;
        }
    }
    assert_eq!(pages.iter().map(Vec::len).collect::<Vec<_>>(), [3, 3]);
    let mut listed = pages.concat();
    listed.sort_unstable();
    created.sort_unstable();
    assert_eq!(listed, created);
}
