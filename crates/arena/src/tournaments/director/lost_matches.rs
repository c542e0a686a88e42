//! Matches that are lost: they break down, or the store refuses what happens in them.

use super::progress::MatchFailure;
use super::{Director, OpenPairing};
use crate::error::ArenaError;
use lastnim_core::referee::{Event, MatchSetup, TimedEvent};
use lastnim_store::Change;
use lastnim_tournament::MatchOutcome;
use std::ops::ControlFlow;
use std::time::Duration;

/// How long the director waits for a store that cannot be read before it tries again.
const RETRY_INTERVAL: Duration = Duration::from_secs(1);

impl Director {
    /// Quarantines a match that no server can play to its end, and returns what it counts as. From now on the store has it
    /// among the results, so that whoever counts these again comes to the same. Breaks where another server can go on with it.
    pub(super) async fn settle_lost_match(
        &self,
        lost: &OpenPairing,
        failure: &MatchFailure,
    ) -> ControlFlow<(), Option<MatchOutcome>> {
        let &OpenPairing { ref pairing, id, ref setup, .. } = lost;
        tracing::error!(error = %failure, %id, number = pairing.number, "a match was lost");
        if !failure.is_permanent() {
            return ControlFlow::Break(());
        }
        let at = self.arena.now();
        // Where nothing of the match was written before, it is created with this. Otherwise the store has that event.
        let created = TimedEvent { at, event: Event::Created(Box::new(MatchSetup::clone(setup))) };
        let changes = vec![
            Change::MatchEvents { id, first: 0, events: vec![created] },
            Change::MatchQuarantined { id, at, why: failure.damage() },
        ];
        if let Err(error) = self.store(changes).await? {
            tracing::error!(%error, %id, "a lost match is not quarantined");
            return self.give_up(&format!("match {id} was lost, and the store refused to quarantine it"));
        }
        // It may have broken down after its end was written, and is not quarantined then.
        let (store, tournament) = (&self.arena.inner.store, self.stored.id);
        let stored = loop {
            match store.match_results(tournament, pairing.number, 1).await {
                Ok(stored) => break stored,
                Err(error) => self.wait_to_read_again(error.into()).await?,
            }
        };
        let outcome = stored.into_iter().find(|result| result.id == id);
        ControlFlow::Continue(outcome.and_then(|result| result.outcome))
    }

    /// Waits after a read that has failed until it is time to try again. Breaks if the server stops before, or what is in the
    /// store cannot be carried on.
    pub(super) async fn wait_to_read_again(&self, error: ArenaError) -> ControlFlow<()> {
        match error {
            ArenaError::Store(error) if error.is_transient() => {
                tracing::warn!(%error, tournament = %self.stored.id, "its results cannot be read yet");
            }
            error => {
                tracing::error!(%error, tournament = %self.stored.id, "its results cannot be counted");
                return self.give_up(&error.tournament_damage());
            }
        }
        tokio::select! {
            biased;
            () = tokio::time::sleep(RETRY_INTERVAL) => ControlFlow::Continue(()),
            () = self.arena.wait_until_stopped() => ControlFlow::Break(()),
        }
    }

    /// Quarantines the tournament, which this server cannot carry on: the next one tries again with what is stored. Breaks always.
    pub(super) fn give_up<T>(&self, why: &str) -> ControlFlow<(), T> {
        tracing::error!(why, tournament = %self.stored.id, "a tournament is quarantined");
        self.handle.quarantine(why);
        ControlFlow::Break(())
    }
}
