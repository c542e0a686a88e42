//! Swiss rounds.

use super::in_rounds::{DrawnRound, RoundFormat, RoundTable};
use super::{Bye, FieldMovement, FormatVerdict, TotalMatches, meetings::MeetingCounts};
use crate::checkpoint::{CheckpointError, ensure_valid};
use crate::{
    MAX_MATCHES, MatchResult, RoundCount, Scoring, SeededDraw, Settings, TableGroups, tally::StandingTally,
};
use lastnim_core::game::{BotName, SeatCount};
use serde::Serialize;

/// Used in place of the number of a group in the draw that orders equal bots. No group has this number, so it is
/// independent of all other draws.
const ORDER_DRAW_TAG: u64 = 0x7377_6973_7320_6f72;

/// The rounds of a Swiss tournament.
///
/// Bots are seated in the order of their scores, and bots with equal scores in an order drawn from the seed: the first
/// n at the first table, and so on. Then bots are swapped between tables to reduce repeated meetings. If the number of
/// bots is not a multiple of n, some have a bye: those with the fewest byes so far, and among these the last in the
/// order. A bye scores what a seat gets on average: 1/n of a table's points with scoring by wins, half a point per
/// match with satisfaction.
///
/// A bot that has withdrawn gets neither tables nor byes. The tournament ends early if too few bots are left for a table.
#[derive(Debug)]
pub(super) struct Swiss {
    bots: Vec<SwissEntrant>,
    seats: SeatCount,
    scoring: Scoring,
    rounds_left: u64,
    /// Number of tables drawn in all rounds.
    tables_drawn: u64,
    table_groups: u64,
    meetings: MeetingCounts,
    /// The tables of the current round.
    tables: Vec<RoundTable>,
}

/// A bot in a Swiss tournament.
#[derive(Debug)]
struct SwissEntrant {
    name: BotName,
    /// The bot's place, drawn from the seed, among bots with equal scores.
    order: usize,
    tally: StandingTally,
    byes: u64,
    has_left: bool,
}

impl Swiss {
    /// Plans the rounds for a field sorted by name.
    pub(super) fn new(
        settings: &Settings,
        field: Vec<BotName>,
        rounds: RoundCount,
        table_groups: TableGroups,
    ) -> Self {
        let mut order: Vec<usize> = (0..field.len()).collect();
        SeededDraw::from_numbers([settings.seed, ORDER_DRAW_TAG]).shuffle(&mut order);
        let meetings = MeetingCounts::zero(field.len());
        let entrant = |(name, order)| {
            let tally = StandingTally::default();
            SwissEntrant { name, order, tally, byes: 0, has_left: false }
        };
        Self {
            bots: field.into_iter().zip(order).map(entrant).collect(),
            seats: settings.seats,
            scoring: settings.scoring,
            rounds_left: rounds.get(),
            tables_drawn: 0,
            table_groups: table_groups.get(),
            meetings,
            tables: Vec::new(),
        }
    }

    /// Returns the number of groups for a field of this size; `None` on overflow.
    pub(super) fn count_groups(
        field: usize,
        seats: usize,
        rounds: RoundCount,
        table_groups: TableGroups,
    ) -> Option<u64> {
        ((field / seats) as u64).checked_mul(rounds.get())?.checked_mul(table_groups.get())
    }

    /// Returns a bot's score in the units of its tally.
    fn score(&self, bot: &SwissEntrant) -> i64 {
        bot.tally.score_units(self.scoring) + self.bye_score(bot)
    }

    /// Returns a bot's score for its byes, in the units of its tally.
    fn bye_score(&self, bot: &SwissEntrant) -> i64 {
        bot.byes.cast_signed() * self.scoring.bye_units(self.seats.get(), self.table_groups)
    }

    /// Returns the bots that have not left.
    fn playing_bots(&self) -> impl Iterator<Item = usize> {
        (0..self.bots.len()).filter(|&bot| !self.bots[bot].has_left)
    }

    /// Returns the bots that have not left, sorted by score; bots with equal scores are in the drawn order.
    fn bots_by_score(&self) -> Vec<usize> {
        let mut order: Vec<usize> = self.playing_bots().collect();
        order.sort_by_cached_key(|&bot| {
            let bot = &self.bots[bot];
            (-self.score(bot), bot.order)
        });
        order
    }
}

