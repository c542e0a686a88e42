//! A server in this process, for tests.

use lastnim::EmbeddedServer;
use lastnim_arena::Backend;
use lastnim_client::{connect, no_authorization, token_authorization};
use lastnim_proto::{
    json::{message_from_json, message_to_json, parse_document},
    pb::{
        self, bot_service_client::BotServiceClient, match_service_client::MatchServiceClient,
        tournament_service_client::TournamentServiceClient,
    },
};
use lastnim_server::{Config, HostedBot};
use pyo3::{
    exceptions::{PyRuntimeError, PyValueError},
    prelude::*,
};
use std::{
    fmt,
    net::Ipv4Addr,
    sync::{Mutex, PoisonError},
    time::Duration,
};
use tokio::{net::TcpListener, runtime::Runtime, time::timeout};

/// Time limit for a graceful stop.
const STOP_TIMEOUT: Duration = Duration::from_secs(5);

/// A server on a free port of 127.0.0.1 that keeps its data in memory.
#[pyclass(frozen)]
pub struct Server {
    running: Mutex<Option<(Runtime, EmbeddedServer)>>,
    #[pyo3(get)]
    address: String,
    #[pyo3(get)]
    admin_token: String,
}

/// Makes a call with JSON messages to one of the listed methods.
macro_rules! call_by_name {
    ($method:expr, $request:expr, $channel:expr, $authorization:expr; $($client:ident { $($name:literal => $call:ident($request_type:ident)),+ $(,)? })+) => {
        match $method {
            $($($name => {
                let request: pb::$request_type = message_from_json(&$request).map_err(value_error)?;
                let mut client = $client::with_interceptor($channel, $authorization);
                let answer = client.$call(request).await.map_err(|status| {
                    PyRuntimeError::new_err(format!("{}: {} ({:?})", $name, status.message(), status.code()))
                })?;
                Ok(message_to_json(answer.get_ref()).to_string())
            })+)+
            unknown => Err(PyValueError::new_err(format!(
                "unknown method {unknown:?}: expected one of {}",
                [$($($name),+),+].join(", ")
            ))),
        }
    };
}

#[pymethods]
impl Server {
    /// Starts a server with these house bots.
    #[new]
    fn start(py: Python<'_>, house: Vec<String>) -> PyResult<Self> {
        let house = house.iter().map(|word| word.parse::<HostedBot>().map_err(value_error));
        let config = Config { house: house.collect::<PyResult<_>>()?, ..Config::default() };
        py.detach(|| {
            let runtime = Runtime::new().map_err(runtime_error)?;
            let server = runtime.block_on(async {
                let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.map_err(runtime_error)?;
                EmbeddedServer::start(listener, Backend::in_memory(), config)
                    .await
                    .map_err(|error| runtime_error(format!("{error:#}")))
            })?;
            let (address, admin_token) = (server.connect_address(), server.admin_token().to_owned());
            Ok(Self { running: Mutex::new(Some((runtime, server))), address, admin_token })
        })
    }

    /// Makes a call, with or without a token; request and reply are JSON.
    #[pyo3(signature = (method, request, token))]
    fn call(&self, py: Python<'_>, method: &str, request: &str, token: Option<&str>) -> PyResult<String> {
        py.detach(|| {
            let request = parse_document(request).map_err(PyValueError::new_err)?;
            let authorization =
                token.map_or_else(|| Ok(no_authorization()), token_authorization).map_err(value_error)?;
            // Each call has its own runtime, so that calls from several threads do not wait for each other.
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
            runtime.map_err(runtime_error)?.block_on(async {
                let channel = connect(self.address.as_str()).await.map_err(runtime_error)?;
                call_by_name!(method, request, channel, authorization;
                    BotServiceClient {
                        "RegisterBot" => register_bot(RegisterBotRequest),
                        "RotateToken" => rotate_token(RotateTokenRequest),
                        "GetBot" => get_bot(GetBotRequest),
                        "ListBots" => list_bots(ListBotsRequest),
                    }
                    MatchServiceClient {
                        "CreateMatch" => create_match(CreateMatchRequest),
                        "GetMatch" => get_match(GetMatchRequest),
                        "ListMatches" => list_matches(ListMatchesRequest),
                        "GetRecord" => get_record(GetRecordRequest),
                        "GetPublicKey" => get_public_key(GetPublicKeyRequest),
                    }
                    TournamentServiceClient {
                        "CreateTournament" => create_tournament(CreateTournamentRequest),
                        "JoinTournament" => join_tournament(JoinTournamentRequest),
                        "StartTournament" => start_tournament(StartTournamentRequest),
                        "CancelTournament" => cancel_tournament(CancelTournamentRequest),
                        "GetTournament" => get_tournament(GetTournamentRequest),
                        "GetStandings" => get_standings(GetStandingsRequest),
                    }
                )
            })
        })
    }

    /// Stops the server, gracefully if that is quick.
    fn stop(&self, py: Python<'_>) -> PyResult<()> {
        let running = self.running.lock().unwrap_or_else(PoisonError::into_inner).take();
        let Some((runtime, server)) = running else { return Ok(()) };
        py.detach(|| {
            let stopped = runtime.block_on(async { timeout(STOP_TIMEOUT, server.stop()).await });
            runtime.shutdown_background();
            match stopped {
                Ok(Err(error)) => Err(runtime_error(format!("{error:#}"))),
                Ok(Ok(())) | Err(_) => Ok(()),
            }
        })
    }
}

fn value_error(error: impl fmt::Display) -> PyErr {
    PyValueError::new_err(error.to_string())
}

fn runtime_error(error: impl fmt::Display) -> PyErr {
    PyRuntimeError::new_err(error.to_string())
}
