//! The organiser of tournaments on a server that may be killed at any time: repeats each request until it is answered.

use super::server::{ADMIN, TIMEOUT};
use lastnim_client::{Authorization, connect, token_authorization};
use lastnim_core::referee::PublicKey;
use lastnim_proto::pb::{
    self, bot_service_client::BotServiceClient, match_service_client::MatchServiceClient,
    tournament_service_client::TournamentServiceClient,
};
use lastnim_proto::record::{SealedRecord, verify_record};
use std::time::{Duration, Instant};
use tonic::service::interceptor::InterceptedService;
use tonic::transport::Channel;
use tonic::{Code, Response, Status};

/// A channel that adds the administrator's token to every call.
pub type Line = InterceptedService<Channel, Authorization>;

/// The pause before a request is repeated.
const RETRY_INTERVAL: Duration = Duration::from_millis(10);
/// The time limit of one request.
const REQUEST_TIMEOUT: Duration = Duration::from_mins(1);
/// Matches per page of a list: few, to get many pages.
const PAGE_SIZE: u32 = 40;

/// A client of one server across restarts.
#[derive(Debug, Clone)]
pub struct Organiser {
    address: String,
}

impl Organiser {
    pub fn new(address: String) -> Self {
        Self { address }
    }

    /// Sends a request once.
    pub async fn ask<T, A>(&self, question: impl FnOnce(Line) -> A) -> Result<T, Status>
    where
        A: Future<Output = Result<Response<T>, Status>>,
    {
        let asking = async {
            let channel = connect(&self.address).await;
            let channel = channel.map_err(|error| Status::unavailable(error.to_string()))?;
            question(InterceptedService::new(channel, token_authorization(ADMIN).unwrap())).await
        };
        let late_status = |_| Status::unavailable("no answer in time");
        Ok(tokio::time::timeout(REQUEST_TIMEOUT, asking).await.map_err(late_status)??.into_inner())
    }

    /// Repeats a request until the server answers, possibly with an error.
    async fn ask_until_answered<T, A>(&self, question: impl Fn(Line) -> A) -> Result<T, Status>
    where
        A: Future<Output = Result<Response<T>, Status>>,
    {
        let began = Instant::now();
        loop {
            match self.ask(&question).await {
                Err(status) if is_passing(&status) => {
                    assert!(began.elapsed() < TIMEOUT, "no answer: {status:?}");
                    tokio::time::sleep(RETRY_INTERVAL).await;
                }
                answer => return answer,
            }
        }
    }

    /// Tries to list bots once.
    pub async fn list_bots_once(&self) -> Result<pb::ListBotsResponse, Status> {
        self.ask(
            |line| async move { BotServiceClient::new(line).list_bots(pb::ListBotsRequest::default()).await },
        )
        .await
    }

    /// Registers a bot and returns its token. If the answer was lost, the token is rotated.
    pub async fn register(&self, name: &str) -> String {
        let request = pb::RegisterBotRequest { name: name.into(), ..Default::default() };
        let registered = self.ask_until_answered(|line| {
            let request = request.clone();
            async move { BotServiceClient::new(line).register_bot(request).await }
        });
        match registered.await {
            Ok(response) => response.token,
            Err(status) if status.code() == Code::AlreadyExists => {
                let rotated = self.ask_until_answered(|line| {
                    let request = pb::RotateTokenRequest { name: name.into() };
                    async move { BotServiceClient::new(line).rotate_token(request).await }
                });
                rotated.await.unwrap().token
            }
            Err(status) => panic!("{name} cannot be registered: {status:?}"),
        }
    }

    pub async fn bot(&self, name: &str) -> pb::Bot {
        let found = self.ask_until_answered(|line| {
            let request = pb::GetBotRequest { name: name.into() };
            async move { BotServiceClient::new(line).get_bot(request).await }
        });
        found.await.unwrap().bot.unwrap()
    }

    /// Waits until a bot is registered.
    pub async fn wait_for_bot(&self, name: &str) {
        let began = Instant::now();
        loop {
            let request = pb::GetBotRequest { name: name.into() };
            match self.ask(|line| async move { BotServiceClient::new(line).get_bot(request).await }).await {
                Ok(_) => return,
                Err(status) => assert!(began.elapsed() < TIMEOUT, "{status:?}"),
            }
            tokio::time::sleep(RETRY_INTERVAL).await;
        }
    }

    /// Creates a tournament and returns its id. A tournament with the same title is the one whose answer was lost.
    pub async fn create_tournament(&self, settings: &pb::TournamentSettings) -> String {
        let began = Instant::now();
        loop {
            let existing = self.tournaments().await;
            let is_same = |listed: &&pb::Tournament| {
                listed.settings.as_ref().is_some_and(|listed| listed.title == settings.title)
            };
            if let Some(found) = existing.iter().find(is_same) {
                return found.id.clone();
            }
            let request =
                pb::CreateTournamentRequest { settings: Some(settings.clone()), ..Default::default() };
            let created = self.ask(|line| async move {
                TournamentServiceClient::new(line).create_tournament(request).await
            });
            match created.await {
                Ok(response) => return response.tournament.unwrap().id,
                Err(status) => {
                    assert!(is_passing(&status) && began.elapsed() < TIMEOUT, "{status:?}");
                    tokio::time::sleep(RETRY_INTERVAL).await;
                }
            }
        }
    }

