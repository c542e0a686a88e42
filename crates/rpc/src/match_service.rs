//! The service for matches.

use super::access::Access;
use super::activity::open_match_message;
use super::creation_request::creation_request;
use super::heartbeats::{WatcherStream, add_heartbeats};
use super::page::Page;
use super::read_scheduler::ReadScheduler;
use super::status::{arena_status, closed_stream_status, parse_field, read_request};
use lastnim_analysis::deals::TalkAudit;
use lastnim_arena::{Arena, MatchWatch, NewMatch, Principal, StreamClosed, WatchEvent, audit_of_record};
use lastnim_core::game::{MAX_SEATS, MatchId, TournamentId};
use lastnim_core::oracle::Budget;
use lastnim_core::referee::{EndReason, Event, Record, Timestamp};
use lastnim_proto::{ListedState, RequestField, pb, setup::parse_new_setup};
use lastnim_store::{MatchFilter, MatchSummary, PruneFilter};
use tokio_stream::StreamExt as _;
use tonic::{Request, Response, Status};

/// Serves `lastnim.v1.MatchService`.
#[derive(Debug, Clone)]
pub struct MatchRpc {
    arena: Arena,
    access: Access,
    reads: ReadScheduler,
}

impl MatchRpc {
    /// Creates the service.
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

/// Audits a match and its talk, if it is over and has a winner.
fn audit_message(record: &Record) -> Option<pb::Audit> {
    let audit = audit_of_record(record)?;
    let talk = TalkAudit::of_record(record, &mut Budget::of_steps(TalkAudit::STEP_LIMIT));
    Some(pb::Audit { talk: talk.as_ref().map(Into::into), ..pb::Audit::from(&audit) })
}

/// A watcher of a match, and what it may see.
struct MatchWatcher {
    arena: Arena,
    caller: Option<Principal>,
    /// The tournament that the match belongs to, which the first event of the match states.
    tournament: Option<TournamentId>,
}

impl MatchWatcher {
    fn message(&mut self, WatchEvent { event, audit }: &WatchEvent) -> pb::WatchMatchResponse {
        if let Event::Created(setup) = &event.event {
            self.tournament = setup.origin.as_ref().map(|origin| origin.tournament);
        }
        let caller = self.caller.as_ref();
        let is_withheld = audit.is_some()
            && self.tournament.is_some_and(|tournament| self.arena.withholds_audits(tournament, caller));
        let audit = audit.as_deref().filter(|_| !is_withheld).map(Into::into);
        pb::WatchMatchResponse { event: Some(event.into()), audit, audit_withheld: is_withheld }
    }
}

fn parse_match_id(id: &str) -> Result<MatchId, Status> {
    parse_field("match_id", id.parse())
}

fn parse_filter(request: &pb::ListMatchesRequest, field: RequestField<'_>) -> Option<MatchFilter> {
    let tournament = field.member("tournament_id").parse_if_given(&request.tournament_id);
    let bots_field = field.member("bots");
    if request.bots.len() > MAX_SEATS {
        let (named, limit) = (request.bots.len(), MAX_SEATS);
        bots_field
            .report(format_args!("{named} bots: expected at most {limit}, the maximum number of seats"));
        return None;
    }
    let bots = bots_field.parse_each(&request.bots, |bot, field| field.ok_or_report(bot.parse()));
    let state = field.member("state").optional_enum::<ListedState>(request.state);
    let reason_field = field.member("reason");
    let reason = reason_field.optional_enum::<EndReason>(request.reason);
    if let (Some(Some(state)), Some(Some(_))) = (state, reason)
        && !state.has_end()
    {
        reason_field.report("open and quarantined matches have no end reason: omit the reason or the state");
    }
    let bots = bots?.into_iter().collect();
    Some(MatchFilter { tournament: tournament?, bots, state: state?, reason: reason? })
}

#[tonic::async_trait]
impl pb::match_service_server::MatchService for MatchRpc {
    type WatchMatchStream = WatcherStream<pb::WatchMatchResponse>;

    async fn create_match(
        &self,
        request: Request<pb::CreateMatchRequest>,
    ) -> Result<Response<pb::CreateMatchResponse>, Status> {
        let bot = self.access.require_admin_or_any_bot(&request)?;
        let request = request.into_inner();
        let (new, id) = read_request(|field| {
            let id = field.member("request_id").parse_if_given(&request.request_id);
            Some((NewMatch::from(parse_new_setup(&request, field)?), id?))
        })?;
        let request = id.map(|id| {
            creation_request(bot.clone(), id, "CreateMatch", request, |request| &mut request.request_id)
        });
        let created = match bot {
            None => self.arena.create_match_once(new, request).await,
            Some(bot) => self.arena.create_practice_match(&bot, new, request).await,
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
        let (arena, caller) = (self.arena.clone(), reader.asker.caller.principal());
        let read = async move {
            let (summary, record) = arena.match_summary(id).await.map_err(arena_status)?;
            let has_winner = summary.end.is_some_and(|(_, winner)| winner.is_some());
            let record = record.filter(|_| has_winner);
            let tournament = summary.setup.as_ref().and_then(|setup| setup.origin.as_ref());
            let audit_withheld = record.is_some()
                && tournament
                    .is_some_and(|origin| arena.withholds_audits(origin.tournament, caller.as_ref()));
            let audit = record.filter(|_| !audit_withheld).as_ref().and_then(audit_message);
            let open = arena.open_match_view(id).as_ref().map(open_match_message);
            Ok(pb::GetMatchResponse { r#match: Some(match_message(&summary)), audit, audit_withheld, open })
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
        let filter = read_request(|field| parse_filter(&request, field))?;
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
        let past_events = so_far.into_iter().enumerate().map(move |(index, event)| {
            Ok(WatchEvent { event, audit: audit.clone().filter(|_| index == last) })
        });
        let past_events = tokio_stream::iter(past_events);
        let caller = reader.asker.caller.principal();
        let mut watcher = MatchWatcher { arena: self.arena.clone(), caller, tournament: None };
        let message = move |item: Result<WatchEvent, StreamClosed>| {
            item.map(|watched| watcher.message(&watched)).map_err(closed_stream_status)
        };
        Ok(Response::new(match next {
            None => Box::pin(past_events.map(message)),
            Some(next) => {
                add_heartbeats(past_events.chain(next).map(message), self.arena.limits().ping_interval)
            }
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
            field.member("keep_newest").ok_or_report(
                bounded
                    .ok_or("required unless over_before_us is given: otherwise all records would be removed"),
            )
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
