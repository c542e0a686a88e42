//! The state machine of a shard, which owns many matches and uses no tokio, clock or lock.

use super::effect::{MatchExit, ShardEffect};
use super::input::MatchInput;
use super::live_match::{DecisionContext, LiveMatch, MatchTerms, PreparedMatch, SeatBacklogFull};
use super::tally::ShardTally;
use super::view::AnnouncedMatch;
use lastnim_core::game::{MatchId, MatchMap, SeatVersions};
use lastnim_core::referee::{Event, RefereeEffect, SeatAction, TimedEvent, Timestamp};
use lastnim_store::StoreError;
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// The number of alarms, in addition to four per match, above which stale alarms are dropped.
const MAX_SPARE_ALARMS: usize = 64;

/// Owns some of the server's matches and decides for them: `(input, now) -> effects`. `S` is the address of a session.
///
/// The caller must pass times that never go backwards, and carry out the effects in order.
#[derive(Debug)]
pub struct Shard<S> {
    terms: MatchTerms,
    matches: MatchMap<Box<LiveMatch<S>>>,
    /// The times at which clocks are checked, the earliest first. If a clock was extended, its alarm fires too early,
    /// which does no harm.
    alarms: BinaryHeap<Reverse<(Timestamp, MatchId)>>,
    decisions: Vec<RefereeEffect>,
    tally: ShardTally,
}

/// Why a shard rejects a bot's message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ActionRefused {
    /// The bot has no seat in an open match with this id.
    UnknownMatch,
    /// The seat's queue is full.
    BacklogFull(SeatBacklogFull),
}

/// The announced part of a match when a watcher joins.
#[derive(Debug, Clone, Copy)]
pub struct WatchStart {
    /// The number of events that were announced before the watcher joined.
    pub announced: usize,
    /// Whether the rows have been revealed.
    pub is_revealed: bool,
}

impl<S: Clone> Shard<S> {
    /// Creates a shard without matches.
    pub fn new(terms: MatchTerms) -> Self {
        let (matches, alarms, decisions, tally) = Default::default();
        Self { terms, matches, alarms, decisions, tally }
    }

    /// Prepares a match, which waits for its [start](Self::start).
    pub fn prepare(&mut self, new: PreparedMatch<S>, now: Timestamp) {
        self.matches.insert(new.id, Box::new(LiveMatch::new(new, &self.terms, now)));
    }

    /// Starts a prepared match.
    pub fn start(&mut self, id: MatchId, now: Timestamp, effects: &mut Vec<ShardEffect<S>>) {
        self.with_match(id, now, effects, LiveMatch::start);
    }

    /// Sends an input to a match; returns whether it is open.
    pub fn send_input(
        &mut self,
        id: MatchId,
        input: MatchInput<S>,
        now: Timestamp,
        effects: &mut Vec<ShardEffect<S>>,
    ) -> bool {
        self.with_match(id, now, effects, |live, context| live.receive(input, context)).is_some()
    }

    /// Passes a bot's message that arrived at `at` to its match.
    ///
    /// # Errors
    /// If the bot has no seat in the match, or the seat's queue is full.
    pub fn act(
        &mut self,
        (id, bot): (MatchId, u64),
        action: SeatAction,
        at: Timestamp,
        now: Timestamp,
        effects: &mut Vec<ShardEffect<S>>,
    ) -> Result<(), ActionRefused> {
        let acted = self.with_match(id, now, effects, |live, context| {
            let seat = live.seat_of_bot(bot).ok_or(ActionRefused::UnknownMatch)?;
            live.receive_action(seat, action, at, context).map_err(ActionRefused::BacklogFull)
        });
        acted.unwrap_or(Err(ActionRefused::UnknownMatch))
    }

    /// Tells a match whether its changes were committed.
    pub fn note_committed(
        &mut self,
        id: MatchId,
        result: Result<(), StoreError>,
        now: Timestamp,
        effects: &mut Vec<ShardEffect<S>>,
    ) {
        self.with_match(id, now, effects, |live, context| live.note_committed(result, context));
    }

