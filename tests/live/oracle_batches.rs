//! Batches of questions to the oracle.

use super::{
    host::{Host, soon},
    session::reason,
};
use lastnim_core::{
    game::{AllianceMatrix, Ending, Game, SeatCount},
    oracle::{Audit, PlayedTake, Solution},
};
use lastnim_proto::pb::{
    self, audit_batch_answer::Answer as AuditAnswer, solve_batch_answer::Answer as SolveAnswer,
};
use lastnim_server::Config;
use std::time::Duration;
use tokio::sync::mpsc;
use tokio_stream::wrappers::ReceiverStream;
use tonic::{Code, Streaming};
use tonic_types::StatusExt as _;

const ROWS: [[u64; 5]; 5] =
    [[0, 2, 1, 4, 3], [3, 1, 2, 0, 4], [0, 1, 2, 3, 4], [4, 3, 2, 1, 0], [1, 0, 3, 2, 4]];

fn matrix() -> pb::AllianceMatrix {
    let row = |row: &[u64; 5]| pb::Row { offsets: row.iter().map(|&offset| offset as u32).collect() };
    pb::AllianceMatrix { rows: ROWS.iter().map(row).collect() }
}

/// The piles of position `number`; every hundredth is invalid.
fn piles(number: u64) -> Vec<u64> {
    let piles = (0..=number % 7).map(|pile| 1 + (number / 7 + 3 * pile) % 9).collect();
    if number % 100 == 50 { vec![0, 1] } else { piles }
}

fn first(number: u64) -> u32 {
    (number % 5) as u32
}

fn game(number: u64) -> Game {
    let rows = ROWS.map(|row| row.to_vec());
    Game::parse(&piles(number), &rows, first(number) as usize, Ending::LastMoverWins).unwrap()
}

fn request(numbers: std::ops::Range<u64>, detail: pb::SolveDetail) -> pb::SolveBatchRequest {
    let position = |number| pb::BatchPosition { piles: piles(number), first: first(number) };
    pb::SolveBatchRequest {
        alliance_matrix: Some(matrix()),
        ending: pb::Ending::LastMoverWins.into(),
        positions: numbers.map(position).collect(),
        detail: detail.into(),
    }
}

/// An open batch of positions.
struct SolveBatch {
    asks: mpsc::Sender<pb::SolveBatchRequest>,
    answers: Streaming<pb::SolveBatchResponse>,
}

impl SolveBatch {
    async fn open(host: &Host, token: &str) -> Result<Self, tonic::Status> {
        let (asks, requests) = mpsc::channel(4);
        let mut oracle = host.oracle_for(token);
        let opening = oracle.solve_batch(ReceiverStream::new(requests));
        let answers = soon("the opening of a batch", opening).await?.into_inner();
        Ok(Self { asks, answers })
    }

    async fn ask(&self, request: pb::SolveBatchRequest) {
        soon("room in the batch", self.asks.send(request)).await.unwrap();
    }

    async fn answer(&mut self) -> Result<Option<pb::SolveBatchResponse>, tonic::Status> {
        soon("an answer", self.answers.message()).await
    }
}

