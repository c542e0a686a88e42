//! What an audit is made of, in each of the forms in which it may be given.

use super::json::{self, GameJson, JsonError, TakesJson};
use crate::oracle::{Audit, AuditError, PlayedTake};
use thiserror::Error;

/// A document that cannot be audited.
#[derive(Debug, Error)]
#[non_exhaustive]
pub(super) enum AuditInputError {
    /// It is no game.
    #[error(transparent)]
    Json(#[from] JsonError),
    /// The game cannot be audited.
    #[error(transparent)]
    Audit(#[from] AuditError),
}

/// Audits what a document holds: a bare game, which is a game's JSON with its takes.
///
/// # Errors
/// Says what is missing, or the first thing in it that does not fit.
pub(super) fn audit(document: &str) -> Result<Audit, AuditInputError> {
    let game = json::read::<GameJson>(document)?.game()?;
    let TakesJson { takes } = json::read(document)?;
    let takes: Vec<_> = takes.into_iter().map(PlayedTake::by_bot).collect();
    Ok(Audit::of_finished(&game, &takes)?)
}
