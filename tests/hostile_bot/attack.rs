//! The hostile bot on the wire.

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

/// How long it goes on at most.
const LIFETIME: Duration = Duration::from_mins(10);
/// The pause before each thing it sends, floods apart.
const PAUSE: Duration = Duration::from_millis(2);
/// The pause before it opens a session again.
const PAUSE_BETWEEN_SESSIONS: Duration = Duration::from_millis(50);
/// The pause before it looks again for a server that is not there.
const PAUSE_WITHOUT_SERVER: Duration = Duration::from_secs(1);
/// Attempts in vain, one after the other, after which it gives up.
const MAX_VAIN_ATTEMPTS: u32 = 60;
/// The messages of one flood.
const FLOOD: usize = 400;
/// How long it waits where it does not read, or waits for an end.
const PATIENCE: Duration = Duration::from_secs(5);
/// Messages that wait in a stream's own queue.
const OUTBOUND_QUEUE: usize = 512;

type Client = ArenaServiceClient<InterceptedService<Channel, Authorization>>;

/// What the hostile bot did.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct HostileReport {
    /// Sessions that it opened.
    pub sessions: u64,
    /// Messages that it sent.
    pub sent: u64,
    /// Events that it was sent.
    pub received: u64,
}

/// Misbehaves on `server` in the given ways as the bot of `token`, as `seed` has it, until `shutdown` is there; for ten
/// minutes at most.
///
/// # Errors
/// If nobody answers at the address for a minute, or the server does not let the bot in.
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
        let mut vain = 0;
        loop {
            match session(&server, &authorization, &mut mischief, &mut report).await {
                Ok(()) => vain = 0,
                Err(error @ Error::Unreachable { .. }) if vain >= MAX_VAIN_ATTEMPTS => return Err(error),
                Err(Error::Unreachable { .. }) => {
                    vain += 1;
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
    /// Absent once it is half-closed.
    outbound: Option<mpsc::Sender<PlayRequest>>,
    inbound: Streaming<PlayResponse>,
}

/// Opens a session, by a connection of its own, and misbehaves on it until it ends one way or another.
async fn session(
    server: &ServerAddress,
    authorization: &Authorization,
    mischief: &mut Mischief,
    report: &mut HostileReport,
) -> Result<(), Error> {
    let mut client = ArenaServiceClient::with_interceptor(connect(server).await?, authorization.clone());
    let mut stream = match open(&mut client).await {
        Ok(stream) => stream,
        Err(status) => return shut_out(status),
    };
    report.sessions += 1;
    loop {
        let event = match stream.inbound.message().await {
            Ok(Some(response)) => response.event,
            Ok(None) => return Ok(()),
            Err(status) => return shut_out(status),
        };
        report.received += 1;
        let Some(event) = event else { continue };
        let Plan { sends, then } = mischief.upon(event);
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
                // A server that stops reading is within its rights: then the flood is over.
                let _ = timeout(PATIENCE, flood).await;
            }
            Then::SecondSession => {
                let second = match open(&mut client).await {
                    Ok(second) => second,
                    Err(status) => return shut_out(status),
                };
                report.sessions += 1;
                // The first is read to its end, as the server is to end it.
                let _ =
                    timeout(PATIENCE, async { while let Ok(Some(_)) = stream.inbound.message().await {} })
                        .await;
                stream = second;
            }
        }
    }
}

async fn open(client: &mut Client) -> Result<Stream, Status> {
    let (outbound, requests) = mpsc::channel(OUTBOUND_QUEUE);
    let call = timeout(PATIENCE, client.play(ReceiverStream::new(requests))).await;
    let inbound = call.map_err(|_| Status::unavailable("no answer"))??.into_inner();
    Ok(Stream { outbound: Some(outbound), inbound })
}

/// Sends if the stream still takes anything, and returns how many messages it was.
async fn send(stream: &Stream, request: PlayRequest) -> u64 {
    match &stream.outbound {
        Some(outbound) => u64::from(outbound.send(request).await.is_ok()),
        None => 0,
    }
}

/// A bot that is not let in gives up; whatever else ended its session, it comes back.
fn shut_out(status: Status) -> Result<(), Error> {
    match status.code() {
        Code::Unauthenticated | Code::PermissionDenied | Code::Unimplemented => {
            Err(Error::Refused(Box::new(status)))
        }
        _ => Ok(()),
    }
}