    pub async fn tournaments(&self) -> Vec<pb::Tournament> {
        let listed = self.ask_until_answered(|line| async move {
            TournamentServiceClient::new(line).list_tournaments(pb::ListTournamentsRequest::default()).await
        });
        listed.await.unwrap().tournaments
    }

    pub async fn join(&self, tournament: &str, bot: &str) {
        let joined = self.ask_until_answered(|line| {
            let request = pb::JoinTournamentRequest { tournament_id: tournament.into(), bot: bot.into() };
            async move { TournamentServiceClient::new(line).join_tournament(request).await }
        });
        joined.await.unwrap();
    }

    pub async fn leave(&self, tournament: &str, bot: &str) {
        let left = self.ask_until_answered(|line| {
            let request = pb::LeaveTournamentRequest { tournament_id: tournament.into(), bot: bot.into() };
            async move { TournamentServiceClient::new(line).leave_tournament(request).await }
        });
        left.await.unwrap();
    }

    /// Returns the bots that were in a ladder, and when; `None` in other formats.
    pub async fn field_history(&self, id: &str) -> Option<pb::FieldHistory> {
        let found = self.ask_until_answered(|line| {
            let request = pb::GetTournamentRequest { tournament_id: id.into() };
            async move { TournamentServiceClient::new(line).get_tournament(request).await }
        });
        found.await.unwrap().field_history
    }

    /// Cancels a tournament, even if an answer is lost; returns its final state.
    pub async fn cancel(&self, tournament: &str) -> pb::TournamentState {
        let cancelled = self.ask_until_answered(|line| {
            let request = pb::CancelTournamentRequest { tournament_id: tournament.into() };
            async move { TournamentServiceClient::new(line).cancel_tournament(request).await }
        });
        match cancelled.await {
            Ok(response) => response.tournament.unwrap().state(),
            // An earlier request succeeded.
            Err(status) if status.code() == Code::FailedPrecondition => {
                self.tournament(tournament).await.state()
            }
            Err(status) => panic!("{status:?}"),
        }
    }

    pub async fn pause(&self, tournament: &str, open: pb::OpenMatches) {
        let paused = self.ask_until_answered(|line| {
            let request =
                pb::PauseTournamentRequest { tournament_id: tournament.into(), open_matches: open.into() };
            async move { TournamentServiceClient::new(line).pause_tournament(request).await }
        });
        paused.await.unwrap();
    }

    pub async fn resume(&self, tournament: &str) {
        let resumed = self.ask_until_answered(|line| {
            let request = pb::ResumeTournamentRequest { tournament_id: tournament.into() };
            async move { TournamentServiceClient::new(line).resume_tournament(request).await }
        });
        resumed.await.unwrap();
    }

    /// Disqualifies a bot, unless an earlier request succeeded.
    pub async fn disqualify(&self, tournament: &str, bot: &str, results: pb::DisqualifiedResults) {
        let done = self.ask_until_answered(|line| {
            let (tournament_id, bot, reason) = (tournament.into(), bot.into(), "a test".into());
            let request = pb::DisqualifyBotRequest { tournament_id, bot, results: results.into(), reason };
            async move { TournamentServiceClient::new(line).disqualify_bot(request).await }
        });
        if let Err(status) = done.await {
            assert!(status.message().ends_with("is already disqualified"), "{status:?}");
        }
    }

    /// Voids matches, unless an earlier request succeeded: the group may have begun again since.
    pub async fn void(&self, tournament: &str, target: pb::void_matches_request::Target) {
        let before = self.events(tournament).await.len();
        loop {
            let (tournament_id, target, reason) = (tournament.into(), Some(target.clone()), "a test".into());
            let request = pb::VoidMatchesRequest { tournament_id, target, reason, targets: Vec::new() };
            let asked = self
                .ask(|line| async move { TournamentServiceClient::new(line).void_matches(request).await });
            match asked.await {
                Ok(_) => return,
                Err(status) => assert!(is_passing(&status), "{status:?}"),
            }
            if self.events(tournament).await.len() > before {
                return;
            }
        }
    }

    /// Returns the events of a tournament.
    pub async fn events(&self, id: &str) -> Vec<pb::TournamentEvent> {
        let found = self.ask_until_answered(|line| {
            let request = pb::GetTournamentRequest { tournament_id: id.into() };
            async move { TournamentServiceClient::new(line).get_tournament(request).await }
        });
        found.await.unwrap().events
    }

    pub async fn manifest(&self, id: &str) -> Vec<u8> {
        let began = Instant::now();
        loop {
            match self.try_manifest(id).await {
                Ok(text) => return text,
                Err(status) => assert!(is_passing(&status) && began.elapsed() < TIMEOUT, "{status:?}"),
            }
            tokio::time::sleep(RETRY_INTERVAL).await;
        }
    }

