//! The store in memory.

mod match_index;

use self::match_index::MatchIndex;
use super::memory_match::MemoryMatch;
use super::{
    ChainedEvent, Change, FieldHistory, FinishedTournament, HeadsPage, LostSeat, MAX_COUNTED_ENDS,
    MAX_SEEN_VERSIONS, MatchFilter, MatchHead, MatchSummary, PruneFilter, PrunePage, SeenVersion, Store,
    StoreError, StoredBot, StoredMatch, StoredResult, StoredTournament, UnheardMatches,
};
use crate::game::{BotName, BotVersion, MatchId, TournamentId};
use crate::referee::{Event, MatchSetup, Timestamp};
use crate::tournament::{Checkpoint, FieldChange, Standing, TournamentEnd, TournamentState};
use crate::wire::tournament_event::TimedTournamentEvent;
use async_trait::async_trait;
use std::collections::{BTreeMap, BTreeSet, HashMap, VecDeque};
use std::ops::Bound;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Keeps in memory what must last while the server runs, within its room.
#[derive(Debug)]
pub struct MemoryStore {
    kept: Mutex<MemoryTables>,
    room: RetentionLimits,
}

/// How much of what is over is kept in memory; what ended first goes first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RetentionLimits {
    /// Matches that are over.
    pub matches: usize,
    /// Events of these matches together. An event takes some 150 bytes.
    pub events: usize,
    /// Tournaments that are over.
    pub tournaments: usize,
}

impl Default for RetentionLimits {
    fn default() -> Self {
        Self { matches: 100_000, events: 10_000_000, tournaments: 1_000 }
    }
}

#[derive(Debug)]
struct MemoryTournament {
    stored: StoredTournament,
    /// The field of the start.
    start: Arc<Vec<BotName>>,
    /// What changed while it ran.
    changes: Vec<FieldChange>,
    events: Vec<TimedTournamentEvent>,
    standings: Arc<Vec<Standing>>,
    checkpoint: Option<Arc<Checkpoint>>,
    /// Whether nothing is kept any more of some of its matches.
    has_forgotten: bool,
}

#[derive(Debug, Default)]
struct MemoryTables {
    bots: BTreeMap<BotName, StoredBot>,
    /// The versions of each bot, the one that was seen last first.
    versions: HashMap<BotName, Vec<SeenVersion>>,
    tournaments: BTreeMap<TournamentId, MemoryTournament>,
    /// Tournaments that are over, the one that ended first at the front.
    ended_tournaments: VecDeque<TournamentId>,
    matches: BTreeMap<MatchId, MemoryMatch>,
    /// The matches that are over, by what filters ask for.
    index: MatchIndex,
    /// By tournament and number: the matches that are over.
    pairings: BTreeMap<(TournamentId, u64), MatchId>,
    /// Matches that are over, the one that ended first at the front.
    ended: VecDeque<MatchId>,
    /// The events of these.
    ended_events: usize,
    /// The matches that are over and in which each bot lost its seat.
    lost: HashMap<BotName, BTreeSet<MatchId>>,
    /// Up to which match each bot has heard of all ends.
    heard: HashMap<BotName, MatchId>,
    /// Ends of tournaments of which bots have not heard.
    unheard: BTreeSet<(BotName, TournamentId)>,
}

/// What is thrown away, to be freed when nobody waits for it.
type EvictedRows = (Vec<MemoryMatch>, Vec<MemoryTournament>);

