//! Rounds after which the best of each table go on.

use super::in_rounds::{DrawnRound, RoundFormat, RoundTable};
use super::{FormatVerdict, KnockoutPlace, TotalMatches, meetings::MeetingCounts};
use crate::checkpoint::{CheckpointError, ensure_holds};
use crate::{MatchResult, SeededDraw, Settings, Standing, Standings, TableGroups};
use lastnim_core::game::BotName;
use serde::Serialize;

/// What is drawn for a knockout, besides the seed and the round: no group of matches has such a number.
const KNOCKOUT_DRAW: u64 = 0x6b6e_6f63_6b6f_7574;

/// The rounds of a knockout.
///
/// A round has as many tables as the bots that are in can fill; the rest sits out and goes on: those with the fewest byes
/// so far, of them by lot. The best of each table go on. Where they and the byes are too few to fill one table, the best of
/// the rest go on as well, by their place at their table, then as in the standings, then by lot. When n bots are left they
/// play the final. At a table bots are ordered as in the standings of its matches of this round, and by lot if these leave
/// them equal. The winners of tables are dealt out to different tables of the next round, then the seconds, and so on;
/// then bots are exchanged until as few as can be found meet again.
#[derive(Debug)]
pub(super) struct Knockout {
    settings: Settings,
    field: Vec<BotName>,
    advance: usize,
    matches: u64,
    round: u64,
    /// The bots that are in, those first that come first when tables are dealt out; all in order after the final.
    still_in: Vec<usize>,
    is_over: bool,
    byes: Vec<u64>,
    /// The round in which each bot went out.
    out_in: Vec<Option<u64>>,
    meetings: MeetingCounts,
    /// Of the last round drawn.
    tables: Vec<RoundTable>,
}

impl Knockout {
    /// Plans the rounds of a field that is in the order of its names.
    pub(super) fn new(
        settings: &Settings,
        field: Vec<BotName>,
        advance: usize,
        table_groups: TableGroups,
    ) -> Self {
        let (bots, seats) = (field.len(), settings.seats.get());
        let mut still_in: Vec<usize> = (0..bots).collect();
        SeededDraw::from_numbers([settings.seed, KNOCKOUT_DRAW]).shuffle(&mut still_in);
        Self {
            settings: settings.clone(),
            field,
            advance,
            matches: Self::count_tables(bots, seats, advance) * table_groups.get() * seats as u64,
            round: 0,
            still_in,
            is_over: false,
            byes: vec![0; bots],
            out_in: vec![None; bots],
            meetings: MeetingCounts::zero(bots),
            tables: Vec::new(),
        }
    }

    /// Returns how many tables a field of this size plays, over all rounds.
    pub(super) fn count_tables(field: usize, seats: usize, advance: usize) -> u64 {
        let (mut left, mut tables) = (field, 1);
        while left > seats {
            tables += (left / seats) as u64;
            left = Self::bots_left_after(left, seats, advance);
        }
        tables
    }

    /// Returns how many bots are in after a round that is not the final.
    fn bots_left_after(left: usize, seats: usize, advance: usize) -> usize {
        (left / seats * advance + left % seats).max(seats)
    }

    fn lot_of_bot(&self, bot: usize) -> u64 {
        SeededDraw::from_numbers([self.settings.seed, KNOCKOUT_DRAW, self.round, bot as u64]).next_bits()
    }

    /// Returns the bots of a table from the best to the worst, with their lines of its standings.
    fn rank_table(&self, table: &RoundTable, results: &[MatchResult]) -> Vec<(usize, Standing)> {
        let mut standings = Standings::new(&self.settings, table.iter().map(|&bot| &self.field[bot]));
        for result in results {
            standings.add_result(result);
        }
        let line = |line: Standing| {
            let bot = table.iter().find(|&&bot| self.field[bot] == line.bot);
            (*bot.expect("the results are those of the table"), line)
        };
        let mut ranked: Vec<(usize, Standing)> = standings.lines().into_iter().map(line).collect();
        ranked.sort_by_key(|(bot, line)| (line.place, self.lot_of_bot(*bot)));
        ranked
    }
}

impl RoundFormat for Knockout {
    const KEPT: bool = true;
    type State = (u64, bool, Vec<usize>, Vec<u64>, Vec<Option<u64>>);

