//! Limits on concurrent matches per bot.

use super::{Schedule, ScheduleStep, TotalMatches};
use crate::{Concurrency, Pairing};
use lastnim_core::game::BotName;
use std::collections::{HashMap, VecDeque};

/// Takes matches from a schedule without exceeding the limit on concurrent matches per bot. Matches that must wait for
/// a bot are held back, up to a maximum number. Only the order in which matches begin changes, not their numbers and
/// bots.
#[derive(Debug)]
pub struct MatchLimiter {
    max_matches: Option<usize>,
    /// The bots that are playing, each with its number of matches in progress.
    busy: HashMap<BotName, usize>,
    deferred: VecDeque<Pairing>,
}

/// Maximum number of matches held back. If there is a limit per bot, schedules hand out matches in such an order that
/// at least one of this many can nearly always begin.
const MAX_DEFERRED: usize = 256;

impl MatchLimiter {
    /// Creates a limiter with no matches in progress; without a limit, bots may play any number of matches.
    pub fn new(max_matches: Option<Concurrency>) -> Self {
        Self {
            max_matches: max_matches.map(Concurrency::get),
            busy: HashMap::new(),
            deferred: VecDeque::new(),
        }
    }

    /// Returns the next match that can begin, and counts it as begun. If every match that could be next has a bot that
    /// is busy, returns [`ScheduleStep::AwaitResults`].
    pub fn next(&mut self, schedule: &mut dyn Schedule) -> ScheduleStep {
        if let TotalMatches::Exactly(total) = schedule.total_matches() {
            // A sequential test may have ended in the meantime.
            self.deferred.retain(|pairing| pairing.number < total);
        }
        let free = self.deferred.iter().position(|pairing| self.can_begin(pairing));
        if let Some(pairing) = free.and_then(|place| self.deferred.remove(place)) {
            self.note_begun(&pairing);
            return ScheduleStep::Match(pairing);
        }
        while self.deferred.len() < MAX_DEFERRED {
            match schedule.next() {
                ScheduleStep::Match(pairing) if self.can_begin(&pairing) => {
                    self.note_begun(&pairing);
                    return ScheduleStep::Match(pairing);
                }
                ScheduleStep::Match(pairing) => self.deferred.push_back(pairing),
                step if self.deferred.is_empty() => return step,
                ScheduleStep::AwaitResults | ScheduleStep::AwaitBots | ScheduleStep::Over => break,
            }
        }
        ScheduleStep::AwaitResults
    }

    /// Counts a match that was begun without asking this limiter.
    pub fn note_begun(&mut self, pairing: &Pairing) {
        if self.max_matches.is_some() {
            for bot in &pairing.bots {
                *self.busy.entry(bot.clone()).or_default() += 1;
            }
        }
    }

    /// Counts a match that has ended.
    pub fn note_ended(&mut self, pairing: &Pairing) {
        for bot in &pairing.bots {
            if let Some(matches) = self.busy.get_mut(bot) {
                *matches -= 1;
                if *matches == 0 {
                    self.busy.remove(bot);
                }
            }
        }
    }

    fn can_begin(&self, pairing: &Pairing) -> bool {
        let Some(max_matches) = self.max_matches else { return true };
        pairing.bots.iter().all(|bot| self.busy.get(bot).is_none_or(|&matches| matches < max_matches))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        AllianceSource, MatchResult, SeededDraw, Settings, SettingsDraft, TournamentFormat, plan_schedule,
        testing,
    };
    use proptest::prelude::*;

    fn settings(seats: usize, format: TournamentFormat, max_matches: Option<usize>) -> Settings {
        let plain = testing::settings(seats, 2, AllianceSource::Standard);
        let bot_concurrency = max_matches.map(|max_matches| Concurrency::new(max_matches).unwrap());
        Settings::new(SettingsDraft { format, bot_concurrency, ..(*plain).clone() }).unwrap()
    }

    #[test]
    fn many_matches_run_at_once_with_one_match_per_bot() {
        let settings = settings(2, TournamentFormat::RoundRobin, Some(1));
        let mut schedule = plan_schedule(&settings, &testing::field(64)).unwrap();
        let mut limiter = MatchLimiter::new(settings.bot_concurrency);
        let mut playing = 0;
        while let ScheduleStep::Match(_) = limiter.next(&mut *schedule) {
            playing += 1;
        }
        assert!((24..=32).contains(&playing), "{playing} matches of 64 bots");
    }

    proptest! {
        #![proptest_config(lastnim_core::game::testing::cases(60))]

        #[test]
        fn no_bot_exceeds_its_limit(
            seats in 2..4_usize, more in 0..6_usize, max_matches in prop::option::of(1..4_usize), at_once in 1..20_usize,
            seed: u64, sample: bool,
        ) {
            let format = if sample {
                TournamentFormat::Sample { groups: crate::GroupCount::new(9).unwrap() }
            } else {
                TournamentFormat::Knockout { advance: 1, table_groups: crate::TableGroups::ONE }
            };
            let settings = settings(seats, format, max_matches);
            let field = testing::field(seats + more);
            let mut schedule = plan_schedule(&settings, &field).unwrap();
            let (mut limiter, mut draw) = (MatchLimiter::new(settings.bot_concurrency), SeededDraw::new(seed, 0));
            let (mut open, mut played): (Vec<Pairing>, u64) = (Vec::new(), 0);
            loop {
                let step = if open.len() < at_once { limiter.next(&mut *schedule) } else { ScheduleStep::AwaitResults };
                match step {
                    ScheduleStep::Match(pairing) => {
                        open.push(pairing);
                        for bot in &field {
                            let playing = open.iter().filter(|pairing| pairing.bots.iter().any(|each| each == bot));
                            prop_assert!(playing.count() <= max_matches.unwrap_or(usize::MAX));
                        }
                    }
                    ScheduleStep::AwaitResults => {
                        prop_assert!(!open.is_empty(), "the limiter waits, but no match is open");
                        let ended = open.swap_remove(draw.number_below(open.len() as u64) as usize);
                        limiter.note_ended(&ended);
                        schedule.report_result(&MatchResult::cancelled(&ended));
                        played += 1;
                    }
                    ScheduleStep::AwaitBots | ScheduleStep::Over => {
                        let Some(ended) = open.pop() else { break };
                        limiter.note_ended(&ended);
                        schedule.report_result(&MatchResult::cancelled(&ended));
                        played += 1;
                    }
                }
            }
            prop_assert_eq!(TotalMatches::Exactly(played), schedule.total_matches());
            prop_assert!(limiter.busy.is_empty());
        }
    }
}