impl MemoryTables {
    fn apply(&mut self, change: &Change) -> Result<(), StoreError> {
        match change {
            Change::Bot(bot) => {
                self.bots.insert(bot.name.clone(), bot.clone());
            }
            Change::BotRemoved { name } => self.remove_bot(name),
            Change::VersionSeen { bot, version, at } => self.add_seen_version(bot, version, *at),
            Change::SeatVersions { id, versions } => {
                let found = self.matches.get_mut(id).ok_or_else(|| missing_row_error("match", id))?;
                found.versions.clone_from(versions);
            }
            Change::TournamentCreated(stored) => {
                let fresh = MemoryTournament {
                    stored: stored.clone(),
                    start: Arc::clone(&stored.field),
                    changes: Vec::new(),
                    events: Vec::new(),
                    standings: Arc::default(),
                    checkpoint: None,
                    has_forgotten: false,
                };
                self.tournaments.entry(stored.id).or_insert(fresh);
            }
            Change::TournamentJoined { id, place, bot } => {
                let found = self.tournament_mut(*id)?;
                let field = Arc::make_mut(&mut found.stored.field);
                if field.len() <= *place && !field.contains(bot) {
                    field.push(bot.clone());
                }
                found.start = Arc::clone(&found.stored.field);
            }
            Change::TournamentLeft { id, field } => {
                let found = self.tournament_mut(*id)?;
                (found.stored.field, found.start) = (Arc::clone(field), Arc::clone(field));
            }
            Change::FieldChanged { id, seq, change } => {
                let found = self.tournament_mut(*id)?;
                if found.changes.len() <= *seq {
                    change.movement.apply_to_field(&change.bot, Arc::make_mut(&mut found.stored.field));
                    found.changes.push(change.clone());
                }
            }
            Change::TournamentEvent { id, seq, event } => {
                let found = self.tournament_mut(*id)?;
                if found.events.len() <= *seq {
                    found.events.push(event.clone());
                }
            }
            Change::MatchVoided { id, reason } => self.void(*id, reason.as_str()),
            Change::TournamentState { id, state } => self.tournament_mut(*id)?.stored.state = *state,
            Change::Checkpoint { id, checkpoint } => {
                let running = self.tournaments.get_mut(id).filter(|found| found.stored.over.is_none());
                if let Some(found) = running {
                    found.checkpoint = Some(Arc::clone(checkpoint));
                }
            }
            Change::TournamentOver { id, state, over, standings } => {
                self.end_tournament(*id, *state, over, standings)?;
            }
            Change::EndsHeard { bot, through } => {
                let heard = self.heard.entry(bot.clone()).or_insert(*through);
                *heard = (*heard).max(*through);
            }
            Change::TournamentEndHeard { bot, id } => {
                self.unheard.remove(&(bot.clone(), *id));
            }
            Change::MatchEvents { id, first, events } => self.append_events(*id, *first, events)?,
            Change::MatchOver(over) => {
                let id = over.id;
                let found = self.matches.get_mut(&id).ok_or_else(|| missing_row_error("match", id))?;
                found.over = Some(over.as_ref().clone());
                let setup = Arc::clone(found.setup());
                let results = over.outcome.iter().flat_map(|outcome| outcome.seats.enumerate());
                for (seat, _) in results.filter(|(_, result)| result.lost.is_some()) {
                    self.lost.entry(setup.bots[seat].clone()).or_default().insert(id);
                }
                if let Some(origin) = &setup.origin {
                    self.pairings.insert((origin.tournament, origin.number), id);
                }
            }
            Change::RecordsPruned { ids, at: _ } => {
                for id in ids {
                    self.ended_events -= self.matches.get_mut(id).map_or(0, MemoryMatch::prune);
                }
            }
            Change::MatchQuarantined { id, at: _, why } => self.quarantine_match(*id, why),
        }
        Ok(())
    }

    fn remove_bot(&mut self, name: &BotName) {
        self.bots.remove(name);
        self.versions.remove(name);
        self.unheard.retain(|(bot, _)| bot != name);
        for found in self.tournaments.values_mut() {
            if found.start.contains(name) || found.changes.iter().any(|change| change.bot == *name) {
                Arc::make_mut(&mut found.stored.field).retain(|bot| bot != name);
                Arc::make_mut(&mut found.start).retain(|bot| bot != name);
                Arc::make_mut(&mut found.standings).retain(|line| line.bot != *name);
                found.changes.retain(|change| change.bot != *name);
            }
        }
    }

