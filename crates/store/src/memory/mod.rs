//! A store that keeps everything in memory.

mod clock;
mod match_index;
mod tables;

use self::tables::{MemoryTables, MemoryTournament};
use super::memory_match::MemoryMatch;
use super::{
    Change, FieldHistory, HeadsPage, LaterTimes, LostSeat, MAX_COUNTED_ENDS, MatchFilter, MatchHead,
    MatchSummary, NewestIds, PruneFilter, PrunePage, QuestionPlace, SeenVersion, Store, StoreError,
    StoredBot, StoredClock, StoredMatch, StoredRequest, StoredResult, StoredTournament, StoredTranscript,
    TranscriptHead, UnacknowledgedMatches,
};
use async_trait::async_trait;
use lastnim_core::game::{BotName, MatchId, TournamentId};
use lastnim_core::referee::Timestamp;
use lastnim_proto::tournament_event::TimedTournamentEvent;
use lastnim_tournament::{Checkpoint, Standing, TournamentEnd};
use std::ops::Bound;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// A store that keeps its data in memory, within [`RetentionLimits`].
#[derive(Debug)]
pub struct MemoryStore {
    tables: Mutex<MemoryTables>,
    limits: RetentionLimits,
}

/// The limits on the finished matches and tournaments that stay in memory. The oldest are dropped first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RetentionLimits {
    /// The maximum number of finished matches.
    pub matches: usize,
    /// The maximum number of events in all these matches together. An event takes about 150 bytes, and published
    /// transcripts count as one event for every 150 bytes.
    pub events: usize,
    /// The maximum number of finished tournaments.
    pub tournaments: usize,
}

impl Default for RetentionLimits {
    fn default() -> Self {
        Self { matches: 100_000, events: 10_000_000, tournaments: 1_000 }
    }
}

impl MemoryStore {
    /// Creates an empty store.
    pub fn new(limits: RetentionLimits) -> Self {
        Self { tables: Mutex::new(MemoryTables::default()), limits }
    }

    fn lock(&self) -> MutexGuard<'_, MemoryTables> {
        self.tables.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[async_trait]
impl Store for MemoryStore {
    fn is_durable(&self) -> bool {
        false
    }

    async fn write(&self, changes: &[Change]) -> Result<(), StoreError> {
        let mut tables = self.lock();
        for change in changes {
            tables.apply(change)?;
        }
        let forgotten = tables.evict_beyond(self.limits);
        // Freeing a long match takes many deallocations, so it happens outside the lock.
        drop(tables);
        drop(forgotten);
        Ok(())
    }

    async fn close(&self) {}

    async fn clock(&self) -> Result<StoredClock, StoreError> {
        Ok(self.lock().clock.clone())
    }

    async fn newest_ids(&self) -> Result<NewestIds, StoreError> {
        let tables = self.lock();
        let match_id = tables.matches.last_key_value().map(|(&id, _)| id);
        let tournament = tables.tournaments.last_key_value().map(|(&id, _)| id);
        Ok(NewestIds { match_id, tournament })
    }

    async fn later_times(&self, at: Timestamp) -> Result<LaterTimes, StoreError> {
        Ok(self.lock().later_times(at))
    }

    async fn requests(&self) -> Result<Vec<StoredRequest>, StoreError> {
        Ok(self.lock().requests.iter().cloned().collect())
    }

    async fn bot(&self, name: &BotName) -> Result<Option<StoredBot>, StoreError> {
        Ok(self.lock().bots.get(name).cloned())
    }

    async fn bots(&self, after: Option<&BotName>, limit: usize) -> Result<Vec<StoredBot>, StoreError> {
        let from = after.map_or(Bound::Unbounded, Bound::Excluded);
        let tables = self.lock();
        Ok(tables.bots.range((from, Bound::Unbounded)).take(limit).map(|(_, bot)| bot.clone()).collect())
    }

    async fn bot_versions(&self, name: &BotName) -> Result<Vec<SeenVersion>, StoreError> {
        Ok(self.lock().versions.get(name).cloned().unwrap_or_default())
    }

    async fn lost_seats(
        &self,
        bot: &BotName,
        tournament: Option<TournamentId>,
        before: Option<MatchId>,
        limit: usize,
    ) -> Result<Vec<LostSeat>, StoreError> {
        let to = before.map_or(Bound::Unbounded, Bound::Excluded);
        let tables = self.lock();
        let Some(lost) = tables.lost.get(bot) else { return Ok(Vec::new()) };
        let lost_seat = |id: &MatchId| tables.matches.get(id)?.lost_seat(*id, bot);
        let newest_first = lost.range((Bound::Unbounded, to)).rev().filter_map(lost_seat);
        let wanted = newest_first.filter(|lost| tournament.is_none() || lost.tournament == tournament);
        Ok(wanted.take(limit).collect())
    }

