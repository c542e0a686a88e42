//! The clock of an in-memory store. The data of such a store is gone when its server ends, so only the parts that tests
//! of servers need are implemented.

use super::tables::MemoryTables;
use crate::memory_match::MemoryMatch;
use crate::{ClockJump, LaterTimes};
use lastnim_core::referee::Timestamp;
use std::time::Duration;

impl MemoryTables {
    /// Keeps `at` if it is the latest time, and notes a jump of the clock if there was one.
    pub(super) fn note_time(&mut self, at: Timestamp, jump: Option<Duration>) {
        self.clock.latest = self.clock.latest.max(Some(at));
        let is_new = self.clock.jumps.iter().all(|jump| jump.found_at != at);
        if let Some(length) = jump.filter(|_| is_new) {
            self.clock.jumps.push(ClockJump { found_at: at, length });
            self.clock.jumps.sort_by_key(|jump| jump.found_at);
        }
    }

    /// Sets the latest time to `now`, moves later times that no signature covers back to `now`, and forgets all clock
    /// jumps.
    pub(super) fn repair_clock(&mut self, now: Timestamp) {
        (self.clock.latest, self.clock.jumps) = (Some(now), Vec::new());
        self.for_each_unsigned_time(|at| *at = now.min(*at));
    }

    /// Counts the timestamps that are later than `than`.
    pub(super) fn later_times(&mut self, than: Timestamp) -> LaterTimes {
        let mut unsigned = 0;
        self.for_each_unsigned_time(|at| unsigned += u64::from(*at > than));
        let is_later = |found: &&MemoryMatch| found.last_event_at().is_some_and(|at| at > than);
        LaterTimes { unsigned, matches: self.matches.values().filter(is_later).count() as u64 }
    }

    fn for_each_unsigned_time(&mut self, mut visit: impl FnMut(&mut Timestamp)) {
        self.bots.values_mut().for_each(|bot| visit(&mut bot.registered_at));
        for seen in self.versions.values_mut().flatten() {
            visit(&mut seen.first_seen);
            visit(&mut seen.last_seen);
        }
        for found in self.tournaments.values_mut() {
            visit(&mut found.stored.created_at);
            found.stored.over.iter_mut().for_each(|over| visit(&mut over.at));
        }
        self.requests.iter_mut().for_each(|request| visit(&mut request.at));
        self.matches.values_mut().for_each(|found| found.for_each_publication_time(&mut visit));
    }
}