    fn add_seen_version(&mut self, bot: &BotName, version: &BotVersion, at: Timestamp) {
        if !self.bots.contains_key(bot) {
            return;
        }
        let seen = self.versions.entry(bot.clone()).or_default();
        match seen.iter_mut().find(|seen| seen.version == *version) {
            Some(seen) => seen.last_seen = seen.last_seen.max(at),
            None => seen.push(SeenVersion { version: version.clone(), first_seen: at, last_seen: at }),
        }
        seen.sort_by(|one, other| {
            let times = |seen: &SeenVersion| (seen.last_seen, seen.first_seen);
            times(other).cmp(&times(one)).then_with(|| one.version.cmp(&other.version))
        });
        seen.truncate(MAX_SEEN_VERSIONS);
    }

    fn tournament_mut(&mut self, id: TournamentId) -> Result<&mut MemoryTournament, StoreError> {
        self.tournaments.get_mut(&id).ok_or_else(|| missing_row_error("tournament", id))
    }

    fn end_tournament(
        &mut self,
        id: TournamentId,
        state: TournamentState,
        over: &FinishedTournament,
        standings: &Arc<Vec<Standing>>,
    ) -> Result<(), StoreError> {
        let found = self.tournament_mut(id)?;
        found.stored.state = state;
        found.standings = Arc::clone(standings);
        found.checkpoint = None;
        if found.stored.over.replace(over.clone()).is_none() {
            self.ended_tournaments.push_back(id);
        }
        self.unheard.extend(standings.iter().map(|line| (line.bot.clone(), id)));
        Ok(())
    }

    /// Adds events to a match, those that it does not have yet.
    fn append_events(
        &mut self,
        id: MatchId,
        first: usize,
        events: &[ChainedEvent],
    ) -> Result<(), StoreError> {
        let has = self.matches.get(&id).map_or(0, MemoryMatch::len);
        if has < first {
            return Err(StoreError::Refused(format!("event {first} of match {id}, which has {has} events")));
        }
        let mut new = events.iter().skip(has - first).peekable();
        let Some(next) = new.peek() else { return Ok(()) };
        if has == 0 {
            let Event::Created(setup) = &next.event.event else {
                return Err(StoreError::Refused(format!("match {id} does not begin with `created`")));
            };
            self.matches.insert(id, MemoryMatch::new(Arc::new(MatchSetup::clone(setup))));
        }
        let found = self.matches.get_mut(&id).ok_or_else(|| missing_row_error("match", id))?;
        let was_over = found.is_over();
        for event in new {
            found.push_event(event.clone());
        }
        if found.is_over() && !was_over {
            self.index_finished_match(id);
        }
        Ok(())
    }

    /// Quarantines a match, unless it is over.
    fn quarantine_match(&mut self, id: MatchId, why: &str) {
        let Some(found) = self.matches.get_mut(&id).filter(|found| !found.is_over()) else { return };
        found.quarantine(why);
        if let Some(origin) = &found.setup().origin {
            self.pairings.insert((origin.tournament, origin.number), id);
        }
        self.index_finished_match(id);
    }

    /// Voids a match: another may have its number. One that has been forgotten has none.
    fn void(&mut self, id: MatchId, why: &str) {
        let Some(found) = self.matches.get_mut(&id) else { return };
        if found.is_over() {
            self.index.remove(id, found);
        }
        found.void(why);
        if found.is_over() {
            self.index.insert(id, found);
        }
        let setup = Arc::clone(found.setup());
        self.free_number(id, &setup);
    }

    fn free_number(&mut self, id: MatchId, setup: &MatchSetup) {
        if let Some(origin) = &setup.origin {
            let key = (origin.tournament, origin.number);
            if self.pairings.get(&key) == Some(&id) {
                self.pairings.remove(&key);
            }
        }
    }

