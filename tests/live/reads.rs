//! Reads beside those of a greedy caller.

use super::host::{Host, round_robin, soon};
use lastnim_client::connect;
use lastnim_proto::pb::{self, tournament_service_client::TournamentServiceClient};
use lastnim_server::Config;
use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering},
};
use tokio::task::JoinSet;
use tonic::transport::Channel;

/// Simultaneous reads of the greedy caller.
const GREEDY: usize = 128;
/// Reads of each modest caller, one after the other.
const MODEST: usize = 10;

async fn list(mut tournaments: TournamentServiceClient<Channel>) -> usize {
    let request = pb::ListTournamentsRequest::default();
    let page = soon("a page", tournaments.list_tournaments(request)).await.unwrap();
    page.into_inner().tournaments.len()
}

/// Lists tournaments repeatedly with many simultaneous calls, on one connection without a token.
async fn read_greedily(host: &Host, answered: &Arc<AtomicUsize>) -> JoinSet<()> {
    let channel = soon("a connection", connect(&host.address)).await.unwrap();
    let mut reading = JoinSet::new();
    for _ in 0..GREEDY {
        let (tournaments, answered) = (TournamentServiceClient::new(channel.clone()), Arc::clone(answered));
        reading.spawn(async move {
            loop {
                assert_eq!(list(tournaments.clone()).await, 8);
                answered.fetch_add(1, Ordering::Relaxed);
            }
        });
    }
    let begun = async {
        while answered.load(Ordering::Relaxed) < GREEDY {
            tokio::task::yield_now().await;
        }
    };
    soon("the first answers", begun).await;
    reading
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn others_read_while_a_greedy_caller_does() {
    let host = Host::with(Config::default()).await;
    for _ in 0..8 {
        host.create_tournament(round_robin(&[&[2]]), &[]).await;
    }
    let mut reading = read_greedily(&host, &Arc::default()).await;
    // Tested with a token, and without one at the same address.
    let own = TournamentServiceClient::new(soon("a connection", connect(&host.address)).await.unwrap());
    for _ in 0..MODEST {
        assert_eq!(list(own.clone()).await, 8);
        let request = pb::ListTournamentsRequest::default();
        let page = soon("a page", host.tournaments().list_tournaments(request)).await.unwrap();
        assert_eq!(page.into_inner().tournaments.len(), 8);
    }
    reading.abort_all();
    while reading.join_next().await.is_some_and(|ended| ended.is_err_and(|error| error.is_cancelled())) {}
    assert!(reading.is_empty(), "no read of the greedy caller failed");
}
