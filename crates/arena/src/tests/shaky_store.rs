//! A store that fails or hangs on request.

use async_trait::async_trait;
use lastnim_core::game::MatchId;
use lastnim_core::referee::Event;
use lastnim_store::testing::{ScriptedStore, StoreRead, WriteScript};
use lastnim_store::{Change, StoreError};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, OnceLock};
use tokio::sync::watch;

/// How a store handles writes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum StoreBehaviour {
    /// Accepts every write.
    Fine,
    /// Blocks writes until the behaviour changes.
    Hangs,
    /// Fails every write because the database is unavailable.
    OutOfOrder,
    /// Fails every write, because another server has taken the store over.
    Taken,
    /// Fails the write that starts a tournament.
    RefusesStarts,
    /// Rejects changes to a running tournament's field.
    RefusesFieldChanges,
    /// Rejects all events of the first match that begins.
    RefusesOneMatch,
    /// Rejects the end of the first match that ends.
    RefusesOneEnd,
    /// Like `RefusesOneMatch`, but also rejects the quarantine of that match.
    RefusesOneMatchPermanently,
}

pub(crate) type ShakyStore = ScriptedStore<StoreScript>;

/// Decides which writes and reads of the store fail or hang.
#[derive(Debug)]
pub(crate) struct StoreScript {
    behaviour: watch::Sender<StoreBehaviour>,
    /// The number of writes begun.
    begun: watch::Sender<u64>,
    /// The number of writes that are blocked.
    hanging: watch::Sender<usize>,
    /// Whether the last page of results is held back.
    holds_last_results: watch::Sender<bool>,
    /// The number of reads that have been held back.
    held: watch::Sender<usize>,
    /// Whether reading standings and events of tournaments fails.
    is_damaged: AtomicBool,
    /// The match whose events are rejected.
    refused: OnceLock<MatchId>,
    /// The voided matches, with one entry for each write that voided a match.
    voided: Mutex<Vec<MatchId>>,
}

/// Returns an empty store that works.
pub(crate) fn shaky_store() -> Arc<ShakyStore> {
    ShakyStore::with_script(StoreScript {
        behaviour: watch::Sender::new(StoreBehaviour::Fine),
        begun: watch::Sender::new(0),
        hanging: watch::Sender::new(0),
        holds_last_results: watch::Sender::new(false),
        held: watch::Sender::new(0),
        is_damaged: AtomicBool::new(false),
        refused: OnceLock::new(),
        voided: Mutex::default(),
    })
}

impl StoreScript {
    pub(crate) fn set(&self, behaviour: StoreBehaviour) {
        self.hanging.send_replace(0);
        self.behaviour.send_replace(behaviour);
    }

    /// Waits until a write is blocked.
    pub(crate) async fn wait_for_blocked_write(&self) {
        self.hanging.subscribe().wait_for(|&hanging| hanging > 0).await.expect("the sender is in self");
    }

    /// Holds back the last page of results.
    pub(crate) fn hold_last_results(&self) {
        self.holds_last_results.send_replace(true);
    }

    /// Waits until a reader is waiting for the last page of results.
    pub(crate) async fn wait_for_held_read(&self) {
        self.held.subscribe().wait_for(|&held| held > 0).await.expect("the sender is in self");
    }

    pub(crate) fn release_results(&self) {
        self.holds_last_results.send_replace(false);
    }

    /// Makes reading standings and events of tournaments fail.
    pub(crate) fn damage_tournaments(&self) {
        self.is_damaged.store(true, Ordering::Relaxed);
    }

    /// Returns the voided matches, with one entry for each write that voided a match.
    pub(crate) fn voided_matches(&self) -> Vec<MatchId> {
        self.voided.lock().unwrap().clone()
    }

    /// Returns the match whose events are rejected, if there is one yet.
    pub(crate) fn refused_match(&self) -> Option<MatchId> {
        self.refused.get().copied()
    }

