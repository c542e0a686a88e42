//! Formats with rounds that depend on earlier rounds.

use super::{
    FieldChange, FieldMovement, FormatVerdict, Schedule, ScheduleStep, TotalMatches,
    numbers::{MAX_NUMBER, NumberSequence},
    position_order::PositionOrder,
    seating::SeatAssigner,
};
use crate::checkpoint::{
    CheckpointError, ReportedResults, decode_state, encode_state, ensure_results_fit, ensure_valid,
};
use crate::{MatchResult, Pairing, Settings, TableGroups};
use lastnim_core::game::BotName;
use serde::{Deserialize, Serialize, de::DeserializeOwned};
use std::{collections::BTreeMap, fmt};

/// The bots at one table of a round, as roster indexes.
pub(super) type RoundTable = Vec<usize>;

/// A format that draws the tables of each round from the results of earlier rounds.
pub(super) trait RoundFormat: fmt::Debug + Send + Sync {
    /// Whether finished rounds are kept, so that their matches can be looked up.
    const KEEPS_ROUNDS: bool;
    /// The encoded state of the format.
    type State: DeserializeOwned;

    /// Draws the tables of the next round.
    fn draw_round(&mut self) -> DrawnRound;

    /// Processes one result of the current round. Results come in the order of their match numbers, each as soon as all
    /// earlier results are known. Slow work for each match belongs here, not at the end of the round.
    fn observe_result(&mut self, _result: &MatchResult) {}

    /// Processes all results of the current round in the order of their match numbers, and so table by table. All
    /// tables have the same number of matches.
    fn finish_round(&mut self, results: &[MatchResult]);

    /// Returns the name of the bot with this roster index.
    fn name_of_bot(&self, bot: usize) -> &BotName;

    /// Returns the total number of matches.
    fn total_matches(&self) -> TotalMatches;

    /// Returns the format's verdict.
    fn format_verdict(&self) -> FormatVerdict;

    /// Changes the field before the next round is drawn. Only the last change of each bot matters, and the order of the
    /// bots does not.
    fn change_field(&mut self, _bot: BotName, _movement: FieldMovement) {}

    /// Returns whether the field of the next round may differ from that of the current one.
    fn can_change_field(&self) -> bool {
        false
    }

    /// Returns the state to be saved. It includes the effects of all rounds drawn so far and of all results processed
    /// so far.
    fn state(&self) -> impl Serialize;

    /// Restores a saved state. The rounds that it includes are not drawn again.
    fn restore(&mut self, state: Self::State) -> Result<(), CheckpointError>;

    /// Restores the tables of the kept rounds, with the current round last. It is called after `restore`.
    fn restore_tables(&mut self, _rounds: &[&[RoundTable]]) {}

    /// Returns the number of bots. All roster indexes are below it.
    fn bot_count(&self) -> usize;
}

/// The result of drawing a round.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum DrawnRound {
    /// The tables of the round, at least one.
    Tables(Vec<RoundTable>),
    /// There are too few bots; the next round waits until more enter.
    TooFewBots,
    /// The tournament is over.
    Over,
}

/// Hands out matches round by round; a round begins when the previous one is finished. The matches of a round are
/// numbered by table, then group, then rotation, and the numbers continue from round to round.
///
/// The schedule keeps the results of the current round and processes them in the order of their match numbers, so the
/// order in which they arrive does not matter.
#[derive(Debug)]
pub(super) struct RoundSchedule<R> {
    rounds: R,
    seating: SeatAssigner,
    positions: PositionOrder,
    table_groups: u64,
    /// The kept rounds, with the current round last.
    drawn: Vec<KeptRound>,
    state: RoundState,
    numbers: NumberSequence,
    /// The results reported for the current round and for later rounds, by match number.
    results: BTreeMap<u64, MatchResult>,
    /// The number of the first match whose result has not been processed yet.
    processed: u64,
    /// For each coming round, the last change of each bot that takes effect in that round.
    changes: BTreeMap<u64, BTreeMap<BotName, FieldMovement>>,
}

/// A round that has been drawn, with its tables.
#[derive(Debug, Serialize, Deserialize)]
struct KeptRound {
    /// The number of the round, from 0.
    index: u64,
    /// The number of the round's first match.
    first: u64,
    tables: Vec<RoundTable>,
}

/// The state of the current round.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
enum RoundState {
    Open,
    /// The round is finished, and there are too few bots for the next one.
    TooFewBots,
    /// The last round is finished.
    Over,
}

