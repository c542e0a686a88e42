//! Tournaments that close the oracle to their bots while they run.

use super::{
    host::{Host, bearing, exhibition, round_robin, soon},
    pages::get,
    session::{BotSession, reason},
};
use lastnim_bots::HouseBot;
use lastnim_proto::pb::{
    self, OracleAccess, match_service_client::MatchServiceClient, oracle_service_client::OracleServiceClient,
    tournament_service_client::TournamentServiceClient, tournament_settings::Format,
};
use lastnim_server::Config;
use lastnim_store::Token;
use prost_reflect::DescriptorPool;
use tokio::sync::mpsc;
use tokio_stream::wrappers::ReceiverStream;
use tonic::{Code, Request, Status, client::Grpc, codegen::http::uri::PathAndQuery};
use tonic_types::StatusExt as _;

/// A tournament for two seats that closes the oracle.
fn closed_settings() -> pb::TournamentSettings {
    let oracle = OracleAccess::Closed.into();
    pb::TournamentSettings { title: "cup".into(), seats: 2, oracle, concurrency: 1, ..round_robin(&[&[3]]) }
}

/// The paths of all oracle methods.
fn oracle_calls() -> Vec<String> {
    let pool = DescriptorPool::decode(pb::DESCRIPTORS).unwrap();
    let service = pool.get_service_by_name("lastnim.v1.OracleService").unwrap();
    service.methods().map(|method| format!("/lastnim.v1.OracleService/{}", method.name())).collect()
}

/// A caller, with or without a token.
struct Asker {
    host: Host,
    token: Option<String>,
}

impl Asker {
    fn request<T>(&self, message: T) -> Request<T> {
        match &self.token {
            Some(token) => bearing(token, message),
            None => Request::new(message),
        }
    }

    /// Makes a call with one empty message, and returns how it ended.
    async fn call(&self, path: &str) -> Result<(), Status> {
        let mut grpc = Grpc::new(self.host.channel.clone());
        soon("a ready channel", grpc.ready()).await.unwrap();
        let codec = tonic_prost::ProstCodec::<(), ()>::default();
        let path: PathAndQuery = path.parse().unwrap();
        let asked = grpc.streaming(self.request(tokio_stream::once(())), path, codec);
        let mut answers = soon("an answer", asked).await?.into_inner();
        while soon("the end of the answer", answers.message()).await?.is_some() {}
        Ok(())
    }

    async fn solve(&self) -> Result<pb::SolveResponse, Status> {
        let game = pb::Game {
            piles: vec![3],
            alliance_matrix: Some(pb::AllianceMatrix { rows: vec![pb::Row { offsets: vec![0, 1] }; 2] }),
            ..Default::default()
        };
        let request = self.request(pb::SolveRequest { game: Some(game) });
        let mut oracle = OracleServiceClient::new(self.host.channel.clone());
        soon("an answer", oracle.solve(request)).await.map(tonic::Response::into_inner)
    }

    /// Returns the code and the tournament with which the oracle refuses the caller; `None` if it answers.
    async fn closed_by(&self) -> Option<(Code, String)> {
        self.solve().await.err().map(|refused| closure(&refused))
    }

    async fn practise(&self, bot: &str) -> Result<(), Status> {
        let request = self.request(exhibition([bot, "oracle"], &[3]));
        let mut matches = MatchServiceClient::new(self.host.channel.clone());
        soon("an answer", matches.create_match(request)).await.map(drop)
    }

    async fn get_match(&self, id: &str) -> pb::GetMatchResponse {
        let request = self.request(pb::GetMatchRequest { match_id: id.into() });
        let mut matches = MatchServiceClient::new(self.host.channel.clone());
        soon("an answer", matches.get_match(request)).await.unwrap().into_inner()
    }

