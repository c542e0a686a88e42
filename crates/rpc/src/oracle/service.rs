//! The oracle service.

use super::batch::{BatchResponses, BatchService};
use super::bot_audits::BotAuditService;
use super::question_scheduler::{QuestionEffort, QuestionError, QuestionScheduler};
use super::{declarations, games, robustness, rulesets, trees, variants};
use crate::access::Access;
use crate::status::read_request;
use lastnim_arena::Arena;
use lastnim_core::oracle::Budget;
use lastnim_proto::{batch::check_question_count, pb};
use tokio_stream::wrappers::ReceiverStream;
use tonic::{Request, Response, Status, Streaming};

/// Serves `lastnim.v1.OracleService`. Answers are computed on separate threads. The number of running and waiting
/// questions is limited, per caller and in total.
#[derive(Debug, Clone)]
pub struct OracleRpc {
    scheduler: QuestionScheduler,
    batches: BatchService,
    bot_audits: BotAuditService,
}

impl OracleRpc {
    /// Creates a service that answers `max_concurrent` quick questions and `max_concurrent` long ones at the same time.
    pub fn new(arena: Arena, access: Access, max_concurrent: usize) -> Self {
        let scheduler = QuestionScheduler::new(arena.clone(), access, max_concurrent);
        let bot_audits = BotAuditService::new(arena, scheduler.clone());
        Self { batches: BatchService::new(scheduler.clone()), bot_audits, scheduler }
    }

    /// Returns the number of questions begun so far, and the number of those that are waiting or running.
    pub fn question_counts(&self) -> (u64, usize) {
        self.scheduler.question_counts()
    }

    async fn answer_question<Q: Send + 'static, A: Send + 'static>(
        &self,
        request: Request<Q>,
        effort: QuestionEffort,
        question: impl FnOnce(&Q, &mut Budget<'_>) -> Result<A, QuestionError> + Send + 'static,
    ) -> Result<Response<A>, Status> {
        let asked = self.scheduler.admit(&request)?;
        let request = request.into_inner();
        let answer = self.scheduler.answer_question(asked, effort, move |budget| question(&request, budget));
        answer.await.map(Response::new)
    }
}

type ResponseStream<T> = ReceiverStream<Result<T, Status>>;

fn stream_response<T>(responses: BatchResponses<T>) -> Response<ResponseStream<T>> {
    Response::new(ReceiverStream::new(responses))
}

#[tonic::async_trait]
impl pb::oracle_service_server::OracleService for OracleRpc {
    type SolveBatchStream = ResponseStream<pb::SolveBatchResponse>;
    type AuditBatchStream = ResponseStream<pb::AuditBatchResponse>;

    async fn solve(&self, request: Request<pb::SolveRequest>) -> Result<Response<pb::SolveResponse>, Status> {
        self.answer_question(request, QuestionEffort::Quick, games::solve_game).await
    }

    async fn audit(&self, request: Request<pb::AuditRequest>) -> Result<Response<pb::AuditResponse>, Status> {
        self.answer_question(request, QuestionEffort::Quick, games::audit_game).await
    }

    async fn solve_batch(
        &self,
        request: Request<Streaming<pb::SolveBatchRequest>>,
    ) -> Result<Response<Self::SolveBatchStream>, Status> {
        let asked = self.scheduler.admit(&request)?;
        self.batches.open_batch(&asked, request.into_inner()).map(stream_response)
    }

    async fn audit_batch(
        &self,
        request: Request<Streaming<pb::AuditBatchRequest>>,
    ) -> Result<Response<Self::AuditBatchStream>, Status> {
        let asked = self.scheduler.admit(&request)?;
        self.batches.open_batch(&asked, request.into_inner()).map(stream_response)
    }

    async fn build_tree(
        &self,
        request: Request<pb::BuildTreeRequest>,
    ) -> Result<Response<pb::BuildTreeResponse>, Status> {
        self.answer_question(request, QuestionEffort::Long, trees::build_tree).await
    }

    async fn explain(
        &self,
        request: Request<pb::ExplainRequest>,
    ) -> Result<Response<pb::ExplainResponse>, Status> {
        self.answer_question(request, QuestionEffort::Quick, trees::explain_winner).await
    }

    async fn assess_robustness(
        &self,
        request: Request<pb::AssessRobustnessRequest>,
    ) -> Result<Response<pb::AssessRobustnessResponse>, Status> {
        self.answer_question(request, QuestionEffort::Long, robustness::assess_robustness).await
    }

    async fn find_best_declaration(
        &self,
        request: Request<pb::FindBestDeclarationRequest>,
    ) -> Result<Response<pb::FindBestDeclarationResponse>, Status> {
        self.answer_question(request, QuestionEffort::Long, declarations::find_best_declaration).await
    }

    async fn check_truth(
        &self,
        request: Request<pb::CheckTruthRequest>,
    ) -> Result<Response<pb::CheckTruthResponse>, Status> {
        self.answer_question(request, QuestionEffort::Long, declarations::check_truth).await
    }

    async fn find_equilibria(
        &self,
        request: Request<pb::FindEquilibriaRequest>,
    ) -> Result<Response<pb::FindEquilibriaResponse>, Status> {
        self.answer_question(request, QuestionEffort::Long, declarations::find_equilibria).await
    }

    async fn rationalise(
        &self,
        request: Request<pb::RationaliseRequest>,
    ) -> Result<Response<pb::RationaliseResponse>, Status> {
        let asked = self.scheduler.admit(&request)?;
        let request = request.into_inner();
        // The number of games is checked first, because a request with far too many games would hold memory while it
        // waits.
        read_request(|field| {
            check_question_count(request.games.len(), field.member("games"));
            Some(())
        })?;
        let question = move |budget: &mut Budget<'_>| declarations::find_rational_rows(&request, budget);
        self.scheduler.answer_question(asked, QuestionEffort::Long, question).await.map(Response::new)
    }

    async fn solve_ruleset(
        &self,
        request: Request<pb::SolveRulesetRequest>,
    ) -> Result<Response<pb::SolveRulesetResponse>, Status> {
        self.answer_question(request, QuestionEffort::Long, rulesets::solve_ruleset).await
    }

    async fn solve_variant(
        &self,
        request: Request<pb::SolveVariantRequest>,
    ) -> Result<Response<pb::SolveVariantResponse>, Status> {
        self.answer_question(request, QuestionEffort::Long, variants::solve_variant).await
    }

    async fn list_grundy_values(
        &self,
        request: Request<pb::ListGrundyValuesRequest>,
    ) -> Result<Response<pb::ListGrundyValuesResponse>, Status> {
        self.answer_question(request, QuestionEffort::Long, rulesets::list_grundy_values).await
    }

    async fn audit_bot(
        &self,
        request: Request<pb::AuditBotRequest>,
    ) -> Result<Response<pb::AuditBotResponse>, Status> {
        let asked = self.scheduler.admit(&request)?;
        self.bot_audits.audit_bot(asked, request.get_ref()).await.map(Response::new)
    }

    async fn audit_records(
        &self,
        request: Request<Streaming<pb::AuditRecordsRequest>>,
    ) -> Result<Response<pb::AuditRecordsResponse>, Status> {
        let asked = self.scheduler.admit(&request)?;
        self.bot_audits.audit_records(asked, request.into_inner()).await.map(Response::new)
    }
}
