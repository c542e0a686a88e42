//! Requests that are repeated after the server ended between its commit and its answer.

use super::database::Database;
use super::lossy_proxy::LossyProxy;
use super::server::{ADMIN, Server};
use super::stage::{Stage, long_exhibition};
use super::standby::{SERVES, STANDS_BY};
use lastnim_client::{Authorization, connect, token_authorization};
use lastnim_proto::pb::{
    self, bot_service_client::BotServiceClient, match_service_client::MatchServiceClient,
    tournament_service_client::TournamentServiceClient,
};
use lastnim_store::Token;
use std::time::Duration;
use tonic::service::interceptor::InterceptedService;
use tonic::transport::Channel;
use tonic::{Code, Status};
use tonic_types::StatusExt as _;

const PATIENCE: Duration = Duration::from_mins(1);

/// The requests, and a channel to a server.
#[derive(Clone)]
struct Caller {
    channel: InterceptedService<Channel, Authorization>,
    registration: pb::RegisterBotRequest,
    tournament: pb::CreateTournamentRequest,
    exhibition: pb::CreateMatchRequest,
}

impl Caller {
    async fn new(address: &str) -> Self {
        let settings = pb::TournamentSettings {
            title: "repeated".into(),
            seats: 2,
            positions: vec![pb::Piles { counters: vec![2, 3] }],
            ..Default::default()
        };
        Self {
            channel: authorized_channel(address, ADMIN).await,
            registration: pb::RegisterBotRequest {
                name: "cora".into(),
                token: Token::generate().reveal().to_owned(),
                profile: None,
            },
            tournament: pb::CreateTournamentRequest { settings: Some(settings), request_id: "a".into() },
            exhibition: pb::CreateMatchRequest {
                request_id: "b".into(),
                ..long_exhibition(["dora", "bert"], 9)
            },
        }
    }

    async fn at(&self, address: &str) -> Self {
        Self { channel: authorized_channel(address, ADMIN).await, ..self.clone() }
    }

    async fn register(&self) -> Result<String, Status> {
        let request = self.registration.clone();
        let answer = BotServiceClient::new(self.channel.clone()).register_bot(request).await?;
        Ok(answer.into_inner().token)
    }

    async fn create_tournament(&self) -> Result<String, Status> {
        let request = self.tournament.clone();
        let answer = TournamentServiceClient::new(self.channel.clone()).create_tournament(request).await?;
        Ok(answer.into_inner().tournament.unwrap().id)
    }