    async fn has_played(&self, name: &BotName) -> Result<bool, StoreError> {
        let tables = self.lock();
        let has_seat = |found: &MemoryMatch| found.setup().bots.iter().any(|bot| bot == name);
        let has_line = |line: &Standing| line.bot == *name && line.matches > 0;
        Ok(tables.matches.values().any(has_seat)
            || tables.tournaments.values().any(|found| found.standings.iter().any(has_line)))
    }

    async fn tournament(&self, id: TournamentId) -> Result<Option<StoredTournament>, StoreError> {
        Ok(self.lock().tournaments.get(&id).map(|found| found.stored.clone()))
    }

    async fn tournaments(
        &self,
        before: Option<TournamentId>,
        limit: usize,
    ) -> Result<Vec<StoredTournament>, StoreError> {
        let to = before.map_or(Bound::Unbounded, Bound::Excluded);
        let tables = self.lock();
        let newest_first = tables.tournaments.range((Bound::Unbounded, to)).rev();
        Ok(newest_first.take(limit).map(|(_, found)| found.stored.clone()).collect())
    }

    async fn unfinished_tournaments(&self) -> Result<Vec<StoredTournament>, StoreError> {
        let tables = self.lock();
        let unfinished = tables.tournaments.values().filter(|found| found.stored.over.is_none());
        Ok(unfinished.map(|found| found.stored.clone()).collect())
    }

    async fn field_history(&self, id: TournamentId) -> Result<FieldHistory, StoreError> {
        let tables = self.lock();
        let history = |found: &MemoryTournament| FieldHistory {
            start: found.start.to_vec(),
            changes: found.changes.clone(),
        };
        Ok(tables.tournaments.get(&id).map(history).unwrap_or_default())
    }

    async fn tournament_events(&self, id: TournamentId) -> Result<Vec<TimedTournamentEvent>, StoreError> {
        Ok(self.lock().tournaments.get(&id).map(|found| found.events.clone()).unwrap_or_default())
    }

    async fn standings(&self, id: TournamentId) -> Result<Vec<Standing>, StoreError> {
        Ok(self.lock().tournaments.get(&id).map(|found| found.standings.to_vec()).unwrap_or_default())
    }

    async fn checkpoint(&self, id: TournamentId) -> Result<Option<Checkpoint>, StoreError> {
        let tables = self.lock();
        Ok(tables.tournaments.get(&id).and_then(|found| found.checkpoint.as_deref().cloned()))
    }

    async fn match_results(
        &self,
        id: TournamentId,
        from: u64,
        limit: usize,
    ) -> Result<Vec<StoredResult>, StoreError> {
        let tables = self.lock();
        let range = tables.pairings.range((id, from)..=(id, u64::MAX)).take(limit);
        let result = |(&(_, number), id): (&(_, u64), &MatchId)| {
            let found = tables.matches.get(id)?;
            let setup = found.setup();
            let (group, bots) = (setup.origin.as_ref()?.group, setup.bots.clone());
            let outcome = match &found.over {
                Some(over) => over.outcome.clone(),
                None if found.is_quarantined() => None,
                None => return None,
            };
            Some(StoredResult { number, group, id: *id, bots, outcome })
        };
        Ok(range.filter_map(result).collect())
    }

    async fn unvoided_matches(&self, ids: &[MatchId]) -> Result<Vec<MatchId>, StoreError> {
        let tables = self.lock();
        let is_unvoided = |id: &MatchId| tables.matches.get(id).is_some_and(|found| !found.is_voided());
        Ok(ids.iter().copied().filter(is_unvoided).collect())
    }

    async fn unfinished_matches(&self) -> Result<Vec<MatchId>, StoreError> {
        let tables = self.lock();
        Ok(tables.matches.iter().filter(|(_, found)| !found.is_over()).map(|(&id, _)| id).collect())
    }

    async fn match_summaries(
        &self,
        filter: &MatchFilter,
        before: Option<MatchId>,
        limit: usize,
    ) -> Result<Vec<MatchSummary>, StoreError> {
        let to = before.map_or(Bound::Unbounded, Bound::Excluded);
        let tables = self.lock();
        let newest_first = tables.index.candidates(filter, (Bound::Unbounded, to)).rev();
        let found = newest_first.filter_map(|id| Some((*id, tables.matches.get(id)?)));
        let admitted = found.filter(|(_, found)| {
            filter.admits_setup(found.setup()) && filter.admits_end(found.listed_state(), found.end_reason())
        });
        Ok(admitted.take(limit).map(|(id, found)| found.summary(id)).collect())
    }

    async fn match_summary(&self, id: MatchId) -> Result<Option<MatchSummary>, StoreError> {
        let tables = self.lock();
        Ok(tables.matches.get(&id).filter(|found| found.is_over()).map(|found| found.summary(id)))
    }