/// Checks the answer to position `number`.
fn check(number: u64, answer: SolveAnswer, index: usize) {
    match answer {
        SolveAnswer::Refusal(refusal) => {
            assert_eq!(number % 100, 50);
            assert_eq!(refusal.violations[0].field, format!("positions[{index}].piles"));
            assert!(refusal.violations[0].description.contains('0'), "{refusal:?}");
        }
        SolveAnswer::Winner(winner) => {
            let game = game(number);
            let expected = Solution::new(&game).winner(&game.first_position());
            assert_eq!(winner, u32::from(expected), "{game:?}");
        }
        SolveAnswer::Solution(solution) => {
            let game = game(number);
            let (solved, position) = (Solution::new(&game), game.first_position());
            assert_eq!(solution.winner, u32::from(solved.winner(&position)));
            assert_eq!(solution.value, (solution.winner + 5 - first(number)) % 5);
            let winners: Vec<u32> = solved.winners(&position).iter().map(|&seat| seat.into()).collect();
            assert_eq!(solution.winner_by_first, winners);
            let ranges: Vec<_> = solution.optimal_takes.iter().map(|range| (range.lo, range.hi)).collect();
            let expected: Vec<_> =
                solved.optimal_takes(&position).iter().map(|range| (range.lo, range.hi)).collect();
            assert_eq!(ranges, expected);
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn large_batches_are_answered_in_order_with_refusals_in_place() {
    const REQUESTS: u64 = 4;
    let host = Host::start().await;
    let token = host.register("asks-much").await;
    for (size, detail) in [
        (1_000, pb::SolveDetail::Unspecified),
        (4_096, pb::SolveDetail::Winner),
        (7, pb::SolveDetail::Solution),
    ] {
        let mut batch = SolveBatch::open(&host, &token).await.unwrap();
        let asks = batch.asks.clone();
        let asking = tokio::spawn(async move {
            for number in 0..REQUESTS {
                asks.send(request(number * size..(number + 1) * size, detail)).await.unwrap();
            }
        });
        let mut answered = 0;
        while answered < REQUESTS * size {
            let response = batch.answer().await.unwrap().expect("the batch is open");
            assert_eq!(response.refusal, None);
            assert_eq!((response.request, u64::from(response.start)), (answered / size, answered % size));
            assert!(!response.answers.is_empty());
            for answer in response.answers {
                let answer = answer.answer.unwrap();
                let shape = match detail {
                    pb::SolveDetail::Winner => matches!(answer, SolveAnswer::Winner(_)),
                    _ => matches!(answer, SolveAnswer::Solution(_)),
                };
                assert!(shape || answered % 100 == 50, "{answer:?}");
                check(answered, answer, (answered % size) as usize);
                answered += 1;
            }
        }
        asking.await.unwrap();
        drop(batch.asks);
        assert!(soon("the end", batch.answers.message()).await.unwrap().is_none(), "ended with OK");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_invalid_request_does_not_end_the_batch() {
    let host = Host::start().await;
    let token = host.register("careless").await;
    let mut batch = SolveBatch::open(&host, &token).await.unwrap();
    let good_request = || request(0..3, pb::SolveDetail::Winner);
    let broken = [
        (pb::SolveBatchRequest { alliance_matrix: None, ..good_request() }, "alliance_matrix"),
        (pb::SolveBatchRequest { ending: 9, ..good_request() }, "ending"),
        (pb::SolveBatchRequest { detail: 9, ..good_request() }, "detail"),
        (pb::SolveBatchRequest { positions: Vec::new(), ..good_request() }, "positions"),
        (request(0..4_097, pb::SolveDetail::Winner), "positions"),
    ];
    for (number, (request, field)) in (0..).zip(broken) {
        batch.ask(request).await;
        let response = batch.answer().await.unwrap().unwrap();
        assert_eq!((response.request, response.answers.len()), (2 * number, 0));
        assert_eq!(response.refusal.unwrap().violations[0].field, field);
        batch.ask(good_request()).await;
        let response = batch.answer().await.unwrap().unwrap();
        assert_eq!((response.request, response.answers.len()), (2 * number + 1, 3));
    }
    // A message above the size limit ends the batch.
    batch
        .ask(pb::SolveBatchRequest {
            positions: vec![pb::BatchPosition::default(); 1 << 20],
            ..good_request()
        })
        .await;
    assert_eq!(batch.answer().await.unwrap_err().code(), Code::OutOfRange);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn large_audits_are_answered_in_order_with_refusals_in_place() {
    const LONG: u64 = 8_000;
    let host = Host::start().await;
    // Several hundred short games, some that fill a response alone, and every tenth incomplete.
    let played_request = |number: u64| {
        let long = number % 50 == 7;
        let piles = if long { vec![2 * LONG, 3] } else { vec![2, 1 + number % 3] };
        let mut takes = vec![1; piles.iter().sum::<u64>() as usize];
        if number % 10 == 3 {
            takes.pop();
        }
        (Game::parse(&piles, &ROWS.map(|row| row.to_vec()), 0, Ending::ToMoveWins).unwrap(), takes)
    };
    let requests: Vec<_> = (0..3_u64)
        .map(|request| pb::AuditBatchRequest {
            games: (100 * request..100 * (request + 1))
                .map(|number| {
                    let (game, takes) = played_request(number);
                    pb::AuditRequest { game: Some((&game).into()), takes }
                })
                .collect(),
        })
        .collect();
    let answers = host.oracle().audit_batch(tokio_stream::iter(requests)).await.unwrap();
    let mut answers = answers.into_inner();
    let (mut number, mut responses) = (0, 0);
    while let Some(response) = soon("an answer", answers.message()).await.unwrap() {
        assert_eq!((response.request, u64::from(response.start)), (number / 100, number % 100));
        responses += 1;
        for answer in response.answers {
            let (game, takes) = played_request(number);
            let takes: Vec<_> = takes.into_iter().map(PlayedTake::by_bot).collect();
            match (answer.answer.unwrap(), Audit::of_finished(&game, &takes)) {
                (AuditAnswer::Audit(audit), Ok(expected)) => assert_eq!(audit, (&expected).into()),
                (AuditAnswer::Refusal(refusal), Err(error)) => {
                    let violation = &refusal.violations[0];
                    assert_eq!(violation.field, format!("games[{}].takes", number % 100));
                    assert_eq!(violation.description, error.to_string());
                }
                other => panic!("{number}: {other:?}"),
            }
            number += 1;
        }
    }
    assert_eq!(number, 300);
    assert!(responses > 3, "what is large comes in several responses: {responses}");
    let none = tokio_stream::iter([pb::AuditBatchRequest::default()]);
    let mut answers = host.oracle().audit_batch(none).await.unwrap().into_inner();
    let response = soon("an answer", answers.message()).await.unwrap().unwrap();
    assert_eq!(response.refusal.unwrap().violations[0].field, "games");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn each_caller_has_four_slots_for_batches() {
    let host = Host::start().await;
    let [greedy, modest] = host.register_all(["greedy", "modest"]).await;
    let mut held = Vec::new();
    for _ in 0..4 {
        held.push(SolveBatch::open(&host, &greedy).await.unwrap());
    }
    let refused = SolveBatch::open(&host, &greedy).await.err().unwrap();
    assert_eq!((refused.code(), reason(&refused).as_str()), (Code::ResourceExhausted, "TOO_MANY_QUESTIONS"));
    assert!(refused.get_details_retry_info().is_some_and(|info| info.retry_delay.is_some()));
    // Other callers, with or without a token, are not affected.
    let mut other = SolveBatch::open(&host, &modest).await.unwrap();
    other.ask(request(0..10, pb::SolveDetail::Winner)).await;
    assert_eq!(other.answer().await.unwrap().unwrap().answers.len(), 10);
    assert!(host.oracle().solve_batch(tokio_stream::empty()).await.is_ok());
    // One batch is dropped in the middle, the other is closed properly.
    let leaving = held.pop().unwrap();
    leaving.ask(request(0..4_000, pb::SolveDetail::Solution)).await;
    drop(leaving);
    let SolveBatch { asks, mut answers } = held.pop().unwrap();
    drop(asks);
    assert!(soon("the end", answers.message()).await.unwrap().is_none());
    for _ in 0..2 {
        let again = async {
            loop {
                if let Ok(batch) = SolveBatch::open(&host, &greedy).await {
                    break batch;
                }
            }
        };
        held.push(soon("a place", again).await);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_stopping_server_ends_batches_with_a_reason() {
    let config = Config { shutdown_grace: Duration::from_millis(100), ..Config::default() };
    let host = Host::with(config).await;
    let token = host.register("busy").await;
    let mut idle = SolveBatch::open(&host, &token).await.unwrap();
    let mut busy = SolveBatch::open(&host, &token).await.unwrap();
    let asks = busy.asks.clone();
    let asking = tokio::spawn(async move {
        // Ask until the stream ends.
        while asks.send(request(0..500, pb::SolveDetail::Solution)).await.is_ok() {}
    });
    assert!(busy.answer().await.unwrap().is_some());
    let running = host.stop();
    let end = idle.answer().await.unwrap_err();
    assert_eq!((end.code(), reason(&end).as_str()), (Code::Unavailable, "STOPPING"));
    let end = loop {
        match busy.answer().await {
            Ok(response) => assert!(response.is_some(), "it is not answered to its end"),
            Err(end) => break end,
        }
    };
    assert_eq!((end.code(), reason(&end).as_str()), (Code::Unavailable, "STOPPING"));
    soon("the end of asking", asking).await.unwrap();
    drop((idle, busy));
    soon("the end of the server", running).await.unwrap().unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn unread_batches_do_not_block_others() {
    let host = Host::with(Config { oracle_questions: 1, ..Config::default() }).await;
    let token = host.register("sleepy").await;
    let unread = SolveBatch::open(&host, &token).await.unwrap();
    let asks = unread.asks.clone();
    let asking = tokio::spawn(async move {
        for _ in 0..40 {
            if asks.send(request(0..4_000, pb::SolveDetail::Solution)).await.is_err() {
                break;
            }
        }
    });
    let seats = SeatCount::new(3).unwrap();
    let matrix = Some((&AllianceMatrix::standard(seats)).into());
    let game = pb::Game { piles: vec![3], alliance_matrix: matrix, ..Default::default() };
    for _ in 0..100 {
        let request = pb::SolveRequest { game: Some(game.clone()) };
        soon("a solution", host.oracle().solve(request)).await.unwrap();
    }
    drop(unread);
    soon("the end of asking", asking).await.unwrap();
}
