//! Runs a server from its start until it has stopped.

use super::calls::GuardedServices;
use super::config::Config;
use super::connections::serve_connections;
use super::hosted_bots::{HostedBotError, HostedBots};
use super::listener::{Listener, ServerListener};
use super::metrics_listener::{bind_listeners, serve_metrics};
use futures_core::future::BoxFuture;
use lastnim_arena::Arena;
use lastnim_proto::{pb, play_service::arena_service_server};
use lastnim_rpc::{
    Access, AddressLimiter, ArenaRpc, BotGames, BotRpc, EntryRpc, GuestGames, GuestLimits, LoginLimits,
    MatchRpc, OracleRpc, ReadScheduler, ServerRpc, TournamentRpc, TrafficCounts, TranscriptRpc,
};
use lastnim_store::{CommitCounts, StoreError};
use lastnim_web::{BotAudits, Feeds, KeptHeadlines, Metrics, PageCache, Pages, SignIns, Site};
use std::convert::Infallible;
use std::sync::Arc;
use std::time::{Duration, Instant};
use thiserror::Error;
use tokio::sync::mpsc;
use tokio::task::JoinSet;
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;
use tonic::codec::CompressionEncoding;
use tonic::service::Routes;
use tonic_health::ServingStatus;
use tonic_health::server::HealthReporter;

/// How long streams may take to close after all sessions and matches have ended.
const STREAM_CLOSE_TIMEOUT: Duration = Duration::from_secs(1);

/// How long the store may take to close.
const STORE_CLOSE_TIMEOUT: Duration = Duration::from_secs(10);

/// Why a server failed.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum ServeError {
    /// The descriptors of the protos are invalid.
    #[error("server reflection cannot be set up: {0}")]
    Reflection(#[from] tonic_reflection::server::Error),
    /// A house bot cannot be hosted.
    #[error(transparent)]
    HostedBot(#[from] HostedBotError),
    /// A listener for metrics could not be bound.
    #[error("cannot listen for connections: {0}")]
    Listener(std::io::Error),
    /// The store was lost while the server ran.
    #[error("the server had to stop: {0}")]
    Store(StoreError),
    /// The task that accepts connections panicked.
    #[error("the server failed: {0}")]
    Panicked(#[from] tokio::task::JoinError),
}

/// How a server stops.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shutdown {
    /// Open matches may finish within the grace period.
    Graceful,
    /// At once: another server continues the open matches.
    Immediate,
}

/// Serves an arena on a listener until `shutdown` resolves, then stops gracefully: rejects new work, lets open matches
/// finish within the grace period, closes all sessions, and returns. The caller owns the listener and the signal.
///
/// The future is boxed, so that the server is compiled in this crate and not in each program.
///
/// # Errors
/// If a house bot cannot be hosted, a listener for metrics cannot be bound, the services cannot be built, or the store
/// is lost.
pub fn run_server(
    listener: ServerListener,
    arena: Arena,
    config: Config,
    shutdown: BoxFuture<'static, Shutdown>,
) -> BoxFuture<'static, Result<(), ServeError>> {
    Box::pin(run_server_on(listener, arena, config, shutdown))
}