    async fn match_record(&self, id: MatchId) -> Result<Option<StoredMatch>, StoreError> {
        self.lock().matches.get(&id).map(|found| found.to_stored(id)).transpose()
    }

    async fn match_heads(&self, page: &HeadsPage) -> Result<Vec<MatchHead>, StoreError> {
        let &HeadsPage { tournament, after, before, limit } = page;
        let tables = self.lock();
        if tables.tournaments.get(&tournament).is_some_and(|found| found.has_forgotten) {
            return Err(StoreError::Forgotten(tournament));
        }
        let from = after.map_or(Bound::Unbounded, Bound::Excluded);
        if after.is_some_and(|after| after >= before) {
            return Ok(Vec::new());
        }
        let filter = MatchFilter::of(Some(tournament), None);
        let ids = tables.index.candidates(&filter, (from, Bound::Excluded(before)));
        let heads = ids.filter_map(|&id| tables.matches.get(&id)?.head(id).transpose());
        heads.take(limit).collect()
    }

    async fn transcripts(&self, id: MatchId) -> Result<Vec<TranscriptHead>, StoreError> {
        let tables = self.lock();
        let published = tables.matches.get(&id).into_iter().flat_map(MemoryMatch::transcripts);
        let head = |stored: &StoredTranscript| TranscriptHead {
            place: stored.place,
            published_at: stored.published_at,
            bytes: stored.lines.len() as u64,
        };
        Ok(published.map(head).collect())
    }

    async fn other_transcript_bytes(&self, id: MatchId, place: QuestionPlace) -> Result<u64, StoreError> {
        self.lock().matches.get(&id).map_or(Ok(0), |found| found.other_transcript_bytes(id, place))
    }

    async fn transcript(
        &self,
        id: MatchId,
        place: QuestionPlace,
    ) -> Result<Option<StoredTranscript>, StoreError> {
        let tables = self.lock();
        let mut published = tables.matches.get(&id).into_iter().flat_map(MemoryMatch::transcripts);
        Ok(published.find(|stored| stored.place == place).cloned())
    }

    async fn prunable_matches(&self, page: &PrunePage) -> Result<Vec<MatchId>, StoreError> {
        let &PrunePage { filter: PruneFilter { tournament, over_before, keep_newest }, after, limit } = page;
        let tables = self.lock();
        let over = tables.index.candidates(&MatchFilter::of(tournament, None), ..);
        let prunable = |id: &&MatchId| tables.matches.get(id).is_some_and(MemoryMatch::is_prunable);
        let newest = usize::try_from(keep_newest).unwrap_or(usize::MAX);
        let mut found: Vec<MatchId> = over.rev().filter(prunable).skip(newest).copied().collect();
        found.reverse();
        found.retain(|id| {
            let ended_at = tables.matches.get(id).and_then(MemoryMatch::last_event_at);
            Some(*id) > after && ended_at.is_some_and(|at| at < over_before)
        });
        found.truncate(limit);
        Ok(found)
    }

    async fn unacknowledged_matches(
        &self,
        bot: &BotName,
        from: MatchId,
        limit: usize,
    ) -> Result<UnacknowledgedMatches, StoreError> {
        let tables = self.lock();
        let after = match tables.acknowledged_through.get(bot) {
            Some(&acknowledged_through) if acknowledged_through >= from => {
                Bound::Excluded(acknowledged_through)
            }
            _ => Bound::Included(from),
        };
        let filter = MatchFilter::of(None, Some(bot.clone()));
        let mut newest_first = tables.index.candidates(&filter, (after, Bound::Unbounded)).rev().copied();
        let newest = newest_first.by_ref().take(limit).collect();
        Ok(UnacknowledgedMatches { newest, more: newest_first.take(MAX_COUNTED_ENDS).count() as u64 })
    }

    async fn unacknowledged_tournament_ends(
        &self,
        bot: &BotName,
        since: Timestamp,
        limit: usize,
    ) -> Result<Vec<TournamentEnd>, StoreError> {
        let tables = self.lock();
        let every = TournamentId::least()..=TournamentId::greatest();
        let ids =
            tables.unacknowledged_ends.range((bot.clone(), *every.start())..=(bot.clone(), *every.end()));
        let end = |&(_, id): &(BotName, TournamentId)| {
            let found = tables.tournaments.get(&id)?;
            found.stored.over.as_ref().filter(|over| over.at >= since)?;
            let standing = found.standings.iter().find(|line| line.bot == *bot)?.clone();
            let (title, state) = (found.stored.settings.title.to_string(), found.stored.state);
            Some(TournamentEnd { id, title, state, standing, bots: found.standings.len() as u64 })
        };
        let mut ends: Vec<_> = ids.rev().filter_map(end).take(limit).collect();
        ends.reverse();
        Ok(ends)
    }
}

#[cfg(test)]
mod tests;
