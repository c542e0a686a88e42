//! Serves the tournament of a finished run, so that its results can be read after its server has stopped.

use super::folder::RunPaths;
use crate::{Failure, embedded_server::EmbeddedServer};
use lastnim_arena::{Backend, Durability, Environment};
use lastnim_core::game::TournamentId;
use lastnim_server::{Config, load_or_generate_key};
use lastnim_store::{RetentionLimits, StoreUrl};
use std::net::Ipv4Addr;
use tokio::net::TcpListener;

/// Starts a server on a free port with the store of a run. Returns `None` if the tournament of the run is not over:
/// a server would continue to play it.
///
/// # Errors
/// If the store or the signing key cannot be used, for example because another server uses the store.
pub(super) async fn serve_finished_run(
    paths: &RunPaths,
    tournament: TournamentId,
) -> Result<Option<EmbeddedServer>, Failure> {
    let file = paths.store_file();
    let failure = |error: anyhow::Error| Failure::runtime(error, file.display());
    if !file.exists() {
        return Ok(None);
    }
    let url = StoreUrl::Sqlite(file.clone());
    let reader = lastnim_store::open_reader(&url).await.map_err(|error| failure(error.into()))?;
    let stored = reader.tournament(tournament).await.map_err(|error| failure(error.into()))?;
    drop(reader);
    if !stored.is_some_and(|stored| stored.state.is_over()) {
        return Ok(None);
    }
    let key = load_or_generate_key(&paths.key_file()).map_err(|error| Failure::Runtime(error.into()))?;
    let store = lastnim_store::open_store(&url, RetentionLimits::default());
    let store = store.await.map_err(|error| failure(error.into()))?;
    let backend =
        Backend { store, durability: Durability::default(), key, environment: Environment::default() };
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await;
    let listener =
        listener.map_err(|error| Failure::runtime(error, "cannot find a free port on 127.0.0.1"))?;
    EmbeddedServer::start(listener, backend, Config::default()).await.map(Some).map_err(failure)
}
