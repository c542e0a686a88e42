//! Matches as seen from outside.

use super::access::Access;
use super::page::Page;
use super::read_scheduler::ReadScheduler;
use super::status::{arena_status, closed_stream_status, parse_field, read_request};
use crate::arena::{Arena, MatchWatch, WatchEvent};
use crate::game::MatchId;
use crate::referee::Timestamp;
use crate::store::{MatchFilter, MatchSummary, PruneFilter};
use crate::wire::{pb, setup::parse_new_setup};
use std::pin::Pin;
use tokio_stream::{Stream, StreamExt as _};
use tonic::{Request, Response, Status};

/// Serves `lastnim.v1.MatchService`.
#[derive(Debug, Clone)]
pub struct MatchRpc {
    arena: Arena,
    access: Access,
    reads: ReadScheduler,
}

impl MatchRpc {
    /// Serves an arena.
    pub fn new(arena: Arena, access: Access, reads: ReadScheduler) -> Self {
        Self { arena, access, reads }
    }
}

fn match_message(summary: &MatchSummary) -> pb::Match {
    let (reason, winner) = match summary.end {
        None => (pb::EndReason::Unspecified, None),
        Some((reason, winner)) => (reason.into(), winner),
    };
    let phase = match &summary.damage {
        Some(_) => pb::Phase::Quarantined,
        None => summary.phase.into(),
    };
    pb::Match {
        id: summary.id.to_string(),
        setup: summary.setup.as_deref().map(Into::into),
        phase: phase.into(),
        plies: summary.plies,
        reason: reason.into(),
        winner: winner.map(u32::from),
        damage: summary.damage.as_deref().unwrap_or_default().to_owned(),
        void_reason: summary.void_reason.as_deref().unwrap_or_default().to_owned(),
        seat_versions: summary.versions.iter().map(Into::into).collect(),
    }
}

fn watch_message(watched: &WatchEvent) -> pb::WatchMatchResponse {
    pb::WatchMatchResponse {
        event: Some((&watched.event).into()),
        audit: watched.audit.as_deref().map(Into::into),
    }
}

/// Reads the id of a match in the field that every request names it in.
fn parse_match_id(id: &str) -> Result<MatchId, Status> {
    parse_field("match_id", id.parse())
}

#[tonic::async_trait]
impl pb::match_service_server::MatchService for MatchRpc {
    type WatchMatchStream = Pin<Box<dyn Stream<Item = Result<pb::WatchMatchResponse, Status>> + Send>>;

