//! The server that inputs are sent to: one in this process, for all inputs.

use lastnim::{
    arena::Backend,
    cli::OwnServer,
    client::{Authorization, connect, token_authorization},
    server::Config,
    wire::pb::{self, bot_service_client::BotServiceClient, match_service_client::MatchServiceClient},
};
use std::{future::Future, sync::LazyLock, time::Duration};
use tokio::{net::TcpListener, runtime::Runtime, sync::Mutex, time::timeout};

/// Nothing takes as long unless something is wrong.
const LONG: Duration = Duration::from_mins(1);
/// The names of the bots.
pub const BOTS: [&str; 2] = ["anna", "bert"];

pub static SERVER: LazyLock<FuzzedServer> = LazyLock::new(FuzzedServer::start);

/// What calls a service as the admin.
pub type Calls = tonic::service::interceptor::InterceptedService<tonic::transport::Channel, Authorization>;

/// A server, and the bots that are registered there.
pub struct FuzzedServer {
    /// Where it listens.
    pub address: String,
    /// A token for each bot.
    pub tokens: [String; 2],
    /// The matches, as the admin sees them.
    pub matches: MatchServiceClient<Calls>,
    /// Who plays with the bots, so that inputs that are tried at once do not disturb each other.
    pub playing: Mutex<()>,
    runtime: Runtime,
    // It runs as long as this lives.
    _server: OwnServer,
}

impl FuzzedServer {
    fn start() -> Self {
        let runtime = Runtime::new().expect("a runtime");
        let (server, address, matches, tokens) = runtime.block_on(async {
            let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
            let config = Config {
                // What hangs is to be cut off before the input is given up.
                first_call_timeout: Duration::from_secs(1),
                request_timeout: Duration::from_secs(1),
                ..Config::default()
            };
            let server = OwnServer::start(listener, Backend::in_memory(), config).await.expect("a server");
            let address = server.connect_address();
            let admin = token_authorization(server.admin_token()).expect("a token");
            let channel = connect(address.as_str()).await.expect("a connection");
            let mut bots = BotServiceClient::with_interceptor(channel.clone(), admin.clone());
            let mut tokens = Vec::new();
            for name in BOTS {
                let registered = bots.register_bot(pb::RegisterBotRequest { name: name.into() }).await;
                tokens.push(registered.expect("a bot").into_inner().token);
            }
            let matches = MatchServiceClient::with_interceptor(channel, admin);
            (server, address, matches, tokens)
        });
        let tokens = tokens.try_into().expect("a token for each bot");
        Self { address, tokens, matches, playing: Mutex::default(), runtime, _server: server }
    }

    /// Runs something that ends soon.
    pub fn run<T>(&self, what: &str, running: impl Future<Output = T>) -> T {
        let ended = self.runtime.block_on(async { timeout(LONG, running).await });
        ended.unwrap_or_else(|_| panic!("{what}: not within {LONG:?}"))
    }
}
