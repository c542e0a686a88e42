//! A store that fails or hangs as it is told.

use crate::store::testing::{ScriptedStore, WriteScript};
use crate::store::{Change, StoreError};
use async_trait::async_trait;
use std::sync::Arc;
use tokio::sync::watch;

/// How a store takes a write.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::arena) enum Mood {
    Fine,
    /// Writes nothing and says nothing, until the mood changes.
    Hangs,
    OutOfOrder,
    Taken,
    /// Refuses to note that a tournament runs.
    RefusesStarts,
    /// Refuses to note that the field of a tournament changes while it runs.
    RefusesFieldChanges,
}

pub(in crate::arena) type ShakyStore = ScriptedStore<Moods>;

#[derive(Debug)]
pub(in crate::arena) struct Moods {
    mood: watch::Sender<Mood>,
    /// How many writes have begun.
    begun: watch::Sender<u64>,
    /// How many writes have met a store that hangs, since it does.
    hanging: watch::Sender<usize>,
}

impl ShakyStore {
    pub(in crate::arena) fn new() -> Arc<Self> {
        Self::with_script(Moods {
            mood: watch::Sender::new(Mood::Fine),
            begun: watch::Sender::new(0),
            hanging: watch::Sender::new(0),
        })
    }
}

impl Moods {
    pub(in crate::arena) fn set(&self, mood: Mood) {
        self.hanging.send_replace(0);
        self.mood.send_replace(mood);
    }

    /// Waits until a write has met a store that hangs.
    pub(in crate::arena) async fn somebody_waits(&self) {
        self.hanging.subscribe().wait_for(|&hanging| hanging > 0).await.expect("the sender is held here");
    }

    /// Begins to count writes: the receiver changes with the next one.
    pub(in crate::arena) fn next_write(&self) -> watch::Receiver<u64> {
        self.begun.subscribe()
    }
}

#[async_trait]
impl WriteScript for Moods {
    async fn before_write(&self, changes: &[Change]) -> Result<(), StoreError> {
        self.begun.send_modify(|begun| *begun += 1);
        let mut moods = self.mood.subscribe();
        if *moods.borrow() == Mood::Hangs {
            self.hanging.send_modify(|hanging| *hanging += 1);
        }
        let mood = *moods.wait_for(|&mood| mood != Mood::Hangs).await.expect("the sender is held here");
        let starts = |change: &Change| matches!(change, Change::TournamentState { .. });
        let changes_field = |change: &Change| matches!(change, Change::FieldChanged { .. });
        match mood {
            Mood::OutOfOrder => Err(StoreError::Unavailable("disk full".to_owned())),
            Mood::Taken => Err(StoreError::Taken("a newer one".to_owned())),
            Mood::RefusesStarts if changes.iter().any(starts) => {
                Err(StoreError::Refused("a start".to_owned()))
            }
            Mood::RefusesFieldChanges if changes.iter().any(changes_field) => {
                Err(StoreError::Refused("a change of the field".to_owned()))
            }
            Mood::Fine | Mood::Hangs | Mood::RefusesStarts | Mood::RefusesFieldChanges => Ok(()),
        }
    }
}
