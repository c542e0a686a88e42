//! The SDK against a scripted server: broken sessions and slow bots.

mod async_bot;
#[path = "../hostile_bot/mod.rs"]
mod hostile_bot;
mod hostile_server;
mod opponent_model;
mod script;
mod take_feed;

use hostile_bot::{Misbehaviour, attack};
use lastnim_client::{
    Bot, Connected, EndReport, Error, JoinRefusal, MatchEnd, MatchView, Options, Summary, TournamentEnd, run,
    run_until,
};
use lastnim_proto::pb::{self, PlayResponse, TournamentState, play_request::Action, play_response::Event};
use script::{
    LONG, Script, TOURNAMENT, ended, is_take, match_ended, revealed, snapshot, started, tournament,
    tournament_ended, turn,
};
use std::{future::pending, sync::mpsc as blocking, time::Duration};
use tokio::{
    io::copy_bidirectional,
    net::{TcpListener, TcpStream},
    sync::oneshot,
    task::JoinSet,
    time::timeout,
};
use tonic::Status;

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
async fn the_client_gives_up_on_an_unreachable_server() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let nobody = listener.local_addr().unwrap().to_string();
    drop(listener);
    let options = Options::new(nobody, "right").give_up_after(Duration::from_millis(300));
    let error = timeout(LONG, run(thinker().0, options)).await.unwrap().unwrap_err();
    let message = error.to_string();
    assert!(
        message.starts_with("no session could be opened within 300ms: ") && message.contains("refused"),
        "{message}"
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