    /// Watches a finished match, and returns its last event.
    async fn last_event(&self, id: &str) -> pb::WatchMatchResponse {
        let request = self.request(pb::WatchMatchRequest { match_id: id.into() });
        let mut matches = MatchServiceClient::new(self.host.channel.clone());
        let mut events = soon("an answer", matches.watch_match(request)).await.unwrap().into_inner();
        let mut last = None;
        while let Some(event) = soon("an event", events.message()).await.unwrap() {
            last = Some(event);
        }
        last.unwrap()
    }
}

/// Returns the code of a refusal and the tournament that it names.
fn closure(refused: &Status) -> (Code, String) {
    assert_eq!(reason(refused), "ORACLE_CLOSED", "{refused:?}");
    let tournament = refused.get_details_error_info().unwrap().metadata["tournament_id"].clone();
    assert!(refused.message().contains(&tournament) && refused.message().contains("\"cup\""), "{refused}");
    (refused.code(), tournament)
}

/// A server with a house bot to practise against, and its callers.
struct Stage {
    host: Host,
    alice: Asker,
    bob: Asker,
    /// A bot in no tournament.
    carol: Asker,
    stranger: Asker,
    viewer: Asker,
    admin: Asker,
}

impl Stage {
    async fn start() -> Self {
        let config = Config { house: vec!["oracle".parse().unwrap()], ..Config::default() };
        let host = Host::with(config).await;
        let [alice, bob, carol] = host.register_all(["alice", "bob", "carol"]).await;
        let admin: &Token = &host.admin.clone();
        let asker = async |token: Option<String>| Asker { host: Host::at(&host.address, admin).await, token };
        let (alice, bob, carol) =
            (asker(Some(alice)).await, asker(Some(bob)).await, asker(Some(carol)).await);
        let (stranger, viewer) = (asker(None).await, asker(Some(host.viewer.reveal().to_owned())).await);
        let admin = asker(Some(admin.reveal().to_owned())).await;
        Self { host, alice, bob, carol, stranger, viewer, admin }
    }

    fn everybody(&self) -> [&Asker; 6] {
        [&self.alice, &self.bob, &self.carol, &self.stranger, &self.viewer, &self.admin]
    }

    /// Opens a session for a caller's bot.
    async fn session(&self, asker: &Asker) -> BotSession {
        BotSession::open(&self.host, asker.token.as_ref().unwrap()).await.0
    }

    /// Checks to which callers a tournament closes the oracle.
    async fn assert_closed_by(&self, tournament: &str) {
        let closed_by = |code| Some((code, tournament.to_owned()));
        assert_eq!(self.alice.closed_by().await, closed_by(Code::PermissionDenied));
        assert_eq!(self.bob.closed_by().await, closed_by(Code::PermissionDenied));
        assert_eq!(self.stranger.closed_by().await, closed_by(Code::Unauthenticated));
        for other in [&self.carol, &self.viewer, &self.admin] {
            assert_eq!(other.solve().await.unwrap().winner, 0);
        }
    }

