//! The oracle, for anybody.

use super::access::Access;
use super::status::{refusal, retry, violated};
use crate::game::Game;
use crate::oracle::{Audit, PlayedTake, Solution};
use crate::referee::MAX_PLIES;
use crate::wire::{Field, Violations, game::parse_game, game::take_ranges, pb};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::Semaphore;
use tonic::{Code, Request, Response, Status};

/// How long a question waits for its turn.
const PATIENCE: Duration = Duration::from_secs(5);

/// Serves `lastnim.v1.OracleService`. Questions are answered away from the threads that carry messages, a bounded
/// number at once.
#[derive(Debug, Clone)]
pub struct OracleRpc {
    access: Access,
    turns: Arc<Semaphore>,
}

impl OracleRpc {
    /// Answers `at_once` questions at once.
    pub fn new(access: Access, at_once: usize) -> Self {
        Self { access, turns: Arc::new(Semaphore::new(at_once)) }
    }

    async fn work_out<T: Send + 'static>(
        &self,
        question: impl FnOnce() -> Result<T, Violations> + Send + 'static,
    ) -> Result<T, Status> {
        let turn = tokio::time::timeout(PATIENCE, Arc::clone(&self.turns).acquire_owned()).await;
        let Ok(Ok(turn)) = turn else {
            let message = "the oracle has more questions than it can answer: try again later";
            return Err(retry(Code::ResourceExhausted, "FULL", message));
        };
        let answered = tokio::task::spawn_blocking(move || {
            let answer = question();
            drop(turn);
            answer
        });
        match answered.await {
            Ok(answer) => answer.map_err(|violations| violated(&violations)),
            Err(error) => {
                tracing::error!(%error, "the oracle broke down");
                Err(refusal(Code::Internal, "ORACLE", "the oracle broke down over this question"))
            }
        }
    }
}

fn game_of(game: Option<&pb::Game>, violations: &mut Violations) -> Option<Game> {
    let field = Field::root("game");
    violations.require(field, game).and_then(|game| parse_game(game, field, violations))
}

fn solve(request: &pb::SolveRequest) -> Result<pb::SolveResponse, Violations> {
    let mut violations = Violations::default();
    let game = game_of(request.game.as_ref(), &mut violations);
    let game = violations.finish(game)?;
    let solution = Solution::new(&game);
    let position = game.position();
    let winner = solution.winner(&position);
    Ok(pb::SolveResponse {
        winner: winner.into(),
        value: game.matrix.seats().distance(game.first(), winner) as u32,
        winner_by_first: solution.winners(&position).iter().map(|&winner| winner.into()).collect(),
        optimal_takes: take_ranges(&solution.optimal_takes(&position)),
    })
}

fn audit(request: &pb::AuditRequest) -> Result<pb::AuditResponse, Violations> {
    let mut violations = Violations::default();
    let game = game_of(request.game.as_ref(), &mut violations);
    let at_takes = Field::root("takes");
    if request.takes.len() > MAX_PLIES as usize {
        let given = request.takes.len();
        violations.report(at_takes, format_args!("{given} takes: a game has at most {MAX_PLIES}"));
    }
    let audit = match &game {
        Some(game) if violations.is_empty() => {
            let takes: Vec<_> = request.takes.iter().map(|&take| PlayedTake::by_bot(take)).collect();
            violations.keep(at_takes, Audit::of_finished(game, &takes))
        }
        _ => None,
    };
    let audit = violations.finish(audit)?;
    Ok(pb::AuditResponse { audit: Some((&audit).into()) })
}

#[tonic::async_trait]
impl pb::oracle_service_server::OracleService for OracleRpc {
    async fn solve(&self, request: Request<pb::SolveRequest>) -> Result<Response<pb::SolveResponse>, Status> {
        self.access.viewer(&request)?;
        let request = request.into_inner();
        self.work_out(move || solve(&request)).await.map(Response::new)
    }

    async fn audit(&self, request: Request<pb::AuditRequest>) -> Result<Response<pb::AuditResponse>, Status> {
        self.access.viewer(&request)?;
        let request = request.into_inner();
        self.work_out(move || audit(&request)).await.map(Response::new)
    }
}