    async fn create_match(
        &self,
        request: Request<pb::CreateMatchRequest>,
    ) -> Result<Response<pb::CreateMatchResponse>, Status> {
        let bot = self.access.require_admin_or_any_bot(&request)?;
        let setup = read_request(|field| parse_new_setup(request.get_ref(), field))?;
        let created = match bot {
            None => self.arena.create_match(setup).await,
            Some(bot) => self.arena.create_practice_match(&bot, setup).await,
        };
        let summary = created.map_err(arena_status)?;
        Ok(Response::new(pb::CreateMatchResponse { r#match: Some(match_message(&summary)) }))
    }

    async fn get_match(
        &self,
        request: Request<pb::GetMatchRequest>,
    ) -> Result<Response<pb::GetMatchResponse>, Status> {
        let reader = self.reads.admit(&request)?;
        let id = parse_match_id(&request.get_ref().match_id)?;
        let arena = self.arena.clone();
        let read = async move {
            let (summary, audit) = arena.match_summary(id).await.map_err(arena_status)?;
            let audit = audit.as_deref().map(Into::into);
            Ok(pb::GetMatchResponse { r#match: Some(match_message(&summary)), audit })
        };
        self.reads.run_read(&reader, read).await.map(Response::new)
    }

    async fn list_matches(
        &self,
        request: Request<pb::ListMatchesRequest>,
    ) -> Result<Response<pb::ListMatchesResponse>, Status> {
        let reader = self.reads.admit(&request)?;
        let request = request.into_inner();
        let page = Page::<MatchId>::parse(request.page_size, &request.page_token)?;
        let filter = read_request(|field| {
            let tournament = field.member("tournament_id").parse_if_given(&request.tournament_id);
            let bot = field.member("bot").parse_if_given(&request.bot);
            Some(MatchFilter { tournament: tournament?, bot: bot? })
        })?;
        let arena = self.arena.clone();
        let read = async move {
            let mut matches =
                arena.list_matches(&filter, page.start, page.fetch_limit()).await.map_err(arena_status)?;
            let next_page_token = page.truncate(&mut matches, |summary| summary.id.to_string());
            let matches = matches.iter().map(match_message).collect();
            Ok(pb::ListMatchesResponse { matches, next_page_token })
        };
        self.reads.run_read(&reader, read).await.map(Response::new)
    }

    async fn watch_match(
        &self,
        request: Request<pb::WatchMatchRequest>,
    ) -> Result<Response<Self::WatchMatchStream>, Status> {
        let reader = self.reads.admit(&request)?;
        let id = parse_match_id(&request.get_ref().match_id)?;
        let arena = self.arena.clone();
        let read = async move { arena.watch_match(id).await.map_err(arena_status) };
        let MatchWatch { so_far, audit, next } = self.reads.run_read(&reader, read).await?;
        let last = so_far.len().saturating_sub(1);
        let past = so_far.into_iter().enumerate().map(move |(index, event)| {
            let audit = audit.clone().filter(|_| index == last);
            Ok(watch_message(&WatchEvent { event, audit }))
        });
        let past = tokio_stream::iter(past);
        Ok(Response::new(match next {
            None => Box::pin(past),
            Some(next) => Box::pin(past.chain(
                next.map(|item| item.map(|watched| watch_message(&watched)).map_err(closed_stream_status)),
            )),
        }))
    }

    async fn get_record(
        &self,
        request: Request<pb::GetRecordRequest>,
    ) -> Result<Response<pb::GetRecordResponse>, Status> {
        let reader = self.reads.admit(&request)?;
        let id = parse_match_id(&request.get_ref().match_id)?;
        let arena = self.arena.clone();
        let read = async move {
            let stored = arena.match_record(id).await.map_err(arena_status)?;
            let record = pb::MatchRecord::of(&stored.record, stored.seal.as_ref());
            Ok(pb::GetRecordResponse { record: Some(record) })
        };
        self.reads.run_read(&reader, read).await.map(Response::new)
    }

    async fn prune_records(
        &self,
        request: Request<pb::PruneRecordsRequest>,
    ) -> Result<Response<pb::PruneRecordsResponse>, Status> {
        self.access.require_admin(&request)?;
        let request = request.get_ref();
        let filter = read_request(|field| {
            let tournament = field.member("tournament_id").parse_if_given(&request.tournament_id)?;
            let over_before = match request.over_before_us {
                0 => i64::MAX as u64,
                given => given,
            };
            let filter = PruneFilter {
                tournament,
                over_before: Timestamp::from_micros(over_before),
                keep_newest: request.keep_newest,
            };
            let bounded = filter.is_bounded().then_some(filter);
            field
                .member("keep_newest")
                .ok_or_report(bounded.ok_or("it or over_before_us is needed: all records would go"))
        })?;
        let pruned_matches = self.arena.prune_records(filter).await.map_err(arena_status)?;
        Ok(Response::new(pb::PruneRecordsResponse { pruned_matches }))
    }

    async fn get_public_key(
        &self,
        request: Request<pb::GetPublicKeyRequest>,
    ) -> Result<Response<pb::GetPublicKeyResponse>, Status> {
        self.access.require_viewer(&request)?;
        let public_key = self.arena.public_key().as_bytes().to_vec();
        Ok(Response::new(pb::GetPublicKeyResponse { public_key }))
    }
}