    async fn assert_open(&self) {
        for asker in self.everybody() {
            assert_eq!(asker.closed_by().await, None);
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_running_tournament_closes_every_oracle_call_to_its_bots() {
    let stage = Stage::start().await;
    let id = stage.host.create_tournament(closed_settings(), &["alice", "bob"]).await;
    stage.assert_open().await;
    let calls = oracle_calls();
    assert!(calls.len() >= 13 && calls.iter().any(|call| call.ends_with("/Solve")), "{calls:?}");
    stage.host.start_tournament(&id).await;
    stage.assert_closed_by(&id).await;
    for call in &calls {
        let refused = stage.alice.call(call).await.unwrap_err();
        assert_eq!(closure(&refused), (Code::PermissionDenied, id.clone()), "{call}");
        let refused = stage.stranger.call(call).await.unwrap_err();
        assert_eq!(closure(&refused), (Code::Unauthenticated, id.clone()), "{call}");
        // Other callers get an error about the empty question.
        if let Err(refused) = stage.carol.call(call).await {
            assert_eq!(refused.code(), Code::InvalidArgument, "{call}: {refused:?}");
        }
    }
    let refused = stage.alice.solve().await.unwrap_err();
    let expected = format!(
        "the oracle is closed to alice while tournament {id} (\"cup\") is running: it has entered that tournament, which \
         closes the oracle to its bots until it is over"
    );
    assert_eq!(refused.message(), expected);

    // A paused tournament counts as running.
    let request = pb::PauseTournamentRequest { tournament_id: id.clone(), ..Default::default() };
    stage.host.tournaments().pause_tournament(request).await.unwrap();
    stage.assert_closed_by(&id).await;
    let request = pb::CancelTournamentRequest { tournament_id: id.clone() };
    stage.host.tournaments().cancel_tournament(request).await.unwrap();
    stage.assert_open().await;
    for call in &calls {
        if let Err(refused) = stage.alice.call(call).await {
            assert_eq!(refused.code(), Code::InvalidArgument, "{call}: {refused:?}");
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn audits_and_practice_are_closed_too() {
    let stage = Stage::start().await;
    let (mut alice, mut bob) = (stage.session(&stage.alice).await, stage.session(&stage.bob).await);
    let id = stage.host.create_tournament(closed_settings(), &["alice", "bob"]).await;
    stage.alice.practise("alice").await.expect("the tournament has not started");
    stage.host.start_tournament(&id).await;

    let refused = stage.alice.practise("alice").await.unwrap_err();
    assert_eq!(closure(&refused), (Code::PermissionDenied, id.clone()));
    assert!(refused.message().starts_with("practice is closed to alice while"), "{refused}");
    stage.carol.practise("carol").await.unwrap();

    // The practice match that began earlier continues alongside the first of two matches.
    let next_end = async |line: &mut BotSession| {
        let mut ended = Vec::new();
        while !ended.iter().any(|end: &pb::MatchEnded| end.audit.is_none()) {
            ended.append(&mut line.play_timidly(1).await);
        }
        ended.pop().unwrap()
    };
    let (first, same) = tokio::join!(next_end(&mut alice), next_end(&mut bob));
    assert_eq!((&first.match_id, first.reason()), (&same.match_id, pb::EndReason::Finished));
    assert!(first.winner.is_some());
    for asker in [&stage.alice, &stage.stranger] {
        let shown = asker.get_match(&first.match_id).await;
        assert_eq!((shown.audit, shown.audit_withheld), (None, true));
        let last = asker.last_event(&first.match_id).await;
        assert_eq!((last.audit, last.audit_withheld), (None, true));
    }
    for asker in [&stage.carol, &stage.viewer, &stage.admin] {
        let shown = asker.get_match(&first.match_id).await;
        assert!(shown.audit.is_some() && !shown.audit_withheld);
        assert!(asker.last_event(&first.match_id).await.audit.is_some());
    }
    // The message about a missed end contains no audit.
    drop(alice);
    stage.host.until_bot("alice", |bot| !bot.connected).await;
    let (mut alice, mut missed) = (stage.session(&stage.alice).await, None);
    while missed.is_none() {
        let event = soon("an event", alice.inbound.message()).await.unwrap().unwrap().event;
        missed = match event {
            Some(pb::play_response::Event::MatchEnded(ended)) if ended.match_id == first.match_id => {
                Some(ended)
            }
            _ => None,
        };
    }
    let missed = missed.unwrap();
    assert_eq!((missed.winner, missed.audit), (first.winner, None));

    // The snapshot of the second match was skipped.
    drop(alice);
    let mut alice = stage.session(&stage.alice).await;
    tokio::join!(next_end(&mut alice), next_end(&mut bob));
    stage.host.tournament_over(&id).await;
    stage.assert_open().await;
    for asker in stage.everybody() {
        let shown = asker.get_match(&first.match_id).await;
        assert!(shown.audit.is_some() && !shown.audit_withheld);
        assert!(asker.last_event(&first.match_id).await.audit.is_some());
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_open_batch_ends_when_the_tournament_begins() {
    let stage = Stage::start().await;
    let (asks, requests) = mpsc::channel(1);
    let request = stage.alice.request(ReceiverStream::new(requests));
    let mut oracle = OracleServiceClient::new(stage.host.channel.clone());
    let position = pb::BatchPosition { piles: vec![3], first: 0 };
    let question = pb::SolveBatchRequest {
        alliance_matrix: Some(pb::AllianceMatrix { rows: vec![pb::Row { offsets: vec![0, 1] }; 2] }),
        positions: vec![position],
        ..Default::default()
    };
    asks.send(question.clone()).await.unwrap();
    let mut answers = soon("an answer", oracle.solve_batch(request)).await.unwrap().into_inner();
    assert_eq!(soon("an answer", answers.message()).await.unwrap().unwrap().answers.len(), 1);
    let id = stage.host.create_tournament(closed_settings(), &["alice", "bob"]).await;
    stage.host.start_tournament(&id).await;
    asks.send(question).await.unwrap();
    let refused = soon("the end", answers.message()).await.unwrap_err();
    assert_eq!(closure(&refused), (Code::PermissionDenied, id));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn pages_show_kept_audits_while_the_oracle_is_closed() {
    let stage = Stage::start().await;
    let host = &stage.host;
    let party = host.house_bots(&[HouseBot::Random, HouseBot::Greedy], 1).await;
    let game = host.create_match(exhibition(["random", "greedy"], &[3, 4])).await;
    host.watched_to_its_end(&game).await;
    party.dismiss().await;
    while get(host, "/bots/random/audit").await.header("refresh") == "2" {}
    let id = host.create_tournament(closed_settings(), &["alice", "bob"]).await;
    host.start_tournament(&id).await;
    stage.assert_closed_by(&id).await;
    let kept = get(host, "/bots/random").await;
    assert!(kept.status == 200 && kept.body.contains("% of its takes are optimal"), "{}", kept.body);
    let audit = get(host, "/bots/random/audit").await;
    assert!(audit.status == 200 && audit.body.contains("<h2>Who helps whom</h2>"), "{}", audit.body);
    // The other bot's page says why it does not tell more.
    let other = get(host, "/bots/greedy").await;
    assert!(
        other.body.contains("cannot be compared with optimal play now: the oracle is closed"),
        "{}",
        other.body
    );
    assert_eq!(get(host, "/bots/greedy/audit").await.status, 401);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn leaving_a_ladder_opens_the_oracle_after_the_round() {
    let stage = Stage::start().await;
    let ladder = Format::Ladder(pb::LadderFormat::default());
    let settings = pb::TournamentSettings { format: Some(ladder), concurrency: 2, ..closed_settings() };
    let id = stage.host.create_tournament(settings, &["alice", "bob"]).await;
    stage.host.start_tournament(&id).await;
    stage.host.until_begun(&id, 2).await;
    let request = pb::LeaveTournamentRequest { tournament_id: id.clone(), ..Default::default() };
    let mut tournaments = TournamentServiceClient::new(stage.host.channel.clone());
    let left = tournaments.leave_tournament(stage.alice.request(request)).await.unwrap().into_inner();
    assert_eq!(left.tournament.unwrap().field, ["bob"]);
    stage.assert_closed_by(&id).await;
    let (mut alice, mut bob) = (stage.session(&stage.alice).await, stage.session(&stage.bob).await);
    tokio::join!(alice.play_timidly(2), bob.play_timidly(2));
    let wait_until_free = async { while stage.alice.closed_by().await.is_some() {} };
    soon("the end of the round", wait_until_free).await;
    // The ladder waits for bots, so it has not ended.
    assert_eq!(stage.bob.closed_by().await, Some((Code::PermissionDenied, id.clone())));
    let request = pb::JoinTournamentRequest { tournament_id: id.clone(), ..Default::default() };
    tournaments.join_tournament(stage.alice.request(request)).await.unwrap();
    stage.assert_closed_by(&id).await;
}
