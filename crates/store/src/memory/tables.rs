//! The tables of the in-memory store, and the code that applies changes to them.

use super::RetentionLimits;
use super::match_index::MatchIndex;
use crate::memory_match::MemoryMatch;
use crate::{
    Change, FinishedMatch, MAX_REQUESTS, MAX_REQUESTS_PER_CALLER, MAX_SEEN_VERSIONS, REQUEST_LIFETIME,
    SeenVersion, StoreError, StoredBot, StoredClock, StoredRequest, StoredTournament, TournamentResult,
};
use lastnim_core::game::{BotName, BotVersion, MatchId, TournamentId};
use lastnim_core::referee::{Event, MatchSetup, TimedEvent, Timestamp};
use lastnim_proto::tournament_event::TimedTournamentEvent;
use lastnim_tournament::{Checkpoint, FieldChange, Standing, TournamentState};
use std::collections::{BTreeMap, BTreeSet, HashMap, VecDeque};
use std::sync::Arc;

/// A tournament and its result.
#[derive(Debug)]
pub(super) struct MemoryTournament {
    pub(super) stored: StoredTournament,
    /// The bots in the field at the start of the tournament.
    pub(super) start: Arc<Vec<BotName>>,
    /// The changes to the field since the start.
    pub(super) changes: Vec<FieldChange>,
    pub(super) events: Vec<TimedTournamentEvent>,
    pub(super) standings: Arc<Vec<Standing>>,
    pub(super) checkpoint: Option<Arc<Checkpoint>>,
    /// Whether some of its matches were dropped to stay within the limits.
    pub(super) has_forgotten: bool,
}

/// All data of the store, structured like the tables of a database.
#[derive(Debug, Default)]
pub(super) struct MemoryTables {
    pub(super) clock: StoredClock,
    pub(super) bots: BTreeMap<BotName, StoredBot>,
    /// The versions of each bot, the most recent first.
    pub(super) versions: HashMap<BotName, Vec<SeenVersion>>,
    /// Requests that their callers may repeat, the oldest at the front.
    pub(super) requests: VecDeque<StoredRequest>,
    pub(super) tournaments: BTreeMap<TournamentId, MemoryTournament>,
    /// Finished tournaments, the oldest at the front.
    pub(super) ended_tournaments: VecDeque<TournamentId>,
    pub(super) matches: BTreeMap<MatchId, MemoryMatch>,
    pub(super) index: MatchIndex,
    /// Finished matches, by tournament and by number within the tournament.
    pub(super) pairings: BTreeMap<(TournamentId, u64), MatchId>,
    /// Finished matches, the oldest at the front.
    pub(super) ended: VecDeque<MatchId>,
    /// The total size of the finished matches, counted in events.
    pub(super) ended_events: usize,
    /// The finished matches in which each bot lost its seat.
    pub(super) lost: HashMap<BotName, BTreeSet<MatchId>>,
    /// For each bot, the match id up to which it has acknowledged the ends of all its matches.
    pub(super) acknowledged_through: HashMap<BotName, MatchId>,
    /// Pairs of a bot and a tournament whose end the bot has not acknowledged.
    pub(super) unacknowledged_ends: BTreeSet<(BotName, TournamentId)>,
}

/// Dropped matches and tournaments, which the caller frees after it has released the lock.
pub(super) type EvictedRows = (Vec<MemoryMatch>, Vec<MemoryTournament>);

