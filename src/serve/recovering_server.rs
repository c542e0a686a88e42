//! A server that recovers if its database lost commits.

use super::{
    former_key::find_former_key,
    listening::BoundSocket,
    opening::{StartupMessage, print_startup_message},
    settings::{AcceptedLosses, ServeSettings},
    standby::{ServerCard, wait_for_turn, wait_until_unconfirmed},
};
use crate::{
    CommandExit, CommandResult, Failure,
    form::OutputFormat,
    runtime::{self, Interrupt},
};
use lastnim_arena::{Arena, ArenaError, Backend, Principal};
use lastnim_core::referee::{PublicKey, SigningKey};
use lastnim_server::{ServeError, ServerListener, ServerTls, Shutdown};
use lastnim_store::{Store, StoreError, Token};
use std::{
    convert::Infallible,
    io,
    sync::{Arc, OnceLock},
    time::{Duration, Instant},
};
use tokio::sync::watch;

/// How long the server tries to open a database again after the database lost commits.
const REOPEN_TIMEOUT: Duration = Duration::from_mins(5);
/// The pause between two attempts to open the database, and between two checks of whether it belongs to this server.
const RETRY_INTERVAL: Duration = Duration::from_secs(1);

/// The server of `lastnim serve`. It runs until a signal stops it.
///
/// If the database lost commits, the server drops its runtime with everything in memory, and starts again from the
/// database in the same process, with the same socket and the same tokens.
#[derive(Debug)]
pub struct RecoveringServer {
    pub settings: ServeSettings,
    /// The tokens of the admin and the viewer.
    pub known_tokens: Vec<(Token, Principal)>,
    /// The admin token, if it was generated.
    pub generated_token: Option<Token>,
    pub form: OutputFormat,
    pub accepted_losses: AcceptedLosses,
}

/// The state that survives a restart in the same process.
#[derive(Debug, Default)]
struct RestartState {
    /// The socket, on which connections wait during the restart.
    socket: Option<BoundSocket>,
    /// The TLS of the socket, if any.
    tls: Option<Arc<ServerTls>>,
    /// Why the server restarts.
    restart: Option<RestartReason>,
}

/// Why a server restarts in the same process.
#[derive(Debug)]
enum RestartReason {
    /// The database lost commits, as described.
    LostCommits(String),
    /// This server handed the database over to another one.
    HandedOver,
    /// Another server may have taken over the database, for this reason.
    Displaced(String),
}

/// An open arena.
struct OpenedArena {
    arena: Arena,
    /// The key that signed the newest record, if it is not the key in use.
    former_key: Option<PublicKey>,
}

/// Asks the database every second whether it still belongs to this server.
async fn poll_ownership(store: &dyn Store) -> Infallible {
    loop {
        tokio::time::sleep(RETRY_INTERVAL).await;
        if let Err(error) = store.check_intact().await {
            tracing::debug!(%error, "the database did not confirm its owner");
        }
    }
}

/// Returns whether a standby server that failed with this error may still get the database later.
fn may_succeed_later(error: &anyhow::Error) -> bool {
    let error = error.downcast_ref::<StoreError>();
    error.is_some_and(|error| error.is_transient() || matches!(error, StoreError::Taken(_)))
}

impl RestartReason {
    fn log(&self) {
        match self {
            Self::LostCommits(loss) => tracing::error!(
                %loss,
                "THE DATABASE LOST COMMITS: the server restarts from the data that the database still has"
            ),
            Self::HandedOver => tracing::info!("handed the database over: standing by"),
            Self::Displaced(why) => {
                tracing::error!(why, "another server may have taken over the database: standing by");
            }
        }
    }
}

impl RecoveringServer {
    /// Serves until an interrupt or a termination signal.
    pub fn run(self) -> CommandResult {
        let mut restart_state = RestartState { tls: self.settings.read_tls()?, ..RestartState::default() };
        let key = self.settings.read_key()?;
        let interrupt = Interrupt::listen()?;
        loop {
            let threads = self.settings.threads.map(usize::from);
            // When this call returns, the runtime and every task that uses the old memory have ended.
            let done = runtime::run_on_runtime(threads, self.serve(&key, &interrupt, &mut restart_state));
            let Some(restart) = &restart_state.restart else { return done };
            if interrupt.has_arrived() {
                return Ok(CommandExit::Done);
            }
            restart.log();
        }
    }

