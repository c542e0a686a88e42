//! The SDK against a scripted server: broken sessions and slow bots.

mod async_bot;
#[path = "../hostile_bot/mod.rs"]
mod hostile_bot;
mod hostile_server;
mod opponent_model;
mod take_feed;

use hostile_bot::{Misbehaviour, attack};
use lastnim_client::{
    Bot, Clock, Connected, EndReport, Error, JoinRefusal, MatchEnd, MatchView, Options, Summary,
    TournamentEnd, run, run_until,
};
use lastnim_proto::pb::{
    self, Feed, PlayRequest, PlayResponse, Tournament, TournamentState,
    arena_service_server::{ArenaService, ArenaServiceServer},
    play_request::Action,
    play_response::Event,
};
use std::{future::pending, sync::mpsc as blocking, time::Duration};
use tokio::{
    io::copy_bidirectional,
    net::{TcpListener, TcpStream},
    sync::{mpsc, oneshot},
    task::JoinSet,
    time::timeout,
};
use tokio_stream::wrappers::{ReceiverStream, TcpListenerStream};
use tonic::{Request, Response, Status, Streaming, transport::Server};

const ID: &str = "01890a5d-ac96-774b-bcce-b302099a8057";
const TOURNAMENT: &str = "01890a5d-ac96-774b-bcce-b302099a8058";
/// The limit for every wait; reached only in failures.
const LONG: Duration = Duration::from_mins(2);

/// A session, driven by the script.
struct BotSession {
    tell: mpsc::Sender<Result<PlayResponse, Status>>,
    heard: Streaming<PlayRequest>,
}

impl BotSession {
    async fn tell(&self, event: Event) {
        self.tell.send(Ok(PlayResponse { event: Some(event) })).await.unwrap();
    }

    /// Welcomes a bot that subscribes to its own turns only.
    async fn welcome(&mut self, open_matches: u32) {
        assert_eq!(self.welcome_to_feed(open_matches).await, Feed::OwnTurns);
    }

    /// Welcomes a bot and returns its subscription.
    async fn welcome_to_feed(&mut self, open_matches: u32) -> Feed {
        self.tell(Event::Welcome(pb::Welcome { bot: "b".into(), open_matches, server_version: "0".into() }))
            .await;
        let Action::Subscribe(subscribe) = self.next().await else { panic!("it subscribes first") };
        subscribe.feed()
    }

    /// Welcomes a bot that asks to join the tournament.
    async fn welcome_to_the_tournament(&mut self, open_matches: u32) {
        self.welcome(open_matches).await;
        let asked = Action::JoinTournament(pb::JoinTournament { tournament_id: TOURNAMENT.into() });
        assert_eq!(self.next().await, asked);
        let tournament = Some(tournament(TournamentState::Running));
        self.tell(Event::JoinedTournament(Box::new(pb::JoinedTournament { tournament }))).await;
    }

    async fn next(&mut self) -> Action {
        let request = timeout(LONG, self.heard.message()).await.expect("the client is silent").unwrap();
        request.expect("the client closed the stream").action.expect("an action")
    }

    async fn break_with(self, status: Status) {
        self.tell.send(Err(status)).await.unwrap();
    }
}

/// Passes every session to the script.
struct Scripted {
    sessions: mpsc::Sender<BotSession>,
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

fn tournament(state: TournamentState) -> Tournament {
    Tournament {
        id: TOURNAMENT.into(),
        state: state.into(),
        field: vec!["b".into()],
        ..Tournament::default()
    }
}

/// The address of the scripted server, and its sessions.
struct Script {
    server: String,
    sessions: mpsc::Receiver<BotSession>,
}

impl Script {
    async fn start() -> Self {
        Self::start_with(Server::builder()).await
    }

