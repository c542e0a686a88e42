//! The changes that a match stores, and its result.

use super::{LiveMatch, MatchTerms};
use lastnim_core::oracle::Audit;
use lastnim_core::referee::RecordError;
use lastnim_proto::record::seat_loss_of_forfeit;
use lastnim_store::{Change, FinishedMatch};
use lastnim_tournament::MatchOutcome;
use std::sync::Arc;

/// The result of a match.
#[derive(Debug)]
pub(super) struct MatchEnding {
    /// The audit; `None` if the match was cancelled.
    pub(super) audit: Option<Arc<Audit>>,
    /// The outcome for the standings; `None` if the match was cancelled.
    pub(super) outcome: Option<MatchOutcome>,
}

impl<S: Clone> LiveMatch<S> {
    /// Returns the events that are not stored yet, and the changes that go with them.
    pub(super) fn changes_to_store(
        &mut self,
        ending: Option<&MatchEnding>,
        terms: &MatchTerms,
    ) -> Vec<Change> {
        let record = self.referee.record();
        let events = record.events()[self.stored..].to_vec();
        let mut changes = vec![Change::MatchEvents { id: self.id, first: self.stored, events }];
        if let Some(MatchEnding { outcome, .. }) = ending {
            let head = record.last_hash();
            let over =
                FinishedMatch { id: self.id, head, seal: terms.key.seal(head), outcome: outcome.clone() };
            changes.push(Change::MatchOver(Box::new(over)));
        }
        if std::mem::take(&mut self.has_new_versions) {
            let versions = self.seat_versions();
            if !versions.is_empty() {
                changes.insert(1, Change::SeatVersions { id: self.id, versions });
            }
        }
        changes.extend(self.request.take().map(|request| Change::RequestDone(*request)));
        changes
    }

    pub(super) fn compute_ending(&self) -> MatchEnding {
        let record = self.referee.record();
        let audit = match record.audit() {
            Ok(audit) => Some(Arc::new(audit)),
            Err(RecordError::Cancelled { .. }) => None,
            Err(error) => {
                tracing::error!(%error, id = %self.id, "a finished match cannot be audited");
                None
            }
        };
        let forfeits = record.state().forfeits();
        let mut outcome = audit
            .as_deref()
            .map(|audit| MatchOutcome::of_audit(audit, |seat| forfeits[seat].map(seat_loss_of_forfeit)));
        if let Some(outcome) = &mut outcome {
            for (seat, versions) in self.seats.seats().iter().zip(self.seat_versions()) {
                outcome.seats[seat].versions = versions;
            }
        }
        MatchEnding { audit, outcome }
    }
}
