//! A store in memory that says it is durable, and fails or hangs as it is told.

use crate::game::{BotName, MatchId, TournamentId};
use crate::referee::Timestamp;
use crate::store::{
    Change, FieldHistory, MatchFilter, MatchSummary, MemoryStore, Room, Store, StoreError, StoredBot,
    StoredMatch, StoredResult, StoredTournament, UnheardMatches,
};
use crate::tournament::{Checkpoint, Standing, TournamentEnd};
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

#[derive(Debug)]
pub(in crate::arena) struct ShakyStore {
    kept: MemoryStore,
    mood: watch::Sender<Mood>,
    /// How many writes have begun.
    begun: watch::Sender<u64>,
    /// How many writes have met a store that hangs, since it does.
    hanging: watch::Sender<usize>,
}

impl ShakyStore {
    pub(in crate::arena) fn new() -> Arc<Self> {
        Arc::new(Self {
            kept: MemoryStore::new(Room::default()),
            mood: watch::Sender::new(Mood::Fine),
            begun: watch::Sender::new(0),
            hanging: watch::Sender::new(0),
        })
    }

    pub(in crate::arena) fn set(&self, mood: Mood) {
        self.hanging.send_replace(0);
        self.mood.send_replace(mood);
    }

    /// Waits until a write has met a store that hangs.
    pub(in crate::arena) async fn somebody_waits(&self) {
        self.hanging.subscribe().wait_for(|&hanging| hanging > 0).await.expect("the sender is held here");
    }

    /// Writes a change, whatever the mood.
    pub(in crate::arena) async fn keep(&self, change: Change) {
        self.kept.write(&[change]).await.unwrap();
    }

    /// Begins to count writes: the receiver changes with the next one.
    pub(in crate::arena) fn next_write(&self) -> watch::Receiver<u64> {
        self.begun.subscribe()
    }
}

#[async_trait]
impl Store for ShakyStore {
    fn is_durable(&self) -> bool {
        true
    }

    async fn write(&self, changes: &[Change]) -> Result<(), StoreError> {
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
            Mood::Fine | Mood::Hangs | Mood::RefusesStarts | Mood::RefusesFieldChanges => {
                self.kept.write(changes).await
            }
        }
    }

    async fn close(&self) {
        self.kept.close().await;
    }

    async fn bot(&self, name: &BotName) -> Result<Option<StoredBot>, StoreError> {
        self.kept.bot(name).await
    }

    async fn bots(&self, after: Option<&BotName>, most: usize) -> Result<Vec<StoredBot>, StoreError> {
        self.kept.bots(after, most).await
    }

    async fn has_played(&self, name: &BotName) -> Result<bool, StoreError> {
        self.kept.has_played(name).await
    }

    async fn tournament(&self, id: TournamentId) -> Result<Option<StoredTournament>, StoreError> {
        self.kept.tournament(id).await
    }

    async fn tournaments(
        &self,
        before: Option<TournamentId>,
        most: usize,
    ) -> Result<Vec<StoredTournament>, StoreError> {
        self.kept.tournaments(before, most).await
    }

    async fn unfinished_tournaments(&self) -> Result<Vec<StoredTournament>, StoreError> {
        self.kept.unfinished_tournaments().await
    }

    async fn field_history(&self, id: TournamentId) -> Result<FieldHistory, StoreError> {
        self.kept.field_history(id).await
    }

    async fn standings(&self, id: TournamentId) -> Result<Vec<Standing>, StoreError> {
        self.kept.standings(id).await
    }

    async fn checkpoint(&self, id: TournamentId) -> Result<Option<Checkpoint>, StoreError> {
        self.kept.checkpoint(id).await
    }

    async fn results(
        &self,
        id: TournamentId,
        from: u64,
        most: usize,
    ) -> Result<Vec<StoredResult>, StoreError> {
        self.kept.results(id, from, most).await
    }

    async fn unfinished_matches(&self) -> Result<Vec<MatchId>, StoreError> {
        self.kept.unfinished_matches().await
    }

    async fn summaries(
        &self,
        filter: &MatchFilter,
        before: Option<MatchId>,
        most: usize,
    ) -> Result<Vec<MatchSummary>, StoreError> {
        self.kept.summaries(filter, before, most).await
    }

    async fn summary(&self, id: MatchId) -> Result<Option<MatchSummary>, StoreError> {
        self.kept.summary(id).await
    }

    async fn record(&self, id: MatchId) -> Result<Option<StoredMatch>, StoreError> {
        self.kept.record(id).await
    }

    async fn unheard_matches(
        &self,
        bot: &BotName,
        from: MatchId,
        most: usize,
    ) -> Result<UnheardMatches, StoreError> {
        self.kept.unheard_matches(bot, from, most).await
    }

    async fn unheard_tournament_ends(
        &self,
        bot: &BotName,
        since: Timestamp,
        most: usize,
    ) -> Result<Vec<TournamentEnd>, StoreError> {
        self.kept.unheard_tournament_ends(bot, since, most).await
    }
}
