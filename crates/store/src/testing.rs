//! A store in memory for tests. It claims to be durable, and a script can make it fail.

use super::{
    Change, FieldHistory, HeadsPage, LaterTimes, LostSeat, MatchFilter, MatchHead, MatchSummary, MemoryStore,
    NewestIds, PrunePage, QuestionPlace, RetentionLimits, SeenVersion, Store, StoreError, StoredBot,
    StoredClock, StoredMatch, StoredRequest, StoredResult, StoredTournament, StoredTranscript,
    TranscriptHead, UnacknowledgedMatches,
};
use async_trait::async_trait;
use lastnim_core::game::{BotName, MatchId, TournamentId};
use lastnim_core::referee::Timestamp;
use lastnim_proto::tournament_event::TimedTournamentEvent;
use lastnim_tournament::{Checkpoint, Standing, TournamentEnd};
use std::fmt;
use std::ops::Deref;
use std::sync::Arc;

/// A script that is called before writes and after reads.
#[async_trait]
pub trait WriteScript: fmt::Debug + Send + Sync {
    /// Allows the write, or makes it fail with the returned error.
    async fn before_write(&self, changes: &[Change]) -> Result<(), StoreError>;

    /// Lets the read return its data, or makes it fail with the returned error.
    async fn after_read(&self, _read: StoreRead<'_>) -> Result<(), StoreError> {
        Ok(())
    }
}

/// A read for which the script is called, with the data that was read if scripts need it.
#[derive(Debug, Clone, Copy)]
pub enum StoreRead<'a> {
    /// The standings of a finished tournament.
    Standings,
    /// The organisers' interventions.
    TournamentEvents,
    /// A page of results.
    Results(&'a [StoredResult]),
}

/// A store in memory whose writes and reads can be made to fail by a script.
#[derive(Debug)]
pub struct ScriptedStore<S> {
    inner: MemoryStore,
    script: S,
}

impl<S: WriteScript> ScriptedStore<S> {
    /// Creates an empty store.
    pub fn with_script(script: S) -> Arc<Self> {
        Arc::new(Self { inner: MemoryStore::new(RetentionLimits::default()), script })
    }

    /// Writes a change without calling the script.
    pub async fn keep(&self, change: Change) {
        self.inner.write(&[change]).await.unwrap();
    }
}

impl<S> Deref for ScriptedStore<S> {
    type Target = S;

    fn deref(&self) -> &S {
        &self.script
    }
}

#[async_trait]
impl<S: WriteScript> Store for ScriptedStore<S> {
    fn is_durable(&self) -> bool {
        true
    }

    async fn write(&self, changes: &[Change]) -> Result<(), StoreError> {
        self.script.before_write(changes).await?;
        self.inner.write(changes).await
    }

    async fn close(&self) {
        self.inner.close().await;
    }

    async fn clock(&self) -> Result<StoredClock, StoreError> {
        self.inner.clock().await
    }

    async fn newest_ids(&self) -> Result<NewestIds, StoreError> {
        self.inner.newest_ids().await
    }

    async fn later_times(&self, at: Timestamp) -> Result<LaterTimes, StoreError> {
        self.inner.later_times(at).await
    }

    async fn match_heads(&self, page: &HeadsPage) -> Result<Vec<MatchHead>, StoreError> {
        self.inner.match_heads(page).await
    }

    async fn transcripts(&self, id: MatchId) -> Result<Vec<TranscriptHead>, StoreError> {
        self.inner.transcripts(id).await
    }

    async fn other_transcript_bytes(&self, id: MatchId, place: QuestionPlace) -> Result<u64, StoreError> {
        self.inner.other_transcript_bytes(id, place).await
    }

    async fn transcript(
        &self,
        id: MatchId,
        place: QuestionPlace,
    ) -> Result<Option<StoredTranscript>, StoreError> {
        self.inner.transcript(id, place).await
    }

    async fn prunable_matches(&self, page: &PrunePage) -> Result<Vec<MatchId>, StoreError> {
        self.inner.prunable_matches(page).await
    }

