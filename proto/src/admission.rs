//! Decides which match records count in audits of bots.

use super::{
    pb,
    record::{RecordFlaw, SealedRecord, seat_loss_of_forfeit, verify_record},
    record_file::{RecordFileError, read_record},
};
use lastnim_analysis::deals::TalkAudit;
use lastnim_auditing::{AuditedMatch, MatchGroup, RowSource};
use lastnim_core::{
    game::{SeatVersions, TournamentId},
    oracle::{Audit, Budget, HaltReason},
    referee::{EndReason, PublicKey, Record, RecordError},
};
use thiserror::Error;

/// The rule that decides which records count.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RecordPolicy {
    /// If set, signed records only count if this key signed them.
    pub key: Option<PublicKey>,
    /// Whether records without a signature count too.
    pub unsigned: bool,
    /// If set, only records of this tournament count.
    pub tournament: Option<TournamentId>,
}

/// Why a record does not count.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum RecordRefusal {
    /// The text is not a record in any format.
    #[error(transparent)]
    Unreadable(#[from] RecordFileError),
    /// The record does not verify: it was changed or made up.
    #[error("it does not verify: {0}")]
    Flaw(Box<RecordFlaw>),
    /// The record is not signed, and only signed records count.
    #[error("it is not signed, and only signed records count")]
    Unsigned,
    /// The signer is not the trusted one.
    #[error("it is signed by another key: {0}")]
    OtherSigner(Box<PublicKey>),
    /// The oracle cannot audit the match.
    #[error(transparent)]
    Record(#[from] RecordError),
    /// The audit needs more steps than allowed, or was stopped.
    #[error(transparent)]
    Halt(#[from] HaltReason),
}

/// The result of checking a record.
#[derive(Debug)]
pub enum RecordAdmission {
    /// The record counts.
    Counts(Box<AdmittedMatch>),
    /// Its match is not over.
    NotOver,
    /// Its match was cancelled.
    Cancelled(Box<Record>),
    /// The match does not belong to the required tournament.
    OtherTournament,
}

/// A record that counts, and its audit.
#[derive(Debug)]
pub struct AdmittedMatch {
    record: Record,
    signer: Option<PublicKey>,
    audit: Audit,
    talk: Option<TalkAudit>,
    versions: Vec<SeatVersions>,
}

impl RecordPolicy {
    /// Reads, verifies and audits the text of a record.
    ///
    /// # Errors
    /// If the record cannot be read, does not verify, does not have an allowed signature, or cannot be audited.
    pub fn admit_text(&self, text: &str) -> Result<RecordAdmission, RecordRefusal> {
        self.admit_message(&read_record(text)?, &mut Budget::unbounded())
    }

    /// Verifies and audits a record. Each event costs one step of the budget, and so does each comparison of two seats
    /// at one ply; the audit of talk costs its own steps.
    ///
    /// # Errors
    /// If the record does not verify, does not have an allowed signature, or cannot be audited, or if the budget was
    /// spent.
    pub fn admit_message(
        &self,
        given: &pb::MatchRecord,
        budget: &mut Budget<'_>,
    ) -> Result<RecordAdmission, RecordRefusal> {
        // Each event costs a step for its hash and signature, so that the budget also limits the work for records that
        // do not verify.
        budget.spend(given.events.len() as u64 + 1)?;
        let sealed = verify_record(given).map_err(|flaw| RecordRefusal::Flaw(Box::new(flaw)))?;
        self.admit_verified(sealed, budget)
    }

    /// Audits a record that was already verified.
    ///
    /// # Errors
    /// If the record does not have an allowed signature, or cannot be audited.
    pub fn admit_sealed(&self, sealed: SealedRecord) -> Result<RecordAdmission, RecordRefusal> {
        self.admit_verified(sealed, &mut Budget::unbounded())
    }

    fn admit_verified(
        &self,
        sealed: SealedRecord,
        budget: &mut Budget<'_>,
    ) -> Result<RecordAdmission, RecordRefusal> {
        let state = sealed.record().state();
        let tournament = state.setup().origin.as_ref().map(|origin| origin.tournament);
        if self.tournament.is_some() && self.tournament != tournament {
            return Ok(RecordAdmission::OtherTournament);
        }
        let signer = sealed.seal().map(|seal| seal.signer);
        RecordAdmission::audit_record(sealed.into_record(), signer, budget, || match (signer, self.key) {
            (None, _) if !self.unsigned => Err(RecordRefusal::Unsigned),
            (Some(signer), Some(key)) if signer != key => Err(RecordRefusal::OtherSigner(Box::new(signer))),
            _ => Ok(()),
        })
    }
}

impl RecordAdmission {
    /// Adds the versions of the bots, by seat, which do not come from the record itself.
    #[must_use]
    pub fn with_versions(self, versions: Vec<SeatVersions>) -> Self {
        match self {
            Self::Counts(played) => Self::Counts(Box::new(AdmittedMatch { versions, ..*played })),
            other => other,
        }
    }

    /// Audits a record without verifying it. Each comparison of two seats at one ply costs one step of the budget.
    ///
    /// # Errors
    /// If the oracle cannot audit the record, or the budget was spent.
    pub fn from_trusted(record: Record, budget: &mut Budget<'_>) -> Result<Self, RecordRefusal> {
        Self::audit_record(record, None, budget, || Ok(()))
    }

    fn audit_record(
        record: Record,
        signer: Option<PublicKey>,
        budget: &mut Budget<'_>,
        check: impl FnOnce() -> Result<(), RecordRefusal>,
    ) -> Result<Self, RecordRefusal> {
        let state = record.state();
        let game = match (state.end(), state.game()) {
            (None, _) => return Ok(Self::NotOver),
            (Some((EndReason::Cancelled, _)), _) | (_, None) => return Ok(Self::Cancelled(Box::new(record))),
            (Some(_), Some(game)) => game,
        };
        check()?;
        let seats = game.matrix.seats().get() as u64;
        budget.spend((u64::from(state.ply()) + 1) * seats * seats)?;
        let audit = record.audit()?;
        let mut talk_budget = Budget::of_steps(TalkAudit::STEP_LIMIT);
        let talk = TalkAudit::of_record(&record, &mut talk_budget);
        budget.spend(talk_budget.steps_spent())?;
        Ok(Self::Counts(Box::new(AdmittedMatch { record, signer, audit, talk, versions: Vec::new() })))
    }
}

impl AdmittedMatch {
    /// Returns the record.
    pub fn record(&self) -> &Record {
        &self.record
    }

    /// Returns the signer, if the record is signed.
    pub fn signer(&self) -> Option<PublicKey> {
        self.signer
    }

    /// Calls `see` with the match in the form that auditors accept.
    pub fn with_audited_match(&self, see: impl FnOnce(&AuditedMatch<'_>)) {
        let (id, state) = (self.record.id(), self.record.state());
        let Some(game) = state.game() else { return };
        let setup = state.setup();
        let group = match &setup.origin {
            Some(origin) => MatchGroup::Duplicate { tournament: origin.tournament, number: origin.group },
            None => MatchGroup::Exhibition(id),
        };
        see(&AuditedMatch {
            id,
            group,
            bots: &setup.bots,
            game,
            rows: if setup.assigned.is_some() { RowSource::Assigned } else { RowSource::Declared },
            audit: &self.audit,
            lost: &state.forfeits().map(|forfeit| forfeit.map(seat_loss_of_forfeit)),
            versions: &self.versions,
            time_left_percent: &self.record.time_left_percent(),
            talk: self.talk.as_ref(),
        });
    }
}
