//! A server in this process, and its clients.

use lastnim_arena::{Arena, Backend, Principal};
use lastnim_bots::HouseBot;
use lastnim_client::{Authorization, Error, Options, Summary, connect, run_until, token_authorization};
use lastnim_proto::pb::{
    self, bot_service_client::BotServiceClient, match_service_client::MatchServiceClient,
    oracle_service_client::OracleServiceClient, tournament_service_client::TournamentServiceClient,
    transcript_service_client::TranscriptServiceClient,
};
use lastnim_server::{Config, ServeError, Shutdown, run_server};
use lastnim_store::{Store, Token};
use std::{future::Future, sync::Arc, time::Duration};
use tokio::{
    net::TcpListener,
    sync::{oneshot, watch},
    task::JoinHandle,
    time::timeout,
};
use tonic::{Code, Request, service::interceptor::InterceptedService, transport::Channel};

/// The limit for every wait; reached only in failures.
pub const LONG: Duration = Duration::from_mins(5);

/// A channel that sends a token with every call.
pub type Authorized = InterceptedService<Channel, Authorization>;

/// A server on a free port of this machine.
pub struct Host {
    pub address: String,
    pub admin: Token,
    pub viewer: Token,
    /// A connection shared by the clients made here.
    pub channel: Channel,
    stop: oneshot::Sender<()>,
    running: JoinHandle<Result<(), ServeError>>,
}

/// Bots of the SDK that play until they are stopped.
pub struct Party {
    dismissal: watch::Sender<bool>,
    playing: Vec<JoinHandle<Result<Summary, Error>>>,
}

/// Waits for something, up to the limit.
pub async fn soon<T>(what: &str, coming: impl Future<Output = T>) -> T {
    timeout(LONG, coming).await.unwrap_or_else(|_| panic!("{what}: not within {LONG:?}"))
}

impl Host {
    pub async fn start() -> Self {
        Self::with(Config::default()).await
    }

    pub async fn with(config: Config) -> Self {
        Self::with_backend(config, Backend::in_memory()).await
    }

    /// Starts a server on a store.
    pub async fn on_store(store: Arc<dyn Store>) -> Self {
        Self::with_backend(Config::default(), Backend { store, ..Backend::in_memory() }).await
    }

