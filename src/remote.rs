//! The server that a command uses, and how its refusals become failures.

use crate::{
    Failure,
    credentials::{Credentials, TOKEN_HELP, TokenSource, credentials_path},
    exit::ServerRefusal,
    form::COMMON_HEADING,
    timed_channel::TimedChannel,
};
use lastnim_client::{
    Authorization, CaCertificates, ClientCertificate, Error, MAX_MESSAGE_BYTES, MAX_SILENCE, ResumedStream,
    ServerAddress, connect, no_authorization, status_of_error, token_authorization,
};
use lastnim_core::game::TournamentId;
use lastnim_proto::pb::{
    self, bot_service_client::BotServiceClient, entry_service_client::EntryServiceClient,
    match_service_client::MatchServiceClient, server_service_client::ServerServiceClient,
    tournament_service_client::TournamentServiceClient, transcript_service_client::TranscriptServiceClient,
};
use std::path::{Path, PathBuf};
use tokio::sync::watch;
use tonic::{
    Code, Response, Status, codec::CompressionEncoding, service::interceptor::InterceptedService,
    transport::Channel,
};
use tonic_types::StatusExt as _;

/// The default address of a server.
pub const DEFAULT_ADDRESS: &str = "127.0.0.1:7600";

/// The maximum number of items on one page of a list.
pub const MAX_PAGE_SIZE: u32 = 1_000;

/// The server, and the token of the caller.
#[derive(Debug, clap::Args)]
#[command(next_help_heading = COMMON_HEADING)]
pub struct ServerArgs {
    /// The server: host:port, a URL or unix:PATH [default: that of `lastnim login`, or 127.0.0.1:7600]
    #[arg(long, global = true, env = "LASTNIM_SERVER", value_name = "ADDR")]
    server: Option<String>,
    #[command(flatten)]
    tls: TlsArgs,
    /// The admin's or a bot's token; prefer --token-file, because other users can read a command line
    ///
    /// It can also be given as `LASTNIM_ADMIN_TOKEN` in the environment. No token is needed to read from a server
    /// that is not private.
    #[arg(long, global = true, value_name = "TOKEN")]
    token: Option<String>,
    /// A file with the token, also as `LASTNIM_ADMIN_TOKEN_FILE`
    #[arg(long, global = true, value_name = "FILE", conflicts_with = "token")]
    token_file: Option<PathBuf>,
}

/// The files for connections with TLS.
#[derive(Debug, clap::Args)]
pub struct TlsArgs {
    /// A PEM file of certificate authorities to trust for https:// instead of the system's
    #[arg(long, global = true, help_heading = COMMON_HEADING, env = "LASTNIM_CA", value_name = "FILE")]
    ca: Option<PathBuf>,
    /// A PEM file with the certificate to show to a server that asks clients for one
    #[arg(long, global = true, help_heading = COMMON_HEADING, env = "LASTNIM_CLIENT_CERT", value_name = "FILE")]
    client_cert: Option<PathBuf>,
    /// A PEM file with the private key of that certificate
    #[arg(long, global = true, help_heading = COMMON_HEADING, env = "LASTNIM_CLIENT_KEY", value_name = "FILE")]
    client_key: Option<PathBuf>,
}

impl TlsArgs {
    /// Returns the address of a server, with the contents of the files. Without `--ca`, the authorities are those in
    /// `kept_ca`, the file that `lastnim login` has stored.
    ///
    /// # Errors
    /// If a file cannot be used, or only one of those of the client's certificate is given.
    fn server_address(&self, server: &str, kept_ca: Option<&Path>) -> Result<ServerAddress, Failure> {
        let failure = |error| failure_of_client_error(&error, server);
        let mut address = ServerAddress::new(server);
        if let Some(ca) = self.ca.as_deref().or(kept_ca) {
            address = address.with_ca(CaCertificates::read(ca).map_err(failure)?);
        }
        match (&self.client_cert, &self.client_key) {
            (None, None) => Ok(address),
            (Some(certificate), Some(key)) => {
                let certificate = ClientCertificate::read(certificate, key).map_err(failure)?;
                Ok(address.with_client_certificate(certificate))
            }
            (Some(_), None) => Err(Failure::input(
                "--client-cert: give its private key too, with --client-key or LASTNIM_CLIENT_KEY",
            )),
            (None, Some(_)) => Err(Failure::input(
                "--client-key: give its certificate too, with --client-cert or LASTNIM_CLIENT_CERT",
            )),
        }
    }
}

impl ServerArgs {
    /// Returns the server that the flag or the environment names, if any.
    pub fn given_server(&self) -> Option<&str> {
        self.server.as_deref()
    }

