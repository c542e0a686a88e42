//! What pages ask, and what is kept for them.

use super::bot_audits::BotAudits;
use super::kept_pages::KeptPages;
use super::live::Feeds;
use super::metrics::Metrics;
use super::public_url::PublicUrl;
use super::token_sessions::TokenSessions;
use super::visitor::Visitor;
use lastnim_arena::Arena;
use lastnim_core::game::MatchId;
use lastnim_proto::pb;
use lastnim_rpc::{
    Access, BotHands, BotRpc, GuestHands, MatchRpc, OracleRpc, ReadScheduler, TournamentRpc, TranscriptRpc,
};
use pb::match_service_server::MatchService as _;
use pb::tournament_service_server::TournamentService as _;
use std::sync::Arc;
use tonic::{Code, Status};

/// The services that pages ask, and what is kept for pages. No page knows which others there are.
#[derive(Debug, Clone)]
pub struct Site {
    /// Says whether the server can be used.
    pub arena: Arena,
    /// Says whose turn it is to have a page made.
    pub reads: ReadScheduler,
    /// The address by which the world knows the server, if it was told.
    pub public_url: Option<PublicUrl>,
    /// Answers about tournaments.
    pub tournaments: TournamentRpc,
    /// Answers about matches.
    pub matches: MatchRpc,
    /// Answers about bots.
    pub bots: BotRpc,
    /// Answers about transcripts of language models.
    pub transcripts: TranscriptRpc,
    /// Answers about positions.
    pub oracle: OracleRpc,
    /// Says whether a token is an admin's.
    pub access: Access,
    /// Organisers who are signed in.
    pub organisers: Arc<TokenSessions>,
    /// Others who are signed in to read.
    pub readers: Arc<TokenSessions>,
    /// Lets visitors play.
    pub guests: GuestHands,
    /// Lets those play who hold the token of a bot.
    pub bot_hands: BotHands,
    /// Those who are signed in with the token of a bot.
    pub players: Arc<TokenSessions>,
    /// What is measured, unless that has a listener of its own.
    pub metrics: Option<Metrics>,
    /// Says what changes on pages.
    pub feeds: Feeds,
    /// Pages that were made before.
    pub kept: KeptPages,
    /// Audits of bots that were worked out lately.
    pub audits: BotAudits,
}

impl Site {
    /// Asks what is known of a match.
    pub(super) async fn get_match(
        &self,
        visitor: &Visitor,
        id: MatchId,
    ) -> Result<pb::GetMatchResponse, Status> {
        let request = pb::GetMatchRequest { match_id: id.to_string() };
        Ok(self.matches.get_match(visitor.request(request)).await?.into_inner())
    }

    /// Asks for the record of a match.
    pub(super) async fn get_record(&self, visitor: &Visitor, id: MatchId) -> Result<pb::MatchRecord, Status> {
        let request = pb::GetRecordRequest { match_id: id.to_string() };
        Ok(self.matches.get_record(visitor.request(request)).await?.into_inner().record.unwrap_or_default())
    }

    /// Asks for the record of a match; `None` if it was removed, or is damaged.
    pub(super) async fn find_record(
        &self,
        visitor: &Visitor,
        id: MatchId,
    ) -> Result<Option<pb::MatchRecord>, Status> {
        match self.get_record(visitor, id).await {
            Ok(record) => Ok(Some(record)),
            Err(status) if matches!(status.code(), Code::NotFound | Code::DataLoss) => Ok(None),
            Err(status) => Err(status),
        }
    }

    /// Asks for a list of matches.
    pub(super) async fn list_matches(
        &self,
        visitor: &Visitor,
        request: pb::ListMatchesRequest,
    ) -> Result<pb::ListMatchesResponse, Status> {
        Ok(self.matches.list_matches(visitor.request(request)).await?.into_inner())
    }

    /// Asks what is known of a tournament.
    pub(super) async fn get_tournament(
        &self,
        visitor: &Visitor,
        id: impl ToString,
    ) -> Result<pb::GetTournamentResponse, Status> {
        let request = pb::GetTournamentRequest { tournament_id: id.to_string() };
        Ok(self.tournaments.get_tournament(visitor.request(request)).await?.into_inner())
    }
}
