//! The store in memory.

use super::kept_match::KeptMatch;
use super::{Change, MatchFilter, MatchSummary, StoredBot, StoredMatch, StoredTournament};
use crate::game::{BotName, MatchId, TournamentId};
use crate::oracle::Audit;
use crate::referee::{MatchSetup, Record, RecordError, TimedEvent};
use std::collections::{BTreeMap, BTreeSet, HashMap, VecDeque};
use std::ops::Bound;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use thiserror::Error;

/// Keeps in memory what must last while the server runs.
#[derive(Debug)]
pub struct Store {
    kept: Mutex<Kept>,
    room: Room,
}

/// How much of the matches that are over is kept; the one that ended first goes first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Room {
    /// Matches.
    pub matches: usize,
    /// Events of these matches together. An event, with what the audit says of it, takes some 200 bytes.
    pub events: usize,
}

/// Why a change could not be kept, or not be read.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum StoreError {
    /// What is kept of a match is no record.
    #[error("the record of match {0} is damaged: {1}")]
    Damaged(MatchId, RecordError),
}

#[derive(Debug, Default)]
struct Kept {
    bots: BTreeMap<BotName, StoredBot>,
    tournaments: BTreeMap<TournamentId, StoredTournament>,
    matches: HashMap<MatchId, KeptMatch>,
    /// For every filter that admits any match: the matches that it admits.
    admitted: HashMap<MatchFilter, BTreeSet<MatchId>>,
    /// Matches that are over, the one that ended first at the front.
    ended: VecDeque<MatchId>,
    /// The events of these.
    ended_events: usize,
}

impl Kept {
    /// Adds events to a match.
    fn append(&mut self, id: MatchId, events: Vec<TimedEvent>) {
        let found = self.matches.entry(id).or_default();
        let (before, was_over) = (found.len(), found.is_over());
        for event in events {
            found.push(event);
        }
        if found.is_over() {
            self.ended_events += found.len() - if was_over { before } else { 0 };
            if !was_over {
                self.ended.push_back(id);
            }
        }
        if before == 0
            && let Some(setup) = found.setup().map(Arc::clone)
        {
            self.list(id, &setup);
        }
    }

    fn list(&mut self, id: MatchId, setup: &MatchSetup) {
        for filter in MatchFilter::admitting(setup) {
            self.admitted.entry(filter).or_default().insert(id);
        }
    }

    fn unlist(&mut self, id: MatchId, setup: &MatchSetup) {
        for filter in MatchFilter::admitting(setup) {
            if let Some(ids) = self.admitted.get_mut(&filter) {
                ids.remove(&id);
                if ids.is_empty() {
                    self.admitted.remove(&filter);
                }
            }
        }
    }

    /// Takes out the matches for which there is no room.
    fn make_room(&mut self, room: Room) -> Vec<KeptMatch> {
        let mut forgotten = Vec::new();
        while (self.ended.len() > room.matches || self.ended_events > room.events)
            && let Some(oldest) = self.ended.pop_front()
        {
            if let Some(found) = self.matches.remove(&oldest) {
                self.ended_events -= found.len();
                if let Some(setup) = found.setup() {
                    self.unlist(oldest, setup);
                }
                forgotten.push(found);
            }
        }
        forgotten
    }
}

impl Store {
    /// Starts empty.
    pub fn new(room: Room) -> Self {
        Self { kept: Mutex::new(Kept::default()), room }
    }

    /// Makes changes last, all or none of them. What they say may be announced once this is done.
    ///
    /// # Errors
    /// Never, as long as everything is in memory.
    #[must_use = "what is not committed may be lost"]
    pub fn commit(
        &self,
        changes: Vec<Change>,
    ) -> impl Future<Output = Result<(), StoreError>> + Send + use<> {
        let mut kept = self.lock();
        for change in changes {
            Self::keep(&mut kept, change);
        }
        let forgotten = kept.make_room(self.room);
        // A long match is many allocations: nobody waits until they are freed.
        drop(kept);
        drop(forgotten);
        std::future::ready(Ok(()))
    }

