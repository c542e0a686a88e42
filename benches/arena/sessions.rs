//! Bots and their open streams, on both kinds of server.

use anyhow::{Context as _, anyhow};
use lastnim_proto::pb::{
    AllianceMode, Clock, CreateMatchRequest, PlayRequest, PlayResponse, RegisterBotRequest,
    arena_service_client::ArenaServiceClient, bot_service_client::BotServiceClient,
    match_service_client::MatchServiceClient, play_response::Event,
};
use std::{sync::Arc, time::Duration};
use tokio::{
    sync::{OnceCell, mpsc},
    task::JoinSet,
};
use tokio_stream::wrappers::ReceiverStream;
use tonic::{
    Request, Streaming,
    transport::{Channel, Endpoint},
};

use crate::{ADMIN_TOKEN, COUNTERS, MAX_PLIES, Target, bare::Place};

/// The capacity of a stream's action queue.
const QUEUE_ACTIONS: usize = 64;
/// The window of a connection, in bytes: as on the server.
const CONNECTION_WINDOW_BYTES: u32 = 16 << 20;
/// The maximum size of a received message, in bytes: the audit of a match that reached its ply limit takes several MB.
const MAX_MESSAGE_BYTES: usize = 32 << 20;
const KEEPALIVE: Duration = Duration::from_secs(10);
/// The maximum number of bots, sessions or matches that are created at the same time. With more connections at once
/// from one address, a server drops some.
const MAX_AT_ONCE: usize = 32;
const HOUR_MS: u32 = 3_600_000;

/// One bot on one stream.
pub(crate) struct Session {
    /// The actions that it sends.
    pub(crate) actions: mpsc::Sender<PlayRequest>,
    /// The events that it is sent; the welcome has already been read.
    pub(crate) events: Streaming<PlayResponse>,
}

/// A bot that may open a session.
#[derive(Clone)]
pub(crate) struct Bot {
    /// Its name.
    pub(crate) name: String,
    token: String,
}

/// Connections to a server, each opened on first use: the server drops connections without a first call.
#[derive(Clone)]
pub(crate) struct Connections {
    endpoint: Endpoint,
    channels: Arc<[OnceCell<Channel>]>,
}

impl Connections {
    /// Creates `count` unopened connections.
    pub(crate) fn new(address: &str, count: usize) -> anyhow::Result<Self> {
        let endpoint = Endpoint::from_shared(format!("http://{address}"))?
            .tcp_nodelay(true)
            .initial_connection_window_size(CONNECTION_WINDOW_BYTES)
            .http2_keep_alive_interval(KEEPALIVE)
            .keep_alive_timeout(KEEPALIVE)
            .keep_alive_while_idle(true);
        Ok(Self { endpoint, channels: (0..count).map(|_| OnceCell::new()).collect() })
    }

    /// Returns the channel for a number, modulo the count.
    pub(crate) async fn channel(&self, number: usize) -> anyhow::Result<Channel> {
        let channel = &self.channels[number % self.channels.len()];
        let connecting = || async { self.endpoint.connect().await.context("cannot connect to the server") };
        channel.get_or_try_init(connecting).await.cloned()
    }
}

/// Registers one bot for each place, in their order. The bare server identifies bots by the text that they send instead
/// of a token.
pub(crate) async fn register(
    target: Target,
    channel: &Channel,
    places: Vec<Place>,
) -> anyhow::Result<Vec<Bot>> {
    if target.is_bare() {
        let bot = |place: &Place| Bot { name: String::new(), token: place.to_string() };
        return Ok(places.iter().map(bot).collect());
    }
    in_order(places, |place| {
        let mut bots = BotServiceClient::new(channel.clone());
        async move {
            let name = format!("bot-{}-{}", place.group, place.seat);
            let request = token_authorization(
                RegisterBotRequest { name: name.clone(), ..Default::default() },
                ADMIN_TOKEN,
            )?;
            let token = bots.register_bot(request).await.context("cannot register a bot")?.into_inner().token;
            Ok(Bot { name, token })
        }
    })
    .await
}

/// Opens one session for each bot, in their order, spread evenly over the connections.
pub(crate) async fn open(connections: &Connections, bots: &[Bot]) -> anyhow::Result<Vec<Session>> {
    let numbered = bots.iter().cloned().enumerate().collect();
    in_order(numbered, |(number, bot): (usize, Bot)| {
        let connections = connections.clone();
        async move {
            let channel = connections.channel(number).await?;
            let mut arena = ArenaServiceClient::new(channel).max_decoding_message_size(MAX_MESSAGE_BYTES);
            let (actions, receiver) = mpsc::channel(QUEUE_ACTIONS);
            let request = token_authorization(ReceiverStream::new(receiver), &bot.token)?;
            let mut events = arena.play(request).await.context("cannot open a session")?.into_inner();
            match events.message().await?.and_then(|response| response.event) {
                Some(Event::Welcome(_)) => Ok(Session { actions, events }),
                other => Err(anyhow!("a session began with {other:?}, not with a welcome")),
            }
        }
    })
    .await
}

/// Starts a match that does not end before its ply limit.
pub(crate) async fn create_match(channel: Channel, bots: Vec<String>, first: usize) -> anyhow::Result<()> {
    let clock = Clock { initial_ms: 24 * HOUR_MS, declaration_ms: HOUR_MS, ..Clock::default() };
    let request = CreateMatchRequest {
        bots,
        piles: vec![COUNTERS],
        first: first as u32,
        clock: Some(clock),
        max_plies: MAX_PLIES,
        alliance: AllianceMode::Declared.into(),
        ..CreateMatchRequest::default()
    };
    let mut matches = MatchServiceClient::new(channel);
    matches
        .create_match(token_authorization(request, ADMIN_TOKEN)?)
        .await
        .context("cannot create a match")?;
    Ok(())
}

/// Runs a task for each item, many concurrently, and returns the results in the order of the items.
pub(crate) async fn in_order<T, U, F>(items: Vec<T>, make: impl Fn(T) -> F) -> anyhow::Result<Vec<U>>
where
    U: Send + 'static,
    F: Future<Output = anyhow::Result<U>> + Send + 'static,
{
    let mut tasks = JoinSet::new();
    let mut results: Vec<Option<U>> = Vec::new();
    results.resize_with(items.len(), || None);
    for (number, item) in items.into_iter().enumerate() {
        if tasks.len() >= MAX_AT_ONCE
            && let Some(done) = tasks.join_next().await
        {
            let (number, result): (usize, anyhow::Result<U>) = done?;
            results[number] = Some(result?);
        }
        let making = make(item);
        tasks.spawn(async move { (number, making.await) });
    }
    while let Some(done) = tasks.join_next().await {
        let (number, result) = done?;
        results[number] = Some(result?);
    }
    Ok(results.into_iter().flatten().collect())
}

/// Adds a token to a request.
pub(crate) fn token_authorization<T>(message: T, token: &str) -> anyhow::Result<Request<T>> {
    let mut request = Request::new(message);
    request.metadata_mut().insert("authorization", format!("Bearer {token}").parse()?);
    Ok(request)
}