    async fn with_backend(config: Config, backend: Backend) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap().to_string();
        let (admin, viewer) = (Token::generate(), Token::generate());
        let tokens = vec![(admin.clone(), Principal::Admin), (viewer.clone(), Principal::Viewer)];
        let (stop, stopped) = oneshot::channel::<()>();
        let arena = Arena::open(config.limits.clone(), backend, tokens).await.unwrap();
        let running = tokio::spawn(run_server(
            listener.into(),
            arena,
            config,
            // Dropping this at the end of a test stops the server.
            Box::pin(async {
                drop(stopped.await);
                Shutdown::Graceful
            }),
        ));
        let channel = soon("a connection", connect(&address)).await.unwrap();
        Self { address, admin, viewer, channel, stop, running }
    }

    /// Connects to a server that somebody else started and stops.
    pub async fn at(address: &str, admin: &Token) -> Self {
        let channel = soon("a connection", connect(address)).await.unwrap();
        let (address, admin, viewer) = (address.to_owned(), admin.clone(), Token::generate());
        let (stop, running) = (oneshot::channel().0, tokio::spawn(async { Ok(()) }));
        Self { address, admin, viewer, channel, stop, running }
    }

    /// Adds a token to the calls of a client.
    pub fn authorized(&self, token: &str) -> Authorized {
        InterceptedService::new(self.channel.clone(), token_authorization(token).unwrap())
    }

    fn as_admin(&self) -> Authorized {
        self.authorized(self.admin.reveal())
    }

    pub fn bots(&self) -> BotServiceClient<Authorized> {
        BotServiceClient::new(self.as_admin())
    }

    pub fn matches(&self) -> MatchServiceClient<Authorized> {
        MatchServiceClient::new(self.as_admin())
    }

    pub fn tournaments(&self) -> TournamentServiceClient<Authorized> {
        TournamentServiceClient::new(self.as_admin())
    }

    /// Returns a client of the oracle without a token.
    pub fn oracle(&self) -> OracleServiceClient<Channel> {
        OracleServiceClient::new(self.channel.clone())
    }

    /// Returns a client of the oracle with a token.
    pub fn oracle_for(&self, token: &str) -> OracleServiceClient<Authorized> {
        OracleServiceClient::new(self.authorized(token))
    }

    /// Registers a bot and returns its token.
    pub async fn register(&self, name: &str) -> String {
        let request = pb::RegisterBotRequest { name: name.into(), ..Default::default() };
        self.bots().register_bot(request).await.unwrap().into_inner().token
    }

    /// Registers bots and returns their tokens.
    pub async fn register_all<const N: usize>(&self, names: [&str; N]) -> [String; N] {
        let mut tokens = names.map(str::to_owned);
        for (name, token) in names.into_iter().zip(&mut tokens) {
            *token = self.register(name).await;
        }
        tokens
    }

    pub async fn bot(&self, name: &str) -> pb::Bot {
        let request = pb::GetBotRequest { name: name.into() };
        self.bots().get_bot(request).await.unwrap().into_inner().bot.unwrap()
    }

    /// Returns the versions that a bot has declared, the most recent first.
    pub async fn seen_versions(&self, name: &str) -> Vec<pb::SeenVersion> {
        let request = pb::GetBotRequest { name: name.into() };
        self.bots().get_bot(request).await.unwrap().into_inner().versions
    }

    /// Polls a bot until it reaches a state.
    pub async fn until_bot(&self, name: &str, settled: impl Fn(&pb::Bot) -> bool) {
        let looking = async { while !settled(&self.bot(name).await) {} };
        soon("the bot's new state", looking).await;
    }

    /// Starts an exhibition and returns its id.
    pub async fn create_match(&self, request: pb::CreateMatchRequest) -> String {
        self.matches().create_match(request).await.unwrap().into_inner().r#match.unwrap().id
    }

    pub async fn get_match(&self, id: &str) -> pb::GetMatchResponse {
        let request = pb::GetMatchRequest { match_id: id.into() };
        self.matches().get_match(request).await.unwrap().into_inner()
    }

    pub async fn record(&self, id: &str) -> pb::MatchRecord {
        let request = pb::GetRecordRequest { match_id: id.into() };
        self.matches().get_record(request).await.unwrap().into_inner().record.unwrap()
    }

    /// Watches a match to its end and returns its events.
    pub async fn watched_to_its_end(&self, id: &str) -> Vec<pb::WatchMatchResponse> {
        let request = pb::WatchMatchRequest { match_id: id.into() };
        let mut stream = self.matches().watch_match(request).await.unwrap().into_inner();
        let mut events = Vec::new();
        while let Some(event) = soon("the end of a match", stream.message()).await.unwrap() {
            // A heartbeat has no event.
            events.extend(event.event.is_some().then_some(event));
        }
        events
    }

    /// Watches a match to its end, and waits until it is closed, which is shortly after its end is sent.
    /// Transcripts of it are accepted only then.
    pub async fn until_closed(&self, id: &str) {
        self.watched_to_its_end(id).await;
        let mut transcripts = TranscriptServiceClient::new(self.as_admin());
        let closing = async {
            let request = || pb::RemoveTranscriptRequest { match_id: id.into(), seat: 0 };
            while let Err(refused) = transcripts.remove_transcript(request()).await {
                assert_eq!(refused.code(), Code::FailedPrecondition, "{refused}");
            }
        };
        soon("a match that is closed", closing).await;
    }

    /// Creates a tournament, enters bots, and returns its id.
    pub async fn create_tournament(&self, settings: pb::TournamentSettings, field: &[&str]) -> String {
        let request = pb::CreateTournamentRequest { settings: Some(settings), ..Default::default() };
        let created = self.tournaments().create_tournament(request).await.unwrap().into_inner();
        let tournament_id = created.tournament.unwrap().id;
        for bot in field {
            let request =
                pb::JoinTournamentRequest { tournament_id: tournament_id.clone(), bot: (*bot).into() };
            self.tournaments().join_tournament(request).await.unwrap();
        }
        tournament_id
    }

    pub async fn start_tournament(&self, id: &str) {
        let request = pb::StartTournamentRequest { tournament_id: id.into() };
        self.tournaments().start_tournament(request).await.unwrap();
    }

    /// Returns the line of a bot in the standings of a tournament.
    pub async fn standing(&self, id: &str, bot: &str) -> pb::Standing {
        let request = pb::GetStandingsRequest { tournament_id: id.into(), cross_table: false };
        let standings = self.tournaments().get_standings(request).await.unwrap().into_inner().standings;
        standings.into_iter().find(|line| line.bot == bot).unwrap()
    }

    /// Waits until a tournament ends and returns its last state.
    pub async fn tournament_over(&self, id: &str) -> pb::WatchTournamentResponse {
        let request = pb::WatchTournamentRequest { tournament_id: id.into(), state_only: false };
        let mut states = self.tournaments().watch_tournament(request).await.unwrap().into_inner();
        let mut last = None;
        while let Some(state) = soon("the end of a tournament", states.message()).await.unwrap() {
            // A heartbeat has no tournament.
            last = state.tournament.is_some().then_some(state).or(last);
        }
        last.expect("a watcher is sent the newest state")
    }

    pub async fn matches_of(&self, tournament_id: &str) -> Vec<pb::Match> {
        let request = pb::ListMatchesRequest {
            tournament_id: tournament_id.into(),
            page_size: 1_000,
            ..Default::default()
        };
        let page = self.matches().list_matches(request).await.unwrap().into_inner();
        assert_eq!(page.next_page_token, "", "one page contains all");
        page.matches
    }

    /// Waits until a tournament has at least this many matches, and returns them.
    pub async fn until_begun(&self, tournament_id: &str, matches: usize) -> Vec<pb::Match> {
        let beginning = async {
            loop {
                let begun = self.matches_of(tournament_id).await;
                if begun.len() >= matches {
                    return begun;
                }
            }
        };
        soon("the first matches", beginning).await
    }

    /// Registers house bots under their own names and starts them.
    pub async fn house_bots(&self, bots: &[HouseBot], seed: u64) -> Party {
        let mut party = Party::empty();
        for &bot in bots {
            let token = self.register(&bot.to_string()).await;
            party.invite(&self.address, token, bot, seed);
        }
        party
    }

    /// Stops the server and returns its task.
    pub fn stop(self) -> JoinHandle<Result<(), ServeError>> {
        self.stop.send(()).expect("the server runs");
        self.running
    }
}

