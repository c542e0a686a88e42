//! A server that a command runs in its own process.

use anyhow::Context as _;
use lastnim_arena::{Arena, Backend, Principal};
use lastnim_server::{Config, ServeError, Shutdown};
use lastnim_store::Token;
use std::net::SocketAddr;
use tokio::{net::TcpListener, sync::oneshot, task::JoinHandle};

/// A server that runs as long as its command.
#[derive(Debug)]
pub struct EmbeddedServer {
    address: SocketAddr,
    admin_token: Token,
    stop: oneshot::Sender<()>,
    serving: JoinHandle<Result<(), ServeError>>,
}

impl EmbeddedServer {
    /// Starts a server on a listener. Its admin token is random and is not stored.
    pub async fn start(listener: TcpListener, backend: Backend, config: Config) -> anyhow::Result<Self> {
        let address = listener.local_addr().context("cannot listen")?;
        let admin = Token::generate();
        let tokens = vec![(admin.clone(), Principal::Admin)];
        let arena = Arena::open(config.limits.clone(), backend, tokens).await?;
        let (stop, stopped) = oneshot::channel::<()>();
        let serving = tokio::spawn(lastnim_server::run_server(
            listener.into(),
            arena,
            config,
            // Dropping the sender also stops the server.
            Box::pin(async {
                drop(stopped.await);
                Shutdown::Graceful
            }),
        ));
        Ok(Self { address, admin_token: admin, stop, serving })
    }

    /// Returns the address on which the server listens.
    pub fn listen_address(&self) -> SocketAddr {
        self.address
    }

    /// Returns the address at which programs on this machine reach the server.
    pub fn connect_address(&self) -> String {
        lastnim_server::local_address(self.address).to_string()
    }

    /// Returns the admin's token.
    pub fn admin_token(&self) -> &str {
        self.admin_token.reveal()
    }

    /// Stops the server cleanly: open matches may finish within its grace period.
    pub async fn stop(self) -> anyhow::Result<()> {
        drop(self.stop);
        self.serving.await.context("the server failed")??;
        Ok(())
    }
}
