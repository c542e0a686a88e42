//! Records as evidence of how bots play.

use crate::auditing::{AuditedMatch, Auditor, Group, RowSource};
use crate::oracle::{Audit, Budget, Halt};
use crate::referee::{EndReason, Record};
use crate::wire::bot_audit::AuditScope;
use crate::wire::pb;
use crate::wire::record::verify;

/// What became of a record.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Evidence {
    /// It counts.
    Counted,
    /// Its match is not over, was cancelled, or is none of those that are asked for.
    NoResult,
    /// It is not what it should be: why.
    Refused(String),
}

/// Adds a record that is trusted to an audit.
///
/// A step is a look at two seats at one ply.
pub(super) fn add(auditor: &mut Auditor, record: &Record, budget: &mut Budget<'_>) -> Result<Evidence, Halt> {
    let state = record.state();
    let game = match (state.end(), state.game()) {
        (None | Some((EndReason::Cancelled, _)), _) | (_, None) => return Ok(Evidence::NoResult),
        (Some(_), Some(game)) => game,
    };
    let seats = game.matrix.seats().get() as u64;
    budget.spend((u64::from(state.ply()) + 1) * seats * seats)?;
    Ok(match record.audit() {
        Ok(audit) => {
            show(record, &audit, |played| auditor.add(played));
            Evidence::Counted
        }
        Err(error) => Evidence::Refused(error.to_string()),
    })
}

/// Verifies a record, and adds it to an audit if it is of the scope.
pub(super) fn add_verified(
    auditor: &mut Auditor,
    scope: &AuditScope,
    given: &pb::MatchRecord,
    budget: &mut Budget<'_>,
) -> Result<Evidence, Halt> {
    let refused = |why: String| Ok(Evidence::Refused(why));
    let sealed = match verify(given) {
        Ok(sealed) => sealed,
        Err(flaw) => return refused(format!("it does not verify: {flaw}")),
    };
    let origin = sealed.record().state().setup().origin.as_ref();
    if scope.tournament.is_some() && scope.tournament != origin.map(|origin| origin.tournament) {
        return Ok(Evidence::NoResult);
    }
    if sealed.record().state().end().is_some() {
        match (sealed.seal(), scope.key) {
            (None, _) if !scope.unsigned => return refused("it is not signed".into()),
            (Some(seal), Some(key)) if seal.signer != key => {
                return refused(format!("it is signed by another key: {}", seal.signer));
            }
            _ => {}
        }
    }
    add(auditor, sealed.record(), budget)
}

/// Shows a match as the auditor sees it, if its game began.
fn show(record: &Record, audit: &Audit, see: impl FnOnce(&AuditedMatch<'_>)) {
    let (id, state) = (record.id(), record.state());
    let Some(game) = state.game() else { return };
    let setup = state.setup();
    let group = match &setup.origin {
        Some(origin) => Group::Duplicate { tournament: origin.tournament, number: origin.group },
        None => Group::Exhibition(id),
    };
    see(&AuditedMatch {
        id,
        group,
        bots: &setup.bots,
        game,
        rows: if setup.assigned.is_some() { RowSource::Assigned } else { RowSource::Declared },
        audit,
        forfeited: &state.forfeits().map(Option::is_some),
    });
}
