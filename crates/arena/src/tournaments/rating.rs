//! Rating the bots of tournaments: off the threads that carry messages, and one tournament at a time.

use crate::arena::Arena;
use crate::tournaments::cpu_times::CpuTask;
use crate::tournaments::tournament_handle::TournamentHandle;
use lastnim_core::game::TournamentId;
use lastnim_core::oracle::{Budget, HaltReason};
use lastnim_tournament::ReplicateCount;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::time::Instant;

/// The most steps that the ratings of a tournament may take while it runs: about two seconds.
const STEPS: u64 = 200_000_000;

impl Arena {
    /// Rates the bots of a tournament that runs, if it is time to: that may take seconds, for which only whoever is the first to ask
    /// waits. While they are rated anew, or another tournament is, their ratings stay as they are. Where results are counted anew meanwhile, since a match
    /// was voided, what was worked out is left out.
    pub async fn update_ratings_if_due(&self, id: TournamentId) {
        let Some(handle) = self.live_tournament(id) else { return };
        let Ok(turn) = Arc::clone(&self.inner.rating).try_acquire_owned() else { return };
        let began = Instant::now();
        let Some(evidence) = handle.lend_evidence_if_due(began) else { return };
        let (arena, has_ratings, recounts) = (self.clone(), handle.has_ratings(), evidence.recounts());
        let rating = self.inner.environment.spawn_work(move || {
            let _turn = turn;
            let is_wanted = || !arena.is_stopped();
            let fewest = ReplicateCount::new(ReplicateCount::MIN).unwrap_or_default();
            let mut budget = Budget::while_wanted(STEPS, &is_wanted);
            let appraise = || evidence.rate_with(|evidence| evidence.appraise(fewest, &mut budget));
            match handle.cpu_times.measure(CpuTask::Rating, appraise) {
                Ok(appraisal) => {
                    handle.show_ratings((appraisal, recounts), began);
                    arena.inner.live_changes.note_ratings();
                }
                Err(halt) => tracing::debug!(%halt, "a tournament that runs is not rated"),
            }
        });
        let rated = async move {
            if let Err(error) = rating.await {
                tracing::error!(%error, "the rating of a tournament broke down");
            }
        };
        if has_ratings {
            self.inner.tasks.spawn(rated);
        } else {
            rated.await;
        }
    }

    /// Rates the bots of a tournament whose last match is over. Breaks if the server stops: the next one does it.
    pub(crate) async fn rate_finished_tournament(&self, handle: &Arc<TournamentHandle>) -> ControlFlow<()> {
        let turn = tokio::select! {
            biased;
            turn = Arc::clone(&self.inner.rating).acquire_owned() => turn,
            () = self.wait_until_stopped() => return ControlFlow::Break(()),
        };
        let (arena, evidence, rated) = (self.clone(), handle.lend_evidence(), Arc::clone(handle));
        let rating = self.inner.environment.spawn_work(move || {
            let _turn = turn;
            let is_wanted = || !arena.is_stopped();
            let appraise = || evidence.rate_with(|evidence| evidence.appraise_finally(&is_wanted));
            rated.cpu_times.measure(CpuTask::Rating, appraise)
        });
        match rating.await {
            Ok(Ok(appraisal)) => handle.show_last_ratings(appraisal),
            Ok(Err(HaltReason::Stopped { .. })) => return ControlFlow::Break(()),
            Ok(Err(halt)) => tracing::error!(%halt, "a tournament is not rated"),
            Err(error) => tracing::error!(%error, "the last rating of a tournament broke down"),
        }
        ControlFlow::Continue(())
    }
}
