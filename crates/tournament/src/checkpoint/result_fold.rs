//! The state of a tournament, derived from its results.

use super::{CheckpointError, ReportedResults, decode_state, encode_state, ensure_valid};
use crate::{
    BoundedCrossTable, FieldChange, MatchResult, RatingEvidence, Rulings, Schedule, Settings, Standings,
};
use lastnim_core::game::BotName;
use thiserror::Error;

/// The state of a tournament, derived from all results or from a checkpoint and later results.
#[derive(Debug)]
pub struct ResultFold {
    /// The schedule of further matches.
    pub schedule: Box<dyn Schedule>,
    /// The standings.
    pub standings: Standings,
    /// The evidence for ratings.
    pub evidence: RatingEvidence,
    /// The matches and wins of each pair of bots.
    pub cross_table: BoundedCrossTable,
    /// The results reported so far.
    pub reported: ReportedResults,
    /// The organiser's rulings, which decide which results count.
    pub rulings: Rulings,
}

/// Why a tournament has no snapshot.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum SnapshotUnavailable {
    /// The schedule of this format can only be rebuilt from results, so there is never a snapshot.
    #[error("this kind of tournament has no snapshots")]
    Unsupported,
    /// Some results have not reached every fold; try again later.
    #[error("results are still being counted")]
    Busy,
}

impl ResultFold {
    /// Creates the state of a tournament from a new schedule, all bots that were ever in the field, and all changes to
    /// the field, oldest first. Results of voided matches must not be added.
    pub fn new<'a>(
        settings: &Settings,
        mut schedule: Box<dyn Schedule>,
        bots: impl IntoIterator<Item = &'a BotName>,
        changes: &[FieldChange],
        rulings: Rulings,
    ) -> Self {
        for change in changes {
            schedule.change_field(change);
        }
        for change in rulings.departures() {
            schedule.change_field(&change);
        }
        let (standings, evidence) = (Standings::new(settings, bots), RatingEvidence::new(settings));
        let (cross_table, reported) = Default::default();
        Self { schedule, standings, evidence, cross_table, reported, rulings }
    }

    /// Restores the state from what [`snapshot_state`] returned; the other arguments are those of [`new`](Self::new).
    /// Afterwards, add the results that the state does not [contain](ReportedResults::contains).
    ///
    /// # Errors
    /// If the state does not belong to a tournament with these arguments.
    pub fn restore<'a>(
        settings: &Settings,
        mut schedule: Box<dyn Schedule>,
        bots: impl IntoIterator<Item = &'a BotName>,
        changes: &[FieldChange],
        rulings: Rulings,
        state: &[u8],
    ) -> Result<Self, CheckpointError> {
        let (applied, recounts, reported, schedule_state, standings, evidence, cross_table): (
            usize,
            u64,
            ReportedResults,
            &[u8],
            _,
            _,
            _,
        ) = decode_state(state)?;
        let later = changes.get(applied..).ok_or(CheckpointError::Missing("field changes"))?;
        ensure_valid(recounts == rulings.recounts(), "later interventions have changed which results count")?;
        reported.ensure_consistent()?;
        schedule.restore(schedule_state, &reported)?;
        let mut standings = Standings::restore(settings, standings)?;
        let evidence = RatingEvidence::restore(settings, evidence)?;
        ensure_valid(
            evidence.added_count() == reported.result_count(),
            "the number of rated matches differs from the number of counted results",
        )?;
        for bot in bots {
            standings.add_bot(bot);
        }
        for change in later {
            schedule.change_field(change);
        }
        // The schedule ignores departures whose round has begun, and repeating one that is still to come is harmless.
        for change in rulings.departures() {
            schedule.change_field(&change);
        }
        Ok(Self { schedule, standings, evidence, cross_table, reported, rulings })
    }

    /// Adds a result; each must be added exactly once.
    pub fn add_result(&mut self, result: MatchResult) {
        for result in self.reported.report_result(result, &mut *self.schedule) {
            let counted = self.rulings.counted(&result);
            self.standings.add_result(&counted);
            self.evidence.add_result(&counted);
            self.cross_table.add_result(&counted);
        }
    }
}

/// Encodes the state of a tournament after this many changes to its field and this many [recounts](Rulings::recounts),
/// for [`ResultFold::restore`].
///
/// # Errors
/// If the tournament never has a snapshot, or has none at the moment.
pub fn snapshot_state(
    (changes, recounts): (usize, u64),
    reported: &ReportedResults,
    schedule: &dyn Schedule,
    standings: &Standings,
    evidence: &RatingEvidence,
    cross_table: &BoundedCrossTable,
) -> Result<Vec<u8>, SnapshotUnavailable> {
    if evidence.added_count() != reported.result_count() {
        return Err(SnapshotUnavailable::Busy);
    }
    let schedule = schedule.save().ok_or(SnapshotUnavailable::Unsupported)?;
    Ok(encode_state(&(
        changes,
        recounts,
        reported,
        schedule,
        standings.state(),
        evidence.state(),
        cross_table,
    )))
}
