//! A server for each input, on one thread with in-memory network and simulated clocks, so that runs are repeatable and fast.

use super::memory_network::{MemoryTransport, open_network};
use lastnim_arena::{Arena, Backend, Durability, Environment, Principal};
use lastnim_client::{Authorization, ServerAddress, connect, token_authorization};
use lastnim_core::referee::SigningKey;
use lastnim_proto::pb::{
    self, bot_service_client::BotServiceClient, match_service_client::MatchServiceClient,
};
use lastnim_server::{Config, run_server_on};
use lastnim_store::{MemoryStore, RetentionLimits, Token};
use std::{
    future::pending,
    sync::{
        Arc,
        atomic::{AtomicU8, Ordering},
    },
    time::{Duration, UNIX_EPOCH},
};
use tokio::{runtime, time::timeout};

/// Longer than any correct run.
const TRIAL_TIMEOUT: Duration = Duration::from_mins(10);
pub const BOTS: [&str; 2] = ["anna", "bert"];
/// The date at which servers start.
const START_DATE: Duration = Duration::from_secs(1_700_000_000);

/// An interceptor with the admin's token.
pub type Calls = tonic::service::interceptor::InterceptedService<tonic::transport::Channel, Authorization>;

/// A server with registered bots.
pub struct FuzzedServer {
    /// The address for clients.
    pub address: ServerAddress,
    /// The network, for raw connections.
    pub network: MemoryTransport,
    /// A token for each bot.
    pub tokens: [String; 2],
    /// The admin's client of the match service.
    pub matches: MatchServiceClient<Calls>,
}

/// Starts a server and runs a trial, which must end soon.
pub fn try_server<T>(trial: impl AsyncFnOnce(&FuzzedServer) -> T) -> T {
    let mut builder = runtime::Builder::new_current_thread();
    let runtime = builder.enable_time().start_paused(true).build().expect("a runtime");
    runtime.block_on(async {
        let server = FuzzedServer::start().await;
        timeout(TRIAL_TIMEOUT, trial(&server))
            .await
            .unwrap_or_else(|_| panic!("the trial took more than {TRIAL_TIMEOUT:?}"))
    })
}

impl FuzzedServer {
    async fn start() -> Self {
        let (network, listener) = open_network();
        let admin = Token::generate();
        let drawn = AtomicU8::new(0);
        let backend = Backend {
            store: Arc::new(MemoryStore::new(RetentionLimits::default())),
            durability: Durability::Ply,
            key: SigningKey::from_seed(&[1; SigningKey::SEED_BYTES]),
            environment: Environment::new(
                || UNIX_EPOCH + START_DATE,
                move |bytes| bytes.fill_with(|| drawn.fetch_add(1, Ordering::Relaxed)),
            ),
        };
        let config = Config::default();
        let principals = vec![(admin.clone(), Principal::Admin)];
        let arena = Arena::open(config.limits.clone(), backend, principals).await.expect("an arena");
        tokio::spawn(run_server_on(listener, arena, config, pending()));
        let address = ServerAddress::new("server:7600").with_transport(Arc::new(network.clone()));
        let authorization = token_authorization(admin.reveal()).expect("a token");
        let channel = connect(&address).await.expect("a connection");
        let mut bots = BotServiceClient::with_interceptor(channel.clone(), authorization.clone());
        let mut tokens = BOTS.map(str::to_owned);
        for token in &mut tokens {
            let registered =
                bots.register_bot(pb::RegisterBotRequest { name: token.clone(), ..Default::default() }).await;
            *token = registered.expect("a bot").into_inner().token;
        }
        let matches = MatchServiceClient::with_interceptor(channel, authorization);
        Self { address, network, tokens, matches }
    }
}
