//! Whether all that a store keeps is what was written.

use super::{MatchFilter, StoreError, StoreReader, StoredMatch};
use lastnim_core::game::MatchId;
use lastnim_core::referee::PublicKey;
use lastnim_proto::record::seat_loss_of_forfeit;
use lastnim_tournament::MatchOutcome;
use std::collections::HashMap;

/// Matches that are asked for at once.
const PAGE: usize = 500;
/// Damages that are described; further ones are counted.
const MAX_DESCRIBED: usize = 100;

/// What a check of a store has found.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct StoreCheck {
    /// Matches that are over, quarantined ones included.
    pub matches: u64,
    /// Matches that are not over.
    pub unfinished: u64,
    /// Events of all these.
    pub events: u64,
    /// Matches that were quarantined before.
    pub quarantined: u64,
    /// Matches whose records were removed.
    pub pruned: u64,
    /// How many records each key has signed.
    pub signers: HashMap<PublicKey, u64>,
    /// How many things are damaged.
    pub damages: u64,
    /// The first of them.
    pub described: Vec<StoreError>,
}

impl StoreCheck {
    fn note(&mut self, damage: StoreError) {
        self.damages += 1;
        if self.described.len() < MAX_DESCRIBED {
            self.described.push(damage);
        }
    }
}

/// Checks a store: its pages, the records of all matches with their hashes, their signatures, and whether the figures that
/// are kept of them are those that follow from the records.
///
/// # Errors
/// If the store cannot be read. What is damaged is no error.
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
        let page = store.match_summaries(&MatchFilter::default(), before, PAGE).await;
        let page = match page {
            Ok(page) => page,
            Err(error) => {
                // Without its list nothing can be said of the rest.
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

/// Notes what is damaged, and passes on what else is wrong.
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
        // It was removed since, with its tournament.
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
        Some(_) => check.note(damage("signature", "it is not the signer's on the hash of the last event")),
        None => check.note(damage("signature", "it is missing")),
    }
    match store.outcome(id).await {
        Ok(kept) if kept == outcome_of(&stored) => {}
        Ok(_) => check.note(damage("figures", "they are not those that follow from its record")),
        Err(error) => note_or_fail(check, error)?,
    }
    Ok(())
}

/// Works out what a match that is over means for the standings; nothing where it was cancelled.
fn outcome_of(stored: &StoredMatch) -> Option<MatchOutcome> {
    let StoredMatch { record, versions, .. } = stored;
    // Without an audit no figures were written.
    let audit = record.audit().ok()?;
    let forfeits = record.state().forfeits();
    let mut outcome = MatchOutcome::of_audit(&audit, |seat| forfeits[seat].map(seat_loss_of_forfeit));
    for (seat, versions) in record.state().setup().seats().iter().zip(versions) {
        outcome.seats[seat].versions = versions.clone();
    }
    Some(outcome)
}
