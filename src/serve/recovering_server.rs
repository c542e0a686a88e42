//! A server that recovers if its database lost commits.

use super::{
    former_key::find_former_key,
    opening::{OpeningMessage, print_opening},
    settings::{AcceptedLosses, ServeSettings},
};
use crate::{CommandExit, CommandResult, Failure, form::OutputFormat, runtime};
use lastnim_arena::{Arena, Backend, Principal};
use lastnim_server::ServeError;
use lastnim_store::{StoreError, Token};
use std::{
    net,
    time::{Duration, Instant},
};
use tokio::net::TcpListener;

/// How long the server tries to open a database again after the database lost commits.
const REOPEN_TIMEOUT: Duration = Duration::from_mins(5);
/// The pause between two attempts.
const RETRY_INTERVAL: Duration = Duration::from_secs(1);

/// The server of `lastnim serve`. It runs until a signal stops it.
///
/// If the database lost commits, the server drops its runtime with everything in memory, and starts again from the
/// database in the same process, with the same socket and the same tokens.
#[derive(Debug)]
pub struct RecoveringServer {
    pub settings: ServeSettings,
    /// The tokens of the admin and the viewer.
    pub known: Vec<(Token, Principal)>,
    /// The admin token, if it was generated.
    pub drawn: Option<Token>,
    pub form: OutputFormat,
    pub accepted: AcceptedLosses,
}

/// The state that survives a recovery.
#[derive(Debug, Default)]
struct Survivors {
    /// The socket, on which connections wait during the recovery.
    socket: Option<net::TcpListener>,
    /// The description of the loss.
    loss: Option<String>,
}

impl RecoveringServer {
    /// Serves until an interrupt or a termination signal.
    pub fn run(self) -> CommandResult {
        let mut survivors = Survivors::default();
        loop {
            let threads = self.settings.threads.map(usize::from);
            let mut loss = None;
            // When this call returns, the runtime and every task that uses the old memory have ended.
            let done = runtime::run_on_runtime(threads, self.serve(&mut survivors, &mut loss));
            let Some(loss) = loss else { return done };
            tracing::error!(
                %loss,
                "THE DATABASE LOST COMMITS: the server restarts from the data that the database still has"
            );
            survivors.loss = Some(loss);
        }
    }

    /// Serves until a signal or a failure. If the database lost commits, the loss is noted in `loss`.
    async fn serve(&self, survivors: &mut Survivors, loss: &mut Option<String>) -> CommandResult {
        let listener = self.listener(&mut survivors.socket).await?;
        let address = listener.local_addr().map_err(|error| Failure::runtime(error, "listening"))?;
        let mut shutdown = Box::pin(runtime::wait_for_interrupt());
        let settings = self.settings.clone();
        let earlier_loss = survivors.loss.take();
        let backend = if earlier_loss.is_none() {
            settings.open_backend(self.accepted).await?
        } else {
            tokio::select! {
                biased;
                () = &mut shutdown => return Ok(CommandExit::Done),
                opened = self.reopen_backend() => opened?,
            }
        };
        let changed = settings.changed_json();
        let ServeSettings { store, server: config, .. } = settings;
        let former_key = find_former_key(backend.store.as_ref(), backend.key.public_key()).await;
        let arena = Arena::open(config.limits.clone(), backend, self.known.clone()).await;
        let arena = arena.map_err(|error| Failure::runtime(error, format!("--store {store}")))?;
        if let Some(loss) = earlier_loss {
            tracing::error!(
                %loss,
                tournaments = arena.open_tournament_count(),
                matches = arena.open_match_count(),
                "recovered after the database lost commits: open tournaments and matches continue"
            );
        } else {
            let opening = OpeningMessage {
                address,
                has_pages: !config.no_web,
                store: &store,
                former_key,
                drawn: self.drawn.as_ref(),
            };
            print_opening(&opening, self.form, &arena).map_err(Failure::Output)?;
        }
        tracing::info!(version = env!("CARGO_PKG_VERSION"), %address, %store, public_key = %arena.public_key(), settings = %changed, "serving; settings not listed have their defaults");
        if let Some(former_key) = former_key {
            tracing::warn!(
                %former_key,
                public_key = %arena.public_key(),
                "the key in use did not sign the newest record in the store: to use the former key, name its file with --key"
            );
        }
        if !address.ip().is_loopback() {
            tracing::warn!(
                "tokens are sent unencrypted: use a TLS proxy on any network that you do not trust"
            );
        }
        let served = lastnim_server::run_server(listener, arena, config, shutdown).await;
        if let Err(ServeError::Store(StoreError::LostCommits(why))) = &served {
            *loss = Some(why.clone());
        }
        served.map_err(|error| Failure::runtime(error, "server"))?;
        Ok(CommandExit::Done)
    }

    /// Opens the store again after a loss. Retries while the database is unavailable, for example during a failover.
    async fn reopen_backend(&self) -> Result<Backend, Failure> {
        let began = Instant::now();
        loop {
            match self.settings.open_backend(self.accepted).await {
                Err(Failure::Runtime(error))
                    if began.elapsed() < REOPEN_TIMEOUT
                        && error.downcast_ref::<StoreError>().is_some_and(StoreError::is_transient) =>
                {
                    tracing::warn!(error = format!("{error:#}"), "the database cannot be opened yet");
                    tokio::time::sleep(RETRY_INTERVAL).await;
                }
                opened => return opened,
            }
        }
    }

    /// Listens on a new socket the first time, and on the same socket after a recovery.
    async fn listener(&self, socket: &mut Option<net::TcpListener>) -> Result<TcpListener, Failure> {
        let listen = &self.settings.listen;
        let listening = async {
            let bound = match socket.take() {
                Some(bound) => bound,
                None => listen.bind().await?.into_std()?,
            };
            *socket = Some(bound.try_clone()?);
            TcpListener::from_std(bound)
        };
        listening.await.map_err(|error| Failure::runtime(error, format!("--listen {listen}")))
    }
}
