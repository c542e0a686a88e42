//! The store in memory.

use super::{Change, MatchFilter, MatchSummary, StoredBot, StoredMatch, StoredTournament};
use crate::game::{BotName, MatchId, TournamentId};
use crate::oracle::Audit;
use crate::referee::{Event, Record, RecordError, TimedEvent};
use std::collections::{BTreeMap, VecDeque};
use std::ops::Bound;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use thiserror::Error;

/// Keeps in memory what must last while the server runs.
#[derive(Debug)]
pub struct Store {
    kept: Mutex<Kept>,
    kept_matches: usize,
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
    matches: BTreeMap<MatchId, KeptMatch>,
    /// Matches that are over, the one that ended first at the front.
    ended: VecDeque<MatchId>,
}

#[derive(Debug, Default)]
struct KeptMatch {
    events: Vec<TimedEvent>,
    audit: Option<Arc<Audit>>,
}

impl Store {
    /// Starts empty. Of the matches that are over the newest `kept_matches` are kept.
    pub fn new(kept_matches: usize) -> Self {
        Self { kept: Mutex::new(Kept::default()), kept_matches }
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
            self.keep(&mut kept, change);
        }
        std::future::ready(Ok(()))
    }

    fn keep(&self, kept: &mut Kept, change: Change) {
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
            Change::MatchEvents { id, events } => {
                let over = events.iter().any(|timed| matches!(timed.event, Event::Ended { .. }));
                kept.matches.entry(id).or_default().events.extend(events);
                if over {
                    kept.ended.push_back(id);
                    self.forget_oldest(kept);
                }
            }
            Change::MatchAudited { id, audit } => {
                if let Some(kept) = kept.matches.get_mut(&id) {
                    kept.audit = Some(audit);
                }
            }
        }
    }

    fn forget_oldest(&self, kept: &mut Kept) {
        while kept.ended.len() > self.kept_matches {
            if let Some(oldest) = kept.ended.pop_front() {
                kept.matches.remove(&oldest);
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
            Some(kept) => (kept.events.clone(), kept.audit.clone()),
        };
        let record = Record::replay(id, events).map_err(|error| StoreError::Damaged(id, error))?;
        Ok(Some(StoredMatch { record, audit }))
    }

    /// Returns one match in brief and its audit.
    pub fn summary(&self, id: MatchId) -> Option<(MatchSummary, Option<Arc<Audit>>)> {
        let kept = self.lock();
        let found = kept.matches.get(&id)?;
        Some((MatchSummary::of(id, &found.events)?, found.audit.clone()))
    }

    /// Returns up to `most` matches that the filter admits, the newest first, those before `before`.
    pub fn summaries(&self, filter: &MatchFilter, before: Option<MatchId>, most: usize) -> Vec<MatchSummary> {
        let to = before.map_or(Bound::Unbounded, Bound::Excluded);
        let kept = self.lock();
        let admitted = kept.matches.range((Bound::Unbounded, to)).rev().filter(|(_, found)| {
            matches!(found.events.first().map(|timed| &timed.event), Some(Event::Created(setup)) if filter.admits(setup))
        });
        admitted.filter_map(|(&id, found)| MatchSummary::of(id, &found.events)).take(most).collect()
    }

    fn lock(&self) -> MutexGuard<'_, Kept> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