    /// Returns the time by which [`tick`](Self::tick) must be called next; `None` if no alarm is set.
    pub fn next_alarm(&self) -> Option<Timestamp> {
        self.alarms.peek().map(|&Reverse((at, _))| at)
    }

    /// Checks one clock that may have run out, and returns whether there was one. Each call checks only one, because
    /// carrying out its effects may take long.
    pub fn tick(&mut self, now: Timestamp, effects: &mut Vec<ShardEffect<S>>) -> bool {
        let Some(&Reverse((at, id))) = self.alarms.peek().filter(|Reverse((at, _))| *at <= now) else {
            return false;
        };
        self.alarms.pop();
        self.with_match(id, now, effects, |live, context| {
            if live.alarm != Some(at) {
                return;
            }
            live.alarm = None;
            if live.deadline().is_some_and(|due| due <= now) {
                live.tick(context);
            }
        });
        true
    }

    /// Returns the counts of announced events so far.
    pub fn tally(&self) -> ShardTally {
        self.tally
    }

    /// Drops a match without ending it; returns whether it existed.
    pub fn remove(&mut self, id: MatchId) -> bool {
        self.matches.remove(&id).is_some()
    }

    /// Returns the announced state of a match; `None` until its beginning is announced, and again once its end is
    /// announced.
    pub fn view(&self, id: MatchId) -> Option<AnnouncedMatch> {
        self.matches.get(&id)?.view()
    }

    /// Returns the bot versions that have played in a match, by seat; empty if no version was reported.
    pub fn seat_versions(&self, id: MatchId) -> Vec<SeatVersions> {
        self.matches.get(&id).map(|live| live.seat_versions()).unwrap_or_default()
    }

    /// Returns up to `limit` announced events of a match, starting at index `from`; `None` if the match is not open.
    pub fn announced_events(&self, id: MatchId, from: usize, limit: usize) -> Option<&[TimedEvent]> {
        let events = self.matches.get(&id)?.announced_events();
        let from = from.min(events.len());
        Some(&events[from..events.len().min(from.saturating_add(limit))])
    }

    /// Starts sending a match's events to its watchers, and returns how much was announced before; `None` if the match
    /// is not open.
    pub fn watch(&mut self, id: MatchId) -> Option<WatchStart> {
        let live = self.matches.get_mut(&id)?;
        live.is_watched = true;
        let announced = live.announced_events();
        let is_revealed = announced.iter().any(|timed| matches!(timed.event, Event::Revealed { .. }));
        Some(WatchStart { announced: announced.len(), is_revealed })
    }

    #[cfg(test)]
    pub fn alarm_count(&self) -> usize {
        self.alarms.len()
    }

    /// Calls a function on a match, and updates its alarm. A match that panics is removed; other matches are not
    /// affected.
    fn with_match<T>(
        &mut self,
        id: MatchId,
        now: Timestamp,
        effects: &mut Vec<ShardEffect<S>>,
        act: impl FnOnce(&mut LiveMatch<S>, &mut DecisionContext<'_, S>) -> T,
    ) -> Option<T> {
        let live = self.matches.get_mut(&id)?;
        let mut context = DecisionContext {
            terms: &self.terms,
            now,
            effects,
            decisions: &mut self.decisions,
            tally: &mut self.tally,
        };
        let Ok(acted) = catch_unwind(AssertUnwindSafe(|| act(live, &mut context))) else {
            self.matches.remove(&id);
            self.decisions.clear();
            effects.push(ShardEffect::Over { id, end: MatchExit::Panicked });
            return None;
        };
        if live.is_over() {
            self.matches.remove(&id);
        } else if let Some(due) = live.deadline()
            && live.alarm.is_none_or(|set| due < set)
        {
            live.alarm = Some(due);
            self.alarms.push(Reverse((due, id)));
            self.drop_stale_alarms();
        }
        Some(acted)
    }

    /// Drops stale alarms once there are too many alarms.
    fn drop_stale_alarms(&mut self) {
        if self.alarms.len() > 4 * self.matches.len() + MAX_SPARE_ALARMS {
            let set = self.matches.iter().filter_map(|(&id, live)| Some(Reverse((live.alarm?, id))));
            self.alarms = set.collect();
        }
    }
}
