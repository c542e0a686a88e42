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
pub(crate) enum Mood {
    Fine,
    /// Blocks writes until the mood changes.
    Hangs,
    OutOfOrder,
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
    RefusesOneMatchForGood,
}

pub(crate) type ShakyStore = ScriptedStore<Moods>;

#[derive(Debug)]
pub(crate) struct Moods {
    mood: watch::Sender<Mood>,
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
    /// The match of every write that voided one.
    voided: Mutex<Vec<MatchId>>,
}

/// Returns an empty store that works.
pub(crate) fn shaky_store() -> Arc<ShakyStore> {
    ShakyStore::with_script(Moods {
        mood: watch::Sender::new(Mood::Fine),
        begun: watch::Sender::new(0),
        hanging: watch::Sender::new(0),
        holds_last_results: watch::Sender::new(false),
        held: watch::Sender::new(0),
        is_damaged: AtomicBool::new(false),
        refused: OnceLock::new(),
        voided: Mutex::default(),
    })
}

impl Moods {
    pub(crate) fn set(&self, mood: Mood) {
        self.hanging.send_replace(0);
        self.mood.send_replace(mood);
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

    /// Returns the match of every write that voided one.
    pub(crate) fn voided_matches(&self) -> Vec<MatchId> {
        self.voided.lock().unwrap().clone()
    }

    /// Returns the match whose events are rejected, if there is one yet.
    pub(crate) fn refused_match(&self) -> Option<MatchId> {
        self.refused.get().copied()
    }

    /// Returns whether the changes contain an event that must be rejected. The first match with such an event is the
    /// rejected match; events of other matches are accepted.
    fn hold_refused_event(&self, changes: &[Change], is_refused: impl Fn(&Event) -> bool) -> bool {
        changes.iter().any(|change| match change {
            Change::MatchEvents { id, events, .. } => {
                events.iter().any(|timed| is_refused(&timed.event)) && self.refused.get_or_init(|| *id) == id
            }
            _ => false,
        })
    }

    /// Returns a receiver that changes with the next write.
    pub(crate) fn next_write(&self) -> watch::Receiver<u64> {
        self.begun.subscribe()
    }
}

#[async_trait]
impl WriteScript for Moods {
    async fn before_write(&self, changes: &[Change]) -> Result<(), StoreError> {
        self.begun.send_modify(|begun| *begun += 1);
        let voided = changes.iter().filter_map(|change| match change {
            Change::MatchVoided { id, .. } => Some(*id),
            _ => None,
        });
        self.voided.lock().unwrap().extend(voided);
        let mut moods = self.mood.subscribe();
        if *moods.borrow() == Mood::Hangs {
            self.hanging.send_modify(|hanging| *hanging += 1);
        }
        let mood = *moods.wait_for(|&mood| mood != Mood::Hangs).await.expect("the sender is in self");
        let starts = |change: &Change| matches!(change, Change::TournamentState { .. });
        let changes_field = |change: &Change| matches!(change, Change::FieldChanged { .. });
        let quarantines = changes.iter().any(|change| matches!(change, Change::MatchQuarantined { .. }));
        match mood {
            Mood::RefusesOneEnd
                if self.hold_refused_event(changes, |event| matches!(event, Event::Ended { .. })) =>
            {
                Err(StoreError::Refused("an end".to_owned()))
            }
            Mood::RefusesOneMatch | Mood::RefusesOneMatchForGood
                if (mood == Mood::RefusesOneMatchForGood || !quarantines)
                    && self.hold_refused_event(changes, |_| true) =>
            {
                Err(StoreError::Refused("a match".to_owned()))
            }
            Mood::OutOfOrder => Err(StoreError::Unavailable("disk full".to_owned())),
            Mood::Taken => Err(StoreError::Taken("a newer one".to_owned())),
            Mood::RefusesStarts if changes.iter().any(starts) => {
                Err(StoreError::Refused("a start".to_owned()))
            }
            Mood::RefusesFieldChanges if changes.iter().any(changes_field) => {
                Err(StoreError::Refused("a change of the field".to_owned()))
            }
            Mood::Fine
            | Mood::Hangs
            | Mood::RefusesStarts
            | Mood::RefusesFieldChanges
            | Mood::RefusesOneEnd
            | Mood::RefusesOneMatch
            | Mood::RefusesOneMatchForGood => Ok(()),
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
