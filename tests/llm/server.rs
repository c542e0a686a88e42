//! A server in this process.

use super::asking::LONG;
use lastnim_arena::{Arena, Backend, Principal};
use lastnim_client::{Authorization, connect, token_authorization};
use lastnim_proto::pb::{
    self, bot_service_client::BotServiceClient, match_service_client::MatchServiceClient,
    tournament_service_client::TournamentServiceClient,
};
use lastnim_server::{Config, run_server};
use lastnim_store::Token;
use std::{future::pending, time::Duration};
use tokio::{net::TcpListener, time::timeout};
use tonic::{service::interceptor::InterceptedService, transport::Channel};

/// A server that hosts the house bot greedy. It stops with the runtime of its test.
pub struct Server {
    pub address: String,
    /// The token of the admin.
    pub admin: String,
    calls: InterceptedService<Channel, Authorization>,
}

impl Server {
    pub async fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap().to_string();
        let admin = Token::generate();
        let config = Config { house: vec!["greedy".parse().unwrap()], ..Config::default() };
        let tokens = vec![(admin.clone(), Principal::Admin)];
        let arena = Arena::open(config.limits.clone(), Backend::in_memory(), tokens).await.unwrap();
        tokio::spawn(run_server(listener.into(), arena, config, Box::pin(pending())));
        let channel = timeout(LONG, connect(&address)).await.expect("no connection").unwrap();
        let calls = InterceptedService::new(channel, token_authorization(admin.reveal()).unwrap());
        Self { address, admin: admin.reveal().to_string(), calls }
    }

    pub fn bots(&self) -> BotServiceClient<InterceptedService<Channel, Authorization>> {
        BotServiceClient::new(self.calls.clone())
    }

    pub fn tournaments(&self) -> TournamentServiceClient<InterceptedService<Channel, Authorization>> {
        TournamentServiceClient::new(self.calls.clone())
    }

    /// Waits until the only tournament exists and meets a condition.
    pub async fn tournament_when(&self, is_met: impl Fn(&pb::Tournament) -> bool) -> pb::Tournament {
        let seen = async {
            loop {
                let request = pb::ListTournamentsRequest { page_size: 1, ..Default::default() };
                let listed = self.tournaments().list_tournaments(request).await.unwrap().into_inner();
                if let Some(found) = listed.tournaments.into_iter().next().filter(&is_met) {
                    return found;
                }
                tokio::time::sleep(Duration::from_millis(20)).await;
            }
        };
        timeout(LONG, seen).await.expect("the tournament never got there")
    }

    /// Pauses a tournament as its organiser.
    pub async fn pause(&self, id: &str, open_matches: pb::OpenMatches) {
        let request =
            pb::PauseTournamentRequest { tournament_id: id.to_owned(), open_matches: open_matches.into() };
        self.tournaments().pause_tournament(request).await.unwrap();
    }

    /// Resumes a tournament as its organiser.
    pub async fn resume(&self, id: &str) {
        let request = pb::ResumeTournamentRequest { tournament_id: id.to_owned() };
        self.tournaments().resume_tournament(request).await.unwrap();
    }

    /// Registers a bot and returns its token.
    pub async fn register(&self, name: &str) -> String {
        let request = pb::RegisterBotRequest { name: name.into(), ..Default::default() };
        self.bots().register_bot(request).await.unwrap().into_inner().token
    }

    pub async fn get_bot(&self, name: &str) -> pb::GetBotResponse {
        let request = pb::GetBotRequest { name: name.into() };
        self.bots().get_bot(request).await.unwrap().into_inner()
    }

    /// Creates a tournament of greedy and one more bot, with declared rows; it starts once that bot has joined.
    pub async fn create_tournament(&self, scoring: pb::Scoring) -> String {
        let settings = pb::TournamentSettings {
            title: "Models".into(),
            seats: 2,
            positions: vec![pb::Piles { counters: vec![2, 3] }],
            alliance: pb::AllianceMode::Declared.into(),
            scoring: scoring.into(),
            start_when: 2,
            ..Default::default()
        };
        let mut tournaments = self.tournaments();
        let request = pb::CreateTournamentRequest { settings: Some(settings), ..Default::default() };
        let created = tournaments.create_tournament(request).await.unwrap().into_inner();
        let id = created.tournament.unwrap().id;
        let request = pb::JoinTournamentRequest { tournament_id: id.clone(), bot: "greedy".into() };
        tournaments.join_tournament(request).await.unwrap();
        id
    }

    /// Starts a two-seat match against greedy.
    pub async fn begin_match(&self, bot: &str) -> String {
        let bots = vec![bot.to_owned(), "greedy".to_owned()];
        self.create_match(pb::CreateMatchRequest { bots, piles: vec![2, 3], ..Default::default() }).await
    }

    /// Starts a match and returns its id.
    pub async fn create_match(&self, request: pb::CreateMatchRequest) -> String {
        let created = self.matches().create_match(request).await.unwrap();
        created.into_inner().r#match.unwrap().id
    }

    /// Waits until a match has ended.
    pub async fn watch_to_its_end(&self, id: &str) {
        let request = pb::WatchMatchRequest { match_id: id.to_owned() };
        let mut watched = self.matches().watch_match(request).await.unwrap().into_inner();
        while watched.message().await.unwrap().is_some() {}
    }

    pub async fn record(&self, id: &str) -> pb::MatchRecord {
        let request = pb::GetRecordRequest { match_id: id.to_owned() };
        self.matches().get_record(request).await.unwrap().into_inner().record.unwrap()
    }

    fn matches(&self) -> MatchServiceClient<InterceptedService<Channel, Authorization>> {
        MatchServiceClient::new(self.calls.clone())
    }
}
