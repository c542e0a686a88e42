//! A server that does what a test's script says, and the messages that it sends.

use lastnim_client::{Clock, Error, Options, Summary};
use lastnim_proto::pb::{
    self, Feed, PlayRequest, PlayResponse, Tournament, TournamentState,
    arena_service_server::{ArenaService, ArenaServiceServer},
    play_request::Action,
    play_response::Event,
};
use std::time::Duration;
use tokio::{net::TcpListener, sync::mpsc, time::timeout};
use tokio_stream::wrappers::{ReceiverStream, TcpListenerStream};
use tonic::{Request, Response, Status, Streaming, transport::Server};

pub const ID: &str = "01890a5d-ac96-774b-bcce-b302099a8057";
pub const TOURNAMENT: &str = "01890a5d-ac96-774b-bcce-b302099a8058";
/// The limit for every wait; reached only in failures.
pub const LONG: Duration = Duration::from_mins(2);

/// A session, driven by the script.
pub struct BotSession {
    pub tell: mpsc::Sender<Result<PlayResponse, Status>>,
    pub heard: Streaming<PlayRequest>,
}

impl BotSession {
    pub async fn tell(&self, event: Event) {
        self.tell.send(Ok(PlayResponse { event: Some(event) })).await.unwrap();
    }

    /// Welcomes a bot that subscribes to its own turns only.
    pub async fn welcome(&mut self, open_matches: u32) {
        assert_eq!(self.welcome_to_feed(open_matches).await, Feed::OwnTurns);
    }

    /// Welcomes a bot and returns its subscription.
    pub async fn welcome_to_feed(&mut self, open_matches: u32) -> Feed {
        self.tell(Event::Welcome(pb::Welcome { bot: "b".into(), open_matches, server_version: "0".into() }))
            .await;
        let Action::Subscribe(subscribe) = self.next().await else { panic!("it subscribes first") };
        subscribe.feed()
    }

    /// Welcomes a bot that asks to join the tournament.
    pub async fn welcome_to_the_tournament(&mut self, open_matches: u32) {
        self.welcome(open_matches).await;
        let asked = Action::JoinTournament(pb::JoinTournament { tournament_id: TOURNAMENT.into() });
        assert_eq!(self.next().await, asked);
        let tournament = Some(tournament(TournamentState::Running));
        self.tell(Event::JoinedTournament(Box::new(pb::JoinedTournament { tournament }))).await;
    }

    pub async fn next(&mut self) -> Action {
        let request = timeout(LONG, self.heard.message()).await.expect("the client is silent").unwrap();
        request.expect("the client closed the stream").action.expect("an action")
    }

    pub async fn break_with(self, status: Status) {
        self.tell.send(Err(status)).await.unwrap();
    }
}

/// Passes every session to the script.
pub struct Scripted {
    pub sessions: mpsc::Sender<BotSession>,
}

#[tonic::async_trait]
impl ArenaService for Scripted {
    type PlayStream = ReceiverStream<Result<PlayResponse, Status>>;

    async fn play(
        &self,
        request: Request<Streaming<PlayRequest>>,
    ) -> Result<Response<Self::PlayStream>, Status> {
        if request.metadata().get("authorization").is_none_or(|value| value != "Bearer right") {
            return Err(Status::unauthenticated("this is not the token of a bot"));
        }
        let (tell, told) = mpsc::channel(64);
        let session = BotSession { tell, heard: request.into_inner() };
        self.sessions.send(session).await.map_err(|_| Status::unavailable("the script has ended"))?;
        Ok(Response::new(ReceiverStream::new(told)))
    }
}

pub fn tournament(state: TournamentState) -> Tournament {
    Tournament {
        id: TOURNAMENT.into(),
        state: state.into(),
        field: vec!["b".into()],
        ..Tournament::default()
    }
}

/// The address of the scripted server, and its sessions.
pub struct Script {
    pub server: String,
    pub sessions: mpsc::Receiver<BotSession>,
}

impl Script {
    pub async fn start() -> Self {
        Self::start_with(Server::builder()).await
    }

    pub async fn start_with(mut builder: Server) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let server = listener.local_addr().unwrap().to_string();
        let (sender, sessions) = mpsc::channel(4);
        tokio::spawn(
            builder
                .add_service(ArenaServiceServer::new(Scripted { sessions: sender }))
                .serve_with_incoming(TcpListenerStream::new(listener)),
        );
        Self { server, sessions }
    }

    pub fn options(&self) -> Options {
        Options::new(&self.server, "right")
    }

    pub async fn next_session(&mut self) -> BotSession {
        timeout(LONG, self.sessions.recv()).await.expect("no connection").expect("the server runs")
    }
}

pub async fn ended(run: tokio::task::JoinHandle<Result<Summary, Error>>) -> Result<Summary, Error> {
    timeout(LONG, run).await.expect("the run does not end").expect("the run does not panic")
}

pub fn started() -> pb::MatchStarted {
    let setup = pb::MatchSetup {
        bots: vec!["a".into(), "b".into()],
        piles: vec![5],
        clock: Some((&Clock::default()).into()),
        strikes: 3,
        max_plies: 100,
        tournament_id: TOURNAMENT.into(),
        first: 1,
        ..Default::default()
    };
    pb::MatchStarted { match_id: ID.into(), seat: 1, setup: Some(setup), dealt_row: None }
}

pub fn matrix() -> pb::AllianceMatrix {
    pb::AllianceMatrix { rows: vec![pb::Row { offsets: vec![0, 1] }; 2] }
}

pub fn revealed() -> Event {
    Event::Revealed(pb::Revealed {
        match_id: ID.into(),
        alliance_matrix: Some(matrix()),
        defaulted: Vec::new(),
    })
}

pub fn turn() -> pb::Turn {
    pb::Turn { match_id: ID.into(), ply: 0, pile: 0, counters: 5, bank_ms: 1000 }
}

pub fn snapshot(turn: Option<pb::Turn>) -> Event {
    let (started, phase) = (Some(started()), pb::Phase::Playing.into());
    Event::Snapshot(Box::new(pb::Snapshot {
        started,
        phase,
        alliance_matrix: Some(matrix()),
        turn,
        ..Default::default()
    }))
}

pub fn tournament_ended() -> Event {
    Event::TournamentEnded(Box::new(pb::TournamentEnded {
        tournament_id: TOURNAMENT.into(),
        state: TournamentState::Finished.into(),
        standing: Some(pb::Standing { place: 1, ..Default::default() }),
        ..Default::default()
    }))
}

pub fn match_ended() -> Event {
    let reason = pb::EndReason::Finished.into();
    Event::MatchEnded(Box::new(pb::MatchEnded {
        match_id: ID.into(),
        reason,
        winner: Some(1),
        ..Default::default()
    }))
}

pub fn is_take(action: &Action, take: u64) -> bool {
    matches!(action, Action::Take(sent) if sent.take == take && sent.ply == 0 && sent.match_id == ID)
}
