//! The baseline: a tonic server that sends the same messages as a real one, but plays no games.
//!
//! It uses the same settings as the real server. Streams form groups of three, and each identifies itself by its token.
//! The server confirms each take to its mover, sends it to the others, and then sends the next stream its turn. With a
//! database it first writes the take there.

use anyhow::Context as _;
use lastnim_proto::pb::{
    AllianceMatrix, Clock, Feed, MatchSetup, MatchStarted, PlayRequest, PlayResponse, Revealed, Row, Take,
    Took, Turn, Welcome,
    arena_service_server::{ArenaService, ArenaServiceServer},
    play_request::Action,
    play_response::Event,
};
use std::{
    collections::HashMap,
    fmt,
    net::SocketAddr,
    str::FromStr,
    sync::{
        Arc, Mutex, OnceLock, PoisonError,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
    time::Duration,
};
use tokio::{
    signal::unix::{SignalKind, signal},
    sync::mpsc::{self, error::TrySendError},
};
use tokio_stream::wrappers::ReceiverStream;
use tonic::{
    Request, Response, Status, Streaming, async_trait,
    transport::server::{Server, TcpIncoming},
};

use crate::{
    COUNTERS, MAX_PLIES, SEATS,
    bare_store::{TakeQueue, WaitingTake, start_writer},
};

/// The capacity of a stream's event queue. Each of 16 matches has at most four events in transit.
const QUEUE_EVENTS: usize = 256;
/// The window of a connection, in bytes: large enough that small unread frames do not close it.
const CONNECTION_WINDOW_BYTES: u32 = 16 << 20;
/// The interval of pings on an idle connection, and the time limit for the answer.
const KEEPALIVE: Duration = Duration::from_secs(10);
/// The largest message that a bot may send, in bytes.
const MAX_MESSAGE_BYTES: usize = 64 << 10;
/// The maximum number of streams per connection.
const MAX_STREAMS: u32 = 1 << 20;

/// Serves on a free port of the loopback address, which it prints like the real server, until it is stopped. Takes are
/// written to a database first, if there is one.
pub(crate) async fn serve(database: Option<&str>) -> anyhow::Result<()> {
    let takes = match database {
        Some(url) => Some(start_writer(url).await?),
        None => None,
    };
    let arena = BareArena { groups: Mutex::default(), takes: takes.clone() };
    let incoming = TcpIncoming::bind(SocketAddr::from(([127, 0, 0, 1], 0)))?.with_nodelay(Some(true));
    println!("{}", serde_json::json!({ "listening": incoming.local_addr()?.to_string() }));
    let serving = Server::builder()
        .initial_connection_window_size(CONNECTION_WINDOW_BYTES)
        .max_concurrent_streams(MAX_STREAMS)
        .http2_keepalive_interval(Some(KEEPALIVE))
        .http2_keepalive_timeout(Some(KEEPALIVE))
        .add_service(ArenaServiceServer::new(arena).max_decoding_message_size(MAX_MESSAGE_BYTES))
        .serve_with_incoming(incoming);
    let mut stop = signal(SignalKind::terminate())?;
    tokio::select! {
        served = serving => served.context("the bare server failed"),
        _ = stop.recv() => {
            if let Some(takes) = takes {
                takes.say_counts();
            }
            Ok(())
        }
    }
}

/// The text that a stream sends instead of a token.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Place {
    /// Its group, from 0.
    pub(crate) group: usize,
    /// Its seat in all matches of the group.
    pub(crate) seat: usize,
    /// The matches of the group; 0 for a stream that stays idle.
    pub(crate) matches: usize,
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {} {}", self.group, self.seat, self.matches)
    }
}

impl FromStr for Place {
    type Err = Status;

    fn from_str(token: &str) -> Result<Self, Status> {
        let numbers: Vec<usize> = token.split(' ').filter_map(|word| word.parse().ok()).collect();
        match numbers[..] {
            [group, seat, matches] if seat < SEATS => Ok(Self { group, seat, matches }),
            _ => Err(Status::unauthenticated(format!("token {token:?}: expected GROUP SEAT MATCHES"))),
        }
    }
}

struct BareArena {
    groups: Mutex<HashMap<usize, Arc<Group>>>,
    /// The queue through which takes are written before they are forwarded, if there is a database.
    takes: Option<TakeQueue>,
}

#[async_trait]
impl ArenaService for BareArena {
    type PlayStream = ReceiverStream<Result<PlayResponse, Status>>;

    async fn play(
        &self,
        request: Request<Streaming<PlayRequest>>,
    ) -> Result<Response<Self::PlayStream>, Status> {
        let token = request.metadata().get("authorization").and_then(|value| value.to_str().ok());
        let place: Place = token.unwrap_or_default().trim_start_matches("Bearer ").parse()?;
        let group = {
            let mut groups = self.groups.lock().unwrap_or_else(PoisonError::into_inner);
            Arc::clone(groups.entry(place.group).or_insert_with(|| Arc::new(Group::new(place))))
        };
        let (sender, receiver) = mpsc::channel(QUEUE_EVENTS);
        tokio::spawn(run(group, place.seat, request.into_inner(), sender, self.takes.clone()));
        Ok(Response::new(ReceiverStream::new(receiver)))
    }
}

