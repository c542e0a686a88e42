//! The machine: many matches, without tokio, clock or lock.

use super::effect::{MatchExit, ShardEffect};
use super::input::MatchInput;
use super::live_match::{LiveMatch, MatchTerms, PreparedMatch, SeatBacklogFull, Turn};
use super::tally::ShardTally;
use super::view::AnnouncedMatch;
use lastnim_core::game::{MatchId, MatchMap, SeatVersions};
use lastnim_core::referee::{Event, RefereeEffect, SeatAction, TimedEvent, Timestamp};
use lastnim_store::StoreError;
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Alarms that may be kept beside four for each match.
const MAX_SPARE_ALARMS: usize = 64;

/// Owns the matches of one part of the server and decides for them: `(input, now) -> effects`. `S` is the address of a session.
///
/// Whoever drives it passes the time, in an order that never runs backwards, and does what the effects say, in their order.
#[derive(Debug)]
pub struct Shard<S> {
    terms: MatchTerms,
    matches: MatchMap<Box<LiveMatch<S>>>,
    /// When clocks are to be looked at, the earliest first. A match whose clock was moved back is looked at too early.
    alarms: BinaryHeap<Reverse<(Timestamp, MatchId)>>,
    decided: Vec<RefereeEffect>,
    tally: ShardTally,
}

/// Why a shard does not take in what a bot sends.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ActionRefused {
    /// The bot has no seat in an open match of that id.
    UnknownMatch,
    /// Too much waits for its seat.
    BacklogFull(SeatBacklogFull),
}

/// What somebody who begins to watch a match has missed.
#[derive(Debug, Clone, Copy)]
pub struct WatchStart {
    /// Events that are announced.
    pub announced: usize,
    /// Whether the rows are among them.
    pub is_revealed: bool,
}

impl<S: Clone> Shard<S> {
    /// Starts without a match.
    pub fn new(terms: MatchTerms) -> Self {
        let (matches, alarms, decided, tally) = Default::default();
        Self { terms, matches, alarms, decided, tally }
    }

    /// Prepares a match, which waits to be [started](Self::start).
    pub fn prepare(&mut self, new: PreparedMatch<S>, now: Timestamp) {
        self.matches.insert(new.id, Box::new(LiveMatch::new(new, now)));
    }

    /// Starts a match that was prepared.
    pub fn start(&mut self, id: MatchId, now: Timestamp, effects: &mut Vec<ShardEffect<S>>) {
        self.with_match(id, now, effects, LiveMatch::start);
    }

    /// Tells a match something; returns whether it is open.
    pub fn tell(
        &mut self,
        id: MatchId,
        input: MatchInput<S>,
        now: Timestamp,
        effects: &mut Vec<ShardEffect<S>>,
    ) -> bool {
        self.with_match(id, now, effects, |live, turn| live.receive(input, turn)).is_some()
    }

    /// Takes in what a bot sent at `at` for its seat in a match.
    ///
    /// # Errors
    /// If it has no seat there, or too much waits for the seat.
    pub fn act(
        &mut self,
        (id, bot): (MatchId, u64),
        action: SeatAction,
        at: Timestamp,
        now: Timestamp,
        effects: &mut Vec<ShardEffect<S>>,
    ) -> Result<(), ActionRefused> {
        let acted = self.with_match(id, now, effects, |live, turn| {
            let seat = live.seat_of_bot(bot).ok_or(ActionRefused::UnknownMatch)?;
            live.receive_action(seat, action, at, turn).map_err(ActionRefused::BacklogFull)
        });
        acted.unwrap_or(Err(ActionRefused::UnknownMatch))
    }

    /// Says what became of the changes that a match had to commit.
    pub fn note_committed(
        &mut self,
        id: MatchId,
        result: Result<(), StoreError>,
        now: Timestamp,
        effects: &mut Vec<ShardEffect<S>>,
    ) {
        self.with_match(id, now, effects, |live, turn| live.note_committed(result, turn));
    }

