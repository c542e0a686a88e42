//! Why a bot's run came to an end before its time.

use super::{JoinRefusal, ProtocolError};
use lastnim_core::game::{ConfigHashError, VersionLabelError};
use std::{error::Error as StdError, path::PathBuf, time::Duration};
use thiserror::Error;
use tonic::{Code, Status};

/// What ends a run, or fails a call.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum Error {
    /// The server's address cannot be used.
    #[error("server {server:?}: an address is host:port, http://host:port or https://host:port ({reason})")]
    Address {
        /// The address given.
        server: String,
        /// What is wrong with it.
        reason: String,
    },
    /// The token cannot be sent.
    #[error("the token holds characters that no token has: give it as the server printed it")]
    Token,
    /// The environment holds no token.
    #[error(
        "there is no LASTNIM_TOKEN in the environment, nor a LASTNIM_TOKEN_FILE: the token is the one that registering the bot returned"
    )]
    NoToken,
    /// The file of the token cannot be used.
    #[error("token file {}: {reason}", path.display())]
    TokenFile {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        reason: String,
    },
    /// The bot's version cannot be said.
    #[error(transparent)]
    Version(#[from] VersionLabelError),
    /// The hash of the bot's configuration is none.
    #[error(transparent)]
    ConfigHash(#[from] ConfigHashError),
    /// The log of the sessions cannot be opened.
    #[error("session log {}: {reason}", path.display())]
    SessionLog {
        /// The file or folder.
        path: PathBuf,
        /// What is wrong with it.
        reason: String,
    },
    /// There is no server at the address.
    #[error("no server answers at {server}: {reason}")]
    Unreachable {
        /// The address given.
        server: String,
        /// What happened instead.
        reason: String,
    },
    /// The file of trusted authorities cannot be used.
    #[error("certificates {}: {reason}", path.display())]
    Ca {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        reason: String,
    },
    /// The server's certificate is not trusted, or what answers does not speak TLS.
    #[error("server {server}: {reason}")]
    Tls {
        /// The address given.
        server: String,
        /// What is wrong.
        reason: String,
    },
    /// The server does not let this bot in.
    #[error("the server refused the session: {}", describe_status(.0))]
    Refused(Box<Status>),
    /// A newer session of the same bot took over.
    #[error(
        "a newer session of this bot was opened: a bot plays all its matches on one session, so run it once"
    )]
    Superseded,
    /// The session was lost, and could not be opened again in time.
    #[error("no session for {after:?}: {last}")]
    GaveUp {
        /// How long it was sought.
        after: Duration,
        /// What the last attempt came to.
        last: String,
    },
    /// The tournament cannot be joined.
    #[error("tournament {id:?}: {message}")]
    NotJoined {
        /// Its id.
        id: String,
        /// The reason, for programs; absent where this version does not know it.
        reason: Option<JoinRefusal>,
        /// The reason in words.
        message: String,
    },
    /// The tournament cannot be followed to its end.
    #[error("tournament {id:?}: {}", describe_status(.status))]
    Tournament {
        /// Its id.
        id: String,
        /// What the server said.
        status: Box<Status>,
    },
    /// The server does not let the bot practise.
    #[error("practice: {}", describe_status(.0))]
    Practice(Box<Status>),
    /// There is nobody to practise against.
    #[error(
        "the server at {server} hosts no house bots to practise against: `lastnim serve --house oracle,greedy` does"
    )]
    NoHouseBots {
        /// The server.
        server: String,
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
pub(super) fn describe_status(status: &Status) -> String {
    let code = status.code();
    let root = status.source().map(|source| innermost_source(source).to_string());
    match (status.message(), root) {
        ("", None) => format!("{code:?}"),
        ("", Some(root)) => format!("{root} ({code:?})"),
        (message, Some(root)) if !message.contains(&root) => format!("{message}: {root} ({code:?})"),
        (message, _) => format!("{message} ({code:?})"),
    }
}

/// Returns what lies at the bottom of an error: the layers above it often say no more than "transport error".
pub(super) fn innermost_source<'a>(error: &'a (dyn StdError + 'static)) -> &'a (dyn StdError + 'static) {
    match error.source() {
        Some(source) => innermost_source(source),
        None => error,
    }
}

/// Returns whether trying again can help.
pub(super) fn is_transient(code: Code) -> bool {
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