    /// Returns the address of the named server, or else of the default one.
    pub fn server_or_default<'a>(&'a self, kept: &'a Credentials) -> &'a str {
        self.given_server().or(kept.default_server.as_deref()).unwrap_or(DEFAULT_ADDRESS)
    }

    /// Returns the address of the named server, or else of the default one, with the certificate authorities to trust.
    ///
    /// # Errors
    /// If the certificate file cannot be used.
    pub fn resolve_address(&self, kept: &Credentials) -> Result<ServerAddress, Failure> {
        let server = self.server_or_default(kept);
        let kept_ca = kept.login(server).and_then(|login| login.ca.as_deref());
        self.tls.server_address(server, kept_ca)
    }

    /// Returns the token from `--token` or `--token-file`.
    ///
    /// # Errors
    /// If the file has no token.
    pub fn token_from_flags(&self) -> Result<Option<String>, Failure> {
        TokenSource { variable: None, ..self.given_token() }.read()
    }

    fn given_token(&self) -> TokenSource<'_> {
        let (token, file) = (self.token.as_deref(), self.token_file.as_deref());
        TokenSource { token, file, variable: Some("LASTNIM_ADMIN_TOKEN") }
    }

    /// Returns this server with the certificate authorities and the token from the flags.
    ///
    /// # Errors
    /// If a certificate file, a token file or the credentials file cannot be used.
    pub fn target_at(&self, server: &str) -> Result<Target, Failure> {
        find_target(Some(server), &self.tls, self.given_token())
    }

    /// Returns the server from the flags, with its certificate authorities and the token.
    ///
    /// # Errors
    /// If a certificate file, a token file or the credentials file cannot be used.
    pub fn target(&self) -> Result<Target, Failure> {
        find_target(self.given_server(), &self.tls, self.given_token())
    }
}

/// A server, and the token to call it with, if any.
#[derive(Debug, Clone)]
pub struct Target {
    /// The address, with the certificate authorities to trust.
    pub address: ServerAddress,
    /// The token.
    pub token: Option<String>,
}

/// Finds the server and the token for a command. Given values override stored ones. If both the server and the token
/// are given, the credentials file is not read.
///
/// # Errors
/// If a certificate file, a token file or the credentials file cannot be used.
pub fn find_target(server: Option<&str>, tls: &TlsArgs, token: TokenSource<'_>) -> Result<Target, Failure> {
    let given = token.read()?;
    let kept = match credentials_path() {
        Ok(path) if server.is_none() || given.is_none() => Credentials::read(&path)?,
        _ => Credentials::default(),
    };
    let server = server.or(kept.default_server.as_deref()).unwrap_or(DEFAULT_ADDRESS);
    let login = kept.login(server);
    let kept_ca = login.and_then(|login| login.ca.as_deref());
    let token = given.or_else(|| Some(login?.token.clone()));
    let token = token.map(|token| token.trim().to_owned()).filter(|token| !token.is_empty());
    Ok(Target { address: tls.server_address(server, kept_ca)?, token })
}

type AuthorizedChannel = InterceptedService<TimedChannel<Channel>, Authorization>;

/// Connects to a server. Calls over the connection have a time limit.
async fn timed_connection(server: &ServerAddress) -> Result<TimedChannel<Channel>, Error> {
    Ok(TimedChannel::new(connect(server).await?, server.as_str()))
}

/// A connection to a server. Clones share it.
#[derive(Debug, Clone)]
pub struct RemoteServer {
    address: ServerAddress,
    channel: watch::Sender<TimedChannel<Channel>>,
    authorization: Authorization,
    caller: CallerKind,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum CallerKind {
    Anonymous,
    Authenticated,
}

impl RemoteServer {
    /// Connects to the server that the flags name, or else to the default one.
    ///
    /// # Errors
    /// If the address or the token is bad, or the server does not answer.
    pub async fn connect(args: &ServerArgs) -> Result<Self, Failure> {
        let Target { address, token } = args.target()?;
        Self::connect_to(&address, token.as_deref()).await
    }

    /// Connects to an address with a token, or without one.
    ///
    /// # Errors
    /// If the address or the token is bad, or the server does not answer.
    pub async fn connect_to(server: &ServerAddress, token: Option<&str>) -> Result<Self, Failure> {
        let failure = |error| failure_of_client_error(&error, server.as_str());
        let authorization =
            token.map_or_else(|| Ok(no_authorization()), token_authorization).map_err(failure)?;
        Ok(Self {
            address: server.clone(),
            channel: watch::Sender::new(timed_connection(server).await.map_err(failure)?),
            authorization,
            caller: if token.is_some() { CallerKind::Authenticated } else { CallerKind::Anonymous },
        })
    }

    /// Returns the address of the server, which messages use as its name.
    pub fn name(&self) -> &str {
        self.address.as_str()
    }