impl<R: RoundFormat> RoundSchedule<R> {
    /// Creates the schedule and draws the first round.
    pub(super) fn new(settings: &Settings, table_groups: TableGroups, rounds: R) -> Self {
        let mut new = Self {
            rounds,
            seating: SeatAssigner::of_settings(settings),
            positions: PositionOrder::of_settings(settings),
            table_groups: table_groups.get(),
            drawn: Vec::new(),
            state: RoundState::Open,
            numbers: NumberSequence::default(),
            results: BTreeMap::new(),
            processed: 0,
            changes: BTreeMap::new(),
        };
        new.draw_next_round();
        new
    }

    fn matches_per_table(&self) -> u64 {
        self.table_groups * self.seating.seats() as u64
    }

    /// Returns the number of the last match of a round, plus 1.
    fn end_of_round(&self, round: &KeptRound) -> u64 {
        round.first + round.tables.len() as u64 * self.matches_per_table()
    }

    fn end_of_last_round(&self) -> u64 {
        self.drawn.last().map_or(0, |round| self.end_of_round(round))
    }

    fn next_index(&self) -> u64 {
        self.drawn.last().map_or(0, |round| round.index + 1)
    }

    fn draw_next_round(&mut self) {
        let index = self.next_index();
        while let Some(due) = self.changes.first_entry().filter(|entry| *entry.key() <= index) {
            for (bot, movement) in due.remove() {
                self.rounds.change_field(bot, movement);
            }
        }
        self.state = match self.rounds.draw_round() {
            DrawnRound::Tables(tables) => {
                let first = self.end_of_last_round();
                if !R::KEEPS_ROUNDS {
                    self.drawn.clear();
                }
                self.drawn.push(KeptRound { index, first, tables });
                RoundState::Open
            }
            DrawnRound::TooFewBots => RoundState::TooFewBots,
            DrawnRound::Over => RoundState::Over,
        };
    }

    /// Processes results of the current round, up to the first match whose result is unknown.
    fn observe_results(&mut self) {
        let end = self.end_of_last_round();
        while self.processed < end
            && let Some(result) = self.results.get(&self.processed)
        {
            self.rounds.observe_result(result);
            self.processed += 1;
        }
    }

    /// Finishes the current round and draws the next one, repeatedly, while all results of the current round are known.
    fn settle_rounds(&mut self) {
        while self.state == RoundState::Open {
            let Some(round) = self.drawn.last() else { return };
            let (first, end) = (round.first, self.end_of_round(round));
            self.observe_results();
            // Results of later rounds may already have arrived; they are checked when their round is drawn.
            if self.results.range(..end).count() as u64 != end - first {
                return;
            }
            let later = self.results.split_off(&end);
            let results: Vec<MatchResult> =
                std::mem::replace(&mut self.results, later).into_values().collect();
            self.rounds.finish_round(&results);
            self.draw_next_round();
            self.forget_foreign_results();
        }
    }

    /// Drops results that were reported before the current round was drawn and do not fit its matches. Matches whose
    /// results fit are not handed out.
    fn forget_foreign_results(&mut self) {
        let end = self.end_of_last_round();
        let is_wrong = |result: &MatchResult| !self.belongs_to_last_round(result);
        let wrong: Vec<u64> = self
            .results
            .range(..end)
            .filter(|(_, result)| is_wrong(result))
            .map(|(&number, _)| number)
            .collect();
        for number in wrong {
            self.results.remove(&number);
        }
        for &number in self.results.range(..end).map(|(number, _)| number) {
            self.numbers.leave_out(number);
        }
    }

    /// Restores the drawn rounds. The state of the format must already be restored.
    fn restore_rounds(&mut self, drawn: Vec<KeptRound>) -> Result<(), CheckpointError> {
        let (bots, seats) = (self.rounds.bot_count(), self.seating.seats());
        self.drawn.clear();
        for round in drawn {
            let is_table = |table: &RoundTable| table.len() == seats && table.iter().all(|&bot| bot < bots);
            ensure_valid(
                round.tables.iter().all(is_table),
                "a table has an unknown bot or the wrong number of bots",
            )?;
            // Every earlier round had at least one table.
            let least_first = round.index.saturating_mul(self.matches_per_table());
            ensure_valid(
                least_first <= round.first && round.first <= MAX_NUMBER,
                "a round's first match number is out of range",
            )?;
            let follows = self.drawn.is_empty()
                || (round.first, round.index) == (self.end_of_last_round(), self.next_index());
            ensure_valid(follows, "a round does not follow the previous round")?;
            self.drawn.push(round);
        }
        let rounds: Vec<&[RoundTable]> = self.drawn.iter().map(|round| &*round.tables).collect();
        self.rounds.restore_tables(&rounds);
        Ok(())
    }

    fn belongs_to_last_round(&self, result: &MatchResult) -> bool {
        self.pairing_of_number(result.number).is_some_and(|pairing| pairing.bots == result.bots)
    }
}

