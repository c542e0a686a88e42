//! Audits bots over many matches, which come from the store or from records that the caller sends.

use super::question_scheduler::{
    MAX_QUESTION_TIME, QuestionEffort, QuestionError, QuestionScheduler, stopping_status, too_long_status,
};
use crate::scheduling::{Caller, Permit, SharedQuota, WaitingCaller, offload_to_thread};
use crate::status::{arena_status, parse_field, read_request, refusal_status};
use lastnim_arena::{Arena, ArenaError};
use lastnim_auditing::{AuditSubject, Auditor};
use lastnim_core::game::{BotName, MatchId, VersionLabel};
use lastnim_core::oracle::{Budget, HaltReason};
use lastnim_core::referee::MatchPhase;
use lastnim_proto::admission::{RecordAdmission, RecordPolicy, RecordRefusal};
use lastnim_proto::bot_audit::{AuditScope, parse_audit_scope, parse_audit_subject};
use lastnim_proto::pb;
use lastnim_store::{MatchFilter, MatchSummary, StoreError, StoredMatch};
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::time::{sleep, timeout};
use tokio_stream::{Stream, StreamExt as _};
use tonic::{Code, Status};

/// The limit on audits per caller.
const MAX_AUDITS_PER_CALLER: usize = 1;
/// The limit on audits of all callers together. Each may use about 80 MiB.
const MAX_AUDITS: usize = 4;
/// The limit on stored matches in one audit.
const MAX_MATCHES: u64 = 10_000;
/// The number of matches per read.
const PAGE_SIZE: usize = 256;
/// The number of plies that are read before they are audited. This limits how many records are in memory.
const MAX_BUFFERED_PLIES: u64 = 65_536;
/// How long an audit waits for the next record.
const IDLE_TIMEOUT: Duration = Duration::from_mins(1);
/// The maximum duration of an audit of sent records.
const MAX_STREAM_TIME: Duration = Duration::from_mins(10);
/// The maximum number of rejected records whose faults are described in the response.
const MAX_DESCRIBED_REFUSALS: usize = 10;

/// Audits bots, with a limit on the audits of each caller and of all callers.
#[derive(Debug, Clone)]
pub(super) struct BotAuditService {
    arena: Arena,
    scheduler: QuestionScheduler,
    running_audits: Arc<SharedQuota<Caller>>,
}

/// A running audit of stored matches.
struct StoredAudit {
    auditor: Auditor,
    /// The bot version whose matches count; `None` if all versions count.
    version: Option<(BotName, VersionLabel)>,
    response: pb::AuditBotResponse,
}

/// A running audit of records that the caller sends.
struct RecordsAudit {
    auditor: Auditor,
    admission: RecordPolicy,
    response: pb::AuditRecordsResponse,
}

impl BotAuditService {
    /// Creates a service for audits, which wait in the same queues as single questions.
    pub(super) fn new(arena: Arena, scheduler: QuestionScheduler) -> Self {
        Self { arena, scheduler, running_audits: SharedQuota::new(MAX_AUDITS_PER_CALLER, MAX_AUDITS) }
    }

    /// Admits an audit, unless a limit is reached.
    fn admit(&self, asked: &WaitingCaller) -> Result<Arc<Permit>, Status> {
        let busy_message =
            || "this caller is already auditing bots: wait until that audit is done".to_owned();
        let full = "too many bot audits are running: try again later";
        Permit::acquire(&self.running_audits, &asked.asker, "TOO_MANY_QUESTIONS", busy_message, full)
            .map(Arc::new)
    }

