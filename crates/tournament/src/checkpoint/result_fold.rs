//! What a tournament has come to by its results.

use super::{CheckpointError, ReportedResults, decode_state, encode_state, ensure_holds};
use crate::{
    BoundedCrossTable, FieldChange, MatchResult, RatingEvidence, Rulings, Schedule, Settings, Standings,
};
use lastnim_core::game::BotName;
use thiserror::Error;

/// What a tournament has come to by its results: counted all anew, or from a state that was kept.
#[derive(Debug)]
pub struct ResultFold {
    /// Which matches come next.
    pub schedule: Box<dyn Schedule>,
    /// How the bots stand.
    pub standings: Standings,
    /// What their ratings follow from.
    pub evidence: RatingEvidence,
    /// Who wins at whose tables.
    pub cross_table: BoundedCrossTable,
    /// Which results were counted.
    pub reported: ReportedResults,
    /// What the organiser has ruled, by which results count.
    pub rulings: Rulings,
}

/// Why the state of a tournament is not kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum SnapshotUnavailable {
    /// Its schedule has no state that says all; it will not have one later either.
    #[error("its schedule is made from results only")]
    Unsupported,
    /// Not all results have arrived everywhere; a little later they have.
    #[error("results are still being counted")]
    Busy,
}

impl ResultFold {
    /// Begins with a schedule that was just planned, the bots that have been in the field at any time, and all changes of
    /// the field, in their order. Results of voided matches are not to be added.
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
        let (standings, evidence) = (Standings::new(settings, bots), RatingEvidence::new(settings));
        let (cross_table, reported) = Default::default();
        Self { schedule, standings, evidence, cross_table, reported, rulings }
    }

    /// Begins with what a [`snapshot_state`] has kept, given what [`new`](Self::new) is given; what is added from here on are the
    /// results that it does not [contain](ReportedResults::contains).
    ///
    /// # Errors
    /// If that is not what was kept of such a tournament.
    pub fn restore<'a>(
        settings: &Settings,
        mut schedule: Box<dyn Schedule>,
        bots: impl IntoIterator<Item = &'a BotName>,
        changes: &[FieldChange],
        rulings: Rulings,
        state: &[u8],
    ) -> Result<Self, CheckpointError> {
        let (told, recounts, reported, schedule_state, standings, evidence, cross_table): (
            usize,
            u64,
            ReportedResults,
            &[u8],
            _,
            _,
            _,
        ) = decode_state(state)?;
        let later = changes.get(told..).ok_or(CheckpointError::Missing("changes of the field"))?;
        ensure_holds(recounts == rulings.recounts(), "results have come to count otherwise since")?;
        reported.ensure_consistent()?;
        schedule.restore(schedule_state, &reported)?;
        let mut standings = Standings::restore(settings, standings)?;
        let evidence = RatingEvidence::restore(settings, evidence)?;
        ensure_holds(
            evidence.added_count() == reported.counted_results(),
            "not as many matches are rated as count",
        )?;
        for bot in bots {
            standings.add_bot(bot);
        }
        for change in later {
            schedule.change_field(change);
        }
        Ok(Self { schedule, standings, evidence, cross_table, reported, rulings })
    }

    /// Counts a result; each is to be counted once.
    pub fn add_result(&mut self, result: MatchResult) {
        for result in self.reported.report_result(result, &mut *self.schedule) {
            let counted = self.rulings.counted(&result);
            self.standings.add_result(&counted);
            self.evidence.add_result(&counted);
            self.cross_table.add_result(&counted);
        }
    }
}

/// Returns all that a tournament has come to, after so many changes of its field and so many
/// [recounts](Rulings::recounts): a [`ResultFold`] begins with it.
///
/// # Errors
/// If it is not to be had, or not now.
pub fn snapshot_state(
    (changes, recounts): (usize, u64),
    reported: &ReportedResults,
    schedule: &dyn Schedule,
    standings: &Standings,
    evidence: &RatingEvidence,
    cross_table: &BoundedCrossTable,
) -> Result<Vec<u8>, SnapshotUnavailable> {
    if evidence.added_count() != reported.counted_results() {
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