    async fn requests(&self) -> Result<Vec<StoredRequest>, StoreError> {
        self.inner.requests().await
    }

    async fn bot(&self, name: &BotName) -> Result<Option<StoredBot>, StoreError> {
        self.inner.bot(name).await
    }

    async fn bots(&self, after: Option<&BotName>, limit: usize) -> Result<Vec<StoredBot>, StoreError> {
        self.inner.bots(after, limit).await
    }

    async fn bot_versions(&self, name: &BotName) -> Result<Vec<SeenVersion>, StoreError> {
        self.inner.bot_versions(name).await
    }

    async fn lost_seats(
        &self,
        bot: &BotName,
        tournament: Option<TournamentId>,
        before: Option<MatchId>,
        limit: usize,
    ) -> Result<Vec<LostSeat>, StoreError> {
        self.inner.lost_seats(bot, tournament, before, limit).await
    }

    async fn has_played(&self, name: &BotName) -> Result<bool, StoreError> {
        self.inner.has_played(name).await
    }

    async fn tournament(&self, id: TournamentId) -> Result<Option<StoredTournament>, StoreError> {
        self.inner.tournament(id).await
    }

    async fn tournaments(
        &self,
        before: Option<TournamentId>,
        limit: usize,
    ) -> Result<Vec<StoredTournament>, StoreError> {
        self.inner.tournaments(before, limit).await
    }

    async fn unfinished_tournaments(&self) -> Result<Vec<StoredTournament>, StoreError> {
        self.inner.unfinished_tournaments().await
    }

    async fn field_history(&self, id: TournamentId) -> Result<FieldHistory, StoreError> {
        self.inner.field_history(id).await
    }

    async fn tournament_events(&self, id: TournamentId) -> Result<Vec<TimedTournamentEvent>, StoreError> {
        let events = self.inner.tournament_events(id).await?;
        self.script.after_read(StoreRead::TournamentEvents).await?;
        Ok(events)
    }

    async fn standings(&self, id: TournamentId) -> Result<Vec<Standing>, StoreError> {
        let standings = self.inner.standings(id).await?;
        self.script.after_read(StoreRead::Standings).await?;
        Ok(standings)
    }

    async fn checkpoint(&self, id: TournamentId) -> Result<Option<Checkpoint>, StoreError> {
        self.inner.checkpoint(id).await
    }

    async fn match_results(
        &self,
        id: TournamentId,
        from: u64,
        limit: usize,
    ) -> Result<Vec<StoredResult>, StoreError> {
        let page = self.inner.match_results(id, from, limit).await?;
        self.script.after_read(StoreRead::Results(&page)).await?;
        Ok(page)
    }

    async fn unvoided_matches(&self, ids: &[MatchId]) -> Result<Vec<MatchId>, StoreError> {
        self.inner.unvoided_matches(ids).await
    }

    async fn unfinished_matches(&self) -> Result<Vec<MatchId>, StoreError> {
        self.inner.unfinished_matches().await
    }

    async fn match_summaries(
        &self,
        filter: &MatchFilter,
        before: Option<MatchId>,
        limit: usize,
    ) -> Result<Vec<MatchSummary>, StoreError> {
        self.inner.match_summaries(filter, before, limit).await
    }

    async fn match_summary(&self, id: MatchId) -> Result<Option<MatchSummary>, StoreError> {
        self.inner.match_summary(id).await
    }

    async fn match_record(&self, id: MatchId) -> Result<Option<StoredMatch>, StoreError> {
        self.inner.match_record(id).await
    }

    async fn unacknowledged_matches(
        &self,
        bot: &BotName,
        from: MatchId,
        limit: usize,
    ) -> Result<UnacknowledgedMatches, StoreError> {
        self.inner.unacknowledged_matches(bot, from, limit).await
    }

    async fn unacknowledged_tournament_ends(
        &self,
        bot: &BotName,
        since: Timestamp,
        limit: usize,
    ) -> Result<Vec<TournamentEnd>, StoreError> {
        self.inner.unacknowledged_tournament_ends(bot, since, limit).await
    }
}
