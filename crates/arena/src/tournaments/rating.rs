//! Rates the bots of tournaments, one tournament at a time on a blocking thread.

use crate::arena::Arena;
use crate::tournaments::cpu_times::CpuTask;
use crate::tournaments::tournament_handle::TournamentHandle;
use lastnim_core::game::TournamentId;
use lastnim_core::oracle::{Budget, HaltReason};
use lastnim_tournament::ReplicateCount;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::time::Instant;

/// The maximum number of steps for rating a running tournament, about two seconds of work.
const MAX_RATING_STEPS: u64 = 200_000_000;

impl Arena {
    /// Rates the bots of a running tournament if a rating is due, which may take seconds. The caller waits only if the
    /// bots have no ratings yet; otherwise the rating runs in the background. New ratings are ignored if results were
    /// recounted in the meantime, for example after a match was voided.
    pub async fn update_ratings_if_due(&self, id: TournamentId) {
        let Some(handle) = self.live_tournament(id) else { return };
        let Ok(turn) = Arc::clone(&self.inner.rating).try_acquire_owned() else { return };
        let began = Instant::now();
        let Some(evidence) = handle.lend_evidence_if_due(began) else { return };
        let (arena, has_ratings, recounts) = (self.clone(), handle.has_ratings(), evidence.recounts());
        let rating = self.inner.environment.spawn_computation(move || {
            let _turn = turn;
            let may_continue = || !arena.is_stopped();
            let fewest = ReplicateCount::new(ReplicateCount::MIN).unwrap_or_default();
            let mut budget = Budget::interruptible(MAX_RATING_STEPS, &may_continue);
            let appraise = || evidence.rate_with(|evidence| evidence.appraise(fewest, &mut budget));
            match handle.cpu_times.measure(CpuTask::Rating, appraise) {
                Ok(appraisal) => {
                    handle.set_ratings((appraisal, recounts), began);
                    arena.inner.live_changes.note_ratings();
                }
                Err(halt) => tracing::debug!(%halt, "a running tournament could not be rated"),
            }
        });
        let rated = async move {
            if let Err(error) = rating.await {
                tracing::error!(%error, tournament = %id, "the code that rates a running tournament panicked");
            }
        };
        if has_ratings {
            self.inner.tasks.spawn(rated);
        } else {
            rated.await;
        }
    }

    /// Rates the bots of a tournament whose last match is over. Returns `Break` if the server stops; the next server
    /// then rates the bots.
    pub(crate) async fn rate_finished_tournament(&self, handle: &Arc<TournamentHandle>) -> ControlFlow<()> {
        let turn = tokio::select! {
            biased;
            turn = Arc::clone(&self.inner.rating).acquire_owned() => turn,
            () = self.wait_until_stopped() => return ControlFlow::Break(()),
        };
        let (arena, evidence, rated) = (self.clone(), handle.lend_evidence(), Arc::clone(handle));
        let rating = self.inner.environment.spawn_computation(move || {
            let _turn = turn;
            let may_continue = || !arena.is_stopped();
            let appraise = || evidence.rate_with(|evidence| evidence.final_appraisal(&may_continue));
            rated.cpu_times.measure(CpuTask::Rating, appraise)
        });
        match rating.await {
            Ok(Ok(appraisal)) => handle.set_final_ratings(appraisal),
            Ok(Err(HaltReason::Stopped { .. })) => return ControlFlow::Break(()),
            Ok(Err(halt)) => {
                tracing::error!(%halt, tournament = %handle.view().stored.id, "the finished tournament could not be rated");
            }
            Err(error) => {
                tracing::error!(%error, tournament = %handle.view().stored.id, "the code that rates a finished tournament panicked");
            }
        }
        ControlFlow::Continue(())
    }
}
