//! SPRT tournaments: is one bot better than another?

use super::capital_path::{CapitalPath, CapitalPoint};
use super::opponents::OpponentRotation;
use super::position_order::PositionOrder;
use super::{FormatVerdict, Schedule, ScheduleStep, SprtAnswer, SprtVerdict, TotalMatches};
use super::{numbers::NumberSequence, seating::SeatAssigner, sequential_test::SequentialTest};
use crate::checkpoint::{CheckpointError, ReportedResults, decode_state, encode_state, ensure_results_fit};
use crate::{FieldError, MatchResult, Pairing, Scoring, Settings, SprtMeasure, SprtSettings};
use lastnim_core::game::{BotName, SeatCount};
use std::collections::BTreeMap;

/// Hands out the matches of a sequential test.
///
/// With two seats and no other bots, candidate and baseline meet in duplicate groups of two matches. Otherwise a group
/// has 2n matches: one per rotation with the candidate, then the same matches with the baseline in its place. Position,
/// rows and seats are the same within a group; opponents and positions take turns from group to group. Each group
/// yields the difference between candidate and baseline per match, in points or regret.
///
/// Groups are judged in the order of their numbers, so concurrency does not matter: matches played after the answer do
/// not count. A group with a cancelled match is ignored.
#[derive(Debug)]
pub(super) struct SprtSchedule {
    settings: SprtSettings,
    scoring: Scoring,
    seating: SeatAssigner,
    positions: PositionOrder,
    /// The field, sorted by name.
    field: Vec<BotName>,
    /// The rotation of the other bots; `None` if candidate and baseline meet each other.
    opponents: Option<OpponentRotation>,
    numbers: NumberSequence,
    /// The results of groups that are not judged yet, by match number.
    results: BTreeMap<u64, MatchResult>,
    /// The number of groups judged so far, including those ignored because of a cancelled match.
    judged: u64,
    test: SequentialTest,
    path: CapitalPath,
    answer: SprtAnswer,
}

impl SprtSchedule {
    /// Plans the test for a field sorted by name.
    ///
    /// # Errors
    /// If the candidate or the baseline is not in the field.
    pub(super) fn new(
        settings: &Settings,
        sprt: &SprtSettings,
        field: Vec<BotName>,
    ) -> Result<Self, FieldError> {
        for bot in [&sprt.candidate, &sprt.baseline] {
            if !field.contains(bot) {
                return Err(FieldError::Missing { bot: bot.clone(), field_size: field.len() });
            }
        }
        let opponents: Vec<usize> = (0..field.len())
            .filter(|&bot| ![&sprt.candidate, &sprt.baseline].contains(&&field[bot]))
            .collect();
        let opponents = (!opponents.is_empty())
            .then(|| OpponentRotation::new(opponents, settings.seats.get() - 1, settings.seed));
        Ok(Self {
            settings: sprt.clone(),
            scoring: settings.scoring,
            seating: SeatAssigner::of_settings(settings),
            positions: PositionOrder::of_settings(settings),
            field,
            opponents,
            numbers: NumberSequence::default(),
            results: BTreeMap::new(),
            judged: 0,
            test: SequentialTest::new(
                sprt.effects,
                sprt.errors,
                max_difference(sprt.measure, settings.seats),
            ),
            path: CapitalPath::default(),
            answer: SprtAnswer::Open,
        })
    }

    /// Returns the number of matches in a group, for a field of this size.
    ///
    /// # Errors
    /// If the field is too small.
    pub(super) fn group_size(field: usize, seats: SeatCount) -> Result<u64, FieldError> {
        let rotations = seats.get() as u64;
        match (field, seats.get()) {
            (0 | 1, 2) => Err(FieldError::TooFewBots { field_size: field, seats }),
            (2, 2) => Ok(rotations),
            (_, n) if field > n => Ok(2 * rotations),
            (_, n) => Err(FieldError::TooFewOpponents { field_size: field, seats, needed: n + 1 }),
        }
    }

    fn matches_per_group(&self) -> u64 {
        let rotations = self.seating.seats() as u64;
        if self.opponents.is_some() { 2 * rotations } else { rotations }
    }

    /// Returns the number of matches if the test never gives an answer.
    fn max_matches(&self) -> u64 {
        self.settings.groups.get() * self.matches_per_group()
    }