/// Serves an arena as [`run_server`] does, on any network.
///
/// # Errors
/// As for [`run_server`].
pub async fn run_server_on(
    listener: impl Listener,
    arena: Arena,
    config: Config,
    shutdown: impl Future<Output = Shutdown>,
) -> Result<(), ServeError> {
    let house = HostedBots::enrol(&arena, &config.house).await?;
    let logins = Arc::new(LoginLimits::new(config.failed_logins, config.failed_login_interval));
    let metrics_listeners = bind_listeners(&config.metrics_listen).await.map_err(ServeError::Listener)?;
    let (health, services, metrics) = assemble_services(&arena, &config, logins).await?;
    let shutdown_grace = config.shutdown_grace;
    let stopping = CancellationToken::new();
    // If this future is dropped, the server stops abruptly, because all connections are dropped with the set.
    let mut serving = JoinSet::new();
    let mut supporting = JoinSet::new();
    if let Some(tls) = listener.tls() {
        supporting.spawn(Arc::clone(tls).follow_files());
    }
    let (house_connections, from_house) = mpsc::channel(1);
    serving.spawn(serve_connections(listener, from_house, services, config, stopping.clone()));
    for listener in metrics_listeners {
        supporting.spawn(serve_metrics(listener, metrics.clone()));
    }
    let house = house.start(house_connections);
    let (grace, lost) = tokio::select! {
        biased;
        Some(ended) = serving.join_next() => return Ok(ended?),
        never = update_health(&health, &arena) => match never {},
        never = arena.apply_retention() => match never {},
        never = arena.note_time_regularly() => match never {},
        lost = arena.wait_until_store_lost() => (Duration::ZERO, Some(lost)),
        shutdown = shutdown => match shutdown {
            Shutdown::Graceful => (shutdown_grace, None),
            Shutdown::Immediate => (Duration::ZERO, None),
        },
    };
    tracing::info!(within = ?grace, "stopping: open matches may still finish within this time");
    report_health(&health, &HEALTH_NAMES, ServingStatus::NotServing).await;
    arena.stop(grace).await;
    drop(house);
    let CommitCounts { transactions, commits, .. } = arena.commit_counts();
    if transactions > 0 {
        tracing::info!(transactions, commits, "transactions written to the store");
    }
    stopping.cancel();
    match timeout(STREAM_CLOSE_TIMEOUT, serving.join_next()).await {
        Ok(Some(ended)) => ended?,
        Ok(None) => {}
        Err(_) => tracing::info!("closing the streams that are still open"),
    }
    if timeout(STORE_CLOSE_TIMEOUT, arena.close_store()).await.is_err() {
        tracing::warn!("the store is still busy: stopping without closing it; no data is lost");
    }
    lost.map_or(Ok(()), |lost| Err(ServeError::Store(lost)))
}

/// The names used in health checks: the server as a whole, which has an empty name, and each service.
pub(super) const HEALTH_NAMES: [&str; 9] = [
    "",
    arena_service_server::SERVICE_NAME,
    pb::bot_service_server::SERVICE_NAME,
    pb::match_service_server::SERVICE_NAME,
    pb::tournament_service_server::SERVICE_NAME,
    pb::oracle_service_server::SERVICE_NAME,
    pb::transcript_service_server::SERVICE_NAME,
    pb::entry_service_server::SERVICE_NAME,
    pb::server_service_server::SERVICE_NAME,
];

/// Reports the server and the arena service as not serving while the store cannot be used, since the arena announces
/// no events during that time.
async fn update_health(health: &HealthReporter, arena: &Arena) -> Infallible {
    let without_store = &HEALTH_NAMES[..2];
    loop {
        arena.wait_until_store_failed().await;
        report_health(health, without_store, ServingStatus::NotServing).await;
        arena.wait_until_store_usable().await;
        report_health(health, without_store, ServingStatus::Serving).await;
    }
}

async fn report_health(health: &HealthReporter, services: &[&str], status: ServingStatus) {
    for service in services {
        health.set_service_status(service, status).await;
    }
}