    fn draw_round(&mut self) -> DrawnRound {
        if self.is_over {
            return DrawnRound::Over;
        }
        let seats = self.settings.seats.get();
        let mut playing = self.still_in.clone();
        for _ in 0..playing.len() % seats {
            let out = (0..playing.len()).min_by_key(|&place| {
                let bot = playing[place];
                (self.byes[bot], self.lot_of_bot(bot))
            });
            let bot = playing.remove(out.expect("more are in than the rest of a division"));
            self.byes[bot] += 1;
        }
        let tables = playing.len() / seats;
        self.tables =
            (0..tables).map(|first| playing.iter().copied().skip(first).step_by(tables).collect()).collect();
        self.meetings.reduce_repeats(&mut self.tables);
        for table in &self.tables {
            self.meetings.add_table(table);
        }
        DrawnRound::Tables(self.tables.clone())
    }

    fn finish_round(&mut self, results: &[MatchResult]) {
        let seats = self.settings.seats.get();
        let results = results.chunks(results.len() / self.tables.len());
        let ranked: Vec<Vec<(usize, Standing)>> =
            self.tables.iter().zip(results).map(|(table, results)| self.rank_table(table, results)).collect();
        if self.still_in.len() == seats {
            self.still_in = ranked.into_iter().flatten().map(|(bot, _)| bot).collect();
            for &bot in &self.still_in[1..] {
                self.out_in[bot] = Some(self.round);
            }
            self.is_over = true;
            return;
        }
        let left = Knockout::bots_left_after(self.still_in.len(), seats, self.advance);
        // By rank at the table, so that those that come from one table are dealt out to different ones.
        let mut by_rank: Vec<(usize, usize, Standing)> = ranked
            .into_iter()
            .flat_map(|table| table.into_iter().enumerate().map(|(rank, (bot, line))| (rank, bot, line)))
            .collect();
        by_rank.sort_by(|(rank, bot, line), (other_rank, other, other_line)| {
            let by_line =
                other_line.points.total_cmp(&line.points).then_with(|| cmp_regret(line, other_line));
            rank.cmp(other_rank)
                .then(by_line)
                .then_with(|| self.lot_of_bot(*bot).cmp(&self.lot_of_bot(*other)))
        });
        let played: Vec<usize> = by_rank.iter().map(|&(_, bot, _)| bot).collect();
        let sat_out = self.still_in.iter().copied().filter(|bot| !played.contains(bot));
        let mut order: Vec<usize> = sat_out.collect();
        order.extend(played);
        for &bot in &order[left..] {
            self.out_in[bot] = Some(self.round);
        }
        order.truncate(left);
        self.still_in = order;
        self.round += 1;
    }

    fn name_of_bot(&self, bot: usize) -> &BotName {
        &self.field[bot]
    }

    fn total_matches(&self) -> TotalMatches {
        TotalMatches::Exactly(self.matches)
    }

    fn format_verdict(&self) -> FormatVerdict {
        let mut order: Vec<usize> = (0..self.field.len()).collect();
        let rank_in_final = |bot: usize| {
            let place = self.still_in.iter().position(|&each| each == bot);
            place.filter(|_| self.is_over).unwrap_or(0)
        };
        let key = |bot: usize| (std::cmp::Reverse(self.out_in[bot].unwrap_or(u64::MAX)), rank_in_final(bot));
        order.sort_by_key(|&bot| (key(bot), bot));
        let mut places: Vec<KnockoutPlace> = Vec::with_capacity(order.len());
        for (index, &bot) in order.iter().enumerate() {
            let shared = index.checked_sub(1).filter(|&last| key(order[last]) == key(bot));
            let place = shared.map_or(index as u64 + 1, |last| places[last].place);
            places.push(KnockoutPlace { place, bot: self.field[bot].clone(), out_in: self.out_in[bot] });
        }
        FormatVerdict::Knockout(places)
    }

    fn state(&self) -> impl Serialize {
        (self.round, self.is_over, &self.still_in, &self.byes, &self.out_in)
    }

    fn restore(&mut self, state: Self::State) -> Result<(), CheckpointError> {
        (self.round, self.is_over, self.still_in, self.byes, self.out_in) = state;
        let bots = self.field.len();
        ensure_holds(self.still_in.iter().all(|&bot| bot < bots), "a bot is in that is not of the field")?;
        ensure_holds([self.byes.len(), self.out_in.len()] == [bots; 2], "it is of another field")
    }

    fn restore_tables(&mut self, rounds: &[&[RoundTable]]) {
        self.meetings = MeetingCounts::of_rounds(self.field.len(), rounds);
        self.tables = rounds.last().map_or_else(Vec::new, |tables| tables.to_vec());
    }

    fn bot_count(&self) -> usize {
        self.field.len()
    }
}

/// Puts the lower regret a match first; a bot that made no take of its own comes last: who never moves, never errs.
fn cmp_regret(one: &Standing, other: &Standing) -> std::cmp::Ordering {
    let regret = |line: &Standing| line.accuracy.and(line.regret_per_match).unwrap_or(f64::INFINITY);
    regret(one).total_cmp(&regret(other))
}