    /// Lists a match among those that are over.
    fn index_finished_match(&mut self, id: MatchId) {
        let Some(found) = self.matches.get(&id) else { return };
        self.ended_events += found.len();
        self.ended.push_back(id);
        self.index.insert(id, found);
    }

    fn unindex_match(&mut self, id: MatchId, found: &MemoryMatch) {
        for bot in &found.setup().bots {
            if let Some(lost) = self.lost.get_mut(bot) {
                lost.remove(&id);
            }
        }
        self.index.remove(id, found);
        self.free_number(id, found.setup());
    }

    /// Takes out that for which there is no room.
    fn evict_beyond(&mut self, room: RetentionLimits) -> EvictedRows {
        let (mut matches, mut tournaments) = (Vec::new(), Vec::new());
        while (self.ended.len() > room.matches || self.ended_events > room.events)
            && let Some(oldest) = self.ended.pop_front()
        {
            if let Some(found) = self.matches.remove(&oldest) {
                self.ended_events -= found.len();
                self.unindex_match(oldest, &found);
                let origin = found.setup().origin.as_ref();
                if let Some(own) = origin.and_then(|origin| self.tournaments.get_mut(&origin.tournament)) {
                    own.has_forgotten = true;
                }
                matches.push(found);
            }
        }
        while self.ended_tournaments.len() > room.tournaments
            && let Some(oldest) = self.ended_tournaments.pop_front()
        {
            if let Some(found) = self.tournaments.remove(&oldest) {
                for line in found.standings.iter() {
                    self.unheard.remove(&(line.bot.clone(), oldest));
                }
                tournaments.push(found);
            }
        }
        (matches, tournaments)
    }
}

fn missing_row_error(what: &str, id: impl std::fmt::Display) -> StoreError {
    StoreError::Refused(format!("there is no {what} {id} to change"))
}

impl MemoryStore {
    /// Starts empty.
    pub fn new(room: RetentionLimits) -> Self {
        Self { kept: Mutex::new(MemoryTables::default()), room }
    }

    fn lock(&self) -> MutexGuard<'_, MemoryTables> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[async_trait]
impl Store for MemoryStore {
    fn is_durable(&self) -> bool {
        false
    }

    async fn write(&self, changes: &[Change]) -> Result<(), StoreError> {
        let mut kept = self.lock();
        for change in changes {
            kept.apply(change)?;
        }
        let forgotten = kept.evict_beyond(self.room);
        // A long match is many allocations: nobody waits until they are freed.
        drop(kept);
        drop(forgotten);
        Ok(())
    }

    async fn close(&self) {}

    async fn bot(&self, name: &BotName) -> Result<Option<StoredBot>, StoreError> {
        Ok(self.lock().bots.get(name).cloned())
    }

    async fn bots(&self, after: Option<&BotName>, most: usize) -> Result<Vec<StoredBot>, StoreError> {
        let from = after.map_or(Bound::Unbounded, Bound::Excluded);
        let kept = self.lock();
        Ok(kept.bots.range((from, Bound::Unbounded)).take(most).map(|(_, bot)| bot.clone()).collect())
    }

    async fn bot_versions(&self, name: &BotName) -> Result<Vec<SeenVersion>, StoreError> {
        Ok(self.lock().versions.get(name).cloned().unwrap_or_default())
    }

    async fn lost_seats(
        &self,
        bot: &BotName,
        tournament: Option<TournamentId>,
        before: Option<MatchId>,
        most: usize,
    ) -> Result<Vec<LostSeat>, StoreError> {
        let to = before.map_or(Bound::Unbounded, Bound::Excluded);
        let kept = self.lock();
        let Some(lost) = kept.lost.get(bot) else { return Ok(Vec::new()) };
        let lost_seat = |id: &MatchId| kept.matches.get(id)?.lost_seat(*id, bot);
        let newest_first = lost.range((Bound::Unbounded, to)).rev().filter_map(lost_seat);
        let wanted = newest_first.filter(|lost| tournament.is_none() || lost.tournament == tournament);
        Ok(wanted.take(most).collect())
    }

