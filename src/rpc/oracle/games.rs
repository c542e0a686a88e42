//! Questions about one game: its solution, and its audit.

use crate::game::Game;
use crate::oracle::{Audit, PlayedTake};
use crate::wire::{Field, Violations, batch::check_takes, game::parse_game, pb};

/// Reads the game that a request asks about, in its field of that name.
pub(super) fn game_of(game: Option<&pb::Game>, violations: &mut Violations) -> Option<Game> {
    let field = Field::root("game");
    violations.require(field, game).and_then(|game| parse_game(game, field, violations))
}

/// Solves a game.
pub(super) fn solve(request: &pb::SolveRequest) -> Result<pb::SolveResponse, Violations> {
    let mut violations = Violations::default();
    let game = game_of(request.game.as_ref(), &mut violations);
    Ok((&violations.finish(game)?).into())
}

/// Audits a game.
pub(super) fn audit(request: &pb::AuditRequest) -> Result<pb::AuditResponse, Violations> {
    let mut violations = Violations::default();
    let audit = audit_played(request, None, &mut violations);
    let audit = violations.finish(audit)?;
    Ok(pb::AuditResponse { audit: Some((&audit).into()) })
}

/// Audits a game that stands in a field, or is the request itself.
pub(super) fn audit_played(
    played: &pb::AuditRequest,
    at: Option<Field<'_>>,
    violations: &mut Violations,
) -> Option<Audit> {
    let member = |name| at.as_ref().map_or(Field::root(name), |at| at.member(name));
    let (at_game, at_takes) = (member("game"), member("takes"));
    let game = violations.require(at_game, played.game.as_ref());
    let game = game.and_then(|game| parse_game(game, at_game, violations));
    check_takes(played.takes.len(), at_takes, violations);
    let game = game.filter(|_| violations.is_empty())?;
    let takes: Vec<_> = played.takes.iter().map(|&take| PlayedTake::by_bot(take)).collect();
    violations.keep(at_takes, Audit::of_finished(&game, &takes))
}