    /// Returns whether the changes contain an event that must be rejected. The first match with such an event is the
    /// rejected match; events of other matches are accepted.
    fn has_refused_event(&self, changes: &[Change], is_refused: impl Fn(&Event) -> bool) -> bool {
        changes.iter().any(|change| match change {
            Change::MatchEvents { id, events, .. } => {
                events.iter().any(|timed| is_refused(&timed.event)) && self.refused.get_or_init(|| *id) == id
            }
            _ => false,
        })
    }

    /// Returns a receiver that is notified when the next write begins.
    pub(crate) fn next_write(&self) -> watch::Receiver<u64> {
        self.begun.subscribe()
    }
}

#[async_trait]
impl WriteScript for StoreScript {
    async fn before_write(&self, changes: &[Change]) -> Result<(), StoreError> {
        self.begun.send_modify(|begun| *begun += 1);
        let voided = changes.iter().filter_map(|change| match change {
            Change::MatchVoided { id, .. } => Some(*id),
            _ => None,
        });
        self.voided.lock().unwrap().extend(voided);
        let mut behaviours = self.behaviour.subscribe();
        if *behaviours.borrow() == StoreBehaviour::Hangs {
            self.hanging.send_modify(|hanging| *hanging += 1);
        }
        let behaviour = *behaviours
            .wait_for(|&behaviour| behaviour != StoreBehaviour::Hangs)
            .await
            .expect("the sender is in self");
        let starts = |change: &Change| matches!(change, Change::TournamentState { .. });
        let changes_field = |change: &Change| matches!(change, Change::FieldChanged { .. });
        let quarantines = changes.iter().any(|change| matches!(change, Change::MatchQuarantined { .. }));
        match behaviour {
            StoreBehaviour::RefusesOneEnd
                if self.has_refused_event(changes, |event| matches!(event, Event::Ended { .. })) =>
            {
                Err(StoreError::Refused("an end".to_owned()))
            }
            StoreBehaviour::RefusesOneMatch | StoreBehaviour::RefusesOneMatchPermanently
                if (behaviour == StoreBehaviour::RefusesOneMatchPermanently || !quarantines)
                    && self.has_refused_event(changes, |_| true) =>
            {
                Err(StoreError::Refused("a match".to_owned()))
            }
            StoreBehaviour::OutOfOrder => Err(StoreError::Unavailable("disk full".to_owned())),
            StoreBehaviour::Taken => Err(StoreError::Taken("a newer one".to_owned())),
            StoreBehaviour::RefusesStarts if changes.iter().any(starts) => {
                Err(StoreError::Refused("a start".to_owned()))
            }
            StoreBehaviour::RefusesFieldChanges if changes.iter().any(changes_field) => {
                Err(StoreError::Refused("a change of the field".to_owned()))
            }
            StoreBehaviour::Fine
            | StoreBehaviour::Hangs
            | StoreBehaviour::RefusesStarts
            | StoreBehaviour::RefusesFieldChanges
            | StoreBehaviour::RefusesOneEnd
            | StoreBehaviour::RefusesOneMatch
            | StoreBehaviour::RefusesOneMatchPermanently => Ok(()),
        }
    }

    async fn after_read(&self, read: StoreRead<'_>) -> Result<(), StoreError> {
        match read {
            StoreRead::Results(page) => {
                let mut holds = self.holds_last_results.subscribe();
                if page.is_empty() && *holds.borrow() {
                    self.held.send_modify(|held| *held += 1);
                    holds.wait_for(|&holds| !holds).await.expect("the sender is in self");
                }
                Ok(())
            }
            StoreRead::Standings | StoreRead::TournamentEvents if self.is_damaged.load(Ordering::Relaxed) => {
                Err(StoreError::Damaged { what: format!("{read:?}"), why: "by the test".to_owned() })
            }
            StoreRead::Standings | StoreRead::TournamentEvents => Ok(()),
        }
    }
}