impl<R: RoundFormat> Schedule for RoundSchedule<R> {
    fn next(&mut self) -> ScheduleStep {
        let next = self.numbers.next_below(self.end_of_last_round());
        match (next.and_then(|number| self.pairing_of_number(number)), self.state) {
            (Some(pairing), _) => ScheduleStep::Match(pairing),
            (None, RoundState::Open) => ScheduleStep::AwaitResults,
            (None, RoundState::TooFewBots) => ScheduleStep::AwaitBots,
            (None, RoundState::Over) => ScheduleStep::Over,
        }
    }

    fn report_result(&mut self, result: &MatchResult) {
        let Some(round) = self.drawn.last() else { return };
        let (first, end) = (round.first, self.end_of_round(round));
        let is_of_a_later_round = result.number >= end;
        if self.state != RoundState::Open
            || result.number < first
            || !(is_of_a_later_round || self.belongs_to_last_round(result))
        {
            return;
        }
        if !is_of_a_later_round {
            self.numbers.leave_out(result.number);
        }
        self.results.entry(result.number).or_insert_with(|| result.clone());
        self.settle_rounds();
    }

    fn skip_open_match(&mut self, number: u64) {
        self.numbers.leave_out(number);
    }

    fn pairing_of_number(&self, number: u64) -> Option<Pairing> {
        let round = &self.drawn[self.drawn.partition_point(|round| round.first <= number).checked_sub(1)?];
        let groups = self.table_groups;
        let table = round.tables.get(((number - round.first) / self.matches_per_table()) as usize)?;
        let group_of_table = number / self.seating.seats() as u64 % groups;
        let position = self.positions.position_at_step(round.index * groups + group_of_table);
        Some(self.seating.make_rotated_pairing(
            number,
            position,
            table.iter().map(|&bot| self.rounds.name_of_bot(bot)),
        ))
    }

    fn total_matches(&self) -> TotalMatches {
        match self.state {
            RoundState::Over => TotalMatches::Exactly(self.end_of_last_round()),
            RoundState::Open | RoundState::TooFewBots => self.rounds.total_matches(),
        }
    }

    fn first_replayable(&self) -> u64 {
        let open = self.drawn.last().filter(|_| self.state == RoundState::Open);
        open.map_or(u64::MAX, |round| round.first)
    }

    fn drawn_matches(&self) -> Option<u64> {
        Some(self.end_of_last_round())
    }

    fn open_round(&self) -> Option<u64> {
        let is_open = self.rounds.can_change_field() && self.state != RoundState::Over;
        is_open.then(|| self.next_index())
    }

    fn is_seated(&self, bot: &BotName) -> bool {
        let round = self.drawn.last().filter(|_| self.state == RoundState::Open);
        let seated = round.into_iter().flat_map(|round| round.tables.iter().flatten());
        seated.into_iter().any(|&place| self.rounds.name_of_bot(place) == bot)
    }

    fn change_field(&mut self, change: &FieldChange) {
        if self.open_round().is_some_and(|round| change.round >= round) {
            let FieldChange { round, ref bot, movement } = *change;
            self.changes.entry(round).or_default().insert(bot.clone(), movement);
            if self.state == RoundState::TooFewBots {
                self.draw_next_round();
                self.forget_foreign_results();
                self.settle_rounds();
            }
        }
    }

    fn format_verdict(&self) -> FormatVerdict {
        self.rounds.format_verdict()
    }

    fn save(&self) -> Option<Vec<u8>> {
        let is_ahead =
            self.results.last_key_value().is_some_and(|(&last, _)| last >= self.end_of_last_round());
        // Whether the results of future rounds will count is not known yet.
        if is_ahead {
            return None;
        }
        let format = self.rounds.state();
        Some(encode_state(&(format, &self.drawn, self.state, self.processed, &self.results, &self.changes)))
    }

    fn restore(&mut self, state: &[u8], _reported: &ReportedResults) -> Result<(), CheckpointError> {
        let (format, drawn);
        (format, drawn, self.state, self.processed, self.results, self.changes) = decode_state(state)?;
        self.rounds.restore(format)?;
        self.restore_rounds(drawn)?;
        ensure_results_fit(&self.results)?;
        let first = match (self.state, self.drawn.last()) {
            (RoundState::Open, Some(round)) => round.first,
            (RoundState::Open, None) => {
                return Err(CheckpointError::Malformed("the round in progress is missing"));
            }
            (RoundState::TooFewBots | RoundState::Over, _) => self.end_of_last_round(),
        };
        self.numbers = NumberSequence::starting_at(first);
        for (&number, result) in &self.results {
            ensure_valid(
                number >= first && self.belongs_to_last_round(result),
                "a result is not from the last round",
            )?;
            self.numbers.leave_out(number);
        }
        Ok(())
    }
}
