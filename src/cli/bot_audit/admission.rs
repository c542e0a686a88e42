//! Which records count.

use crate::{
    auditing::{AuditedMatch, Group, RowSource},
    game::{MatchId, TournamentId},
    oracle::Audit,
    referee::{EndReason, PublicKey, Record, RecordError},
    wire::{
        record::{Flaw, SealedRecord, verify},
        record_file::{RecordFileError, read_record},
    },
};
use thiserror::Error;

/// What a record must be to count.
#[derive(Debug, Clone, Copy)]
pub(super) struct Admission {
    /// The only signer that is trusted, if one is named.
    pub(super) key: Option<PublicKey>,
    /// Whether records without a signature count.
    pub(super) unsigned: bool,
    /// The only tournament, if one is named.
    pub(super) tournament: Option<TournamentId>,
}

/// Why a record is no evidence.
#[derive(Debug, Error)]
#[non_exhaustive]
pub(super) enum Refusal {
    #[error(transparent)]
    Unreadable(#[from] RecordFileError),
    #[error("it does not verify: {0}")]
    Flaw(Box<Flaw>),
    #[error("it is not signed; --unsigned counts such records as well")]
    Unsigned,
    #[error("its match is not over")]
    NotOver,
    #[error("another record of match {0} was given before, and counts")]
    OtherRecord(MatchId),
    #[error("it is signed by another key: {0}")]
    OtherSigner(Box<PublicKey>),
    #[error(transparent)]
    Record(#[from] RecordError),
}

/// What a record comes to.
#[derive(Debug)]
pub(super) enum Admitted {
    /// It counts.
    Counts(Box<Played>),
    /// Its match was cancelled.
    Cancelled(Box<SealedRecord>),
    /// It belongs to none of the matches that are asked for.
    Elsewhere,
}

/// A record that counts, and its audit.
#[derive(Debug)]
pub(super) struct Played {
    sealed: SealedRecord,
    audit: Audit,
}

impl Admission {
    /// Reads, verifies and audits a record.
    ///
    /// # Errors
    /// If it is not what it should be: it must not count then.
    pub(super) fn of_text(&self, text: &str) -> Result<Admitted, Refusal> {
        let given = read_record(text)?;
        let sealed = verify(&given).map_err(|flaw| Refusal::Flaw(Box::new(flaw)))?;
        self.of_sealed(sealed)
    }

    /// Audits a record that is whole.
    ///
    /// # Errors
    /// If its match is not over, or it is not signed, or not by the key that is trusted.
    pub(super) fn of_sealed(&self, sealed: SealedRecord) -> Result<Admitted, Refusal> {
        let state = sealed.record().state();
        let tournament = state.setup().origin.as_ref().map(|origin| origin.tournament);
        if self.tournament.is_some() && self.tournament != tournament {
            return Ok(Admitted::Elsewhere);
        }
        match (state.end(), state.game()) {
            (None, _) => return Err(Refusal::NotOver),
            (Some((EndReason::Cancelled, _)), _) | (_, None) => {
                return Ok(Admitted::Cancelled(Box::new(sealed)));
            }
            _ => {}
        }
        match (sealed.seal(), self.key) {
            (None, _) if !self.unsigned => return Err(Refusal::Unsigned),
            (Some(seal), Some(key)) if seal.signer != key => {
                return Err(Refusal::OtherSigner(Box::new(seal.signer)));
            }
            _ => {}
        }
        let audit = sealed.record().audit()?;
        Ok(Admitted::Counts(Box::new(Played { sealed, audit })))
    }
}

impl Played {
    pub(super) fn record(&self) -> &Record {
        self.sealed.record()
    }

    /// Returns who signed it, if anybody did.
    pub(super) fn signer(&self) -> Option<PublicKey> {
        self.sealed.seal().map(|seal| seal.signer)
    }

    /// Hands the match over as the auditor sees it.
    pub(super) fn show(&self, see: impl FnOnce(&AuditedMatch<'_>)) {
        let (id, state) = (self.sealed.record().id(), self.sealed.record().state());
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
            audit: &self.audit,
            forfeited: &state.forfeits().map(Option::is_some),
        });
    }
}
