//! The services and caches that pages use.

use super::bot_audits::BotAudits;
use super::live::Feeds;
use super::metrics::Metrics;
use super::page_cache::PageCache;
use super::public_url::PublicUrl;
use super::replay::Replay;
use super::sign_in::SignIns;
use super::tournament_headlines::KeptHeadlines;
use super::visitor::Visitor;
use lastnim_arena::Arena;
use lastnim_core::game::{MatchId, TournamentId};
use lastnim_core::referee::Timestamp;
use lastnim_proto::pb;
use lastnim_rpc::{
    Access, BotGames, BotRpc, EntryRpc, GuestGames, MatchRpc, OracleRpc, ReadScheduler, TournamentRpc,
    TranscriptRpc,
};
use pb::match_service_server::MatchService as _;
use pb::tournament_service_server::TournamentService as _;
use std::sync::Arc;
use tonic::{Code, Status};

/// The services and caches that pages use.
#[derive(Debug, Clone)]
pub struct Site {
    /// The arena, from which pages learn the state of matches and of the store.
    pub arena: Arena,
    /// Schedules expensive reads, such as those that make pages.
    pub reads: ReadScheduler,
    /// The public address, if it is known.
    pub public_url: Option<PublicUrl>,
    /// The service for tournaments.
    pub tournaments: TournamentRpc,
    /// The service for matches.
    pub matches: MatchRpc,
    /// The service for bots.
    pub bots: BotRpc,
    /// The service for entry codes.
    pub entries: EntryRpc,
    /// The service for transcripts of language models.
    pub transcripts: TranscriptRpc,
    /// The service of the oracle.
    pub oracle: OracleRpc,
    /// Checks tokens.
    pub access: Access,
    /// The sign-ins of visitors.
    pub sign_ins: Arc<SignIns>,
    /// Games of guests.
    pub guests: GuestGames,
    /// Games of people who play as bots.
    pub bot_games: BotGames,
    /// The metrics, unless they have a separate listener.
    pub metrics: Option<Metrics>,
    /// The running feeds of live updates.
    pub feeds: Feeds,
    /// Cached pages.
    pub kept: PageCache,
    /// Who leads or has won the listed tournaments.
    pub headlines: KeptHeadlines,
    /// Cached audits of bots.
    pub audits: BotAudits,
}

impl Site {
    pub(super) fn now(&self) -> Timestamp {
        Timestamp::from_micros(self.arena.now_micros())
    }

    /// Runs slow work for a visitor when its turn comes, not on the threads that handle messages.
    pub(super) async fn run_slow_work<T: Send + 'static>(
        &self,
        visitor: &Visitor,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, Status> {
        self.reads.run_slow_work(&visitor.request(()), work).await
    }

    /// Returns the title of a tournament; `None` if there is no such tournament, or its stored data is damaged.
    pub(super) async fn find_title(
        &self,
        visitor: &Visitor,
        id: TournamentId,
    ) -> Result<Option<String>, Status> {
        self.tournaments.find_title(&visitor.request(id)).await
    }

    pub(super) async fn get_match(
        &self,
        visitor: &Visitor,
        id: MatchId,
    ) -> Result<pb::GetMatchResponse, Status> {
        let request = pb::GetMatchRequest { match_id: id.to_string() };
        Ok(self.matches.get_match(visitor.request(request)).await?.into_inner())
    }

    pub(super) async fn get_record(&self, visitor: &Visitor, id: MatchId) -> Result<pb::MatchRecord, Status> {
        let request = pb::GetRecordRequest { match_id: id.to_string() };
        Ok(self.matches.get_record(visitor.request(request)).await?.into_inner().record.unwrap_or_default())
    }

    /// Returns the record of a match; `None` if it was removed, or is damaged.
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

    /// Returns the record of a match and replays it; `None` if it was removed, or is damaged.
    pub(super) async fn find_replay(
        &self,
        visitor: &Visitor,
        id: MatchId,
    ) -> Result<Option<(pb::MatchRecord, Replay)>, Status> {
        let Some(record) = self.find_record(visitor, id).await? else { return Ok(None) };
        let replay = move || Replay::of_record(&record).map(|replay| (record, replay));
        self.run_slow_work(visitor, replay).await
    }

    pub(super) async fn list_matches(
        &self,
        visitor: &Visitor,
        request: pb::ListMatchesRequest,
    ) -> Result<pb::ListMatchesResponse, Status> {
        Ok(self.matches.list_matches(visitor.request(request)).await?.into_inner())
    }

    pub(super) async fn get_tournament(
        &self,
        visitor: &Visitor,
        id: impl ToString,
    ) -> Result<pb::GetTournamentResponse, Status> {
        let request = pb::GetTournamentRequest { tournament_id: id.to_string() };
        Ok(self.tournaments.get_tournament(visitor.request(request)).await?.into_inner())
    }

    /// Returns whether a bot that leaves a tournament now is withdrawn from it, and cannot return.
    pub(super) async fn leaving_is_final(
        &self,
        visitor: &Visitor,
        id: TournamentId,
        bot: &str,
    ) -> Result<bool, Status> {
        let tournament = self.get_tournament(visitor, id).await?.tournament.unwrap_or_default();
        Ok(tournament.leaving_is_final() && tournament.field.iter().any(|entrant| entrant == bot))
    }
}