impl RoundFormat for Swiss {
    const KEEPS_ROUNDS: bool = true;
    type State = (u64, u64, Vec<(StandingTally, u64, bool)>);

    fn draw_round(&mut self) -> DrawnRound {
        let Some(left) = self.rounds_left.checked_sub(1) else { return DrawnRound::Over };
        let mut order = self.bots_by_score();
        if order.len() < self.seats.get() {
            return DrawnRound::Over;
        }
        self.rounds_left = left;
        for _ in 0..order.len() % self.seats.get() {
            let places = 0..order.len();
            let out = places.rev().min_by_key(|&place| self.bots[order[place]].byes);
            let bot = order.remove(out.expect("there are more bots than byes"));
            self.bots[bot].byes += 1;
        }
        self.tables = order.chunks(self.seats.get()).map(<[usize]>::to_vec).collect();
        self.tables_drawn += self.tables.len() as u64;
        self.meetings.reduce_repeats(&mut self.tables);
        for table in &self.tables {
            self.meetings.add_table(table);
        }
        DrawnRound::Tables(self.tables.clone())
    }

    fn finish_round(&mut self, results: &[MatchResult]) {
        for (table, results) in self.tables.iter().zip(results.chunks(results.len() / self.tables.len())) {
            for result in results {
                let Some(outcome) = &result.outcome else { continue };
                for (seat, name) in result.bots.enumerate() {
                    let bot = table.iter().find(|&&bot| self.bots[bot].name == *name);
                    if let Some(&bot) = bot {
                        self.bots[bot].tally.add_match(outcome, seat);
                    }
                }
            }
        }
    }

    fn name_of_bot(&self, bot: usize) -> &BotName {
        &self.bots[bot].name
    }

    fn total_matches(&self) -> TotalMatches {
        let tables_a_round = (self.playing_bots().count() / self.seats.get()) as u64;
        let tables = self.tables_drawn + tables_a_round * self.rounds_left;
        TotalMatches::Exactly(tables * self.table_groups * self.seats.get() as u64)
    }

    fn format_verdict(&self) -> FormatVerdict {
        let entrants = self.bots.iter().filter(|bot| bot.byes > 0);
        let bye = |bot: &SwissEntrant| Bye {
            bot: bot.name.clone(),
            rounds: bot.byes,
            points: self.scoring.points_of_units(self.bye_score(bot), self.seats),
        };
        FormatVerdict::Byes(entrants.map(bye).collect())
    }

    fn change_field(&mut self, bot: BotName, movement: FieldMovement) {
        let entrant = self.bots.iter_mut().find(|entrant| entrant.name == bot);
        if let (Some(entrant), FieldMovement::Leaves) = (entrant, movement) {
            entrant.has_left = true;
        }
    }

    fn can_change_field(&self) -> bool {
        self.rounds_left > 0
    }

    fn state(&self) -> impl Serialize {
        let bots: Vec<_> = self.bots.iter().map(|bot| (&bot.tally, bot.byes, bot.has_left)).collect();
        (self.rounds_left, self.tables_drawn, bots)
    }

    fn restore(&mut self, (rounds_left, tables_drawn, bots): Self::State) -> Result<(), CheckpointError> {
        ensure_valid(bots.len() == self.bots.len(), "it has the wrong number of bots")?;
        // A new schedule has drawn the first round.
        ensure_valid(
            rounds_left <= self.rounds_left && tables_drawn <= MAX_MATCHES,
            "the number of rounds or tables is out of range",
        )?;
        (self.rounds_left, self.tables_drawn) = (rounds_left, tables_drawn);
        for (bot, (tally, byes, has_left)) in self.bots.iter_mut().zip(bots) {
            (bot.tally, bot.byes, bot.has_left) = (tally, byes, has_left);
        }
        Ok(())
    }

    fn restore_tables(&mut self, rounds: &[&[RoundTable]]) {
        self.meetings = MeetingCounts::of_rounds(self.bots.len(), rounds);
        self.tables = rounds.last().map_or_else(Vec::new, |tables| tables.to_vec());
    }

    fn bot_count(&self) -> usize {
        self.bots.len()
    }
}
