//! Errors of runs and calls.

use super::{JoinRefusal, ProtocolError};
use lastnim_core::game::{ConfigHashError, VersionLabelError};
use std::{error::Error as StdError, path::PathBuf, time::Duration};
use thiserror::Error;
use tonic::{Code, Status};

/// Why a run ended or a call failed.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum Error {
    /// The server's address is invalid.
    #[error(
        "server {server:?}: an address is host:port, http://host:port, https://host:port or unix:PATH ({reason})"
    )]
    Address {
        /// The given address.
        server: String,
        /// Why it is invalid.
        reason: String,
    },
    /// The token contains characters that a request header cannot have.
    #[error("the token has invalid characters: use it exactly as the server printed it")]
    Token,
    /// The environment names neither a token nor a token file.
    #[error(
        "neither LASTNIM_TOKEN nor LASTNIM_TOKEN_FILE is set: use the token that was printed when you registered the bot"
    )]
    NoToken,
    /// The token file cannot be used.
    #[error("token file {}: {reason}", path.display())]
    TokenFile {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        reason: String,
    },
    /// The bot's version is not valid.
    #[error(transparent)]
    Version(#[from] VersionLabelError),
    /// The hash of the bot's configuration is not valid.
    #[error(transparent)]
    ConfigHash(#[from] ConfigHashError),
    /// The session log cannot be opened.
    #[error("session log {}: {reason}", path.display())]
    SessionLog {
        /// The file or folder.
        path: PathBuf,
        /// What is wrong.
        reason: String,
    },
    /// No server answers at the address.
    #[error("no server answers at {server}: {reason}")]
    Unreachable {
        /// The given address.
        server: String,
        /// What failed.
        reason: String,
    },
    /// The file with the trusted certificate authorities cannot be used.
    #[error("certificates {}: {reason}", path.display())]
    Ca {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        reason: String,
    },
    /// The client's own certificate or its key cannot be used.
    #[error("client certificate {}: {reason}", path.display())]
    ClientCertificate {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        reason: String,
    },
    /// Only one of the files of the client's own certificate is given.
    #[error("LASTNIM_CLIENT_CERT and LASTNIM_CLIENT_KEY: {missing} is missing; give both files, or neither")]
    HalfClientCertificate {
        /// The missing variable.
        missing: &'static str,
    },
    /// The server's certificate is not trusted, or the server does not use TLS.
    #[error("server {server}: {reason}")]
    Tls {
        /// The given address.
        server: String,
        /// What is wrong.
        reason: String,
    },
    /// The server refused the session.
    #[error("the server refused the session: {}", describe_status(.0))]
    Refused(Box<Status>),
    /// A newer session of the same bot replaced this one.
    #[error(
        "a newer session of this bot was opened: run each bot only once, because it plays all its matches on one session"
    )]
    Superseded,
    /// No session could be opened in time, at the start of the run or after the last session was lost.
    #[error("no session could be opened within {after:?}: {last}")]
    GaveUp {
        /// The time limit.
        after: Duration,
        /// Why the last attempt failed, or the last session was lost.
        last: String,
    },
    /// The tournament cannot be joined.
    #[error("tournament {id:?}: {message}")]
    NotJoined {
        /// The id of the tournament.
        id: String,
        /// The reason as a code; absent if this version of the client does not know the code.
        reason: Option<JoinRefusal>,
        /// The reason as text.
        message: String,
    },
    /// Joining the tournament, or asking about it, failed.
    #[error("tournament {id:?}: {}", describe_status(.status))]
    Tournament {
        /// The id of the tournament.
        id: String,
        /// The server's reply.
        status: Box<Status>,
    },
    /// A call that sets up practice failed: the server refused it or did not reply in time.
    #[error("practice: {}", describe_status(.0))]
    Practice(Box<Status>),
    /// The server has no house bots to practise against.
    #[error(
        "the server at {server} hosts no house bots to practise against: start it with `--house oracle,greedy`"
    )]
    NoHouseBots {
        /// The server's address.
        server: String,
    },
    /// The server sent an invalid message.
    #[error("the server sent {0}")]
    Protocol(#[from] ProtocolError),
    /// The bot's own code panicked.
    #[error("the bot panicked: see its message above")]
    BotPanicked,
    /// The bot's thread could not be started.
    #[error("the bot's thread did not start: {0}")]
    Thread(#[source] std::io::Error),
}

/// Formats a status as one line, with its message, its root cause and the name of its code.
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

/// Returns the root cause of an error, since outer layers often say only "transport error".
pub(super) fn innermost_source<'a>(error: &'a (dyn StdError + 'static)) -> &'a (dyn StdError + 'static) {
    match error.source() {
        Some(source) => innermost_source(source),
        None => error,
    }
}

/// Returns whether a call that failed with this code may succeed when it is tried again.
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
