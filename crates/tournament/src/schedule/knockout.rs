//! Knockout rounds.

use super::in_rounds::{DrawnRound, RoundFormat, RoundTable};
use super::{FormatVerdict, KnockoutPlace, TotalMatches, meetings::MeetingCounts};
use crate::checkpoint::{CheckpointError, ensure_valid};
use crate::{MatchResult, SeededDraw, Settings, Standing, Standings, TableGroups};
use lastnim_core::game::BotName;
use serde::Serialize;

/// Separates the draws of a knockout from all others: no group has this number.
const KNOCKOUT_DRAW: u64 = 0x6b6e_6f63_6b6f_7574;

/// The rounds of a knockout.
///
/// A round has as many full tables as the remaining bots can fill. The rest have a bye and advance: the bots with the
/// fewest byes so far, then by lot. The best of each table advance. If they and the byes cannot fill one table, the
/// best of the others also advance: by their place at their table, then as in the standings, then by lot. The last n
/// bots play the final. Bots at a table are ranked as in the standings of its matches in this round, and ties are
/// broken by lot. The winners are dealt to different tables of the next round, then the seconds, and so on; then bots
/// are swapped to reduce repeated meetings.
#[derive(Debug)]
pub(super) struct Knockout {
    settings: Settings,
    field: Vec<BotName>,
    advance: usize,
    matches: u64,
    round: u64,
    /// The remaining bots, in the order of dealing; all bots in order after the final.
    remaining: Vec<usize>,
    is_over: bool,
    byes: Vec<u64>,
    /// The round in which each bot was eliminated.
    out_in: Vec<Option<u64>>,
    meetings: MeetingCounts,
    /// The tables of the current round.
    tables: Vec<RoundTable>,
}

impl Knockout {
    /// Plans the rounds for a field sorted by name.
    pub(super) fn new(
        settings: &Settings,
        field: Vec<BotName>,
        advance: usize,
        table_groups: TableGroups,
    ) -> Self {
        let (bots, seats) = (field.len(), settings.seats.get());
        let mut remaining: Vec<usize> = (0..bots).collect();
        SeededDraw::from_numbers([settings.seed, KNOCKOUT_DRAW]).shuffle(&mut remaining);
        Self {
            settings: settings.clone(),
            field,
            advance,
            matches: Self::count_tables(bots, seats, advance) * table_groups.get() * seats as u64,
            round: 0,
            remaining,
            is_over: false,
            byes: vec![0; bots],
            out_in: vec![None; bots],
            meetings: MeetingCounts::zero(bots),
            tables: Vec::new(),
        }
    }

    /// Returns the number of tables that a field of this size plays, over all rounds.
    pub(super) fn count_tables(field: usize, seats: usize, advance: usize) -> u64 {
        let (mut left, mut tables) = (field, 1);
        while left > seats {
            tables += (left / seats) as u64;
            left = Self::bots_left_after(left, seats, advance);
        }
        tables
    }

    /// Returns the number of bots left after a round other than the final.
    fn bots_left_after(left: usize, seats: usize, advance: usize) -> usize {
        (left / seats * advance + left % seats).max(seats)
    }

    fn lot_of_bot(&self, bot: usize) -> u64 {
        SeededDraw::from_numbers([self.settings.seed, KNOCKOUT_DRAW, self.round, bot as u64]).next_bits()
    }

    /// Returns the bots of a table from best to worst, with their lines of the table's standings.
    fn rank_table(&self, table: &RoundTable, results: &[MatchResult]) -> Vec<(usize, Standing)> {
        let mut standings = Standings::new(&self.settings, table.iter().map(|&bot| &self.field[bot]));
        for result in results {
            standings.add_result(result);
        }
        let line = |line: Standing| {
            let bot = table.iter().find(|&&bot| self.field[bot] == line.bot);
            (*bot.expect("the results are from this table"), line)
        };
        let mut ranked: Vec<(usize, Standing)> = standings.lines().into_iter().map(line).collect();
        ranked.sort_by_key(|(bot, line)| (line.place, self.lot_of_bot(*bot)));
        ranked
    }
}

impl RoundFormat for Knockout {
    const KEEPS_ROUNDS: bool = true;
    type State = (u64, bool, Vec<usize>, Vec<u64>, Vec<Option<u64>>);

    fn draw_round(&mut self) -> DrawnRound {
        if self.is_over {
            return DrawnRound::Over;
        }
        let seats = self.settings.seats.get();
        let mut playing = self.remaining.clone();
        for _ in 0..playing.len() % seats {
            let out = (0..playing.len()).min_by_key(|&place| {
                let bot = playing[place];
                (self.byes[bot], self.lot_of_bot(bot))
            });
            let bot = playing.remove(out.expect("there are more bots than byes"));
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
        if self.remaining.len() == seats {
            self.remaining = ranked.into_iter().flatten().map(|(bot, _)| bot).collect();
            for &bot in &self.remaining[1..] {
                self.out_in[bot] = Some(self.round);
            }
            self.is_over = true;
            return;
        }
        let left = Knockout::bots_left_after(self.remaining.len(), seats, self.advance);
        // By rank at the table, so that bots from one table are dealt to different ones.
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
        let sat_out = self.remaining.iter().copied().filter(|bot| !played.contains(bot));
        let mut order: Vec<usize> = sat_out.collect();
        order.extend(played);
        for &bot in &order[left..] {
            self.out_in[bot] = Some(self.round);
        }
        order.truncate(left);
        self.remaining = order;
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
            let place = self.remaining.iter().position(|&each| each == bot);
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
        (self.round, self.is_over, &self.remaining, &self.byes, &self.out_in)
    }

    fn restore(&mut self, state: Self::State) -> Result<(), CheckpointError> {
        (self.round, self.is_over, self.remaining, self.byes, self.out_in) = state;
        let bots = self.field.len();
        ensure_valid(self.remaining.iter().all(|&bot| bot < bots), "a remaining bot is not in the field")?;
        ensure_valid([self.byes.len(), self.out_in.len()] == [bots; 2], "it belongs to another field")
    }

    fn restore_tables(&mut self, rounds: &[&[RoundTable]]) {
        self.meetings = MeetingCounts::of_rounds(self.field.len(), rounds);
        self.tables = rounds.last().map_or_else(Vec::new, |tables| tables.to_vec());
    }

    fn bot_count(&self) -> usize {
        self.field.len()
    }
}

/// Orders by lower regret per match; a bot without its own takes comes last, since it could not err.
fn cmp_regret(one: &Standing, other: &Standing) -> std::cmp::Ordering {
    let regret = |line: &Standing| line.accuracy.and(line.regret_per_match).unwrap_or(f64::INFINITY);
    regret(one).total_cmp(&regret(other))
}
