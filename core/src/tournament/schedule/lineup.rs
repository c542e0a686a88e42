//! Bots that play only so many matches at once.

use super::{Schedule, Step, Total};
use crate::game::BotName;
use crate::tournament::{Concurrency, Pairing};
use std::collections::{HashMap, VecDeque};

/// Takes matches from a schedule so that no bot plays more of them at once than it may; those that have to wait for a bot are
/// held back, up to a bound. Numbers and bots of the matches stay the same, only the order in which they begin changes.
#[derive(Debug)]
pub struct Lineup {
    most: Option<usize>,
    /// The bots that play, and how many matches.
    busy: HashMap<BotName, usize>,
    held_back: VecDeque<Pairing>,
}

/// The most matches that are held back: among so many, in the order in which schedules hand them out where bots play few at
/// once, some are nearly always of bots that are free.
const MAX_HELD_BACK: usize = 256;

impl Lineup {
    /// Begins with bots that play nothing, and may play so many matches at once; without a number, any.
    pub fn new(most: Option<Concurrency>) -> Self {
        Self { most: most.map(Concurrency::get), busy: HashMap::new(), held_back: VecDeque::new() }
    }

    /// Returns the next match that can begin, as having begun. A match whose bots are busy is awaited like a result.
    pub fn next(&mut self, schedule: &mut dyn Schedule) -> Step {
        if let Total::Exactly(total) = schedule.total() {
            // A test may have come to its answer since.
            self.held_back.retain(|pairing| pairing.number < total);
        }
        let free = self.held_back.iter().position(|pairing| self.is_free(pairing));
        if let Some(pairing) = free.and_then(|place| self.held_back.remove(place)) {
            self.begin(&pairing);
            return Step::Match(pairing);
        }
        while self.held_back.len() < MAX_HELD_BACK {
            match schedule.next() {
                Step::Match(pairing) if self.is_free(&pairing) => {
                    self.begin(&pairing);
                    return Step::Match(pairing);
                }
                Step::Match(pairing) => self.held_back.push_back(pairing),
                step if self.held_back.is_empty() => return step,
                Step::AwaitResults | Step::AwaitBots | Step::Over => break,
            }
        }
        Step::AwaitResults
    }

    /// Counts a match that has begun, for one that did not come from here.
    pub fn begin(&mut self, pairing: &Pairing) {
        if self.most.is_some() {
            for bot in &pairing.bots {
                *self.busy.entry(bot.clone()).or_default() += 1;
            }
        }
    }

    /// Counts a match that has ended.
    pub fn end(&mut self, pairing: &Pairing) {
        for bot in &pairing.bots {
            if let Some(matches) = self.busy.get_mut(bot) {
                *matches -= 1;
                if *matches == 0 {
                    self.busy.remove(bot);
                }
            }
        }
    }

    fn is_free(&self, pairing: &Pairing) -> bool {
        let Some(most) = self.most else { return true };
        pairing.bots.iter().all(|bot| self.busy.get(bot).is_none_or(|&matches| matches < most))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tournament::{
        Alliance, Draw, Format, MatchResult, Settings, SettingsDraft, plan_schedule, testing,
    };
    use proptest::prelude::*;

    fn settings(seats: usize, format: Format, most: Option<usize>) -> Settings {
        let plain = testing::settings(seats, 2, Alliance::Standard);
        let bot_concurrency = most.map(|most| Concurrency::new(most).unwrap());
        Settings::new(SettingsDraft { format, bot_concurrency, ..(*plain).clone() }).unwrap()
    }

    #[test]
    fn many_play_at_once_though_each_plays_one() {
        let settings = settings(2, Format::RoundRobin, Some(1));
        let mut schedule = plan_schedule(&settings, &testing::field(64)).unwrap();
        let mut lineup = Lineup::new(settings.bot_concurrency);
        let mut playing = 0;
        while let Step::Match(_) = lineup.next(&mut *schedule) {
            playing += 1;
        }
        assert!((24..=32).contains(&playing), "{playing} matches of 64 bots");
    }

    proptest! {
        #![proptest_config(crate::game::testing::cases(60))]

        #[test]
        fn no_bot_plays_more_than_it_may(
            seats in 2..4_usize, more in 0..6_usize, most in prop::option::of(1..4_usize), at_once in 1..20_usize,
            seed: u64, sample: bool,
        ) {
            let format = if sample {
                Format::Sample { groups: crate::tournament::GroupCount::new(9).unwrap() }
            } else {
                Format::Knockout { advance: 1, table_groups: crate::tournament::TableGroups::ONE }
            };
            let settings = settings(seats, format, most);
            let field = testing::field(seats + more);
            let mut schedule = plan_schedule(&settings, &field).unwrap();
            let (mut lineup, mut draw) = (Lineup::new(settings.bot_concurrency), Draw::new(seed, 0));
            let (mut open, mut played): (Vec<Pairing>, u64) = (Vec::new(), 0);
            loop {
                let step = if open.len() < at_once { lineup.next(&mut *schedule) } else { Step::AwaitResults };
                match step {
                    Step::Match(pairing) => {
                        open.push(pairing);
                        for bot in &field {
                            let playing = open.iter().filter(|pairing| pairing.bots.iter().any(|each| each == bot));
                            prop_assert!(playing.count() <= most.unwrap_or(usize::MAX));
                        }
                    }
                    Step::AwaitResults => {
                        prop_assert!(!open.is_empty(), "it waits for nothing");
                        let ended = open.swap_remove(draw.below(open.len() as u64) as usize);
                        lineup.end(&ended);
                        schedule.report(&MatchResult::cancelled(&ended));
                        played += 1;
                    }
                    Step::AwaitBots | Step::Over => {
                        let Some(ended) = open.pop() else { break };
                        lineup.end(&ended);
                        schedule.report(&MatchResult::cancelled(&ended));
                        played += 1;
                    }
                }
            }
            prop_assert_eq!(Total::Exactly(played), schedule.total());
            prop_assert!(lineup.busy.is_empty());
        }
    }
}