    async fn try_manifest(&self, id: &str) -> Result<Vec<u8>, Status> {
        let request = pb::GetManifestRequest { tournament_id: id.into() };
        let mut parts = self
            .ask(|line| async move { TournamentServiceClient::new(line).get_manifest(request).await })
            .await?;
        let mut text = Vec::new();
        while let Some(part) = parts.message().await? {
            text.extend(part.text);
        }
        Ok(text)
    }

    pub async fn tournament(&self, id: &str) -> pb::Tournament {
        let found = self.ask_until_answered(|line| {
            let request = pb::GetTournamentRequest { tournament_id: id.into() };
            async move { TournamentServiceClient::new(line).get_tournament(request).await }
        });
        found.await.unwrap().tournament.unwrap()
    }

    /// Waits until a tournament is over, and returns it.
    pub async fn tournament_over(&self, id: &str) -> pb::Tournament {
        let began = Instant::now();
        loop {
            let tournament = self.tournament(id).await;
            let state = tournament.state();
            if matches!(state, pb::TournamentState::Finished | pb::TournamentState::Cancelled) {
                return tournament;
            }
            assert!(
                began.elapsed() < TIMEOUT,
                "{} of {} matches are played",
                tournament.matches_played,
                tournament.matches_total
            );
            tokio::time::sleep(RETRY_INTERVAL).await;
        }
    }

    pub async fn standings(&self, id: &str) -> Vec<pb::Standing> {
        let found = self.ask_until_answered(|line| {
            let request = pb::GetStandingsRequest { tournament_id: id.into(), cross_table: false };
            async move { TournamentServiceClient::new(line).get_standings(request).await }
        });
        found.await.unwrap().standings
    }

    /// Starts an exhibition and returns its id. If the answer was lost, it is found by its bots.
    pub async fn create_match(&self, request: &pb::CreateMatchRequest) -> String {
        let began = Instant::now();
        loop {
            let is_same = |found: &&pb::Match| {
                let setup = found.setup.as_ref().expect("a setup");
                setup.tournament_id.is_empty() && setup.bots == request.bots
            };
            if let Some(found) = self.matches("").await.iter().find(is_same) {
                return found.id.clone();
            }
            let request = request.clone();
            let created =
                self.ask(|line| async move { MatchServiceClient::new(line).create_match(request).await });
            match created.await {
                Ok(response) => return response.r#match.unwrap().id,
                Err(status) => {
                    assert!(is_passing(&status) && began.elapsed() < TIMEOUT, "{status:?}");
                    tokio::time::sleep(RETRY_INTERVAL).await;
                }
            }
        }
    }

    pub async fn get_match(&self, id: &str) -> Result<pb::Match, Status> {
        let found = self.ask_until_answered(|line| {
            let request = pb::GetMatchRequest { match_id: id.into() };
            async move { MatchServiceClient::new(line).get_match(request).await }
        });
        found.await.map(|response| response.r#match.unwrap())
    }

    /// Waits until a match is over.
    pub async fn match_over(&self, id: &str) {
        let began = Instant::now();
        while self.get_match(id).await.unwrap().phase() != pb::Phase::Ended {
            assert!(began.elapsed() < TIMEOUT, "match {id} does not end");
            tokio::time::sleep(RETRY_INTERVAL).await;
        }
    }

    /// Lists the matches of a tournament, or all matches for an empty id.
    pub async fn matches(&self, tournament: &str) -> Vec<pb::Match> {
        let mut all = Vec::new();
        let mut page_token = String::new();
        loop {
            let request = pb::ListMatchesRequest {
                tournament_id: tournament.into(),
                page_size: PAGE_SIZE,
                page_token: page_token.clone(),
                ..Default::default()
            };
            let page = self.ask_until_answered(|line| {
                let request = request.clone();
                async move { MatchServiceClient::new(line).list_matches(request).await }
            });
            let page = page.await.unwrap();
            all.extend(page.matches);
            page_token = page.next_page_token;
            if page_token.is_empty() {
                return all;
            }
        }
    }

    /// Fetches the record of a match, checking its hash chain, and its seal if it is over.
    pub async fn record(&self, id: &str) -> SealedRecord {
        let found = self.ask_until_answered(|line| {
            let request = pb::GetRecordRequest { match_id: id.into() };
            async move { MatchServiceClient::new(line).get_record(request).await }
        });
        verify_record(&found.await.unwrap().record.unwrap()).unwrap_or_else(|flaw| panic!("{id}: {flaw}"))
    }

    /// Returns the public key for the server's seals.
    pub async fn public_key(&self) -> PublicKey {
        let found = self.ask_until_answered(|line| async move {
            MatchServiceClient::new(line).get_public_key(pb::GetPublicKeyRequest {}).await
        });
        PublicKey::from_bytes(found.await.unwrap().public_key.try_into().unwrap()).unwrap()
    }
}

/// Returns whether a restarted server may answer differently.
fn is_passing(status: &Status) -> bool {
    matches!(status.code(), Code::Unavailable | Code::Unknown | Code::Cancelled | Code::Internal)
}
