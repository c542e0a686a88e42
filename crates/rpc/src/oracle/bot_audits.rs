//! Audits of bots over many matches: those that the server keeps, and those of records that are sent.

use super::question_scheduler::{
    LONGEST, QuestionEffort, QuestionError, QuestionScheduler, stopping_status, too_long_status,
};
use crate::scheduling::{Caller, Permit, SharedQuota, WaitingCaller, offload_to_thread};
use crate::status::{arena_status, parse_field, read_request, refusal_status};
use lastnim_arena::{Arena, ArenaError};
use lastnim_auditing::{AuditSubject, Auditor};
use lastnim_core::game::{BotName, MatchId, VersionLabel};
use lastnim_core::oracle::{Budget, HaltReason};
use lastnim_core::referee::MatchPhase;
use lastnim_proto::admission::{AdmittedRecord, RecordPolicy, RecordRefusal};
use lastnim_proto::bot_audit::{AuditScope, parse_audit_scope, parse_bot_scope};
use lastnim_proto::pb;
use lastnim_store::{MatchFilter, MatchSummary, StoreError, StoredMatch};
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::time::{sleep, timeout};
use tokio_stream::{Stream, StreamExt as _};
use tonic::{Code, Status};

/// The most audits of one caller at once.
const AUDITS_OF_CALLER: usize = 1;
/// The most audits at once of all callers together. Each may hold some 80 MiB.
const AUDITS: usize = 4;
/// The most matches of one audit of what the server keeps.
const MAX_MATCHES: u64 = 10_000;
/// Matches that are listed at once.
const PAGE: usize = 256;
/// The plies that are read before they are audited, so that few records are in memory at once.
const PLIES_AT_ONCE: u64 = 65_536;
/// How long an audit of records may wait for more of them.
const IDLE: Duration = Duration::from_mins(1);
/// How long an audit of records may go on.
const LONGEST_STREAM: Duration = Duration::from_mins(10);
/// The refusals that are told one by one.
const MAX_TOLD: usize = 10;

/// The audits of all callers.
#[derive(Debug, Clone)]
pub(super) struct BotAuditService {
    arena: Arena,
    asking: QuestionScheduler,
    under_way: Arc<SharedQuota<Caller>>,
}

/// An audit of what the server keeps, on its way.
struct StoredAudit {
    auditor: Auditor,
    /// The only version of the bot that counts, if one is named.
    version: Option<(BotName, VersionLabel)>,
    response: pb::AuditBotResponse,
}

/// An audit of records, on its way.
struct RecordsAudit {
    auditor: Auditor,
    admission: RecordPolicy,
    response: pb::AuditRecordsResponse,
}

impl BotAuditService {
    /// Queues audits with other questions.
    pub(super) fn new(arena: Arena, asking: QuestionScheduler) -> Self {
        Self { arena, asking, under_way: SharedQuota::new(AUDITS_OF_CALLER, AUDITS) }
    }

    /// Lets a caller audit, unless too many audits are under way.
    fn admit(&self, asked: &WaitingCaller) -> Result<Arc<Permit>, Status> {
        let too_many = || "an audit of bots for this caller is under way: one at a time".to_owned();
        let full = "as many audits of bots are under way as there may be: try again later";
        Permit::acquire(&self.under_way, &asked.asker, "TOO_MANY_QUESTIONS", too_many, full).map(Arc::new)
    }

    /// Audits matches that the server keeps, the newest first, as far as there is time.
    pub(super) async fn audit_bot(
        &self,
        asked: WaitingCaller,
        request: &pb::AuditBotRequest,
    ) -> Result<pb::AuditBotResponse, Status> {
        let (scope, tournament, label) = read_request(|field| {
            let scope = parse_bot_scope(&request.bot, field.member("bot"));
            let at_tournament = field.member("tournament_id");
            let tournament = at_tournament.parse_if_given(&request.tournament_id);
            if request.bot.is_empty() && request.tournament_id.is_empty() {
                at_tournament.report("required, but missing where no bot is named");
            }
            let at_version = field.member("version");
            let label = at_version.parse_if_given(&request.version);
            if request.bot.is_empty() && !request.version.is_empty() {
                at_version.report("it is the version of a bot, and none is named");
            }
            Some((scope?, tournament?, label?))
        })?;
        if let AuditSubject::Bot(bot) = &scope {
            self.arena.bot(bot).await.map_err(arena_status)?;
        }
        if let Some(tournament) = tournament {
            self.arena.tournament(tournament).await.map_err(arena_status)?;
        }
        let bot = if let AuditSubject::Bot(bot) = &scope { Some(bot.clone()) } else { None };
        let filter = MatchFilter::of(tournament, bot.clone());
        let place = self.admit(&asked)?;
        let deadline = Instant::now() + asked.time_left(LONGEST);
        let auditor = Auditor::new(scope, request.seed);
        let version = bot.zip(label);
        let search = StoredAudit { auditor, version, response: pb::AuditBotResponse::default() };
        tokio::select! {
            response = self.audit_stored_matches(&place, filter, search, deadline) => response,
            () = self.asking.wait_until_stopped() => Err(stopping_status()),
        }
    }

