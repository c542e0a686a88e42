//! A bot's session driven by the test.

use super::host::{Host, LONG, soon};
use lastnim_client::{connect, token_authorization};
use lastnim_proto::pb::{
    self, PlayRequest, PlayResponse, arena_service_client::ArenaServiceClient, play_request::Action,
    play_response::Event,
};
use tokio::{sync::mpsc, task::JoinHandle, time::timeout};
use tokio_stream::wrappers::ReceiverStream;
use tonic::{
    Status, Streaming,
    transport::{Channel, Endpoint},
};
use tonic_types::StatusExt as _;

/// An open `Play` stream.
pub struct BotSession {
    pub outbound: mpsc::Sender<PlayRequest>,
    pub inbound: Streaming<PlayResponse>,
}

/// How a stream ended.
#[derive(Debug)]
pub enum End {
    /// With the status OK.
    Clean,
    /// With another status.
    Broken(Status),
}

impl BotSession {
    /// Opens a session on a new connection, and reads its welcome.
    pub async fn open(host: &Host, token: &str) -> (Self, pb::Welcome) {
        Self::open_at(&host.address, token).await
    }

    /// Opens a session on a new connection to an address, and reads its welcome.
    pub async fn open_at(address: &str, token: &str) -> (Self, pb::Welcome) {
        let channel = soon("a connection", connect(address)).await.unwrap();
        Self::open_on(channel, token).await
    }

    /// Opens a session on a connection, and reads its welcome.
    pub async fn open_on(channel: Channel, token: &str) -> (Self, pb::Welcome) {
        let mut line = Self::try_open_on(channel, token).await.unwrap();
        match line.event().await {
            Event::Welcome(welcome) => (line, welcome),
            other => panic!("{other:?} came before the welcome"),
        }
    }

    /// Opens a session with a small receive window, which fills up after a few messages.
    pub async fn open_narrow(host: &Host, token: &str) -> Self {
        let endpoint = Endpoint::from_shared(format!("http://{}", host.address)).unwrap();
        let narrow = endpoint.initial_stream_window_size(200);
        let channel = soon("a connection", narrow.connect()).await.unwrap();
        Self::try_open_on(channel, token).await.unwrap()
    }

    /// Tries to open a session on a connection.
    pub async fn try_open_on(channel: Channel, token: &str) -> Result<Self, Status> {
        let mut client = ArenaServiceClient::with_interceptor(channel, token_authorization(token).unwrap());
        let (outbound, requests) = mpsc::channel(2_048);
        let play = client.play(ReceiverStream::new(requests));
        let inbound = soon("an answer to Play", play).await?.into_inner();
        Ok(Self { outbound, inbound })
    }

    /// Returns the next event, except pings and messages about missed ends.
    pub async fn event(&mut self) -> Event {
        loop {
            let response = soon("an event", self.inbound.message()).await.unwrap();
            match response.expect("the stream is open").event.expect("an event") {
                Event::Ping(ping) => self.send(Action::Pong(pb::Pong { id: ping.id })).await,
                Event::CaughtUp(_) => {}
                Event::MatchEnded(ended) if ended.started.is_some() => {}
                event => return event,
            }
        }
    }

    /// Reads up to the wanted event.
    pub async fn until<T>(&mut self, wanted: impl Fn(Event) -> Option<T>) -> T {
        let reading = async {
            loop {
                if let Some(found) = wanted(self.event().await) {
                    return found;
                }
            }
        };
        soon("the event that is waited for", reading).await
    }

    pub async fn started(&mut self) -> pb::MatchStarted {
        self.until(|event| if let Event::MatchStarted(started) = event { Some(*started) } else { None }).await
    }

    pub async fn snapshot(&mut self) -> pb::Snapshot {
        self.until(|event| if let Event::Snapshot(snapshot) = event { Some(*snapshot) } else { None }).await
    }

    pub async fn turn(&mut self) -> pb::Turn {
        self.until(|event| if let Event::Turn(turn) = event { Some(turn) } else { None }).await
    }

    pub async fn refused(&mut self) -> pb::Refused {
        self.until(|event| if let Event::Refused(refused) = event { Some(refused) } else { None }).await
    }

    pub async fn ended(&mut self) -> pb::MatchEnded {
        self.until(|event| if let Event::MatchEnded(ended) = event { Some(*ended) } else { None }).await
    }

    pub async fn send(&mut self, action: Action) {
        let sending = self.outbound.send(PlayRequest { action: Some(action) });
        soon("room in the stream", sending).await.expect("the stream takes messages");
    }

    pub async fn declare_standard(&mut self, started: &pb::MatchStarted) {
        let seats = started.setup.as_ref().unwrap().bots.len() as u32;
        self.send(declare(&started.match_id, (0..seats).collect())).await;
    }

    pub async fn take(&mut self, turn: &pb::Turn, counters: u64) {
        self.send(take(&turn.match_id, turn.ply, counters)).await;
    }

    /// Reads to the end of the stream and returns how it ended.
    pub async fn end(&mut self) -> End {
        let reading = async {
            loop {
                match self.inbound.message().await {
                    Ok(Some(_)) => {}
                    Ok(None) => return End::Clean,
                    Err(status) => return End::Broken(status),
                }
            }
        };
        timeout(LONG, reading).await.expect("the stream is still open")
    }

    /// Takes one counter at each turn in every match, until `matches` of them have ended.
    pub async fn play_timidly(&mut self, matches: usize) -> Vec<pb::MatchEnded> {
        let mut ended = Vec::new();
        while ended.len() < matches {
            match self.event().await {
                Event::MatchStarted(started)
                    if started.setup.as_ref().is_some_and(|setup| setup.assigned.is_none()) =>
                {
                    self.declare_standard(&started).await;
                }
                Event::Turn(turn) => self.take(&turn, 1).await,
                Event::Snapshot(snapshot) => {
                    if let Some(turn) = &snapshot.turn {
                        self.take(turn, 1).await;
                    } else if snapshot.phase() == pb::Phase::Declaring {
                        self.declare_standard(snapshot.started.as_ref().unwrap()).await;
                    }
                }
                Event::MatchEnded(end) => ended.push(*end),
                _ => {}
            }
        }
        ended
    }

    /// Plays timidly in a task, which returns the session.
    pub fn playing_timidly(mut self, matches: usize) -> JoinHandle<(Self, Vec<pb::MatchEnded>)> {
        tokio::spawn(async move {
            let ended = self.play_timidly(matches).await;
            (self, ended)
        })
    }
}

impl End {
    /// Returns the status of a stream that failed.
    pub fn status(self) -> Status {
        match self {
            Self::Broken(status) => status,
            Self::Clean => panic!("the stream ended well"),
        }
    }

    /// Returns the reason of a stream that failed.
    pub fn reason(self) -> String {
        reason(&self.status())
    }
}

/// Returns the reason in a status.
pub fn reason(status: &Status) -> String {
    status.get_details_error_info().unwrap_or_else(|| panic!("no reason in {status:?}")).reason
}

pub fn take(match_id: &str, ply: u32, take: u64) -> Action {
    Action::Take(pb::Take { match_id: match_id.into(), ply, take, ..Default::default() })
}

pub fn declare(match_id: &str, offsets: Vec<u32>) -> Action {
    Action::Declare(pb::Declare {
        match_id: match_id.into(),
        row: Some(pb::Row { offsets }),
        ..Default::default()
    })
}