async fn assemble_services(
    arena: &Arena,
    config: &Config,
    logins: Arc<LoginLimits>,
) -> Result<(HealthReporter, GuardedServices, Metrics), ServeError> {
    use pb::bot_service_server::BotServiceServer;
    use pb::entry_service_server::EntryServiceServer;
    use pb::match_service_server::MatchServiceServer;
    use pb::oracle_service_server::OracleServiceServer;
    use pb::server_service_server::ServerServiceServer;
    use pb::tournament_service_server::TournamentServiceServer;
    use pb::transcript_service_server::TranscriptServiceServer;

    let mut access = Access::tokens_only(arena.clone(), logins);
    access.private = config.private;
    access.open_registration = config.open_registration;
    let reads = ReadScheduler::new(arena.clone(), access.clone(), config.reads);
    let play = arena_service_server::ArenaServiceServer::new(ArenaRpc::new(arena.clone(), access.clone()))
        .max_decoding_message_size(config.play_message_bytes);
    let registrations = AddressLimiter::new(config.registrations, config.registration_interval);
    let bot_rpc = BotRpc::new(arena.clone(), access.clone(), reads.clone(), registrations);
    let bots = BotServiceServer::new(bot_rpc.clone())
        .send_compressed(CompressionEncoding::Gzip)
        .max_decoding_message_size(config.call_message_bytes);
    let match_rpc = MatchRpc::new(arena.clone(), access.clone(), reads.clone());
    let matches = MatchServiceServer::new(match_rpc.clone())
        .send_compressed(CompressionEncoding::Gzip)
        .max_decoding_message_size(config.call_message_bytes);
    let transcript_rpc = TranscriptRpc::new(arena.clone(), access.clone(), reads.clone());
    let transcripts = TranscriptServiceServer::new(transcript_rpc.clone())
        .send_compressed(CompressionEncoding::Gzip)
        .max_decoding_message_size(config.call_message_bytes);
    let tournament_rpc = TournamentRpc::new(arena.clone(), access.clone(), reads.clone());
    let tournaments = TournamentServiceServer::new(tournament_rpc.clone())
        .send_compressed(CompressionEncoding::Gzip)
        .max_decoding_message_size(config.call_message_bytes);
    let entry_rpc = EntryRpc::new(arena.clone(), access.clone());
    let entries =
        EntryServiceServer::new(entry_rpc.clone()).max_decoding_message_size(config.call_message_bytes);
    let oracle_rpc = OracleRpc::new(arena.clone(), access.clone(), config.oracle_questions);
    let oracle =
        OracleServiceServer::new(oracle_rpc.clone()).max_decoding_message_size(config.call_message_bytes);
    let server = ServerServiceServer::new(ServerRpc::new(arena.clone(), access.clone()))
        .max_decoding_message_size(config.call_message_bytes);

    let (health, health_service) = tonic_health::server::health_reporter();
    report_health(&health, &HEALTH_NAMES, ServingStatus::Serving).await;
    let reflection = || {
        tonic_reflection::server::Builder::configure()
            .register_encoded_file_descriptor_set(pb::DESCRIPTORS)
            .register_encoded_file_descriptor_set(tonic_health::pb::FILE_DESCRIPTOR_SET)
    };

    let routes = Routes::new(bots)
        .add_service(matches)
        .add_service(tournaments)
        .add_service(transcripts)
        .add_service(entries)
        .add_service(oracle)
        .add_service(server)
        .add_service(health_service)
        .add_service(reflection().build_v1()?)
        .add_service(reflection().build_v1alpha()?)
        .prepare();
    let guest_limits = GuestLimits {
        per_minute: config.guest_matches_per_minute,
        per_address: config.guest_matches_per_address,
        idle_timeout: config.guest_idle_timeout,
    };
    let guests = GuestGames::new(arena.clone(), access.clone(), guest_limits);
    let (traffic, kept) = (Arc::new(TrafficCounts::default()), PageCache::default());
    let metrics = Metrics {
        arena: arena.clone(),
        oracle: oracle_rpc.clone(),
        traffic: Arc::clone(&traffic),
        kept: kept.clone(),
        started: Instant::now(),
    };
    let site = (!config.no_web).then(|| Site {
        arena: arena.clone(),
        reads,
        public_url: config.public_url.clone(),
        tournaments: tournament_rpc,
        matches: match_rpc,
        bots: bot_rpc,
        entries: entry_rpc,
        transcripts: transcript_rpc,
        oracle: oracle_rpc,
        access: access.clone(),
        guests,
        sign_ins: SignIns::new(arena, config.organiser_session),
        bot_games: BotGames::new(arena.clone(), access.clone()),
        metrics: config.metrics_listen.is_empty().then(|| metrics.clone()),
        feeds: Feeds::default(),
        kept,
        headlines: KeptHeadlines::default(),
        audits: BotAudits::default(),
    });
    Ok((health, GuardedServices { play, routes, access, pages: site.map(Pages::new), traffic }, metrics))
}
