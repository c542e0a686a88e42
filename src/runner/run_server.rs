//! The server that a tournament is played on.

use super::{
    folder::{AdminTokenFile, RunFolder},
    organiser::OrganiserClient,
    saved_run::SavedRun,
};
use crate::{
    Failure,
    args::listen_address::ListenAddress,
    embedded_server::EmbeddedServer,
    remote::{RemoteServer, ServerArgs, Target},
    tournament_file::plan::TournamentPlan,
};
use lastnim_arena::{Backend, Durability, Environment, Limits};
use lastnim_client::ServerAddress;
use lastnim_server::{Config, load_or_generate_key};
use lastnim_store::{RetentionLimits, StoreUrl};
use std::net::{Ipv4Addr, SocketAddr};
use tokio::net::TcpListener;

/// The server that a tournament is played on.
#[derive(Debug)]
pub struct RunServer {
    /// The organiser's calls.
    pub organiser: OrganiserClient,
    /// The address of the server for programs on this machine.
    pub address: ServerAddress,
    /// The run's own server, and the file that lets other commands organise it.
    own: Option<(EmbeddedServer, AdminTokenFile)>,
}

impl RunServer {
    /// Starts the run's own server with a store in the run's folder.
    pub async fn start_embedded(
        folder: &RunFolder,
        kept: &mut SavedRun,
        plan: &TournamentPlan,
        listen: Option<&ListenAddress>,
    ) -> Result<Self, Failure> {
        let listener = bind_listener(listen, kept.listened_on).await?;
        let store = StoreUrl::Sqlite(folder.store_file());
        let failure = |error: anyhow::Error| Failure::runtime(error, folder.store_file().display());
        let store = lastnim_store::open_store(&store, RetentionLimits::default())
            .await
            .map_err(|error| failure(error.into()))?;
        let key = load_or_generate_key(&folder.key_file()).map_err(|error| Failure::Runtime(error.into()))?;
        folder.link_key_file()?;
        let backend =
            Backend { store, durability: Durability::default(), key, environment: Environment::default() };
        let server =
            EmbeddedServer::start(listener, backend, config_for_tournament(plan)).await.map_err(failure)?;
        let token_file = folder.write_admin_token(server.admin_token())?;
        kept.listened_on = Some(server.listen_address());
        kept.write(&folder.saved_run_file())?;
        let address = ServerAddress::new(server.connect_address());
        let remote = RemoteServer::connect_to(&address, Some(server.admin_token())).await?;
        Ok(Self { organiser: OrganiserClient::new(remote), address, own: Some((server, token_file)) })
    }

    /// Connects to a server that another process runs.
    pub async fn connect_to_other(args: &ServerArgs) -> Result<Self, Failure> {
        let Target { address, token } = args.target()?;
        let organiser = OrganiserClient::new(RemoteServer::connect_to(&address, token.as_deref()).await?);
        Ok(Self { organiser, address, own: None })
    }

    /// Returns whether another process runs the server, which then continues without this run.
    pub fn is_foreign(&self) -> bool {
        self.own.is_none()
    }

    /// Returns the address of the run's own server.
    pub fn listen_address(&self) -> Option<SocketAddr> {
        self.own.as_ref().map(|(server, _)| server.listen_address())
    }

    /// Stops the run's own server gracefully.
    pub async fn stop_embedded(&mut self) -> Result<(), Failure> {
        match self.own.take() {
            Some((server, _token_file)) => {
                server.stop().await.map_err(|error| Failure::runtime(error, "the tournament's server failed"))
            }
            None => Ok(()),
        }
    }
}

/// Listens on the given address. Without one, it listens on the address of the earlier run if that is free, or else on
/// a free port.
async fn bind_listener(
    listen: Option<&ListenAddress>,
    before: Option<SocketAddr>,
) -> Result<TcpListener, Failure> {
    if let Some(listen) = listen {
        let bound = listen.bind().await;
        return bound.map_err(|error| Failure::runtime(error, format!("--listen {listen}")));
    }
    if let Some(before) = before
        && let Ok(listener) = TcpListener::bind(before).await
    {
        return Ok(listener);
    }
    let bound = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await;
    bound.map_err(|error| Failure::runtime(error, "cannot find a free port on 127.0.0.1"))
}

/// Returns a configuration with limits large enough for the tournament.
fn config_for_tournament(plan: &TournamentPlan) -> Config {
    let usual = Limits::default();
    // Bots that are already in the store also count, but they are the same bots.
    let bots = plan.players.len();
    let limits = Limits {
        sessions: usual.sessions.max(2 * bots),
        bots: usual.bots.max(bots),
        // Each bot follows the tournament, and so does the organiser.
        watchers: usual.watchers.max(2 * bots + 16),
        ..usual
    };
    Config { limits, ..Config::default() }
}