    /// Returns when the shard has to be [looked at](Self::tick) again at the latest.
    pub fn next_alarm(&self) -> Option<Timestamp> {
        self.alarms.peek().map(|&Reverse((at, _))| at)
    }

    /// Looks at a clock that may have run out; returns whether there was one. What follows from it may take its time, so that one
    /// is looked at after the other.
    pub fn tick(&mut self, now: Timestamp, effects: &mut Vec<ShardEffect<S>>) -> bool {
        let Some(&Reverse((at, id))) = self.alarms.peek().filter(|Reverse((at, _))| *at <= now) else {
            return false;
        };
        self.alarms.pop();
        self.with_match(id, now, effects, |live, turn| {
            if live.alarm != Some(at) {
                return;
            }
            live.alarm = None;
            if live.deadline().is_some_and(|due| due <= now) {
                live.tick(turn);
            }
        });
        true
    }

    /// Returns what has been announced so far.
    pub fn tally(&self) -> ShardTally {
        self.tally
    }

    /// Gives a match up without a word; returns whether there was one.
    pub fn remove(&mut self, id: MatchId) -> bool {
        self.matches.remove(&id).is_some()
    }

    /// Returns what is announced of a match; nothing before its beginning is, and once it is over.
    pub fn view(&self, id: MatchId) -> Option<AnnouncedMatch> {
        self.matches.get(&id)?.view()
    }

    /// Returns by seat the versions that have sat in a match; nothing if none was said.
    pub fn seat_versions(&self, id: MatchId) -> Vec<SeatVersions> {
        self.matches.get(&id).map(|live| live.seat_versions()).unwrap_or_default()
    }

    /// Returns up to `most` of the announced events of a match from an index on; nothing if the match is not open.
    pub fn announced_events(&self, id: MatchId, from: usize, most: usize) -> Option<&[TimedEvent]> {
        let events = self.matches.get(&id)?.announced_events();
        let from = from.min(events.len());
        Some(&events[from..events.len().min(from.saturating_add(most))])
    }

    /// Shows what happens from now on in a match to its watchers, and returns what went before; nothing if it is not open.
    pub fn watch(&mut self, id: MatchId) -> Option<WatchStart> {
        let live = self.matches.get_mut(&id)?;
        live.is_watched = true;
        let announced = live.announced_events();
        let is_revealed = announced.iter().any(|timed| matches!(timed.event, Event::Revealed { .. }));
        Some(WatchStart { announced: announced.len(), is_revealed })
    }

    /// Returns how many alarms are kept.
    #[cfg(test)]
    pub fn alarm_count(&self) -> usize {
        self.alarms.len()
    }

    /// Does something with a match, and sees when its clocks are to be looked at again. A match that breaks down leaves the shard,
    /// and no other match notices.
    fn with_match<T>(
        &mut self,
        id: MatchId,
        now: Timestamp,
        effects: &mut Vec<ShardEffect<S>>,
        act: impl FnOnce(&mut LiveMatch<S>, &mut Turn<'_, S>) -> T,
    ) -> Option<T> {
        let live = self.matches.get_mut(&id)?;
        let mut turn =
            Turn { terms: &self.terms, now, effects, decided: &mut self.decided, tally: &mut self.tally };
        let Ok(acted) = catch_unwind(AssertUnwindSafe(|| act(live, &mut turn))) else {
            self.matches.remove(&id);
            self.decided.clear();
            effects.push(ShardEffect::Over { id, end: MatchExit::BrokenDown });
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

    /// Drops the alarms that nobody waits for any more, once most are of that kind.
    fn drop_stale_alarms(&mut self) {
        if self.alarms.len() > 4 * self.matches.len() + MAX_SPARE_ALARMS {
            let set = self.matches.iter().filter_map(|(&id, live)| Some(Reverse((live.alarm?, id))));
            self.alarms = set.collect();
        }
    }
}
