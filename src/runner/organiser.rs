//! The calls that a tournament's organiser makes to the server.

use crate::{
    Failure,
    remote::RemoteServer,
    repeated_call::{self, create_tournament},
};
use lastnim_core::game::{BotName, TournamentId};
use lastnim_proto::pb;
use tonic::{Code, Status, Streaming};

/// The organiser's client. Clones share the connection.
#[derive(Debug, Clone)]
pub struct OrganiserClient {
    remote: RemoteServer,
}

/// A stream of the states of a tournament.
pub type TournamentStates = Streaming<pb::WatchTournamentResponse>;

impl OrganiserClient {
    pub fn new(remote: RemoteServer) -> Self {
        Self { remote }
    }

    /// Returns the server that receives the requests.
    pub fn remote(&self) -> &RemoteServer {
        &self.remote
    }

    /// Registers a bot and returns its token; `None` if the name is taken.
    pub async fn register_bot(&self, bot: &BotName) -> Result<Option<String>, Failure> {
        match repeated_call::register_bot(&self.remote, bot, None).await {
            Ok(registered) => Ok(Some(registered.token)),
            Err(status) if status.code() == Code::AlreadyExists => Ok(None),
            Err(status) => Err(self.remote.refusal_failure(&status)),
        }
    }

    /// Replaces the token of a bot, which ends sessions with the old token.
    pub async fn rotate_token(&self, bot: &BotName) -> Result<String, Failure> {
        let request = pb::RotateTokenRequest { name: bot.to_string() };
        Ok(self.remote.answer(self.remote.bot_client().rotate_token(request)).await?.token)
    }

    /// Returns whether a bot has a session.
    pub async fn is_bot_connected(&self, bot: &BotName) -> Result<bool, Failure> {
        let request = pb::GetBotRequest { name: bot.to_string() };
        let given = self.remote.answer(self.remote.bot_client().get_bot(request)).await?;
        Ok(given.bot.is_some_and(|bot| bot.connected))
    }

    /// Returns one page of the seats that a bot lost in a tournament, newest matches first.
    pub async fn lost_seats(&self, id: TournamentId, bot: &str) -> Result<Vec<pb::LostSeat>, Failure> {
        let (bot, tournament_id) = (bot.to_owned(), id.to_string());
        let request = pb::ListLostSeatsRequest { bot, tournament_id, ..Default::default() };
        Ok(self.remote.answer(self.remote.bot_client().list_lost_seats(request)).await?.seats)
    }

    /// Creates the tournament.
    pub async fn create_tournament(
        &self,
        settings: pb::TournamentSettings,
    ) -> Result<pb::Tournament, Failure> {
        create_tournament(&self.remote, settings).await
    }

    /// Returns the newest tournament of the server, if there is one.
    pub async fn newest_tournament(&self) -> Result<Option<pb::Tournament>, Failure> {
        let request = pb::ListTournamentsRequest { page_size: 1, ..Default::default() };
        let listed = self.remote.answer(self.remote.tournament_client().list_tournaments(request)).await?;
        Ok(listed.tournaments.into_iter().next())
    }

    /// Returns a tournament.
    pub async fn fetch_tournament(&self, id: TournamentId) -> Result<pb::Tournament, Failure> {
        self.remote.fetch_tournament(id).await
    }

    /// Enters a bot; entering it twice has no further effect.
    pub async fn enter_bot(&self, id: TournamentId, bot: &BotName) -> Result<(), Failure> {
        let request = pb::JoinTournamentRequest { tournament_id: id.to_string(), bot: bot.to_string() };
        self.remote.answer(self.remote.tournament_client().join_tournament(request)).await.map(drop)
    }

    /// Starts the tournament.
    pub async fn start_tournament(&self, id: TournamentId) -> Result<(), Failure> {
        let request = pb::StartTournamentRequest { tournament_id: id.to_string() };
        self.remote.answer(self.remote.tournament_client().start_tournament(request)).await.map(drop)
    }

    /// Cancels the tournament, unless it is over or unknown.
    pub async fn cancel_tournament(&self, id: TournamentId) -> Result<(), Failure> {
        let request = pb::CancelTournamentRequest { tournament_id: id.to_string() };
        match self.remote.tournament_client().cancel_tournament(request).await {
            Err(status) if !matches!(status.code(), Code::FailedPrecondition | Code::NotFound) => {
                Err(self.remote.refusal_failure(&status))
            }
            _ => Ok(()),
        }
    }

    /// Pauses the tournament, and lets its open matches finish or freezes them; returns the event, if anything changed.
    pub async fn pause_tournament(
        &self,
        id: TournamentId,
        open_matches: pb::OpenMatches,
    ) -> Result<Option<pb::TournamentEvent>, Failure> {
        let open_matches = open_matches.into();
        let request = pb::PauseTournamentRequest { tournament_id: id.to_string(), open_matches };
        Ok(self.remote.answer(self.remote.tournament_client().pause_tournament(request)).await?.event)
    }

    /// Resumes the tournament.
    pub async fn resume_tournament(&self, id: TournamentId) -> Result<(), Failure> {
        let request = pb::ResumeTournamentRequest { tournament_id: id.to_string() };
        self.remote.answer(self.remote.tournament_client().resume_tournament(request)).await.map(drop)
    }

    /// Returns the interventions in the tournament.
    pub async fn tournament_events(&self, id: TournamentId) -> Result<Vec<pb::TournamentEvent>, Failure> {
        let request = pb::GetTournamentRequest { tournament_id: id.to_string() };
        Ok(self.remote.answer(self.remote.tournament_client().get_tournament(request)).await?.events)
    }

    /// Starts to follow a tournament.
    ///
    /// # Errors
    /// Returns the status, from which the caller can decide whether to try again.
    pub async fn watch_tournament(&self, id: TournamentId) -> Result<TournamentStates, Status> {
        let request = pb::WatchTournamentRequest { tournament_id: id.to_string(), state_only: false };
        Ok(self.remote.tournament_client().watch_tournament(request).await?.into_inner())
    }

    /// Converts the status that ended a stream of states to a failure.
    pub fn broken_stream_failure(&self, status: &Status) -> Failure {
        self.remote.broken_stream_failure(status)
    }
}
