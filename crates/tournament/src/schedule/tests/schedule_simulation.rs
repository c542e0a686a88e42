//! Simulated tournaments without games: results are generated and reported in any order.

use super::*;
use crate::{
    AllianceSource, MatchOutcome, MatchResult, Pairing, SeatLoss, SeatResult, SeededDraw, Settings,
    SettingsDraft, TournamentFormat, testing,
};
use lastnim_core::game::{BotName, BySeat, SeatCount};
use std::collections::BTreeMap;

pub(super) use crate::testing::field;

/// Returns settings for tests, with this format.
pub(super) fn settings(seats: usize, positions: u64, format: TournamentFormat) -> Settings {
    let plain = testing::settings(seats, positions, AllianceSource::Standard);
    Settings::new(SettingsDraft { format, ..(*plain).clone() }).unwrap()
}

/// A schedule with the matches that it has handed out and their results.
#[derive(Debug)]
pub(super) struct ScheduleSimulation {
    pub(super) settings: Settings,
    pub(super) schedule: Box<dyn Schedule>,
    pub(super) open: Vec<Pairing>,
    pub(super) results: Vec<MatchResult>,
    /// All matches handed out, by number.
    pub(super) played: BTreeMap<u64, Pairing>,
}

impl ScheduleSimulation {
    pub(super) fn new(settings: &Settings, field: &[BotName]) -> Self {
        let schedule = plan_schedule(settings, field).unwrap();
        Self {
            settings: settings.clone(),
            schedule,
            open: Vec::new(),
            results: Vec::new(),
            played: BTreeMap::new(),
        }
    }

    /// Plays until the tournament ends, or until `max_matches` have begun and ended. Up to `at_once` matches are in
    /// progress at a time, and they end in random order.
    pub(super) fn play(
        &mut self,
        result: &dyn Fn(&Pairing) -> MatchResult,
        at_once: usize,
        max_matches: usize,
        luck: u64,
    ) {
        let mut draw = SeededDraw::new(luck, 0);
        let mut is_over = false;
        loop {
            while !is_over && self.open.len() < at_once && self.played.len() < max_matches {
                match self.schedule.next() {
                    ScheduleStep::Match(pairing) => self.begin(pairing),
                    ScheduleStep::AwaitResults => {
                        assert!(
                            !self.open.is_empty(),
                            "the schedule waits for results, but no match is open"
                        );
                        break;
                    }
                    ScheduleStep::AwaitBots | ScheduleStep::Over => is_over = true,
                }
            }
            if self.open.is_empty() {
                return;
            }
            let ended = self.open.swap_remove(draw.number_below(self.open.len() as u64) as usize);
            self.end(&result(&ended));
        }
    }

    /// Plays until `max_matches` have begun, and leaves unfinished those that are in progress then.
    pub(super) fn begin_and_end(
        &mut self,
        result: &dyn Fn(&Pairing) -> MatchResult,
        at_once: usize,
        max_matches: usize,
        luck: u64,
    ) {
        let mut draw = SeededDraw::new(luck, 0);
        while self.played.len() < max_matches {
            let step =
                if self.open.len() < at_once { self.schedule.next() } else { ScheduleStep::AwaitResults };
            match step {
                ScheduleStep::Match(pairing) => self.begin(pairing),
                ScheduleStep::AwaitBots | ScheduleStep::Over => return,
                ScheduleStep::AwaitResults => {
                    let ended = self.open.swap_remove(draw.number_below(self.open.len() as u64) as usize);
                    self.end(&result(&ended));
                }
            }
        }
    }

    fn begin(&mut self, pairing: Pairing) {
        assert_eq!(self.schedule.pairing_of_number(pairing.number).as_ref(), Some(&pairing));
        let twice = self.played.insert(pairing.number, pairing.clone());
        assert_eq!(twice, None, "a match is handed out only once");
        self.open.push(pairing);
    }

    pub(super) fn end(&mut self, result: &MatchResult) {
        self.schedule.report_result(result);
        self.results.push(result.clone());
    }

    /// Rebuilds the schedule from the results in random order and the open matches.
    pub(super) fn rebuild(&mut self, settings: &Settings, field: &[BotName], luck: u64) {
        let mut schedule = plan_schedule(settings, field).unwrap();
        let mut results = self.results.clone();
        SeededDraw::new(luck, 1).shuffle(&mut results);
        for result in &results {
            schedule.report_result(result);
        }
        for pairing in &self.open {
            schedule.skip_open_match(pairing.number);
        }
        self.schedule = schedule;
    }

    /// Returns the matches that count, in the order of their numbers.
    pub(super) fn counted(&self) -> Vec<Pairing> {
        let settled = self.schedule.settled_below();
        self.played.range(..settled).map(|(_, pairing)| pairing.clone()).collect()
    }
}

/// Generates results that depend only on the seed and the match. Some matches are cancelled, and some seats are lost.
pub(super) fn random_result(seed: u64) -> impl Fn(&Pairing) -> MatchResult {
    move |pairing| {
        random_result_with(seed, pairing, |draw, seats| SeatResult {
            rank_actual: draw.number_below(seats.get() as u64) as u32,
            regret: draw.number_below(2) as u32,
            plies: 2,
            lost: (draw.number_below(8) == 0).then_some(SeatLoss::Forfeited),
            ..SeatResult::default()
        })
    }
}

/// Creates a result that depends only on the seed, the match and `draw_seat`. Some matches are cancelled.
pub(super) fn random_result_with(
    seed: u64,
    pairing: &Pairing,
    draw_seat: impl Fn(&mut SeededDraw, SeatCount) -> SeatResult,
) -> MatchResult {
    let mut draw = SeededDraw::new(seed, pairing.number);
    let seats = pairing.bots.seats();
    if draw.number_below(12) == 0 {
        return MatchResult::cancelled(pairing);
    }
    let winner = seats.seat(draw.number_below(seats.get() as u64) as usize).unwrap();
    let results = BySeat::from_fn(seats, |_| draw_seat(&mut draw, seats));
    MatchResult::finished(pairing, MatchOutcome { winner, seats: results })
}

/// Generates results in which the bot with the lowest number wins.
pub(super) fn strongest_wins(pairing: &Pairing) -> MatchResult {
    let seats = pairing.bots.seats();
    let strength = |bot: &BotName| bot.as_str().trim_start_matches("bot").parse::<u64>().unwrap();
    let mut order: Vec<_> = pairing.bots.enumerate().collect();
    order.sort_by_key(|(_, bot)| strength(bot));
    let results = BySeat::from_fn(seats, |seat| SeatResult {
        rank_actual: order.iter().position(|(each, _)| *each == seat).unwrap() as u32,
        ..SeatResult::default()
    });
    MatchResult::finished(pairing, MatchOutcome { winner: order[0].0, seats: results })
}
