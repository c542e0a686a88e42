//! Counts the stored results of a tournament after a restart.

use super::recovery::PAGE_SIZE;
use crate::Arena;
use crate::error::ArenaError;
use crate::tournaments::changes::plan_in_background;
use crate::tournaments::cpu_times::CpuTask;
use crate::tournaments::tournament_handle::TournamentHandle;
use lastnim_core::game::{BotName, MatchId, TournamentId};
use lastnim_core::shown_number::shown_number;
use lastnim_store::{StoreError, StoredResult, StoredTournament};
use lastnim_tournament::{Checkpoint, CheckpointError, FieldChange, MatchResult, ResultFold, Rulings};
use std::collections::HashSet;
use std::fmt;
use thiserror::Error;

/// A tournament whose results are to be counted.
pub(crate) struct CountingContext<'a> {
    pub(crate) handle: &'a TournamentHandle,
    /// The tournament, with the bots that were in its field at the start.
    pub(crate) initial: &'a StoredTournament,
    /// The changes to the field since the start, in order.
    pub(crate) changes: &'a [FieldChange],
    /// The organiser's rulings.
    pub(crate) rulings: &'a Rulings,
    /// Matches whose ends the director has yet to receive; their results are left out.
    pub(crate) excluded: &'a HashSet<MatchId>,
}

/// The results of a tournament, as counted from the store.
pub(crate) struct CountedResults {
    pub(crate) fold: ResultFold,
    /// The number of results counted since the checkpoint, or in total if no checkpoint was used.
    pub(crate) since_checkpoint: u64,
}

/// The numbers of results that were read from the store.
#[derive(Debug, Default)]
struct ReadCounts {
    /// Results that had already been counted.
    known: u64,
    /// Results that were counted during this read.
    added: u64,
}

/// Why counting from a checkpoint failed.
#[derive(Debug, Error)]
enum ResultsError {
    #[error(transparent)]
    Checkpoint(#[from] CheckpointError),
    #[error(transparent)]
    Arena(#[from] ArenaError),
}

impl Arena {
    /// Counts the results of a tournament, starting from its checkpoint if there is a usable one.
    pub(super) async fn count_results(
        &self,
        tournament: CountingContext<'_>,
    ) -> Result<CountedResults, ArenaError> {
        let id = tournament.initial.id;
        let useless = |error: &dyn fmt::Display| log_unusable_checkpoint(id, error);
        if let Some(checkpoint) = self.usable_checkpoint(id).await? {
            match self.count_results_since(&tournament, &checkpoint).await {
                Ok(counted) => return Ok(counted),
                Err(ResultsError::Checkpoint(error)) => useless(&error),
                // The results may still be consistent if they are counted without the checkpoint.
                Err(ResultsError::Arena(error @ ArenaError::Recovery(..))) => useless(&error),
                Err(ResultsError::Arena(error)) => return Err(error),
            }
        }
        self.count_all_results(&tournament).await
    }

    /// Returns the newest checkpoint of a tournament; `None` if it has no checkpoint, or if the checkpoint is damaged.
    pub(crate) async fn usable_checkpoint(&self, id: TournamentId) -> Result<Option<Checkpoint>, ArenaError> {
        match self.inner.store.checkpoint(id).await {
            Err(damaged @ StoreError::Damaged { .. }) => {
                log_unusable_checkpoint(id, &damaged);
                Ok(None)
            }
            read => Ok(read?),
        }
    }

    /// Counts all results of a tournament.
    pub(crate) async fn count_all_results(
        &self,
        tournament: &CountingContext<'_>,
    ) -> Result<CountedResults, ArenaError> {
        let schedule =
            plan_in_background(&self.inner.environment, tournament.handle, tournament.initial).await?;
        let (settings, rulings) = (&tournament.initial.settings, tournament.rulings.clone());
        let mut fold =
            ResultFold::new(settings, schedule, tournament.bots_ever_in_field(), tournament.changes, rulings);
        let ReadCounts { added, .. } = self.count_results_from(tournament, &mut fold, 0).await?;
        Ok(CountedResults { fold, since_checkpoint: added })
    }

    /// Counts the results since a checkpoint.
    async fn count_results_since(
        &self,
        tournament: &CountingContext<'_>,
        checkpoint: &Checkpoint,
    ) -> Result<CountedResults, ResultsError> {
        let CountingContext { handle, initial, changes, rulings, .. } = *tournament;
        let id = initial.id;
        let state = checkpoint.verified_state(id)?;
        let schedule = plan_in_background(&self.inner.environment, handle, initial).await?;
        let settings = &initial.settings;
        let mut fold = ResultFold::restore(
            settings,
            schedule,
            tournament.bots_ever_in_field(),
            changes,
            rulings.clone(),
            state,
        )?;
        let (upto, ahead) = (fold.reported.first_unreported(), fold.reported.reported_above_gap() as u64);
        // The last result below `upto` is read again, to check that the checkpoint agrees with the store.
        let from = upto.saturating_sub(1);
        let ReadCounts { known, added } = self.count_results_from(tournament, &mut fold, from).await?;
        if known != ahead + (upto - from) {
            return Err(CheckpointError::Missing("results").into());
        }
        tracing::info!(tournament = %id, upto, since = added, "a tournament resumes from its checkpoint");
        Ok(CountedResults { fold, since_checkpoint: added })
    }

    /// Counts the results with the number `from` or a higher one, except those already counted. They are read in the
    /// order of their numbers, so that the results on which a match depends are counted before its own.
    async fn count_results_from(
        &self,
        tournament: &CountingContext<'_>,
        fold: &mut ResultFold,
        mut from: u64,
    ) -> Result<ReadCounts, ArenaError> {
        let mut counts = ReadCounts::default();
        loop {
            let page = self.inner.store.match_results(tournament.initial.id, from, PAGE_SIZE).await?;
            let Some(last) = page.last() else { return Ok(counts) };
            from = last.number + 1;
            tournament.handle.cpu_times.measure(CpuTask::Counting, || {
                for result in page.into_iter().filter(|result| !tournament.excluded.contains(&result.id)) {
                    if fold.reported.contains(result.number) {
                        counts.known += 1;
                    } else {
                        counts.added += 1;
                        tournament.count_result(fold, result)?;
                    }
                }
                Ok::<_, ArenaError>(())
            })?;
        }
    }
}

fn log_unusable_checkpoint(id: TournamentId, error: &dyn fmt::Display) {
    tracing::warn!(tournament = %id, %error, "a tournament's checkpoint cannot be used: counting all results again");
}

impl<'a> CountingContext<'a> {
    /// Returns all bots that have ever been in the tournament's field. Bots that have left keep their lines in the
    /// standings.
    fn bots_ever_in_field(&self) -> impl Iterator<Item = &'a BotName> + use<'a> {
        self.initial.field.iter().chain(self.changes.iter().map(|change| &change.bot))
    }

    fn count_result(&self, fold: &mut ResultFold, result: StoredResult) -> Result<(), ArenaError> {
        // The bots are compared only if the result counts.
        let fits = |bots: &_| result.outcome.is_none() || bots == &result.bots;
        let pairing = fold.schedule.pairing_of_number(result.number).filter(|pairing| fits(&pairing.bots));
        let pairing = pairing.ok_or_else(|| {
            let why = format!(
                "match {}, with the number {}, does not fit any of its pairings",
                result.id,
                shown_number(result.number)
            );
            ArenaError::Recovery(format!("tournament {}", self.initial.id), why)
        })?;
        fold.add_result(MatchResult::from_outcome(&pairing, result.outcome));
        Ok(())
    }
}