    async fn has_played(&self, name: &BotName) -> Result<bool, StoreError> {
        let kept = self.lock();
        let has_seat = |found: &MemoryMatch| found.setup().bots.iter().any(|bot| bot == name);
        let has_line = |line: &Standing| line.bot == *name && line.matches > 0;
        Ok(kept.matches.values().any(has_seat)
            || kept.tournaments.values().any(|found| found.standings.iter().any(has_line)))
    }

    async fn tournament(&self, id: TournamentId) -> Result<Option<StoredTournament>, StoreError> {
        Ok(self.lock().tournaments.get(&id).map(|found| found.stored.clone()))
    }

    async fn tournaments(
        &self,
        before: Option<TournamentId>,
        most: usize,
    ) -> Result<Vec<StoredTournament>, StoreError> {
        let to = before.map_or(Bound::Unbounded, Bound::Excluded);
        let kept = self.lock();
        let newest_first = kept.tournaments.range((Bound::Unbounded, to)).rev();
        Ok(newest_first.take(most).map(|(_, found)| found.stored.clone()).collect())
    }

    async fn unfinished_tournaments(&self) -> Result<Vec<StoredTournament>, StoreError> {
        let kept = self.lock();
        let unfinished = kept.tournaments.values().filter(|found| found.stored.over.is_none());
        Ok(unfinished.map(|found| found.stored.clone()).collect())
    }

    async fn field_history(&self, id: TournamentId) -> Result<FieldHistory, StoreError> {
        let kept = self.lock();
        let history = |found: &MemoryTournament| FieldHistory {
            start: found.start.to_vec(),
            changes: found.changes.clone(),
        };
        Ok(kept.tournaments.get(&id).map(history).unwrap_or_default())
    }

    async fn tournament_events(&self, id: TournamentId) -> Result<Vec<TimedTournamentEvent>, StoreError> {
        Ok(self.lock().tournaments.get(&id).map(|found| found.events.clone()).unwrap_or_default())
    }

    async fn standings(&self, id: TournamentId) -> Result<Vec<Standing>, StoreError> {
        Ok(self.lock().tournaments.get(&id).map(|found| found.standings.to_vec()).unwrap_or_default())
    }

    async fn checkpoint(&self, id: TournamentId) -> Result<Option<Checkpoint>, StoreError> {
        let kept = self.lock();
        Ok(kept.tournaments.get(&id).and_then(|found| found.checkpoint.as_deref().cloned()))
    }

