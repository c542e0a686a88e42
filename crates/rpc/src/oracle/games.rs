//! Questions about one game: its solution and its audit.

use super::question_scheduler::QuestionError;
use lastnim_core::oracle::{Audit, Budget, PlayedTake};
use lastnim_proto::{RequestField, batch::check_take_count, game::parse_game, parse_request, pb};

/// Solves a game.
pub(super) fn solve_game(
    request: &pb::SolveRequest,
    _: &mut Budget<'_>,
) -> Result<pb::SolveResponse, QuestionError> {
    let game = request.game.as_ref();
    let game = parse_request(|field| field.member("game").parse_required(game, parse_game))?;
    Ok((&game).into())
}

/// Audits a game.
pub(super) fn audit_game(
    request: &pb::AuditRequest,
    _: &mut Budget<'_>,
) -> Result<pb::AuditResponse, QuestionError> {
    let audit = parse_request(|field| audit_game_at(request, field))?;
    Ok(pb::AuditResponse { audit: Some((&audit).into()) })
}

/// Audits the game in a field of the request, or the request itself.
pub(super) fn audit_game_at(played: &pb::AuditRequest, field: RequestField<'_>) -> Option<Audit> {
    let takes_field = field.member("takes");
    let game = field.member("game").parse_required(played.game.as_ref(), parse_game);
    check_take_count(played.takes.len(), takes_field);
    let game = game.filter(|_| field.has_no_violations())?;
    let takes: Vec<_> = played.takes.iter().map(|&take| PlayedTake::by_bot(take)).collect();
    takes_field.ok_or_report(Audit::of_finished(&game, &takes))
}
