//! Memory after sessions have ended: nothing stays live in the process, and the program returns most of it to the
//! system.

#![cfg(target_os = "linux")]

#[cfg(feature = "jemalloc")]
mod program;
#[cfg(feature = "jemalloc")]
#[path = "../running_server/mod.rs"]
mod running_server;

use lastnim_arena::{Arena, Backend, Principal};
use lastnim_client::{connect, token_authorization};
use lastnim_proto::pb::{
    self, PlayRequest, PlayResponse, arena_service_client::ArenaServiceClient,
    bot_service_client::BotServiceClient, play_response::Event,
};
use lastnim_server::Config;
use lastnim_store::Token;
use peak_alloc::PeakAlloc;
use std::time::{Duration, Instant};
use tokio::net::TcpListener;
use tokio::sync::{Mutex, mpsc};
use tokio_stream::wrappers::ReceiverStream;
use tonic::Streaming;

/// Counts the live bytes of this process, regardless of the memory that the allocator keeps.
#[global_allocator]
static ALLOCATOR: PeakAlloc = PeakAlloc;

/// The tests of this file share a process under `cargo test`, and would count each other's memory.
static ONE_AT_A_TIME: Mutex<()> = Mutex::const_new(());

const ADMIN: &str = "lastnim_8f1c03d97ab2e645b0dd5f2917c6a83e4e90f7261bd3588ca1f402c7e96b35d0";
/// Concurrent sessions, each on its own connection.
const SESSIONS: usize = 200;
/// A timeout that no wait reaches unless something is wrong.
const TIMEOUT: Duration = Duration::from_secs(100);
/// The polling interval of waits.
const POLL_INTERVAL: Duration = Duration::from_millis(20);

/// A session that stays open until it is dropped.
struct OpenSession {
    _requests: mpsc::Sender<PlayRequest>,
    _responses: Streaming<PlayResponse>,
}

impl OpenSession {
    async fn open(address: &str, token: &str) -> Self {
        let channel = connect(address).await.unwrap();
        let mut client = ArenaServiceClient::with_interceptor(channel, token_authorization(token).unwrap());
        let (requests, outbound) = mpsc::channel(1);
        let mut responses = client.play(ReceiverStream::new(outbound)).await.unwrap().into_inner();
        let welcome = responses.message().await.unwrap().and_then(|response| response.event);
        assert!(matches!(welcome, Some(Event::Welcome(_))), "{welcome:?}");
        Self { _requests: requests, _responses: responses }
    }
}

/// Registers one bot per session, and returns their tokens.
async fn register_all(address: &str) -> Vec<String> {
    let channel = connect(address).await.unwrap();
    let mut client = BotServiceClient::with_interceptor(channel, token_authorization(ADMIN).unwrap());
    let mut tokens = Vec::with_capacity(SESSIONS);
    for number in 0..SESSIONS {
        let request = pb::RegisterBotRequest { name: format!("bot-{number}"), ..Default::default() };
        tokens.push(client.register_bot(request).await.unwrap().into_inner().token);
    }
    tokens
}

/// Opens all sessions, measures the memory, and closes them.
async fn open_and_close(address: &str, tokens: &[String], memory: impl Fn() -> usize) -> usize {
    let mut sessions = Vec::with_capacity(tokens.len());
    for token in tokens {
        sessions.push(OpenSession::open(address, token).await);
    }
    memory()
}

/// Waits until at most `max` bytes are used.
async fn until_at_most(max: usize, what: &str, memory: impl Fn() -> usize) {
    let began = Instant::now();
    loop {
        let used = memory();
        if used <= max {
            return;
        }
        assert!(
            began.elapsed() < TIMEOUT,
            "{what}: {} KiB are used, expected at most {}",
            used >> 10,
            max >> 10
        );
        tokio::time::sleep(POLL_INTERVAL).await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_ended_session_leaves_no_live_memory() {
    const ROUNDS: usize = 8;
    let _alone = ONE_AT_A_TIME.lock().await;
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap().to_string();
    let admin = (Token::parse(ADMIN).unwrap(), Principal::Admin);
    let config = Config::default();
    let arena = Arena::open(config.limits.clone(), Backend::in_memory(), [admin]).await.unwrap();
    let serving = tokio::spawn(lastnim_server::run_server(
        listener.into(),
        arena,
        config,
        Box::pin(std::future::pending()),
    ));
    let live = || ALLOCATOR.current_usage();
    let tokens = register_all(&address).await;
    // This session causes the allocations that happen only once.
    drop(OpenSession::open(&address, &tokens[0]).await);
    let before = live();
    println!("{} KiB before", before >> 10);
    let mut stay_at_most = None;
    for round in 1..=ROUNDS {
        let open = open_and_close(&address, &tokens, live).await;
        let max = *stay_at_most.get_or_insert(before + open.saturating_sub(before) / 16);
        until_at_most(max, &format!("after round {round}"), live).await;
        println!("round {round}: {} KiB with {SESSIONS} sessions, {} after", open >> 10, live() >> 10);
    }
    serving.abort();
}
