//! Requests to hand the database over to a standby server.

use crate::arena::Arena;
use crate::error::ArenaError;
use std::sync::OnceLock;
use tokio::sync::Notify;

/// The server that hands its database over, and the servers that wait for it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HandOver {
    /// The name of this server.
    pub server: String,
    /// The names of the standby servers.
    pub standby_servers: Vec<String>,
}

/// The state of requests to hand the database over.
#[derive(Debug, Default)]
pub(crate) struct HandOverRequests {
    /// The name of this server; unset if it never hands its database over.
    server: OnceLock<String>,
    requested: Notify,
}

impl Arena {
    /// Allows requests to hand the database over. `server` is the name of this server. The caller must then wait for
    /// [`hand_over_requested`](Self::hand_over_requested).
    pub fn allow_hand_over(&self, server: String) {
        // A second call changes nothing, because the name of a server stays the same.
        let _ = self.inner.hand_over.server.set(server);
    }

    /// Requests that this server hands its database over to a standby server. The hand-over begins after this returns.
    ///
    /// # Errors
    /// If this server does not hand its database over or is stopping, the store cannot be read, or no standby server
    /// waits for the database.
    pub async fn request_hand_over(&self) -> Result<HandOver, ArenaError> {
        let hand_over = &self.inner.hand_over;
        let server = hand_over.server.get().cloned().ok_or(ArenaError::NotStandby)?;
        self.check_not_stopping()?;
        let standby_servers = self.inner.store.standby_servers().await?;
        if standby_servers.is_empty() {
            return Err(ArenaError::NoStandby);
        }
        tracing::info!(
            standby_servers = standby_servers.join(", "),
            "an administrator asked for a hand-over"
        );
        hand_over.requested.notify_one();
        Ok(HandOver { server, standby_servers })
    }

    /// Waits until a caller has requested a hand-over.
    pub async fn hand_over_requested(&self) {
        self.inner.hand_over.requested.notified().await;
    }
}