    /// Opens a new connection for further calls of all clones. If the server has several addresses, this finds one that
    /// now answers.
    ///
    /// # Errors
    /// If no server answers. The former connection is then kept.
    pub async fn reconnect(&self) -> Result<(), Status> {
        let channel = timed_connection(&self.address).await.map_err(|error| status_of_error(&error))?;
        self.channel.send_replace(channel);
        Ok(())
    }

    /// Follows a match, and reconnects after lost connections.
    pub fn watch_match(&self, id: &str) -> ResumedStream<pb::WatchMatchResponse> {
        let (remote, request) = (self.clone(), pb::WatchMatchRequest { match_id: id.to_owned() });
        ResumedStream::new(MAX_SILENCE, move || {
            let (remote, request) = (remote.clone(), request.clone());
            Box::pin(async move {
                remote.reconnect().await?;
                Ok(remote.match_client().watch_match(request).await?.into_inner())
            })
        })
    }

    /// Follows a tournament, and reconnects after lost connections.
    pub fn watch_tournament(&self, id: &str) -> ResumedStream<pb::WatchTournamentResponse> {
        let request = pb::WatchTournamentRequest { tournament_id: id.to_owned(), state_only: false };
        let remote = self.clone();
        ResumedStream::new(MAX_SILENCE, move || {
            let (remote, request) = (remote.clone(), request.clone());
            Box::pin(async move {
                remote.reconnect().await?;
                Ok(remote.tournament_client().watch_tournament(request).await?.into_inner())
            })
        })
    }

    /// Returns a channel that adds the caller's token to each call.
    pub fn authorized_channel(&self) -> AuthorizedChannel {
        InterceptedService::new(self.channel.borrow().clone(), self.authorization.clone())
    }

    /// Returns a client of the bot service.
    pub fn bot_client(&self) -> BotServiceClient<AuthorizedChannel> {
        BotServiceClient::new(self.authorized_channel()).accept_compressed(CompressionEncoding::Gzip)
    }

    /// Returns a client of the tournament service.
    pub fn tournament_client(&self) -> TournamentServiceClient<AuthorizedChannel> {
        TournamentServiceClient::new(self.authorized_channel())
            .accept_compressed(CompressionEncoding::Gzip)
            .max_decoding_message_size(MAX_MESSAGE_BYTES)
    }

    /// Returns a client of the service that manages the server.
    pub fn server_client(&self) -> ServerServiceClient<AuthorizedChannel> {
        ServerServiceClient::new(self.authorized_channel())
    }

    /// Returns a client of the service for entry codes.
    pub fn entry_client(&self) -> EntryServiceClient<AuthorizedChannel> {
        EntryServiceClient::new(self.authorized_channel()).max_decoding_message_size(MAX_MESSAGE_BYTES)
    }

    /// Returns a client of the transcript service.
    pub fn transcript_client(&self) -> TranscriptServiceClient<AuthorizedChannel> {
        TranscriptServiceClient::new(self.authorized_channel())
            .accept_compressed(CompressionEncoding::Gzip)
            .max_decoding_message_size(MAX_MESSAGE_BYTES)
    }

    /// Returns a client of the match service.
    pub fn match_client(&self) -> MatchServiceClient<AuthorizedChannel> {
        MatchServiceClient::new(self.authorized_channel())
            .accept_compressed(CompressionEncoding::Gzip)
            .max_decoding_message_size(MAX_MESSAGE_BYTES)
    }

    /// Waits for the answer to a call.
    ///
    /// # Errors
    /// If the server refuses the call.
    pub async fn answer<T>(
        &self,
        call: impl Future<Output = Result<Response<T>, Status>>,
    ) -> Result<T, Failure> {
        call.await.map(Response::into_inner).map_err(|status| self.refusal_failure(&status))
    }

    /// Returns the same server for a caller without a token.
    pub fn without_token(&self) -> Self {
        Self { authorization: no_authorization(), caller: CallerKind::Anonymous, ..self.clone() }
    }

    /// Fetches a tournament.
    pub async fn fetch_tournament(&self, id: TournamentId) -> Result<pb::Tournament, Failure> {
        let request = pb::GetTournamentRequest { tournament_id: id.to_string() };
        let given = self.answer(self.tournament_client().get_tournament(request)).await?;
        given.tournament.ok_or_else(|| self.missing_part_failure("tournament"))
    }

    /// Converts the refusal of a call to a failure.
    pub fn refusal_failure(&self, status: &Status) -> Failure {
        match (status.code(), self.caller) {
            (Code::Unauthenticated, CallerKind::Anonymous) => {
                let message = format!("{}: {TOKEN_HELP}", status_message(status));
                Failure::Runtime(error_with_reason(status, message))
            }
            _ => failure_of_status(status, self.name(), None),
        }
    }