    async fn audit_stored_matches(
        &self,
        place: &Arc<Permit>,
        filter: MatchFilter,
        mut search: StoredAudit,
        deadline: Instant,
    ) -> Result<pb::AuditBotResponse, Status> {
        let (mut before, mut seen) = (None, 0);
        while !search.response.more_matches {
            let listed = self.arena.list_matches(&filter, before, PAGE).await.map_err(arena_status)?;
            let Some(last) = listed.last() else { break };
            before = Some(last.id);
            let mut plies = 0;
            let mut records = Vec::new();
            for summary in listed {
                if seen == MAX_MATCHES || Instant::now() >= deadline {
                    search.response.more_matches = true;
                    break;
                }
                seen += 1;
                if search
                    .version
                    .as_ref()
                    .is_some_and(|(bot, label)| !played_only_version(&summary, bot, label))
                {
                    continue;
                }
                let MatchSummary { id, phase, plies: more, .. } = summary;
                if phase != MatchPhase::Ended {
                    search.response.matches_without_result += 1;
                    continue;
                }
                match self.read_finished_record(id).await? {
                    Some(stored) => records.push(stored),
                    None => search.response.matches_damaged += 1,
                }
                plies += u64::from(more);
                if plies >= PLIES_AT_ONCE {
                    search = self.count_records(place, search, std::mem::take(&mut records)).await?;
                    plies = 0;
                }
            }
            search = self.count_records(place, search, records).await?;
        }
        let StoredAudit { auditor, mut response, .. } = search;
        response.report = Some(self.finish_report(place, auditor).await?);
        Ok(response)
    }

    /// Reads the record of a match that is over; none if what is kept of it is damaged, or is kept no longer.
    async fn read_finished_record(&self, id: MatchId) -> Result<Option<StoredMatch>, Status> {
        let arena = self.arena.clone();
        offload_to_thread(self.arena.environment(), async move {
            match arena.match_record(id).await {
                Ok(stored) => Ok(Some(stored)),
                Err(
                    ArenaError::Store(
                        StoreError::Damaged { .. } | StoreError::Quarantined { .. } | StoreError::Pruned(_),
                    )
                    | ArenaError::NoSuchMatch(_),
                ) => Ok(None),
                Err(error) => Err(arena_status(error)),
            }
        })
        .await
    }