    /// Serves until the server must stop or restart; stores the reason for a restart in `restart_state`.
    async fn serve(
        &self,
        key: &SigningKey,
        interrupt: &Interrupt,
        restart_state: &mut RestartState,
    ) -> CommandResult {
        let tls = restart_state.tls.clone();
        let restart = restart_state.restart.take();
        let socket = self.socket(&mut restart_state.socket).await?;
        let listening_failed = |error| Failure::runtime(error, "cannot listen");
        let address = socket.address().map_err(listening_failed)?;
        let listen = || Ok(ServerListener { socket: socket.accept_here()?, tls: tls.clone() });
        let listener = listen().map_err(listening_failed)?;
        // From now on the hand-over signal does not end the process. It is ignored until this server has the database.
        drop(runtime::wait_for_hand_over());
        let settings = self.settings.clone();
        let card = ServerCard::new(&settings, &self.known_tokens, key.public_key(), &address);
        let opened = tokio::select! {
            biased;
            () = interrupt.clone().wait() => return Ok(CommandExit::Done),
            opened = self.open_arena(listen, key, &card, restart.as_ref()) => opened?,
        };
        let OpenedArena { arena, former_key } = opened;
        let changed = settings.changed_json();
        let ServeSettings { store, server: config, .. } = settings;
        match restart {
            Some(RestartReason::LostCommits(loss)) => tracing::error!(
                %loss,
                tournaments = arena.open_tournament_count(),
                matches = arena.open_match_count(),
                "recovered after the database lost commits: open tournaments and matches continue"
            ),
            Some(_) => tracing::info!(
                tournaments = arena.open_tournament_count(),
                matches = arena.open_match_count(),
                "took the database over again: open tournaments and matches continue"
            ),
            None => {
                let opening = StartupMessage {
                    address: &address,
                    uses_tls: listener.tls.is_some(),
                    has_pages: !config.no_web,
                    store: &store,
                    former_key,
                    generated_token: self.generated_token.as_ref(),
                };
                print_startup_message(&opening, self.form, &arena).map_err(Failure::Output)?;
            }
        }
        tracing::info!(version = env!("CARGO_PKG_VERSION"), %address, %store, public_key = %arena.public_key(), settings = %changed, "serving; settings not listed have their defaults");
        if let Some(former_key) = former_key {
            tracing::warn!(
                %former_key,
                public_key = %arena.public_key(),
                "the key in use did not sign the newest record in the store: to use the former key, name its file with --key"
            );
        }
        if listener.tls.is_none() && !address.is_local() {
            tracing::warn!(
                "tokens are sent unencrypted: use --tls-cert or a TLS proxy on any network that you do not trust"
            );
        }
        let stopped = Arc::new(OnceLock::new());
        let (noted, owner, stands_by) = (Arc::clone(&stopped), arena.clone(), self.settings.standby);
        if stands_by {
            arena.allow_hand_over(card.name().to_owned());
        }
        let (shutdown, signal) = (interrupt.clone().wait(), runtime::wait_for_hand_over());
        let shutdown = Box::pin(async move {
            let hand_over = async {
                tokio::select! {
                    () = signal => {}
                    () = owner.hand_over_requested() => {}
                }
            };
            tokio::select! {
                biased;
                () = shutdown => return Shutdown::Graceful,
                () = hand_over, if stands_by => {
                    let _ = noted.set(RestartReason::HandedOver);
                }
                silent = wait_until_unconfirmed(|| owner.time_since_store_confirmed()), if stands_by => {
                    let why = format!("for {silent:.1?} the database has not confirmed that it still belongs to this server");
                    let _ = noted.set(RestartReason::Displaced(why));
                }
            }
            Shutdown::Immediate
        });
        let served = lastnim_server::run_server(listener, arena, config, shutdown).await;
        restart_state.restart = match &served {
            Err(ServeError::Store(StoreError::LostCommits(why))) => {
                Some(RestartReason::LostCommits(why.clone()))
            }
            Err(ServeError::Store(taken @ StoreError::Taken(_))) if stands_by => {
                Some(RestartReason::Displaced(taken.to_string()))
            }
            _ => Arc::into_inner(stopped).and_then(OnceLock::into_inner),
        };
        served.map_err(|error| Failure::runtime(error, "the server failed"))?;
        Ok(CommandExit::Done)
    }

