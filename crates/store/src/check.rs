//! Checks that a store contains what was written to it.

use super::{MatchFilter, StoreError, StoreReader, StoredMatch};
use lastnim_core::game::MatchId;
use lastnim_core::referee::PublicKey;
use lastnim_proto::record::seat_loss_of_forfeit;
use lastnim_tournament::MatchOutcome;
use std::collections::HashMap;

/// The maximum number of matches that are listed at once.
const PAGE_SIZE: usize = 500;
/// The maximum number of faults that are described; further ones are only counted.
const MAX_DESCRIBED_FAULTS: usize = 100;

/// The result of checking a store.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct StoreCheck {
    /// The number of finished matches, including quarantined ones.
    pub matches: u64,
    /// The number of unfinished matches.
    pub unfinished: u64,
    /// The number of events in all match records.
    pub events: u64,
    /// The number of matches that were already quarantined.
    pub quarantined: u64,
    /// The number of matches whose records were removed to save space.
    pub pruned: u64,
    /// The number of match records that each key has signed.
    pub signers: HashMap<PublicKey, u64>,
    /// The number of faults.
    pub fault_count: u64,
    /// Descriptions of the first faults.
    pub described_faults: Vec<StoreError>,
}

impl StoreCheck {
    fn note(&mut self, damage: StoreError) {
        self.fault_count += 1;
        if self.described_faults.len() < MAX_DESCRIBED_FAULTS {
            self.described_faults.push(damage);
        }
    }
}

/// Checks the database pages of a store, all match records with their hashes and signatures, and whether the stored
/// figures follow from the records.
///
/// # Errors
/// If the store cannot be read. Damage is reported in the result, not as an error.
pub async fn check_store(store: &dyn StoreReader) -> Result<StoreCheck, StoreError> {
    let mut check = StoreCheck::default();
    for line in store.check_pages().await? {
        check.note(StoreError::Corrupt(line));
    }
    for id in store.unfinished_matches().await? {
        check.unfinished += 1;
        match store.match_record(id).await {
            Ok(stored) => check.events += stored.map_or(0, |stored| stored.record.events().len() as u64),
            Err(error) => note_or_fail(&mut check, error)?,
        }
    }
    let mut before = None;
    loop {
        let page = store.match_summaries(&MatchFilter::default(), before, PAGE_SIZE).await;
        let page = match page {
            Ok(page) => page,
            Err(error) => {
                // Without the list of finished matches, nothing else can be checked.
                note_or_fail(&mut check, error)?;
                break;
            }
        };
        let Some(last) = page.last() else { break };
        before = Some(last.id);
        for summary in &page {
            check.matches += 1;
            check_match(store, summary.id, &mut check).await?;
        }
    }
    Ok(check)
}

/// Counts damage, quarantine or pruning in the result of the check, and returns any other error.
fn note_or_fail(check: &mut StoreCheck, error: StoreError) -> Result<(), StoreError> {
    match error {
        StoreError::Quarantined { .. } => check.quarantined += 1,
        StoreError::Pruned(_) => check.pruned += 1,
        StoreError::Damaged { .. } | StoreError::Corrupt(_) => check.note(error),
        other => return Err(other),
    }
    Ok(())
}

async fn check_match(store: &dyn StoreReader, id: MatchId, check: &mut StoreCheck) -> Result<(), StoreError> {
    let stored = match store.match_record(id).await {
        Ok(Some(stored)) => stored,
        // The match was removed in the meantime, together with its tournament.
        Ok(None) => return Ok(()),
        Err(error) => return note_or_fail(check, error),
    };
    check.events += stored.record.events().len() as u64;
    let damage = |what: &str, why: &str| StoreError::Damaged {
        what: format!("the {what} of match {id}"),
        why: why.to_owned(),
    };
    match &stored.seal {
        Some(seal) if seal.verifies(stored.record.last_hash()) => {
            *check.signers.entry(seal.signer).or_default() += 1;
        }
        Some(_) => {
            check.note(damage(
                "signature",
                "it does not verify with the signer's key and the last event's hash",
            ));
        }
        None => check.note(damage("signature", "it is missing")),
    }
    match store.outcome(id).await {
        Ok(kept) if kept == outcome_of(&stored) => {}
        Ok(_) => check.note(damage("result", "its figures do not follow from the record")),
        Err(error) => note_or_fail(check, error)?,
    }
    Ok(())
}

/// Computes the outcome of a finished match; `None` if it was cancelled.
fn outcome_of(stored: &StoredMatch) -> Option<MatchOutcome> {
    let StoredMatch { record, versions, .. } = stored;
    // If the audit of a match fails, no figures are stored for it.
    let audit = record.audit().ok()?;
    let forfeits = record.state().forfeits();
    let mut outcome = MatchOutcome::of_audit(&audit, |seat| forfeits[seat].map(seat_loss_of_forfeit));
    for (seat, versions) in record.state().setup().seats().iter().zip(versions) {
        outcome.seats[seat].versions = versions.clone();
    }
    Some(outcome)
}
