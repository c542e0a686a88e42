//! A store whose writes wait until they are let through.

use crate::game::{BotName, MatchId, TournamentId};
use crate::store::{
    Change, MatchFilter, MatchSummary, MemoryStore, Room, Store, StoreError, StoredBot, StoredMatch,
    StoredResult, StoredTournament,
};
use crate::tournament::Standing;
use async_trait::async_trait;
use std::sync::Arc;
use tokio::sync::watch;

/// A store in memory that says it is durable, and has a gate before its writes.
#[derive(Debug)]
pub(in crate::arena) struct GatedStore {
    kept: MemoryStore,
    is_open: watch::Sender<bool>,
    /// How many writes have come to the gate.
    came: watch::Sender<usize>,
}

impl GatedStore {
    /// Makes one whose gate is open.
    pub(in crate::arena) fn new() -> Arc<Self> {
        let (is_open, came) = (watch::Sender::new(true), watch::Sender::new(0));
        Arc::new(Self { kept: MemoryStore::new(Room::default()), is_open, came })
    }

    /// Lets no further write through.
    pub(in crate::arena) fn shut(&self) {
        self.is_open.send_replace(false);
        self.came.send_replace(0);
    }

    /// Waits until a write stands before the gate that was shut.
    pub(in crate::arena) async fn somebody_waits(&self) {
        self.came.subscribe().wait_for(|&came| came > 0).await.unwrap();
    }

    /// Lets writes through again.
    pub(in crate::arena) fn open(&self) {
        self.is_open.send_replace(true);
    }
}

#[async_trait]
impl Store for GatedStore {
    fn is_durable(&self) -> bool {
        true
    }

    async fn write(&self, changes: &[Change]) -> Result<(), StoreError> {
        self.came.send_modify(|came| *came += 1);
        self.is_open.subscribe().wait_for(|&is_open| is_open).await.unwrap();
        self.kept.write(changes).await
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

    async fn standings(&self, id: TournamentId) -> Result<Vec<Standing>, StoreError> {
        self.kept.standings(id).await
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

    async fn record(&self, id: MatchId) -> Result<Option<StoredMatch>, StoreError> {
        self.kept.record(id).await
    }
}