    /// Judges complete groups, in the order of their numbers, until there is an answer.
    fn judge_groups(&mut self) {
        while self.answer == SprtAnswer::Open {
            let end = (self.judged + 1) * self.matches_per_group();
            if self.results.range(..end).count() as u64 != self.matches_per_group() {
                return;
            }
            let later = self.results.split_off(&end);
            let group = std::mem::replace(&mut self.results, later);
            self.judged += 1;
            if let Some(difference) = self.group_difference(group.values()) {
                self.test.add_difference(difference);
            }
            self.path.push(CapitalPoint { groups: self.judged, capitals: self.test.capitals() });
            self.answer = match self.test.answer() {
                SprtAnswer::Open if self.judged == self.settings.groups.get() => SprtAnswer::Undecided,
                answer => answer,
            };
        }
        self.results.clear();
    }

    /// Returns by how much the candidate was better per match of a group; `None` if one of its matches was cancelled.
    fn group_difference<'a>(&self, group: impl Iterator<Item = &'a MatchResult>) -> Option<f64> {
        let mut difference = 0.0;
        for result in group {
            let outcome = result.outcome.as_ref()?;
            for (seat, bot) in result.bots.enumerate() {
                let value = || self.settings.measure.match_value(self.scoring, outcome, seat);
                if *bot == self.settings.candidate {
                    difference += value();
                } else if *bot == self.settings.baseline {
                    difference -= value();
                }
            }
        }
        Some(difference / f64::from(self.seating.seats() as u32))
    }
}

/// Returns the maximum difference between two bots in a match.
fn max_difference(measure: SprtMeasure, seats: SeatCount) -> f64 {
    match measure {
        SprtMeasure::Points => 1.0,
        SprtMeasure::Regret => f64::from(seats.get() as u32 - 1),
    }
}

impl Schedule for SprtSchedule {
    fn next(&mut self) -> ScheduleStep {
        if self.answer != SprtAnswer::Open {
            return ScheduleStep::Over;
        }
        let next = self.numbers.next_below(self.max_matches());
        next.and_then(|number| self.pairing_of_number(number))
            .map_or(ScheduleStep::AwaitResults, ScheduleStep::Match)
    }

    fn report_result(&mut self, result: &MatchResult) {
        let is_due = self.answer == SprtAnswer::Open && result.number >= self.settled_below();
        if is_due && self.pairing_of_number(result.number).is_some_and(|pairing| pairing.bots == result.bots)
        {
            self.numbers.leave_out(result.number);
            self.results.entry(result.number).or_insert_with(|| result.clone());
            self.judge_groups();
        }
    }

    fn skip_open_match(&mut self, number: u64) {
        self.numbers.leave_out(number);
    }

    fn pairing_of_number(&self, number: u64) -> Option<Pairing> {
        if number >= self.max_matches() {
            return None;
        }
        let (group, place) = (number / self.matches_per_group(), number % self.matches_per_group());
        let rotations = self.seating.seats() as u64;
        let SprtSettings { candidate, baseline, .. } = &self.settings;
        let table: Vec<&BotName> = match &self.opponents {
            None => vec![candidate, baseline],
            Some(opponents) => {
                let tested = if place < rotations { candidate } else { baseline };
                std::iter::once(tested).chain(opponents.table(group).map(|bot| &self.field[bot])).collect()
            }
        };
        let position = self.positions.position_at_step(group);
        Some(self.seating.make_pairing((number, group, (place % rotations) as usize), position, table))
    }

    fn total_matches(&self) -> TotalMatches {
        match self.answer {
            SprtAnswer::Open => TotalMatches::AtMost(self.max_matches()),
            SprtAnswer::Better | SprtAnswer::NoBetter | SprtAnswer::Undecided => {
                TotalMatches::Exactly(self.settled_below())
            }
        }
    }

    fn settled_below(&self) -> u64 {
        self.judged * self.matches_per_group()
    }

    fn format_verdict(&self) -> FormatVerdict {
        let (lower, upper) = self.test.bounds();
        FormatVerdict::Sprt(SprtVerdict {
            answer: self.answer,
            llr: self.test.capitals().llr(),
            lower,
            upper,
            groups: self.judged,
            effect: self.test.mean_difference(),
            path: self
                .path
                .points_through(CapitalPoint { groups: self.judged, capitals: self.test.capitals() }),
        })
    }

    fn save(&self) -> Option<Vec<u8>> {
        let state = (self.judged, self.test.state(), &self.path, self.answer, &self.results);
        Some(encode_state(&state))
    }

    fn restore(&mut self, state: &[u8], reported: &ReportedResults) -> Result<(), CheckpointError> {
        let test;
        (self.judged, test, self.path, self.answer, self.results) = decode_state(state)?;
        self.test.restore(test);
        self.numbers = reported.numbers().clone();
        ensure_results_fit(&self.results)
    }
}
