//! The hostile bot's connections.

use super::{
    Misbehaviour,
    mischief::{Mischief, Plan, Then},
};
use lastnim_client::{Authorization, Error, ServerAddress, connect, token_authorization};
use lastnim_proto::pb::{PlayRequest, PlayResponse, arena_service_client::ArenaServiceClient};
use std::{future::Future, time::Duration};
use tokio::{
    select,
    sync::mpsc,
    time::{sleep, timeout},
};
use tokio_stream::wrappers::ReceiverStream;
use tonic::{Code, Status, Streaming, service::interceptor::InterceptedService, transport::Channel};

/// Its maximum running time.
const LIFETIME: Duration = Duration::from_mins(10);
/// The pause before each message, except in floods.
const PAUSE: Duration = Duration::from_millis(2);
/// The pause before it opens another session.
const PAUSE_BETWEEN_SESSIONS: Duration = Duration::from_millis(50);
/// The pause before it retries an unreachable server.
const PAUSE_WITHOUT_SERVER: Duration = Duration::from_secs(1);
/// The number of consecutive failed attempts after which it gives up.
const MAX_FAILED_ATTEMPTS: u32 = 60;
/// The number of messages in a flood.
const FLOOD: usize = 400;
/// How long it does not read, or waits for an end.
const PATIENCE: Duration = Duration::from_secs(5);
/// The capacity of the queue of a stream's messages.
const OUTBOUND_CAPACITY: usize = 512;

type Client = ArenaServiceClient<InterceptedService<Channel, Authorization>>;

/// The activity of the hostile bot.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct HostileReport {
    /// Sessions opened.
    pub sessions: u64,
    /// Messages sent.
    pub sent: u64,
    /// Events received.
    pub received: u64,
}

/// Misbehaves on `server` in the given ways as the bot with `token`, with random choices from `seed`, until `shutdown` or
/// for ten minutes.
///
/// # Errors
/// If the server is unreachable for a minute, or refuses the bot.
pub async fn run(
    server: impl Into<ServerAddress>,
    token: &str,
    misbehaviours: &[Misbehaviour],
    seed: u64,
    shutdown: impl Future<Output = ()>,
) -> Result<HostileReport, Error> {
    let server = server.into();
    let mut report = HostileReport::default();
    let attack = async {
        let authorization = token_authorization(token)?;
        let mut mischief = Mischief::new(misbehaviours, seed);
        let mut failed_attempts = 0;
        loop {
            match session(&server, &authorization, &mut mischief, &mut report).await {
                Ok(()) => failed_attempts = 0,
                Err(error @ Error::Unreachable { .. }) if failed_attempts >= MAX_FAILED_ATTEMPTS => {
                    return Err(error);
                }
                Err(Error::Unreachable { .. }) => {
                    failed_attempts += 1;
                    sleep(PAUSE_WITHOUT_SERVER).await;
                }
                Err(error) => return Err(error),
            }
            sleep(PAUSE_BETWEEN_SESSIONS).await;
        }
    };
    select! {
        () = shutdown => Ok(report),
        ended = timeout(LIFETIME, attack) => match ended {
            Ok(Err(error)) => Err(error),
            Ok(Ok(())) | Err(_) => Ok(report),
        },
    }
}

struct Stream {
    /// `None` once it is half-closed.
    outbound: Option<mpsc::Sender<PlayRequest>>,
    inbound: Streaming<PlayResponse>,
}

/// Opens a session on a new connection, and misbehaves on it until it ends.
async fn session(
    server: &ServerAddress,
    authorization: &Authorization,
    mischief: &mut Mischief,
    report: &mut HostileReport,
) -> Result<(), Error> {
    let mut client = ArenaServiceClient::with_interceptor(connect(server).await?, authorization.clone());
    let mut stream = match open(&mut client).await {
        Ok(stream) => stream,
        Err(status) => return check_refusal(status),
    };
    report.sessions += 1;
    loop {
        let event = match stream.inbound.message().await {
            Ok(Some(response)) => response.event,
            Ok(None) => return Ok(()),
            Err(status) => return check_refusal(status),
        };
        report.received += 1;
        let Some(event) = event else { continue };
        let Plan { sends, then } = mischief.react_to(event);
        for request in sends {
            sleep(PAUSE).await;
            report.sent += send(&stream, request).await;
        }
        match then {
            Then::GoOn => {}
            Then::Drop => return Ok(()),
            Then::HalfClose => stream.outbound = None,
            Then::Flood(request) => {
                let flood = async {
                    for _ in 0..FLOOD {
                        report.sent += send(&stream, request.clone()).await;
                    }
                };
                // The server may stop reading; then the flood is over.
                let _ = timeout(PATIENCE, flood).await;
            }
            Then::SecondSession => {
                let second = match open(&mut client).await {
                    Ok(second) => second,
                    Err(status) => return check_refusal(status),
                };
                report.sessions += 1;
                // The first stream is read to its end, since the server should end it.
                let _ =
                    timeout(PATIENCE, async { while let Ok(Some(_)) = stream.inbound.message().await {} })
                        .await;
                stream = second;
            }
        }
    }
}

async fn open(client: &mut Client) -> Result<Stream, Status> {
    let (outbound, requests) = mpsc::channel(OUTBOUND_CAPACITY);
    let call = timeout(PATIENCE, client.play(ReceiverStream::new(requests))).await;
    let inbound = call.map_err(|_| Status::unavailable("no answer"))??.into_inner();
    Ok(Stream { outbound: Some(outbound), inbound })
}

/// Sends a message if the stream is open, and returns the number of messages sent.
async fn send(stream: &Stream, request: PlayRequest) -> u64 {
    match &stream.outbound {
        Some(outbound) => u64::from(outbound.send(request).await.is_ok()),
        None => 0,
    }
}

/// A bot that is refused gives up; after any other end it reconnects.
fn check_refusal(status: Status) -> Result<(), Error> {
    match status.code() {
        Code::Unauthenticated | Code::PermissionDenied | Code::Unimplemented => {
            Err(Error::Refused(Box::new(status)))
        }
        _ => Ok(()),
    }
}
