//! Batches of games to solve or to audit.

use super::batch::{BatchRequest, RESPONSE_BYTES, ResponsePosition, STEPS_PER_RESPONSE};
use super::games::audit_game_at;
use lastnim_core::game::{Game, MAX_SEATS};
use lastnim_core::oracle::{BatchSolver, Budget, HaltReason};
use lastnim_proto::batch::{
    SolveDetail, SolveTerms, check_question_count, parse_batch_position, parse_solve_terms,
};
use lastnim_proto::{Violations, parse_request, pb};
use pb::{audit_batch_answer::Answer as AuditAnswer, solve_batch_answer::Answer as SolveAnswer};
use prost::Message as _;

/// The maximum size in bytes that one ply adds to an encoded audit.
const MAX_PLY_BYTES: usize = 80;

/// Returns the number of steps to charge for a position or an audit. `length` is its number of piles and takes, and
/// each of these costs one step for every pair of seats.
fn steps_for_length(length: usize, seats: usize) -> u64 {
    let seats = seats.min(MAX_SEATS) as u64;
    (length as u64 + 1) * seats * seats
}

impl BatchRequest for pb::SolveBatchRequest {
    type SharedParameters = SolveTerms;
    type Response = pb::SolveBatchResponse;

    fn parse_shared_parameters(&self) -> Result<SolveTerms, Violations> {
        parse_request(|field| parse_solve_terms(self, field))
    }

    fn refusal_response(request: u64, refusal: pb::BatchRefusal) -> Self::Response {
        pb::SolveBatchResponse { request, refusal: Some(refusal), ..Default::default() }
    }

    fn answer_part(
        &self,
        parameters: &SolveTerms,
        place: ResponsePosition,
        budget: &mut Budget<'_>,
    ) -> Result<(Self::Response, Option<u32>), HaltReason> {
        let ResponsePosition { request, start } = place;
        let mut response = pb::SolveBatchResponse { request, start, ..Default::default() };
        let seats = parameters.matrix.seats();
        let mut solver = match parameters.detail {
            SolveDetail::Winner => Some(BatchSolver::new(&parameters.matrix, parameters.ending)),
            SolveDetail::Solution => None,
        };
        let mut next = start;
        for (index, position) in self.positions.iter().enumerate().skip(start as usize) {
            if budget.steps_spent() >= STEPS_PER_RESPONSE {
                break;
            }
            budget.spend(steps_for_length(position.piles.len(), seats.get()))?;
            let parsed = parse_request(|field| {
                parse_batch_position(position, seats, field.member("positions").element(index))
            });
            let answer = match (parsed, &mut solver) {
                (Err(violations), _) => SolveAnswer::Refusal((&violations).into()),
                (Ok((piles, first)), Some(solver)) => {
                    SolveAnswer::Winner(solver.solve_position(piles.as_slice())[first].into())
                }
                (Ok((piles, first)), None) => {
                    let game = Game::new(piles, parameters.matrix.clone(), first.index(), parameters.ending);
                    SolveAnswer::Solution((&game.expect("the seat is one of these")).into())
                }
            };
            response.answers.push(pb::SolveBatchAnswer { answer: Some(answer) });
            next += 1;
        }
        Ok((response, (self.positions.len() > next as usize).then_some(next)))
    }
}

impl BatchRequest for pb::AuditBatchRequest {
    type SharedParameters = ();
    type Response = pb::AuditBatchResponse;

    fn parse_shared_parameters(&self) -> Result<(), Violations> {
        parse_request(|field| {
            check_question_count(self.games.len(), field.member("games"));
            Some(())
        })
    }

    fn refusal_response(request: u64, refusal: pb::BatchRefusal) -> Self::Response {
        pb::AuditBatchResponse { request, refusal: Some(refusal), ..Default::default() }
    }

    fn answer_part(
        &self,
        (): &(),
        place: ResponsePosition,
        budget: &mut Budget<'_>,
    ) -> Result<(Self::Response, Option<u32>), HaltReason> {
        let ResponsePosition { request, start } = place;
        let mut response = pb::AuditBatchResponse { request, start, ..Default::default() };
        let (mut next, mut bytes) = (start, 0);
        for (index, played) in self.games.iter().enumerate().skip(start as usize) {
            let too_large = bytes + MAX_PLY_BYTES * played.takes.len() > RESPONSE_BYTES;
            if budget.steps_spent() >= STEPS_PER_RESPONSE || (next > start && too_large) {
                break;
            }
            budget.spend(steps_for_audit(played))?;
            let audit = parse_request(|field| audit_game_at(played, field.member("games").element(index)));
            let answer = match audit {
                Ok(audit) => AuditAnswer::Audit((&audit).into()),
                Err(violations) => AuditAnswer::Refusal((&violations).into()),
            };
            let answer = pb::AuditBatchAnswer { answer: Some(answer) };
            bytes += answer.encoded_len();
            response.answers.push(answer);
            next += 1;
        }
        Ok((response, (self.games.len() > next as usize).then_some(next)))
    }
}

fn steps_for_audit(played: &pb::AuditRequest) -> u64 {
    let game = played.game.as_ref();
    let piles = game.map_or(0, |game| game.piles.len());
    let seats = game.and_then(|game| game.alliance_matrix.as_ref()).map_or(0, |matrix| matrix.rows.len());
    steps_for_length(piles + played.takes.len(), seats)
}