    fn keep(kept: &mut Kept, change: Change) {
        match change {
            Change::Bot(bot) => {
                kept.bots.insert(bot.name.clone(), bot);
            }
            Change::Tournament(tournament) => {
                kept.tournaments.insert(tournament.id, tournament);
            }
            Change::TournamentForgotten(id) => {
                kept.tournaments.remove(&id);
            }
            Change::MatchEvents { id, events } => kept.append(id, events),
            Change::MatchAudited { id, audit } => {
                if let Some(kept) = kept.matches.get_mut(&id) {
                    kept.audit = Some(audit);
                }
            }
        }
    }

    /// Returns a bot.
    pub fn bot(&self, name: &BotName) -> Option<StoredBot> {
        self.lock().bots.get(name).cloned()
    }

    /// Returns how many bots are registered.
    pub fn bot_count(&self) -> usize {
        self.lock().bots.len()
    }

    /// Returns up to `most` bots in the order of their names, those behind `after`.
    pub fn bots(&self, after: Option<&BotName>, most: usize) -> Vec<StoredBot> {
        let from = after.map_or(Bound::Unbounded, Bound::Excluded);
        let kept = self.lock();
        kept.bots.range((from, Bound::Unbounded)).take(most).map(|(_, bot)| bot.clone()).collect()
    }

    /// Returns a tournament.
    pub fn tournament(&self, id: TournamentId) -> Option<StoredTournament> {
        self.lock().tournaments.get(&id).cloned()
    }

    /// Returns up to `most` tournaments, the newest first, those before `before`.
    pub fn tournaments(&self, before: Option<TournamentId>, most: usize) -> Vec<StoredTournament> {
        let to = before.map_or(Bound::Unbounded, Bound::Excluded);
        let kept = self.lock();
        let newest_first = kept.tournaments.range((Bound::Unbounded, to)).rev();
        newest_first.take(most).map(|(_, tournament)| tournament.clone()).collect()
    }

    /// Returns the oldest tournament that is over.
    pub fn oldest_ended_tournament(&self) -> Option<TournamentId> {
        let kept = self.lock();
        kept.tournaments
            .values()
            .find(|tournament| tournament.state.is_over())
            .map(|tournament| tournament.id)
    }

    /// Returns how many tournaments there are.
    pub fn tournament_count(&self) -> usize {
        self.lock().tournaments.len()
    }

    /// Returns what is kept of a match.
    ///
    /// # Errors
    /// If what is kept does not replay.
    pub fn record(&self, id: MatchId) -> Result<Option<StoredMatch>, StoreError> {
        let (events, audit) = match self.lock().matches.get(&id) {
            None => return Ok(None),
            Some(kept) => (kept.events(), kept.audit.clone()),
        };
        let record = Record::replay(id, events.into_vec()).map_err(|error| StoreError::Damaged(id, error))?;
        Ok(Some(StoredMatch { record, audit }))
    }

    /// Returns one match in brief and its audit.
    pub fn summary(&self, id: MatchId) -> Option<(MatchSummary, Option<Arc<Audit>>)> {
        let kept = self.lock();
        let found = kept.matches.get(&id)?;
        Some((found.summary(id)?, found.audit.clone()))
    }

    /// Returns up to `most` matches that the filter admits, the newest first, those before `before`.
    pub fn summaries(&self, filter: &MatchFilter, before: Option<MatchId>, most: usize) -> Vec<MatchSummary> {
        let to = before.map_or(Bound::Unbounded, Bound::Excluded);
        let kept = self.lock();
        let Some(admitted) = kept.admitted.get(filter) else { return Vec::new() };
        let newest_first = admitted.range((Bound::Unbounded, to)).rev().take(most);
        newest_first.filter_map(|&id| kept.matches.get(&id)?.summary(id)).collect()
    }

    fn lock(&self) -> MutexGuard<'_, Kept> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests;
