//! The oracle, for anybody.

use super::access::Access;
use super::status::{refusal, retry, violated};
use crate::game::Game;
use crate::oracle::{Audit, PlayedTake, Solution};
use crate::referee::MAX_PLIES;
use crate::wire::{Field, Violations, game::parse_game, game::take_ranges, pb};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tonic::{Code, Request, Response, Status};

/// How long a question waits for its turn.
const PATIENCE: Duration = Duration::from_secs(5);

/// Questions that may wait for their turn.
const WAITING: usize = 64;

/// Serves `lastnim.v1.OracleService`. Questions are answered away from the threads that carry messages, a bounded
/// number at once, and a bounded number waits.
#[derive(Debug, Clone)]
pub struct OracleRpc {
    access: Access,
    turns: Arc<Semaphore>,
    /// The places in the line of those that wait for a turn.
    places: Arc<Semaphore>,
}

impl OracleRpc {
    /// Answers `at_once` questions at once.
    pub fn new(access: Access, at_once: usize) -> Self {
        let (turns, places) = (Semaphore::new(at_once), Semaphore::new(WAITING));
        Self { access, turns: Arc::new(turns), places: Arc::new(places) }
    }

    /// Waits for a turn; `None` if that would take too long, or too many wait already.
    async fn turn(&self) -> Option<OwnedSemaphorePermit> {
        // Whoever waits comes first: a turn that is free is one that nobody in the line waits for.
        if let Ok(turn) = Arc::clone(&self.turns).try_acquire_owned() {
            return Some(turn);
        }
        let _place = self.places.try_acquire().ok()?;
        let turn = tokio::time::timeout(PATIENCE, Arc::clone(&self.turns).acquire_owned()).await;
        turn.ok()?.ok()
    }

    async fn work_out<T: Send + 'static>(
        &self,
        question: impl FnOnce() -> Result<T, Violations> + Send + 'static,
    ) -> Result<T, Status> {
        let Some(turn) = self.turn().await else {
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arena::{Arena, Ground, Limits};
    use std::sync::mpsc;
    use tokio::task::JoinSet;
    use tonic_types::StatusExt as _;

    #[tokio::test]
    async fn a_question_too_many_is_refused_at_once() {
        let arena = Arena::open(Limits::default(), Ground::in_memory(), []).await.unwrap();
        let oracle = OracleRpc::new(Access::closed(arena), 1);
        let (answer, hard) = mpsc::channel::<()>();
        let mut asked = JoinSet::new();
        let busy = oracle.clone();
        asked.spawn(async move { busy.work_out(move || Ok(hard.recv().is_ok())).await });
        while oracle.turns.available_permits() > 0 {
            tokio::task::yield_now().await;
        }
        for _ in 0..WAITING {
            let patient = oracle.clone();
            asked.spawn(async move { patient.work_out(|| Ok(true)).await });
        }
        while oracle.places.available_permits() > 0 {
            tokio::task::yield_now().await;
        }
        let refused = oracle.work_out(|| Ok(true)).await.unwrap_err();
        assert_eq!(refused.code(), Code::ResourceExhausted);
        assert!(refused.get_details_retry_info().is_some_and(|info| info.retry_delay.is_some()));
        answer.send(()).unwrap();
        let answers = asked.join_all().await;
        assert_eq!(answers.len(), 1 + WAITING);
        assert!(answers.iter().all(|answer| *answer.as_ref().unwrap()), "those that wait are answered");
        assert_eq!(oracle.places.available_permits(), WAITING);
        assert!(oracle.work_out(|| Ok(true)).await.unwrap());
    }
}