    async fn create_match(&self) -> Result<String, Status> {
        let request = self.exhibition.clone();
        let answer = MatchServiceClient::new(self.channel.clone()).create_match(request).await?;
        Ok(answer.into_inner().r#match.unwrap().id)
    }

    /// Returns the names of the bots, and the ids of the tournaments and the matches.
    async fn listed(&self) -> [Vec<String>; 3] {
        let channel = &self.channel;
        let bots = BotServiceClient::new(channel.clone()).list_bots(pb::ListBotsRequest::default()).await;
        let tournaments = TournamentServiceClient::new(channel.clone())
            .list_tournaments(pb::ListTournamentsRequest::default())
            .await;
        let matches =
            MatchServiceClient::new(channel.clone()).list_matches(pb::ListMatchesRequest::default()).await;
        [
            bots.unwrap().into_inner().bots.into_iter().map(|bot| bot.name).collect(),
            tournaments.unwrap().into_inner().tournaments.into_iter().map(|listed| listed.id).collect(),
            matches.unwrap().into_inner().matches.into_iter().map(|listed| listed.id).collect(),
        ]
    }
}

async fn authorized_channel(address: &str, token: &str) -> InterceptedService<Channel, Authorization> {
    let channel = tokio::time::timeout(PATIENCE, connect(address)).await.unwrap().unwrap();
    InterceptedService::new(channel, token_authorization(token).unwrap())
}

/// Makes the requests through a proxy that loses the answers, and kills the server once all are carried out. Returns the
/// caller, and the ids of the tournament and the match.
async fn lose_answers(stage: &Stage, server: Server) -> (Caller, [String; 2]) {
    for bot in ["dora", "bert"] {
        stage.organiser.register(bot).await;
    }
    let proxy = LossyProxy::start(&stage.start.address());
    let caller = Caller::new(&proxy.address).await;
    // Until a client has heard from the server, it sends one request over a connection.
    let [one, two] = [caller.at(&proxy.address).await, caller.at(&proxy.address).await];
    let calls = tokio::spawn({
        let caller = caller.clone();
        async move { tokio::join!(caller.register(), one.create_tournament(), two.create_match()) }
    });
    let direct = caller.at(&stage.start.address()).await;
    let created = async {
        loop {
            match direct.listed().await {
                [bots, tournaments, matches]
                    if bots.len() == 3 && !tournaments.is_empty() && !matches.is_empty() =>
                {
                    break [tournaments[0].clone(), matches[0].clone()];
                }
                _ => tokio::time::sleep(Duration::from_millis(5)).await,
            }
        }
    };
    let created = tokio::time::timeout(PATIENCE, created).await.expect("the requests are carried out");
    server.kill();
    proxy.recover();
    let (registered, tournament, exhibition) = calls.await.unwrap();
    assert!(registered.is_err() && tournament.is_err() && exhibition.is_err(), "the answers are lost");
    (caller, created)
}

/// Repeats the requests at a server, some of them twice at the same moment.
async fn repeat(caller: &Caller, address: &str, [tournament, exhibition]: [String; 2]) {
    let caller = caller.at(address).await;
    let (one, two) = tokio::join!(caller.create_tournament(), caller.create_tournament());
    assert_eq!((one.unwrap(), two.unwrap()), (tournament.clone(), tournament.clone()));
    let (one, two) = tokio::join!(caller.create_match(), caller.create_match());
    assert_eq!((one.unwrap(), two.unwrap()), (exhibition.clone(), exhibition.clone()));
    let (one, two) = tokio::join!(caller.register(), caller.register());
    let token = caller.registration.token.clone();
    assert_eq!((one.unwrap(), two.unwrap()), (token.clone(), token.clone()));
    let names = ["bert", "cora", "dora"].map(str::to_owned).to_vec();
    assert_eq!(caller.listed().await, [names, vec![tournament], vec![exhibition]]);

    let as_bot = authorized_channel(address, &token).await;
    let identity = BotServiceClient::new(as_bot).get_caller(pb::GetCallerRequest {}).await.unwrap();
    let identity = identity.into_inner();
    assert_eq!(identity.bot, "cora", "the token is usable");

    let mut other = caller.clone();
    other.exhibition.piles.push(1);
    other.tournament.request_id = "b".into();
    for refused in [other.create_match().await.unwrap_err(), other.create_tournament().await.unwrap_err()] {
        let reason = refused.get_details_error_info().unwrap().reason;
        assert_eq!((refused.code(), reason.as_str()), (Code::AlreadyExists, "REQUEST_ID_USED"));
        assert!(refused.message().starts_with("request_id: b was used at "), "{refused}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn requests_are_repeated_after_a_kill_between_commit_and_answer() {
    let stage = Stage::new(Database::sqlite);
    let server = stage.start.start().await;
    let (caller, created) = lose_answers(&stage, server).await;
    let server = stage.start.start().await;
    repeat(&caller, &stage.start.address(), created).await;
    server.stop();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn requests_are_repeated_on_the_server_that_took_over() {
    let Some((stage, second)) = Stage::for_pair() else { return };
    let active = stage.start.start().await;
    let mut standby = second.launch();
    second.wait_for_log(STANDS_BY, 1).await;
    let (caller, created) = lose_answers(&stage, active).await;
    second.wait_for_log(SERVES, 1).await;
    repeat(&caller, &second.address(), created).await;
    standby.signal("TERM");
    assert_eq!(standby.wait().code(), Some(0), "{}", second.log_text());
}