    /// Opens the store and the arena. A server that stands by waits for its turn, and answers its clients until the arena
    /// is open.
    async fn open_arena(
        &self,
        listen: impl Fn() -> io::Result<ServerListener>,
        key: &SigningKey,
        card: &ServerCard,
        restart: Option<&RestartReason>,
    ) -> Result<OpenedArena, Failure> {
        let settings = &self.settings;
        let open_backend = || settings.open_backend(self.accepted_losses, key.clone(), card.to_json());
        if !settings.standby {
            let backend = match restart {
                Some(_) => self.reopen_backend(open_backend).await?,
                None => open_backend().await?,
            };
            return self.open_arena_on(backend, card).await;
        }
        let (name, holder) = watch::channel(None);
        let has_let_go = matches!(restart, Some(RestartReason::HandedOver));
        let opening = async {
            let mut logged = String::new();
            loop {
                wait_for_turn(&settings.store, card, &name, has_let_go).await?;
                let opened = async { self.open_arena_on(open_backend().await?, card).await };
                match opened.await {
                    Err(Failure::Runtime(error)) if may_succeed_later(&error) => {
                        let message = format!("{error:#}");
                        if message != logged {
                            tracing::info!(error = message, "standing by: the database cannot be opened yet");
                            logged = message;
                        }
                        tokio::time::sleep(RETRY_INTERVAL).await;
                    }
                    opened => return opened,
                }
            }
        };
        let listener = listen().map_err(|error| Failure::runtime(error, "cannot listen"))?;
        let answering = lastnim_server::stand_by(listener, holder, settings.server.trusted_proxies.clone());
        tokio::select! {
            biased;
            opened = opening => opened,
            never = answering => match never {},
        }
    }

    /// Opens the arena on a store, and tells waiting servers that this one serves. While many open matches are read, the
    /// database is queried every second, so that no other server considers this one lost.
    async fn open_arena_on(&self, backend: Backend, card: &ServerCard) -> Result<OpenedArena, Failure> {
        let store = Arc::clone(&backend.store);
        let opening = async {
            let former_key = find_former_key(backend.store.as_ref(), backend.key.public_key()).await;
            let opened = async {
                let limits = self.settings.server.limits.clone();
                let arena = Arena::open(limits, backend, self.known_tokens.clone()).await?;
                store.set_holder_description(&card.serving().to_json()).await?;
                Ok(OpenedArena { arena, former_key })
            };
            opened.await.map_err(|error: ArenaError| {
                let what = format!("--store {}", self.settings.store);
                match error {
                    ArenaError::Store(error) => Failure::runtime(error, what),
                    error => Failure::runtime(error, what),
                }
            })
        };
        let asking = poll_ownership(store.as_ref());
        tokio::select! {
            biased;
            opened = opening => opened,
            never = asking => match never {},
        }
    }

    /// Opens the store again after the database lost commits. Retries while a database that failed over is unavailable.
    async fn reopen_backend<O>(&self, open: impl Fn() -> O) -> Result<Backend, Failure>
    where
        O: Future<Output = Result<Backend, Failure>>,
    {
        let began = Instant::now();
        loop {
            match open().await {
                Err(Failure::Runtime(error))
                    if began.elapsed() < REOPEN_TIMEOUT
                        && error.downcast_ref::<StoreError>().is_some_and(StoreError::is_transient) =>
                {
                    tracing::warn!(
                        error = format!("{error:#}"),
                        "the database cannot be opened yet: trying again"
                    );
                    tokio::time::sleep(RETRY_INTERVAL).await;
                }
                opened => return opened,
            }
        }
    }

    /// Returns the socket: a new one the first time, and the same one after a recovery.
    async fn socket<'a>(&self, bound: &'a mut Option<BoundSocket>) -> Result<&'a BoundSocket, Failure> {
        let listen = &self.settings.listen;
        let socket = if let Some(socket) = bound.take() {
            socket
        } else {
            let binding = listen.bind().await;
            binding.map_err(|error| Failure::runtime(error, format!("--listen {listen}")))?
        };
        Ok(bound.insert(socket))
    }
}