    async fn match_results(
        &self,
        id: TournamentId,
        from: u64,
        most: usize,
    ) -> Result<Vec<StoredResult>, StoreError> {
        let kept = self.lock();
        let range = kept.pairings.range((id, from)..=(id, u64::MAX)).take(most);
        let result = |(&(_, number), id): (&(_, u64), &MatchId)| {
            let found = kept.matches.get(id)?;
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

    async fn unfinished_matches(&self) -> Result<Vec<MatchId>, StoreError> {
        let kept = self.lock();
        Ok(kept.matches.iter().filter(|(_, found)| !found.is_over()).map(|(&id, _)| id).collect())
    }

    async fn match_summaries(
        &self,
        filter: &MatchFilter,
        before: Option<MatchId>,
        most: usize,
    ) -> Result<Vec<MatchSummary>, StoreError> {
        let to = before.map_or(Bound::Unbounded, Bound::Excluded);
        let kept = self.lock();
        let newest_first = kept.index.candidates(filter, (Bound::Unbounded, to)).rev();
        let found = newest_first.filter_map(|id| Some((*id, kept.matches.get(id)?)));
        let admitted = found.filter(|(_, found)| {
            filter.admits_setup(found.setup()) && filter.admits_end(found.listed_state(), found.end_reason())
        });
        Ok(admitted.take(most).map(|(id, found)| found.summary(id)).collect())
    }

    async fn match_summary(&self, id: MatchId) -> Result<Option<MatchSummary>, StoreError> {
        let kept = self.lock();
        Ok(kept.matches.get(&id).filter(|found| found.is_over()).map(|found| found.summary(id)))
    }

    async fn match_record(&self, id: MatchId) -> Result<Option<StoredMatch>, StoreError> {
        self.lock().matches.get(&id).map(|found| found.to_stored(id)).transpose()
    }

    async fn match_heads(&self, page: &HeadsPage) -> Result<Vec<MatchHead>, StoreError> {
        let &HeadsPage { tournament, after, before, most } = page;
        let kept = self.lock();
        if kept.tournaments.get(&tournament).is_some_and(|found| found.has_forgotten) {
            return Err(StoreError::Forgotten(tournament));
        }
        let from = after.map_or(Bound::Unbounded, Bound::Excluded);
        if after.is_some_and(|after| after >= before) {
            return Ok(Vec::new());
        }
        let of_tournament = MatchFilter::of(Some(tournament), None);
        let ids = kept.index.candidates(&of_tournament, (from, Bound::Excluded(before)));
        let heads = ids.filter_map(|&id| kept.matches.get(&id)?.head(id).transpose());
        heads.take(most).collect()
    }

    async fn prunable_matches(&self, page: &PrunePage) -> Result<Vec<MatchId>, StoreError> {
        let &PrunePage { filter: PruneFilter { tournament, over_before, keep_newest }, after, most } = page;
        let kept = self.lock();
        let over = kept.index.candidates(&MatchFilter::of(tournament, None), ..);
        let prunable = |id: &&MatchId| kept.matches.get(id).is_some_and(MemoryMatch::is_prunable);
        let newest = usize::try_from(keep_newest).unwrap_or(usize::MAX);
        let mut found: Vec<MatchId> = over.rev().filter(prunable).skip(newest).copied().collect();
        found.reverse();
        found.retain(|id| {
            let ended_at = kept.matches.get(id).and_then(MemoryMatch::last_event_at);
            Some(*id) > after && ended_at.is_some_and(|at| at < over_before)
        });
        found.truncate(most);
        Ok(found)
    }

    async fn unheard_matches(
        &self,
        bot: &BotName,
        from: MatchId,
        most: usize,
    ) -> Result<UnheardMatches, StoreError> {
        let kept = self.lock();
        let after = match kept.heard.get(bot) {
            Some(&heard) if heard >= from => Bound::Excluded(heard),
            _ => Bound::Included(from),
        };
        let filter = MatchFilter::of(None, Some(bot.clone()));
        let mut newest_first = kept.index.candidates(&filter, (after, Bound::Unbounded)).rev().copied();
        let newest = newest_first.by_ref().take(most).collect();
        Ok(UnheardMatches { newest, more: newest_first.take(MAX_COUNTED_ENDS).count() as u64 })
    }

    async fn unheard_tournament_ends(
        &self,
        bot: &BotName,
        since: Timestamp,
        most: usize,
    ) -> Result<Vec<TournamentEnd>, StoreError> {
        let kept = self.lock();
        let every = TournamentId::least()..=TournamentId::greatest();
        let ids = kept.unheard.range((bot.clone(), *every.start())..=(bot.clone(), *every.end()));
        let end = |&(_, id): &(BotName, TournamentId)| {
            let found = kept.tournaments.get(&id)?;
            found.stored.over.as_ref().filter(|over| over.at >= since)?;
            let standing = found.standings.iter().find(|line| line.bot == *bot)?.clone();
            let (title, state) = (found.stored.settings.title.to_string(), found.stored.state);
            Some(TournamentEnd { id, title, state, standing, bots: found.standings.len() as u64 })
        };
        let mut ends: Vec<_> = ids.rev().filter_map(end).take(most).collect();
        ends.reverse();
        Ok(ends)
    }
}

#[cfg(test)]
mod tests;