    async fn count_records(
        &self,
        place: &Arc<Permit>,
        search: StoredAudit,
        records: Vec<StoredMatch>,
    ) -> Result<StoredAudit, Status> {
        let question = move |budget: &mut Budget<'_>| {
            let mut search = search;
            for StoredMatch { record, versions, .. } in records {
                let admitted = AdmittedRecord::from_trusted(record, budget);
                let admitted = admitted.map(|admitted| admitted.with_versions(versions));
                match take_in_record(&mut search.auditor, admitted)? {
                    IntakeOutcome::Counted => {}
                    IntakeOutcome::NoResult => search.response.matches_without_result += 1,
                    IntakeOutcome::Refused(_) => search.response.matches_damaged += 1,
                }
            }
            Ok(search)
        };
        self.asking.answer_part(place, QuestionEffort::Long, question).await
    }

    async fn finish_report(&self, place: &Arc<Permit>, auditor: Auditor) -> Result<pb::BotReport, Status> {
        let question = move |_: &mut Budget<'_>| Ok((&auditor.finish()).into());
        self.asking.answer_part(place, QuestionEffort::Long, question).await
    }

    /// Audits a stream of records.
    pub(super) async fn audit_records(
        &self,
        asked: WaitingCaller,
        requests: impl Stream<Item = Result<pb::AuditRecordsRequest, Status>> + Unpin,
    ) -> Result<pb::AuditRecordsResponse, Status> {
        let place = self.admit(&asked)?;
        let time_left = asked.time_left(LONGEST_STREAM);
        tokio::select! {
            response = self.read_and_audit(&place, requests) => response,
            () = self.asking.wait_until_stopped() => Err(stopping_status()),
            () = sleep(time_left) => Err(too_long_status("the records were not read to their end")),
        }
    }

    async fn read_and_audit(
        &self,
        place: &Arc<Permit>,
        mut requests: impl Stream<Item = Result<pb::AuditRecordsRequest, Status>> + Unpin,
    ) -> Result<pb::AuditRecordsResponse, Status> {
        let mut reading: Option<RecordsAudit> = None;
        while let Some(request) = timeout(IDLE, requests.next()).await.map_err(|_| idle_status())? {
            let request = request?;
            let begun = match (reading.take(), &request.scope) {
                (None, scope) => RecordsAudit::begin(scope.as_ref())?,
                (Some(begun), None) => begun,
                (Some(_), Some(_)) => {
                    return parse_field("scope", Err("it is given again: only the first request has it"));
                }
            };
            let question = move |budget: &mut Budget<'_>| begun.add_records(&request.records, budget);
            reading = Some(self.asking.answer_part(place, QuestionEffort::Long, question).await?);
        }
        let RecordsAudit { auditor, mut response, .. } = match reading {
            Some(reading) => reading,
            None => RecordsAudit::begin(None)?,
        };
        response.report = Some(self.finish_report(place, auditor).await?);
        Ok(response)
    }
}

impl RecordsAudit {
    fn begin(scope: Option<&pb::AuditScope>) -> Result<Self, Status> {
        let scope = read_request(|field| field.member("scope").parse_required(scope, parse_audit_scope))?;
        let AuditScope { scope, seed, admission } = scope;
        let auditor = Auditor::new(scope, seed);
        Ok(Self { auditor, admission, response: pb::AuditRecordsResponse::default() })
    }

    fn add_records(
        mut self,
        records: &[pb::MatchRecord],
        budget: &mut Budget<'_>,
    ) -> Result<Self, QuestionError> {
        let response = &mut self.response;
        for record in records {
            let number = response.records;
            response.records += 1;
            match take_in_record(&mut self.auditor, self.admission.admit_message(record, budget))? {
                IntakeOutcome::Counted => {}
                IntakeOutcome::NoResult => response.records_without_result += 1,
                IntakeOutcome::Refused(description) => {
                    response.records_refused += 1;
                    if response.refusals.len() < MAX_TOLD {
                        response.refusals.push(pb::RecordRefusal { record: number, description });
                    }
                }
            }
        }
        Ok(self)
    }
}

/// Returns whether one version of a bot played a match, and no other.
fn played_only_version(summary: &MatchSummary, bot: &BotName, label: &VersionLabel) -> bool {
    let seat = summary.setup.as_ref().and_then(|setup| setup.seat_of(bot));
    let versions = seat.and_then(|seat| summary.versions.get(seat.index()));
    versions.is_some_and(|versions| versions.is_only_version(label))
}

/// What became of a record.
enum IntakeOutcome {
    Counted,
    /// Its match is not over, was cancelled, or is none of those that are asked for.
    NoResult,
    /// It is not what it should be: why.
    Refused(String),
}

/// Takes a record in if it counts.
fn take_in_record(
    auditor: &mut Auditor,
    admitted: Result<AdmittedRecord, RecordRefusal>,
) -> Result<IntakeOutcome, HaltReason> {
    Ok(match admitted {
        Ok(AdmittedRecord::Counts(played)) => {
            played.with_audited(|game| auditor.add_match(game));
            IntakeOutcome::Counted
        }
        Ok(AdmittedRecord::NotOver | AdmittedRecord::Cancelled(_) | AdmittedRecord::Elsewhere) => {
            IntakeOutcome::NoResult
        }
        Err(RecordRefusal::Halt(halt)) => return Err(halt),
        Err(refusal) => IntakeOutcome::Refused(refusal.to_string()),
    })
}

fn idle_status() -> Status {
    let message = format!("no record came for {} s: end an audit that is to be answered", IDLE.as_secs());
    refusal_status(Code::Aborted, "IDLE", &message)
}