impl Party {
    /// Creates a party without bots.
    pub fn empty() -> Self {
        Self { dismissal: watch::Sender::new(false), playing: Vec::new() }
    }

    pub fn invite(&mut self, address: &str, token: String, bot: HouseBot, seed: u64) {
        let mut dismissed = self.dismissal.subscribe();
        let options = Options::new(address, token);
        let bot = bot.build_bot(seed);
        self.playing.push(tokio::spawn(run_until(bot, options, async move {
            // Dropping a party stops its bots.
            let _ = dismissed.wait_for(|&dismissed| dismissed).await;
        })));
    }

    /// Stops the bots and returns their summaries.
    pub async fn dismiss(self) -> Vec<Summary> {
        self.dismissal.send_replace(true);
        let mut summaries = Vec::new();
        for playing in self.playing {
            summaries.push(soon("the end of a bot", playing).await.unwrap().unwrap());
        }
        summaries
    }
}

/// A match with declared rows, and clocks that do not run out.
pub fn exhibition<const N: usize>(bots: [&str; N], piles: &[u64]) -> pb::CreateMatchRequest {
    pb::CreateMatchRequest {
        bots: bots.map(str::to_owned).to_vec(),
        piles: piles.to_vec(),
        clock: Some(patient_clock()),
        alliance: pb::AllianceMode::Declared.into(),
        ..Default::default()
    }
}

/// Clocks of a minute.
pub fn patient_clock() -> pb::Clock {
    pb::Clock { initial_ms: 60_000, declaration_ms: 60_000, ..Default::default() }
}

/// A round robin for three seats, with clocks that do not run out.
pub fn round_robin(positions: &[&[u64]]) -> pb::TournamentSettings {
    pb::TournamentSettings {
        title: "live".into(),
        seats: 3,
        positions: positions.iter().map(|piles| pb::Piles { counters: piles.to_vec() }).collect(),
        clock: Some(patient_clock()),
        seed: 7,
        ..Default::default()
    }
}

/// Adds a bearer token to a call.
pub fn bearing<T>(token: &str, message: T) -> Request<T> {
    let mut request = Request::new(message);
    request.metadata_mut().insert("authorization", format!("Bearer {token}").parse().unwrap());
    request
}
