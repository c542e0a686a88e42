//! Handles lost matches: those whose code panicked, and those whose events the store rejected.

use super::progress::MatchFailure;
use super::{Director, OpenPairing};
use crate::error::ArenaError;
use lastnim_core::referee::{Event, MatchSetup, TimedEvent};
use lastnim_store::Change;
use lastnim_tournament::MatchOutcome;
use std::ops::ControlFlow;
use std::time::Duration;

/// The pause after a failed read of the store.
const RETRY_INTERVAL: Duration = Duration::from_secs(1);

impl Director {
    /// Quarantines a match that no server can finish, and returns its outcome. The store lists a quarantined match
    /// among the results, so a recount gives the same counts. Returns `Break` without quarantining the match if another
    /// server may be able to finish it.
    pub(super) async fn settle_lost_match(
        &self,
        lost: &OpenPairing,
        failure: &MatchFailure,
    ) -> ControlFlow<(), Option<MatchOutcome>> {
        let &OpenPairing { ref pairing, id, ref setup, .. } = lost;
        tracing::error!(error = %failure, %id, number = pairing.number, "a match failed while it was being played");
        if !failure.is_permanent() {
            return ControlFlow::Break(());
        }
        let at = self.arena.now();
        // This event creates the match if none of its events has been stored; otherwise the store ignores this event.
        let created = TimedEvent { at, event: Event::Created(Box::new(MatchSetup::clone(setup))) };
        let changes = vec![
            Change::MatchEvents { id, first: 0, events: vec![created] },
            Change::MatchQuarantined { id, at, why: failure.damage() },
        ];
        if let Err(error) = self.store(changes).await? {
            tracing::error!(%error, %id, "a failed match could not be quarantined");
            return self.give_up(&format!("match {id} failed, and the store rejected its quarantine"));
        }
        // If the match panicked after its end was stored, the store does not quarantine it but still has its outcome.
        let (store, tournament) = (&self.arena.inner.store, self.stored.id);
        let stored = loop {
            match store.match_results(tournament, pairing.number, 1).await {
                Ok(stored) => break stored,
                Err(error) => self.pause_before_retry(error.into()).await?,
            }
        };
        let outcome = stored.into_iter().find(|result| result.id == id);
        ControlFlow::Continue(outcome.and_then(|result| result.outcome))
    }

    /// Waits before the store is read again after a failed read. Returns `Break` if the server stops first, or if the
    /// stored data cannot be used.
    pub(super) async fn pause_before_retry(&self, error: ArenaError) -> ControlFlow<()> {
        match error {
            ArenaError::Store(error) if error.is_transient() => {
                tracing::warn!(%error, tournament = %self.stored.id, "a tournament's results cannot be read yet");
            }
            error => {
                tracing::error!(%error, tournament = %self.stored.id, "a tournament's results cannot be counted");
                return self.give_up(&error.tournament_damage());
            }
        }
        tokio::select! {
            biased;
            () = tokio::time::sleep(RETRY_INTERVAL) => ControlFlow::Continue(()),
            () = self.arena.wait_until_stopped() => ControlFlow::Break(()),
        }
    }

    /// Quarantines the tournament, because this server cannot continue it. The next server will try to continue it from
    /// the store. Always returns `Break`.
    pub(super) fn give_up<T>(&self, why: &str) -> ControlFlow<(), T> {
        tracing::error!(why, tournament = %self.stored.id, "a tournament is quarantined");
        self.handle.quarantine(why);
        ControlFlow::Break(())
    }
}