    /// Audits stored matches, the newest first, until [`MAX_MATCHES`] were read or the time is up.
    pub(super) async fn audit_bot(
        &self,
        asked: WaitingCaller,
        request: &pb::AuditBotRequest,
    ) -> Result<pb::AuditBotResponse, Status> {
        let (scope, tournament, label) = read_request(|field| {
            let scope = parse_audit_subject(&request.bot, field.member("bot"));
            let tournament_field = field.member("tournament_id");
            let tournament = tournament_field.parse_if_given(&request.tournament_id);
            if request.bot.is_empty() && request.tournament_id.is_empty() {
                tournament_field.report("required unless a bot is named");
            }
            let version_field = field.member("version");
            let label = version_field.parse_if_given(&request.version);
            if request.bot.is_empty() && !request.version.is_empty() {
                version_field.report("a version was given without a bot: name the bot");
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
        let deadline = Instant::now() + asked.time_left(MAX_QUESTION_TIME);
        let auditor = Auditor::new(scope, request.seed);
        let version = bot.zip(label);
        let audit = StoredAudit { auditor, version, response: pb::AuditBotResponse::default() };
        tokio::select! {
            response = self.audit_stored_matches(&place, filter, audit, deadline) => response,
            () = self.scheduler.wait_until_stopped() => Err(stopping_status()),
        }
    }

    async fn audit_stored_matches(
        &self,
        place: &Arc<Permit>,
        filter: MatchFilter,
        mut audit: StoredAudit,
        deadline: Instant,
    ) -> Result<pb::AuditBotResponse, Status> {
        let (mut before, mut seen) = (None, 0);
        while !audit.response.more_matches {
            let listed = self.arena.list_matches(&filter, before, PAGE_SIZE).await.map_err(arena_status)?;
            let Some(last) = listed.last() else { break };
            before = Some(last.id);
            let mut plies = 0;
            let mut records = Vec::new();
            for summary in listed {
                if seen == MAX_MATCHES || Instant::now() >= deadline {
                    audit.response.more_matches = true;
                    break;
                }
                seen += 1;
                if audit
                    .version
                    .as_ref()
                    .is_some_and(|(bot, label)| !played_only_version(&summary, bot, label))
                {
                    continue;
                }
                let MatchSummary { id, phase, plies: more, .. } = summary;
                if phase != MatchPhase::Ended {
                    audit.response.matches_without_result += 1;
                    continue;
                }
                match self.read_finished_record(id).await? {
                    Some(stored) => records.push(stored),
                    None => audit.response.matches_damaged += 1,
                }
                plies += u64::from(more);
                if plies >= MAX_BUFFERED_PLIES {
                    audit = self.add_stored_records(place, audit, std::mem::take(&mut records)).await?;
                    plies = 0;
                }
            }
            audit = self.add_stored_records(place, audit, records).await?;
        }
        let StoredAudit { auditor, mut response, .. } = audit;
        response.report = Some(self.finish_report(place, auditor).await?);
        Ok(response)
    }

    /// Reads the record of a finished match; `None` if it is damaged or was removed.
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

    async fn add_stored_records(
        &self,
        place: &Arc<Permit>,
        audit: StoredAudit,
        records: Vec<StoredMatch>,
    ) -> Result<StoredAudit, Status> {
        let question = move |budget: &mut Budget<'_>| {
            let mut audit = audit;
            for StoredMatch { record, versions, .. } in records {
                let admitted = RecordAdmission::from_trusted(record, budget);
                let admitted = admitted.map(|admitted| admitted.with_versions(versions));
                match add_record_to_audit(&mut audit.auditor, admitted)? {
                    RecordOutcome::Counted => {}
                    RecordOutcome::NoResult => audit.response.matches_without_result += 1,
                    RecordOutcome::Refused(_) => audit.response.matches_damaged += 1,
                }
            }
            Ok(audit)
        };
        self.scheduler.answer_part(place, QuestionEffort::Long, question).await
    }

    async fn finish_report(&self, place: &Arc<Permit>, auditor: Auditor) -> Result<pb::BotReport, Status> {
        let question = move |_: &mut Budget<'_>| Ok((&auditor.finish()).into());
        self.scheduler.answer_part(place, QuestionEffort::Long, question).await
    }

    /// Audits a stream of records.
    pub(super) async fn audit_records(
        &self,
        asked: WaitingCaller,
        requests: impl Stream<Item = Result<pb::AuditRecordsRequest, Status>> + Unpin,
    ) -> Result<pb::AuditRecordsResponse, Status> {
        let place = self.admit(&asked)?;
        let time_left = asked.time_left(MAX_STREAM_TIME);
        tokio::select! {
            response = self.read_and_audit(&place, requests) => response,
            () = self.scheduler.wait_until_stopped() => Err(stopping_status()),
            () = sleep(time_left) => Err(too_long_status(Some(MAX_STREAM_TIME), "not all records were read")),
        }
    }

    async fn read_and_audit(
        &self,
        place: &Arc<Permit>,
        mut requests: impl Stream<Item = Result<pb::AuditRecordsRequest, Status>> + Unpin,
    ) -> Result<pb::AuditRecordsResponse, Status> {
        let mut reading: Option<RecordsAudit> = None;
        while let Some(request) = timeout(IDLE_TIMEOUT, requests.next()).await.map_err(|_| idle_status())? {
            let request = request?;
            let begun = match (reading.take(), &request.scope) {
                (None, scope) => RecordsAudit::begin(scope.as_ref())?,
                (Some(begun), None) => begun,
                (Some(_), Some(_)) => {
                    return parse_field("scope", Err("only the first request may set it"));
                }
            };
            let question = move |budget: &mut Budget<'_>| begun.add_records(&request.records, budget);
            reading = Some(self.scheduler.answer_part(place, QuestionEffort::Long, question).await?);
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
            match add_record_to_audit(&mut self.auditor, self.admission.admit_message(record, budget))? {
                RecordOutcome::Counted => {}
                RecordOutcome::NoResult => response.records_without_result += 1,
                RecordOutcome::Refused(description) => {
                    response.records_refused += 1;
                    if response.refusals.len() < MAX_DESCRIBED_REFUSALS {
                        response.refusals.push(pb::RecordRefusal { record: number, description });
                    }
                }
            }
        }
        Ok(self)
    }
}

/// Returns whether the bot played the whole match with the version `label`.
fn played_only_version(summary: &MatchSummary, bot: &BotName, label: &VersionLabel) -> bool {
    let seat = summary.setup.as_ref().and_then(|setup| setup.seat_of(bot));
    let versions = seat.and_then(|seat| summary.versions.get(seat.index()));
    versions.is_some_and(|versions| versions.is_only_version(label))
}

/// The result of adding a record to an audit.
enum RecordOutcome {
    Counted,
    /// The match is not over, was cancelled, or is not in the requested scope.
    NoResult,
    /// The record was rejected for this reason.
    Refused(String),
}

/// Adds a record to the audit if its match counts.
fn add_record_to_audit(
    auditor: &mut Auditor,
    admitted: Result<RecordAdmission, RecordRefusal>,
) -> Result<RecordOutcome, HaltReason> {
    Ok(match admitted {
        Ok(RecordAdmission::Counts(played)) => {
            played.with_audited_match(|game| auditor.add_match(game));
            RecordOutcome::Counted
        }
        Ok(RecordAdmission::NotOver | RecordAdmission::Cancelled(_) | RecordAdmission::OtherTournament) => {
            RecordOutcome::NoResult
        }
        Err(RecordRefusal::Halt(halt)) => return Err(halt),
        Err(refusal) => RecordOutcome::Refused(refusal.to_string()),
    })
}

fn idle_status() -> Status {
    let message = format!(
        "no record arrived for {} s: close the stream after the last record to get the answer",
        IDLE_TIMEOUT.as_secs()
    );
    refusal_status(Code::Aborted, "IDLE", &message)
}