/// Carries one stream until it closes.
async fn run(
    group: Arc<Group>,
    seat: usize,
    mut inbound: Streaming<PlayRequest>,
    events: Events,
    takes: Option<TakeQueue>,
) {
    group.enter(seat, events);
    // An error means that the client is gone: the benchmark kills it.
    while let Ok(Some(request)) = inbound.message().await {
        match request.action {
            Some(Action::Take(take)) => match &takes {
                None => group.forward(seat, take),
                Some(takes) => takes.send(WaitingTake { group: Arc::clone(&group), seat, take }),
            },
            Some(Action::Declare(declare)) => group.begin(seat, &declare.match_id),
            Some(Action::Subscribe(subscribe)) => {
                group.own_only[seat].store(subscribe.feed() == Feed::OwnTurns, Ordering::Relaxed);
            }
            Some(
                Action::Resign(_)
                | Action::Say(_)
                | Action::EndTalk(_)
                | Action::Pong(_)
                | Action::JoinTournament(_),
            )
            | None => {}
        }
    }
}

type Events = mpsc::Sender<Result<PlayResponse, Status>>;

/// Three streams that take turns.
pub(crate) struct Group {
    matches: Vec<String>,
    seats: [OnceLock<Events>; SEATS],
    own_only: [AtomicBool; SEATS],
    entered: AtomicUsize,
}

impl Group {
    fn new(place: Place) -> Self {
        let id = |number| format!("00000000-0000-7000-8000-{:08x}{number:04x}", place.group);
        Self {
            matches: (0..place.matches).map(id).collect(),
            seats: Default::default(),
            own_only: Default::default(),
            entered: AtomicUsize::new(0),
        }
    }

    /// Welcomes a stream; with the last of the three the matches start.
    fn enter(&self, seat: usize, events: Events) {
        if self.seats[seat].set(events).is_err() {
            eprintln!("seat {seat} of a group has connected twice");
            return;
        }
        let bot = format!("bot-{seat}");
        self.send(seat, Event::Welcome(Welcome { bot, open_matches: 0, server_version: "bare".into() }));
        if self.entered.fetch_add(1, Ordering::AcqRel) + 1 < SEATS {
            return;
        }
        for match_id in &self.matches {
            for seat in 0..SEATS {
                let started = MatchStarted {
                    match_id: match_id.clone(),
                    seat: seat as u32,
                    setup: Some(setup()),
                    dealt_row: None,
                };
                self.send(seat, Event::MatchStarted(Box::new(started)));
            }
        }
    }

    /// Sends the first turn of a match once the seat that moves first has declared.
    fn begin(&self, seat: usize, match_id: &str) {
        let Some(number) = self.matches.iter().position(|id| id == match_id) else { return };
        if number % SEATS == seat {
            let rows = vec![Row { offsets: (0..SEATS as u32).collect() }; SEATS];
            let alliance_matrix = Some(AllianceMatrix { rows });
            let revealed = Revealed { match_id: match_id.to_owned(), alliance_matrix, defaulted: Vec::new() };
            self.send(seat, Event::Revealed(revealed));
            self.turn(seat, match_id.to_owned(), 0);
        }
    }

    /// Sends the messages that follow a take.
    pub(crate) fn forward(&self, seat: usize, take: Take) {
        let Take { match_id, ply, take, .. } = take;
        for to in 0..SEATS {
            if to == seat || !self.own_only[to].load(Ordering::Relaxed) {
                let match_id = match_id.clone();
                self.send(to, Event::Took(Took { match_id, ply, seat: seat as u32, take, steward: false }));
            }
        }
        self.turn((seat + 1) % SEATS, match_id, ply + 1);
    }

    fn turn(&self, seat: usize, match_id: String, ply: u32) {
        let counters = COUNTERS - u64::from(ply);
        self.send(seat, Event::Turn(Turn { match_id, ply, pile: 0, counters, bank_ms: DAY_MS - ply }));
    }

    fn send(&self, seat: usize, event: Event) {
        if let Some(events) = self.seats[seat].get()
            && let Err(TrySendError::Full(_)) = events.try_send(Ok(PlayResponse { event: Some(event) }))
        {
            eprintln!(
                "the bare server dropped an event: the queue of seat {seat} already has {QUEUE_EVENTS}"
            );
        }
    }
}

/// A day in milliseconds: the bank of a seat.
const DAY_MS: u32 = 86_400_000;

fn setup() -> MatchSetup {
    let clock = Clock { initial_ms: DAY_MS, declaration_ms: 3_600_000, ..Clock::default() };
    MatchSetup {
        bots: (0..SEATS).map(|seat| format!("bot-{seat}")).collect(),
        piles: vec![COUNTERS],
        clock: Some(clock),
        strikes: 3,
        max_plies: MAX_PLIES,
        ..MatchSetup::default()
    }
}