    /// Converts the status that ended a stream to a failure: a refusal or a lost connection.
    pub fn broken_stream_failure(&self, status: &Status) -> Failure {
        // Only a lost connection has a local cause; a refusal has none.
        if std::error::Error::source(status).is_none() {
            return self.refusal_failure(status);
        }
        Failure::Runtime(anyhow::Error::msg(format!(
            "the connection to {} was lost: run the command again when `lastnim serve` is running there",
            self.name()
        )))
    }

    /// Creates the failure for a response that lacks a part.
    pub fn missing_part_failure(&self, what: &str) -> Failure {
        Failure::Runtime(anyhow::Error::msg(format!("the server at {} sent no {what}", self.name())))
    }
}

/// Converts an SDK error to a failure: an input error if the user can fix it, otherwise a runtime error.
pub fn failure_of_client_error(error: &Error, server: &str) -> Failure {
    match error {
        Error::Address { .. }
        | Error::Token
        | Error::Ca { .. }
        | Error::ClientCertificate { .. }
        | Error::HalfClientCertificate { .. } => Failure::input(error),
        Error::Refused(status) | Error::Practice(status) => failure_of_status(status, server, None),
        Error::Tournament { id, status } => failure_of_status(status, server, Some(id)),
        Error::NotJoined { id, message, .. } if id.parse::<TournamentId>().is_err() => {
            Failure::input(message)
        }
        Error::NotJoined { id, message, .. } => {
            Failure::Runtime(anyhow::Error::msg(prepend_tournament_once(id, message)))
        }
        Error::Unreachable { .. } => {
            Failure::Runtime(anyhow::Error::msg(format!("{error}: is `lastnim serve` running?")))
        }
        Error::GaveUp { .. } => {
            Failure::Runtime(anyhow::Error::msg(format!("{server}: {error}: is `lastnim serve` running?")))
        }
        _ => Failure::Runtime(anyhow::Error::msg(error.to_string())),
    }
}

/// Converts a status to a failure: a bad argument becomes an input error, everything else a runtime error.
fn failure_of_status(status: &Status, server: &str, tournament: Option<&str>) -> Failure {
    let full_message = status_message(status);
    let full_message =
        tournament.map_or_else(|| full_message.clone(), |id| prepend_tournament_once(id, &full_message));
    // Only a call that never reached the server has a local cause.
    let lost = status.code() == Code::Unavailable && std::error::Error::source(status).is_some();
    match status.code() {
        Code::InvalidArgument => Failure::Input(error_with_reason(status, full_message)),
        _ if lost => Failure::Runtime(anyhow::Error::msg(format!(
            "the connection to {server} was lost: {full_message}: is `lastnim serve` running?"
        ))),
        _ => Failure::Runtime(error_with_reason(status, full_message)),
    }
}

/// Returns an error with the message and the reason of a status.
fn error_with_reason(status: &Status, message: String) -> anyhow::Error {
    let reason = status.get_details_error_info().map(|info| info.reason);
    ServerRefusal { message, reason }.into()
}

/// Prepends the tournament's id to the server's message, unless the message already names it.
fn prepend_tournament_once(id: &str, message: &str) -> String {
    if message.contains(id) { message.to_owned() } else { format!("tournament {id}: {message}") }
}

/// Returns the message of a status, or the description of its code.
fn status_message(status: &Status) -> String {
    match status.message() {
        "" => status.code().description().to_owned(),
        message => message.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn failure_parts(status: Status) -> (bool, String) {
        let failure = failure_of_client_error(&Error::Refused(Box::new(status)), "host:1");
        (matches!(failure, Failure::Input(_)), failure.to_string())
    }

    #[test]
    fn only_bad_arguments_are_input_errors() {
        assert_eq!(failure_parts(Status::invalid_argument("seats: 1")), (true, "seats: 1".into()));
        assert_eq!(failure_parts(Status::not_found("no match")), (false, "no match".into()));
        assert_eq!(failure_parts(Status::unavailable("the server is stopping")).1, "the server is stopping");
        assert_eq!(failure_parts(Status::permission_denied("")).1, Code::PermissionDenied.description());
    }

    #[test]
    fn an_error_names_the_tournament_once() {
        let named_server = |message: &str| {
            let status = Box::new(Status::not_found(message));
            failure_of_client_error(&Error::Tournament { id: "7".into(), status }, "host:1").to_string()
        };
        assert_eq!(named_server("there is no tournament 7"), "there is no tournament 7");
        assert_eq!(named_server("it has started"), "tournament 7: it has started");
    }

    #[test]
    fn an_unreachable_server_is_named() {
        let error = Error::Unreachable { server: "host:1".into(), reason: "refused".into() };
        let expected = "no server answers at host:1: refused: is `lastnim serve` running?";
        assert_eq!(failure_of_client_error(&error, "host:1").to_string(), expected);
    }
}
