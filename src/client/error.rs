//! Why a bot's run came to an end before its time.

use super::ProtocolError;
use std::time::Duration;
use thiserror::Error;
use tonic::{Code, Status};

/// What ends a run, or fails a call.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum Error {
    /// The server's address cannot be used.
    #[error("server {server:?}: an address is host:port or http://host:port ({reason})")]
    Address {
        /// The address given.
        server: String,
        /// What is wrong with it.
        reason: String,
    },
    /// The token cannot be sent.
    #[error("the token holds characters that no token has: give it as the server printed it")]
    Token,
    /// There is no server at the address.
    #[error("no server answers at {server}: {reason}")]
    Unreachable {
        /// The address given.
        server: String,
        /// What happened instead.
        reason: String,
    },
    /// The server does not let this bot in.
    #[error("the server refused the session: {}", describe(.0))]
    Refused(Box<Status>),
    /// A newer session of the same bot took over.
    #[error(
        "a newer session of this bot was opened: a bot plays all its matches on one session, so run it once"
    )]
    Superseded,
    /// The session was lost, and could not be opened again in time.
    #[error("no session for {} s: {last}", .after.as_secs())]
    GaveUp {
        /// How long it was sought.
        after: Duration,
        /// What the last attempt came to.
        last: String,
    },
    /// The tournament cannot be played.
    #[error("tournament {id:?}: {}", describe(.status))]
    Tournament {
        /// Its id.
        id: String,
        /// What the server said.
        status: Box<Status>,
    },
    /// The server sent what no server of this kind sends.
    #[error("the server sent {0}")]
    Protocol(#[from] ProtocolError),
    /// The bot's own code panicked.
    #[error("the bot panicked: see its message above")]
    BotPanicked,
    /// The bot's thread could not be started.
    #[error("the bot's thread did not start: {0}")]
    Thread(#[source] std::io::Error),
}

/// Writes a status in one line, its code by name.
pub(super) fn describe(status: &Status) -> String {
    match status.message() {
        "" => format!("{:?}", status.code()),
        message => format!("{message} ({:?})", status.code()),
    }
}

/// Returns whether trying again can help.
pub(super) fn is_passing(code: Code) -> bool {
    matches!(
        code,
        Code::Unavailable
            | Code::Unknown
            | Code::Cancelled
            | Code::DeadlineExceeded
            | Code::Internal
            | Code::ResourceExhausted
    )
}
