//! Fairness of reads.

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
/// The maximum number of reads of the modest caller, one after the other, until one was fast.
const MODEST: usize = 64;

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

/// Reads once, and returns how many reads of another were answered during it.
async fn passed_during(answered: &AtomicUsize, read: impl Future<Output = usize>) -> usize {
    let before = answered.load(Ordering::Relaxed);
    assert_eq!(read.await, 8);
    answered.load(Ordering::Relaxed) - before
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_greedy_reader_does_not_delay_others() {
    let host = Host::with(Config::default()).await;
    for _ in 0..8 {
        host.create_tournament(round_robin(&[&[2]]), &[]).await;
    }
    let answered = Arc::default();
    let mut reading = read_greedily(&host, &answered).await;
    // Tested with a token, and without one at the same address.
    let own = TournamentServiceClient::new(soon("a connection", connect(&host.address)).await.unwrap());
    // On a busy machine this client itself may be slow sometimes; a caller queued behind the other's reads would be slow
    // every time.
    let (mut without_token, mut with_token) = (usize::MAX, usize::MAX);
    for _ in 0..MODEST {
        without_token = without_token.min(passed_during(&answered, list(own.clone())).await);
        let as_admin = async {
            let request = pb::ListTournamentsRequest::default();
            let page = soon("a page", host.tournaments().list_tournaments(request)).await.unwrap();
            page.into_inner().tournaments.len()
        };
        with_token = with_token.min(passed_during(&answered, as_admin).await);
        if without_token.max(with_token) < GREEDY / 2 {
            break;
        }
    }
    for passed in [without_token, with_token] {
        assert!(passed < GREEDY / 2, "at best {passed} reads of the other were answered first");
    }
    reading.abort_all();
    while reading.join_next().await.is_some_and(|ended| ended.is_err_and(|error| error.is_cancelled())) {}
    assert!(reading.is_empty(), "no read of the greedy caller failed");
}