    async fn start_with(mut builder: Server) -> Self {
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

    fn options(&self) -> Options {
        Options::new(&self.server, "right")
    }

    async fn next_session(&mut self) -> BotSession {
        timeout(LONG, self.sessions.recv()).await.expect("no connection").expect("the server runs")
    }
}

async fn ended(run: tokio::task::JoinHandle<Result<Summary, Error>>) -> Result<Summary, Error> {
    timeout(LONG, run).await.expect("the run does not end").expect("the run does not panic")
}

fn started() -> pb::MatchStarted {
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

fn matrix() -> pb::AllianceMatrix {
    pb::AllianceMatrix { rows: vec![pb::Row { offsets: vec![0, 1] }; 2] }
}

fn revealed() -> Event {
    Event::Revealed(pb::Revealed {
        match_id: ID.into(),
        alliance_matrix: Some(matrix()),
        defaulted: Vec::new(),
    })
}

fn turn() -> pb::Turn {
    pb::Turn { match_id: ID.into(), ply: 0, pile: 0, counters: 5, bank_ms: 1000 }
}

fn snapshot(turn: Option<pb::Turn>) -> Event {
    let (started, phase) = (Some(started()), pb::Phase::Playing.into());
    Event::Snapshot(Box::new(pb::Snapshot {
        started,
        phase,
        alliance_matrix: Some(matrix()),
        turn,
        ..Default::default()
    }))
}

fn tournament_ended() -> Event {
    Event::TournamentEnded(Box::new(pb::TournamentEnded {
        tournament_id: TOURNAMENT.into(),
        state: TournamentState::Finished.into(),
        standing: Some(pb::Standing { place: 1, ..Default::default() }),
        ..Default::default()
    }))
}

fn match_ended() -> Event {
    let reason = pb::EndReason::Finished.into();
    Event::MatchEnded(Box::new(pb::MatchEnded {
        match_id: ID.into(),
        reason,
        winner: Some(1),
        ..Default::default()
    }))
}

fn is_take(action: &Action, take: u64) -> bool {
    matches!(action, Action::Take(sent) if sent.take == take && sent.ply == 0 && sent.match_id == ID)
}

/// Takes two counters when the test allows it.
struct Thinker {
    permits: blocking::Receiver<()>,
    heard: blocking::Sender<&'static str>,
}

impl Bot for Thinker {
    fn play(&mut self, _: &MatchView) -> u64 {
        let _ = self.heard.send("play");
        let _ = self.permits.recv();
        2
    }

    fn ended(&mut self, end: &MatchEnd) {
        let _ = self.heard.send(if end.reason == EndReport::Unseen { "unseen" } else { "ended" });
    }

    fn tournament_ended(&mut self, end: &TournamentEnd) {
        let _ = self.heard.send(if end.place == 1 { "first" } else { "not first" });
    }

    fn connected(&mut self, _: &Connected) {
        let _ = self.heard.send("connected");
    }
}

fn thinker() -> (Thinker, blocking::Sender<()>, blocking::Receiver<&'static str>) {
    let (permit, permits) = blocking::channel();
    let (heard, log) = blocking::channel();
    (Thinker { permits, heard }, permit, log)
}

#[tokio::test]
async fn a_session_lost_while_the_bot_thinks_loses_nothing() {
    let mut script = Script::start().await;
    let (bot, permit, log) = thinker();
    let run = tokio::spawn(run(bot, script.options().tournament(TOURNAMENT)));

    let mut session = script.next_session().await;
    session.welcome_to_the_tournament(0).await;
    session.tell(Event::MatchStarted(Box::new(started()))).await;
    assert!(
        matches!(session.next().await, Action::Declare(declare) if declare.row.as_ref().unwrap().offsets == [0, 1])
    );
    session.tell(revealed()).await;
    session.tell(Event::Turn(turn())).await;
    session.tell(Event::Ping(pb::Ping { id: 3 })).await;
    assert_eq!(session.next().await, Action::Pong(pb::Pong { id: 3 }), "while the bot is thinking");
    session.break_with(Status::unavailable("restarting")).await;

    let mut session = script.next_session().await;
    session.welcome(1).await;
    session.tell(snapshot(Some(turn()))).await;
    permit.send(()).unwrap();
    assert!(is_take(&session.next().await, 2));
    drop(session);

    let mut session = script.next_session().await;
    session.welcome(1).await;
    session.tell(snapshot(Some(turn()))).await;
    assert!(is_take(&session.next().await, 2), "the take is sent again without asking the bot");

    // The end of the tournament arrives before the end of its last match.
    session.tell(tournament_ended()).await;
    session.tell(match_ended()).await;
    let summary = ended(run).await.unwrap();
    assert_eq!((summary.matches, summary.wins, summary.unseen), (1, 1, 0));
    let heard: Vec<_> = log.iter().collect();
    assert_eq!(heard.iter().filter(|&&what| what == "play").count(), 1);
    assert_eq!(heard.iter().filter(|&&what| what == "connected").count(), 3);
    assert_eq!(heard.iter().filter(|&&what| what == "ended").count(), 1, "before the run returned");
    assert_eq!(heard.iter().filter(|&&what| what == "first").count(), 1);
}

#[tokio::test]
async fn a_bot_stops_if_its_tournament_has_already_ended() {
    let mut script = Script::start().await;
    let (bot, _permit, _log) = thinker();
    let run = tokio::spawn(run(bot, script.options().tournament(TOURNAMENT)));
    let mut session = script.next_session().await;
    session.welcome(0).await;
    assert!(matches!(session.next().await, Action::JoinTournament(_)));
    let tournament = Some(tournament(TournamentState::Cancelled));
    session.tell(Event::JoinedTournament(Box::new(pb::JoinedTournament { tournament }))).await;
    assert_eq!(ended(run).await.unwrap(), Summary::default());
}

#[tokio::test]
async fn a_bot_asks_to_join_until_it_has_joined() {
    let mut script = Script::start().await;
    let (bot, _permit, _log) = thinker();
    let run = tokio::spawn(run(bot, script.options().tournament(TOURNAMENT)));
    let mut session = script.next_session().await;
    session.welcome(0).await;
    assert!(matches!(session.next().await, Action::JoinTournament(_)));
    session
        .tell(Event::JoinRefused(pb::JoinRefused {
            tournament_id: TOURNAMENT.into(),
            reason: pb::JoinRefusal::Unavailable.into(),
            message: "the server cannot write now".into(),
        }))
        .await;
    assert!(matches!(session.next().await, Action::JoinTournament(_)), "it retries");
    session.break_with(Status::unavailable("restarting before the answer")).await;
    let mut session = script.next_session().await;
    session.welcome_to_the_tournament(0).await;
    session.break_with(Status::unavailable("restarting")).await;
    let mut session = script.next_session().await;
    session.welcome(0).await;
    session.tell(Event::Ping(pb::Ping { id: 5 })).await;
    assert_eq!(session.next().await, Action::Pong(pb::Pong { id: 5 }), "it does not ask again");
    session.tell(tournament_ended()).await;
    assert_eq!(ended(run).await.unwrap(), Summary::default());
}

#[tokio::test]
async fn a_run_can_be_stopped_and_closes_its_connection() {
    let mut script = Script::start().await;
    let (bot, _permit, log) = thinker();
    let (stop, stopped) = oneshot::channel::<()>();
    let run = tokio::spawn(run_until(bot, script.options(), async {
        let _ = stopped.await;
    }));
    let mut session = script.next_session().await;
    session.welcome(1).await;
    session.tell(snapshot(Some(turn()))).await;
    let heard = tokio::task::spawn_blocking(move || (log.recv().unwrap(), log.recv().unwrap()));
    assert_eq!(heard.await.unwrap(), ("connected", "play"));
    stop.send(()).unwrap();
    assert_eq!(ended(run).await.unwrap(), Summary::default(), "while the bot is thinking");
    let gone = timeout(LONG, session.heard.message()).await.expect("the stream is still open");
    assert!(!matches!(gone, Ok(Some(_))));
    timeout(LONG, session.tell.closed()).await.expect("the call is still open");
}

#[tokio::test]
async fn permanent_errors_end_the_run() {
    let mut script = Script::start().await;
    let stranger = Options::new(&script.server, "wrong");
    let error = timeout(LONG, run(thinker().0, stranger)).await.unwrap().unwrap_err();
    assert_eq!(
        error.to_string(),
        "the server refused the session: this is not the token of a bot (Unauthenticated)"
    );

    let run_of = |options| tokio::spawn(run(thinker().0, options));
    let superseded = run_of(script.options());
    let mut session = script.next_session().await;
    session.welcome(0).await;
    session.break_with(Status::aborted("a newer session")).await;
    assert!(matches!(ended(superseded).await, Err(Error::Superseded)));

    let misled = run_of(script.options().tournament("nowhere"));
    let mut session = script.next_session().await;
    session.welcome(0).await;
    let Action::JoinTournament(join) = session.next().await else { panic!("`join_tournament`") };
    session
        .tell(Event::JoinRefused(pb::JoinRefused {
            tournament_id: join.tournament_id,
            reason: pb::JoinRefusal::UnknownTournament.into(),
            message: "there is no such tournament".into(),
        }))
        .await;
    let error = ended(misled).await.unwrap_err();
    assert_eq!(error.to_string(), "tournament \"nowhere\": there is no such tournament");
    assert!(matches!(error, Error::NotJoined { reason: Some(JoinRefusal::UnknownTournament), .. }));

    let confused = run_of(script.options());
    let mut session = script.next_session().await;
    session.welcome(0).await;
    session.tell(Event::MatchStarted(Box::new(pb::MatchStarted { seat: 2, ..started() }))).await;
    assert_eq!(
        ended(confused).await.unwrap_err().to_string(),
        "the server sent an invalid event: match_started.seat: seat 2: expected 0 to 1"
    );

    let unwelcome = run_of(script.options());
    let session = script.next_session().await;
    session.tell(Event::Ping(pb::Ping { id: 1 })).await;
    assert_eq!(
        ended(unwelcome).await.unwrap_err().to_string(),
        "the server sent another event before the welcome"
    );
}

#[tokio::test]
async fn a_bot_tries_each_address_of_its_server() {
    let [mut first, mut second] = [Script::start().await, Script::start().await];
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let nobody = listener.local_addr().unwrap();
    drop(listener);
    let wire_listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let wire_address = wire_listener.local_addr().unwrap();
    let wire = tokio::spawn(forward(wire_listener, first.server.clone()));
    let (bot, permit, _log) = thinker();
    permit.send(()).unwrap();
    let server = format!("{nobody}, {wire_address}, {}", second.server);
    let run = tokio::spawn(run(bot, Options::new(server, "right").tournament(TOURNAMENT)));
    let mut session = first.next_session().await;
    session.welcome_to_the_tournament(1).await;
    wire.abort();
    let mut session = second.next_session().await;
    session.welcome_to_the_tournament(1).await;
    session.tell(snapshot(Some(turn()))).await;
    assert!(is_take(&session.next().await, 2));
    session.tell(match_ended()).await;
    session.tell(tournament_ended()).await;
    assert_eq!(ended(run).await.unwrap().wins, 1);
}

#[tokio::test]
async fn an_unreachable_server_is_given_up() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let nobody = listener.local_addr().unwrap().to_string();
    drop(listener);
    let options = Options::new(nobody, "right").give_up_after(Duration::from_millis(300));
    let error = timeout(LONG, run(thinker().0, options)).await.unwrap().unwrap_err();
    let told = error.to_string();
    assert!(
        told.starts_with("the session was lost and could not be reopened within 300ms: ")
            && told.contains("refused"),
        "{told}"
    );
}

#[tokio::test]
async fn the_hostile_bot_reconnects_until_it_is_stopped() {
    let mut script = Script::start().await;
    let server = script.server.clone();
    let stranger = attack::run(&server, "wrong", &Misbehaviour::ALL, 1, pending());
    assert!(matches!(timeout(LONG, stranger).await.unwrap(), Err(Error::Refused(_))));

    let (stop, stopped) = oneshot::channel::<()>();
    let run = tokio::spawn(async move {
        attack::run(&server, "right", &[Misbehaviour::DropStream], 1, async {
            let _ = stopped.await;
        })
        .await
    });
    for status in [Status::aborted("a newer session"), Status::resource_exhausted("too slow")] {
        script.next_session().await.break_with(status).await;
    }
    let session = script.next_session().await;
    session.tell(Event::Welcome(pb::Welcome::default())).await;
    session.tell(Event::MatchStarted(Box::new(started()))).await;
    for ply in 0..40 {
        let _ = session
            .tell
            .send(Ok(PlayResponse { event: Some(Event::Turn(pb::Turn { ply, ..turn() })) }))
            .await;
    }
    timeout(LONG, session.tell.closed()).await.expect("it never dropped the stream");
    let _line = script.next_session().await;
    stop.send(()).unwrap();
    let report = timeout(LONG, run).await.unwrap().unwrap().unwrap();
    assert!(report.sessions >= 3, "{report:?}");
}

/// Forwards connections to a server; dropping it cuts them all.
async fn forward(listener: TcpListener, server: String) {
    let mut connections = JoinSet::new();
    while let Ok((mut client, _)) = listener.accept().await {
        let server = server.clone();
        connections.spawn(async move {
            let mut upstream = TcpStream::connect(server).await?;
            copy_bidirectional(&mut client, &mut upstream).await
        });
    }
}

#[tokio::test]
async fn a_cut_connection_is_reopened() {
    let mut script = Script::start().await;
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let wire = tokio::spawn(forward(listener, script.server.clone()));
    let (bot, permit, _log) = thinker();
    permit.send(()).unwrap();
    let options = Options::new(address.to_string(), "right").tournament(TOURNAMENT);
    let run = tokio::spawn(run(bot, options));
    let mut session = script.next_session().await;
    session.welcome_to_the_tournament(1).await;
    session.tell(snapshot(Some(turn()))).await;
    assert!(is_take(&session.next().await, 2));

    wire.abort();
    assert!(wire.await.unwrap_err().is_cancelled());
    timeout(LONG, session.tell.closed()).await.expect("the connection is open");
    let listener = TcpListener::bind(address).await.unwrap();
    let _wire = tokio::spawn(forward(listener, script.server.clone()));

    let mut session = script.next_session().await;
    session.welcome(1).await;
    session.tell(snapshot(Some(turn()))).await;
    assert!(is_take(&session.next().await, 2));
    session.tell(match_ended()).await;
    session.tell(tournament_ended()).await;
    assert_eq!(ended(run).await.unwrap().wins, 1);
}