impl MemoryTables {
    pub(super) fn apply(&mut self, change: &Change) -> Result<(), StoreError> {
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
            Change::EntryCode { id, code } => self.tournament_mut(*id)?.stored.entry_code = *code,
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
            Change::TranscriptPublished(stored) => {
                self.change_transcripts(stored.match_id, |found| found.publish(Arc::clone(stored)))?;
            }
            Change::TranscriptRemoved { match_id, seat } => {
                self.change_transcripts(*match_id, |found| found.unpublish(*seat))?;
            }
            Change::TournamentState { id, state } => self.tournament_mut(*id)?.stored.state = *state,
            Change::Checkpoint { id, checkpoint } => {
                let running = self.tournaments.get_mut(id).filter(|found| found.stored.over.is_none());
                if let Some(found) = running {
                    found.checkpoint = Some(Arc::clone(checkpoint));
                }
            }
            Change::BotComparisons { id, checkpoint } => {
                let ended = self.tournaments.get_mut(id).filter(|found| found.stored.over.is_some());
                if let Some(found) = ended {
                    found.checkpoint = Some(Arc::clone(checkpoint));
                }
            }
            Change::TournamentOver { id, state, over, standings } => {
                self.end_tournament(*id, *state, over, standings)?;
            }
            Change::EndsAcknowledged { bot, through } => {
                let acknowledged_through = self.acknowledged_through.entry(bot.clone()).or_insert(*through);
                *acknowledged_through = (*acknowledged_through).max(*through);
            }
            Change::TournamentEndAcknowledged { bot, id } => {
                self.unacknowledged_ends.remove(&(bot.clone(), *id));
            }
            Change::MatchEvents { id, first, events } => self.append_events(*id, *first, events)?,
            Change::MatchOver(over) => self.end_match(over)?,
            Change::RecordsPruned { ids, at: _ } => {
                for id in ids {
                    self.ended_events -= self.matches.get_mut(id).map_or(0, MemoryMatch::prune);
                }
            }
            Change::RequestDone(request) => self.keep_request(request),
            Change::ClockSeen { at, jump } => self.note_time(*at, *jump),
            Change::ClockRepaired { at } => self.repair_clock(*at),
            Change::MatchQuarantined { id, at: _, why } => self.quarantine_match(*id, why),
        }
        Ok(())
    }

    fn end_match(&mut self, over: &FinishedMatch) -> Result<(), StoreError> {
        let id = over.id;
        let found = self.matches.get_mut(&id).ok_or_else(|| missing_row_error("match", id))?;
        found.over = Some(over.clone());
        let setup = Arc::clone(found.setup());
        let results = over.outcome.iter().flat_map(|outcome| outcome.seats.enumerate());
        for (seat, _) in results.filter(|(_, result)| result.lost.is_some()) {
            self.lost.entry(setup.bots[seat].clone()).or_default().insert(id);
        }
        if let Some(origin) = &setup.origin {
            self.pairings.insert((origin.tournament, origin.number), id);
        }
        Ok(())
    }

    fn keep_request(&mut self, request: &StoredRequest) {
        self.requests.retain(|kept| kept.key != request.key);
        self.requests.push_back(request.clone());
        let is_of_caller = |kept: &StoredRequest| kept.key.caller == request.key.caller;
        if self.requests.iter().filter(|kept| is_of_caller(kept)).count() > MAX_REQUESTS_PER_CALLER
            && let Some(oldest) = self.requests.iter().position(is_of_caller)
        {
            self.requests.remove(oldest);
        }
        let oldest = request.at.minus(REQUEST_LIFETIME);
        while self.requests.len() > MAX_REQUESTS || self.requests.front().is_some_and(|kept| kept.at < oldest)
        {
            self.requests.pop_front();
        }
    }

    fn remove_bot(&mut self, name: &BotName) {
        self.bots.remove(name);
        self.versions.remove(name);
        self.unacknowledged_ends.retain(|(bot, _)| bot != name);
        self.requests.retain(|kept| kept.key.caller.as_ref() != Some(name));
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
        let known = seen.iter().position(|seen| seen.version == *version).map(|place| seen.remove(place));
        let first_seen = known.map_or(at, |known| known.first_seen);
        seen.insert(0, SeenVersion { version: version.clone(), first_seen, last_seen: at });
        seen.truncate(MAX_SEEN_VERSIONS);
    }

    fn tournament_mut(&mut self, id: TournamentId) -> Result<&mut MemoryTournament, StoreError> {
        self.tournaments.get_mut(&id).ok_or_else(|| missing_row_error("tournament", id))
    }

    fn end_tournament(
        &mut self,
        id: TournamentId,
        state: TournamentState,
        over: &TournamentResult,
        standings: &Arc<Vec<Standing>>,
    ) -> Result<(), StoreError> {
        let found = self.tournament_mut(id)?;
        found.stored.state = state;
        found.standings = Arc::clone(standings);
        found.checkpoint = None;
        if found.stored.over.replace(over.clone()).is_none() {
            self.ended_tournaments.push_back(id);
        }
        self.unacknowledged_ends.extend(standings.iter().map(|line| (line.bot.clone(), id)));
        Ok(())
    }

    /// Appends those of `events` that the match does not have yet. `first` is the index of `events[0]` in the record.
    fn append_events(&mut self, id: MatchId, first: usize, events: &[TimedEvent]) -> Result<(), StoreError> {
        let has = self.matches.get(&id).map_or(0, MemoryMatch::len);
        if has < first {
            return Err(StoreError::Refused(format!(
                "the next event of match {id} is event {has}, not event {first}"
            )));
        }
        let mut new = events.iter().skip(has - first).peekable();
        let Some(next) = new.peek() else { return Ok(()) };
        if has == 0 {
            let Event::Created(setup) = &next.event else {
                return Err(StoreError::Refused(format!("the first event of match {id} is not `created`")));
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

    /// Voids a match and frees its number. Does nothing if the match was already dropped.
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

    /// Changes the published transcripts of a finished match, and updates the total size of the finished matches.
    fn change_transcripts(
        &mut self,
        id: MatchId,
        change: impl FnOnce(&mut MemoryMatch),
    ) -> Result<(), StoreError> {
        let found = self.matches.get_mut(&id).ok_or_else(|| missing_row_error("match", id))?;
        let before = found.size_in_events();
        change(found);
        self.ended_events = self.ended_events + found.size_in_events() - before;
        Ok(())
    }

    fn free_number(&mut self, id: MatchId, setup: &MatchSetup) {
        if let Some(origin) = &setup.origin {
            let key = (origin.tournament, origin.number);
            if self.pairings.get(&key) == Some(&id) {
                self.pairings.remove(&key);
            }
        }
    }

    /// Adds a match that is over to the lists of finished matches.
    fn index_finished_match(&mut self, id: MatchId) {
        let Some(found) = self.matches.get(&id) else { return };
        self.ended_events += found.size_in_events();
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

    /// Removes the oldest finished matches and tournaments until the limits hold, and returns what it removed.
    pub(super) fn evict_beyond(&mut self, limits: RetentionLimits) -> EvictedRows {
        let (mut matches, mut tournaments) = (Vec::new(), Vec::new());
        while (self.ended.len() > limits.matches || self.ended_events > limits.events)
            && let Some(oldest) = self.ended.pop_front()
        {
            if let Some(found) = self.matches.remove(&oldest) {
                self.ended_events -= found.size_in_events();
                self.unindex_match(oldest, &found);
                let origin = found.setup().origin.as_ref();
                if let Some(own) = origin.and_then(|origin| self.tournaments.get_mut(&origin.tournament)) {
                    own.has_forgotten = true;
                }
                matches.push(found);
            }
        }
        while self.ended_tournaments.len() > limits.tournaments
            && let Some(oldest) = self.ended_tournaments.pop_front()
        {
            if let Some(found) = self.tournaments.remove(&oldest) {
                for line in found.standings.iter() {
                    self.unacknowledged_ends.remove(&(line.bot.clone(), oldest));
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
