//! Limits on questions to the oracle, and their timeouts.

use super::{
    host::{Authorized, Host, soon},
    session::reason,
};
use lastnim_core::game::{Ending, Game};
use lastnim_proto::pb::{self, oracle_service_client::OracleServiceClient};
use lastnim_server::Config;
use std::time::{Duration, Instant};
use tokio::task::JoinHandle;
use tonic::{Code, Request, Status};
use tonic_types::StatusExt as _;

type Oracle = OracleServiceClient<Authorized>;

/// A question that takes far too long: (8!)^8 declarations.
fn endless() -> pb::FindEquilibriaRequest {
    let rows = [
        [3, 6, 1, 0, 7, 2, 5, 4],
        [5, 0, 2, 7, 1, 4, 6, 3],
        [1, 4, 7, 2, 6, 3, 0, 5],
        [6, 2, 5, 1, 3, 0, 4, 7],
        [2, 7, 4, 6, 0, 5, 3, 1],
        [7, 3, 0, 5, 4, 1, 2, 6],
        [4, 1, 6, 3, 5, 7, 0, 2],
        [0, 5, 3, 4, 2, 6, 7, 1],
    ];
    let rows: Vec<Vec<u64>> = rows.iter().map(|row| row.to_vec()).collect();
    let game = Game::parse(&[9, 9, 9, 9], &rows, 0, Ending::ToMoveWins).unwrap();
    pb::FindEquilibriaRequest { game: Some((&game).into()), max_examples: 1 }
}

fn small() -> pb::Game {
    (&Game::parse(&[2, 2], &[vec![0, 1], vec![0, 1]], 0, Ending::ToMoveWins).unwrap()).into()
}

fn asking(mut oracle: Oracle) -> JoinHandle<Result<pb::FindEquilibriaResponse, Status>> {
    tokio::spawn(async move { oracle.find_equilibria(endless()).await.map(tonic::Response::into_inner) })
}

async fn solve(mut oracle: Oracle) -> Result<(), Status> {
    let request = pb::SolveRequest { game: Some(small()) };
    soon("a solution", oracle.solve(request)).await.map(drop)
}

/// Asks a small question that shares a queue with long ones.
async fn check_truth(mut oracle: Oracle, within: Duration) -> Result<(), Status> {
    let mut request = Request::new(pb::CheckTruthRequest { game: Some(small()) });
    request.set_timeout(within);
    soon("an answer", oracle.check_truth(request)).await.map(drop)
}

/// Waits until a caller's long questions occupy every worker.
async fn until_busy(oracle: &Oracle) {
    let looking = async { while check_truth(oracle.clone(), Duration::from_millis(300)).await.is_ok() {} };
    soon("the turn of the endless question", looking).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn questions_are_cancelled_when_their_caller_leaves() {
    let host = Host::with(Config { oracle_questions: 1, ..Config::default() }).await;
    let leaving = host.register("leaving").await;
    let oracle = host.oracle_for(&leaving);
    let call = asking(oracle.clone());
    until_busy(&oracle).await;
    call.abort();
    // The other question would have taken 10 s.
    check_truth(oracle, Duration::from_secs(8)).await.unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_single_caller_uses_all_workers_until_others_come() {
    let host = Host::start().await;
    let [alone, coming] = host.register_all(["alone", "coming"]).await;
    let oracle = host.oracle_for(&alone);
    let questions = [asking(oracle.clone()), asking(oracle.clone())];
    until_busy(&oracle).await;
    // Each of the two would occupy its worker for 10 s.
    for _ in 0..3 {
        check_truth(host.oracle_for(&coming), Duration::from_secs(8)).await.unwrap();
    }
    for question in questions {
        question.abort();
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn partial_results_are_returned_by_the_deadline() {
    let host = Host::start().await;
    let token = host.register("hurried").await;
    let answer_within = async |seconds| {
        let mut request = Request::new(endless());
        request.set_timeout(Duration::from_secs(seconds));
        host.oracle_for(&token).find_equilibria(request).await
    };
    // A tenth of the deadline is reserved for transmitting the answer, which may not suffice on a busy machine; after
    // the deadline there is no answer.
    let mut seconds = 2;
    let answer = loop {
        match answer_within(seconds).await {
            Ok(answer) => break answer.into_inner(),
            Err(status) => assert!(seconds < 60, "{status:?}"),
        }
        seconds *= 2;
    };
    let settled = answer.settled.unwrap();
    assert!(!settled.complete && settled.settled.parse::<u128>().is_ok());
    let all: u128 = settled.all.parse().unwrap();
    assert_eq!(all, 40_320_u128.pow(8));
    assert!(answer.by_winner.iter().all(|count| !count.exact || count.number.parse::<u128>().is_ok()));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn questions_of_a_caller_are_limited_and_do_not_delay_others() {
    let host = Host::start().await;
    let [greedy, modest] = host.register_all(["greedy", "modest"]).await;
    let mut questions = Vec::new();
    let refused = async {
        loop {
            questions.push(asking(host.oracle_for(&greedy)));
            if let Err(refused) = solve(host.oracle_for(&greedy)).await {
                break refused;
            }
        }
    };
    let refused = soon("a refusal", refused).await;
    assert_eq!((refused.code(), reason(&refused).as_str()), (Code::ResourceExhausted, "TOO_MANY_QUESTIONS"));
    assert!(refused.get_details_retry_info().is_some_and(|info| info.retry_delay.is_some()));
    assert!(refused.message().contains("16"), "{refused}");
    // Others are answered in both queues, before callers that occupy workers.
    solve(host.oracle_for(&modest)).await.unwrap();
    check_truth(host.oracle_for(&modest), Duration::from_mins(1)).await.unwrap();
    // So are callers without a token.
    soon("a solution", host.oracle().solve(pb::SolveRequest { game: Some(small()) })).await.unwrap();
    for question in questions {
        question.abort();
    }
    let again = async { while solve(host.oracle_for(&greedy)).await.is_err() {} };
    soon("room for another question", again).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn callers_without_a_token_are_limited_by_address() {
    let host = Host::start().await;
    let mut questions = Vec::new();
    let refused = async {
        loop {
            let mut oracle = host.oracle();
            questions.push(tokio::spawn(async move { oracle.find_equilibria(endless()).await.map(drop) }));
            if let Err(refused) = host.oracle().solve(pb::SolveRequest { game: Some(small()) }).await {
                break refused;
            }
        }
    };
    assert_eq!(reason(&soon("a refusal", refused).await), "TOO_MANY_QUESTIONS");
    let viewer = host.oracle_for(host.viewer.reveal());
    solve(viewer).await.unwrap();
    for question in questions {
        question.abort();
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_stopping_server_cancels_questions() {
    let config =
        Config { oracle_questions: 1, shutdown_grace: Duration::from_millis(100), ..Config::default() };
    let host = Host::with(config).await;
    let busy = host.register("busy").await;
    let call = asking(host.oracle_for(&busy));
    until_busy(&host.oracle_for(&busy)).await;
    let began = Instant::now();
    let running = host.stop();
    let refused = soon("the end of the question", call).await.unwrap().unwrap_err();
    assert_eq!((refused.code(), reason(&refused).as_str()), (Code::Unavailable, "STOPPING"));
    soon("the end of the server", running).await.unwrap().unwrap();
    // Without the cancellation it would have taken 10 s.
    assert!(began.elapsed() < Duration::from_secs(9), "{:?}", began.elapsed());
}
