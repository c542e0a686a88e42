//! Knockout rounds.

use super::in_rounds::{DrawnRound, RoundFormat, RoundTable};
use super::{FormatVerdict, KnockoutBot, KnockoutExit, TotalMatches, meetings::MeetingCounts};
use crate::checkpoint::{CheckpointError, ensure_valid};
use crate::tie_break::{lot_of_bot, tie_break_between};
use crate::{MatchResult, SeededDraw, Settings, Standing, Standings, TableGroups, TieBreak, TournamentState};
use lastnim_core::game::BotName;
use serde::Serialize;
use std::cmp::{Ordering, Reverse};

/// Used in place of the number of a group in the draw of the first tables. No group has this number, so this draw is
/// independent of all other draws.
const KNOCKOUT_DRAW_TAG: u64 = 0x6b6e_6f63_6b6f_7574;

/// The rounds of a knockout.
///
/// A round has as many full tables as the remaining bots can fill. The bots left without a seat have a bye and advance:
/// they are those with the fewest byes so far, chosen by lot on ties. The best bots of each table advance. If these and
/// the bots with byes are too few to fill one table, the best of the others also advance as lucky losers: by their
/// place at their table, then by points, then by regret where rows are assigned or dealt, then by lot. The last n bots
/// play the final. Bots at a table are ranked as in the final standings of its matches in this round. For the next
/// round, the winners are dealt to different tables, then the seconds, and so on; then bots are swapped between tables
/// to reduce repeated meetings.
#[derive(Debug)]
pub(super) struct Knockout {
    settings: Settings,
    field: Vec<BotName>,
    /// How many bots advance from each table.
    advance: usize,
    /// The number of matches in all rounds.
    matches: u64,
    /// The number of the current round, from 0.
    round: u64,
    /// The remaining bots, in the order in which they are dealt to tables; after the final, its bots from best to
    /// worst.
    remaining: Vec<usize>,
    is_over: bool,
    /// How many byes each bot has had.
    byes: Vec<u64>,
    /// How each bot was eliminated.
    exits: Vec<Option<KnockoutExit>>,
    /// The rounds from which each bot advanced as a lucky loser.
    lucky_rounds: Vec<Vec<u64>>,
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
        SeededDraw::from_numbers([settings.seed, KNOCKOUT_DRAW_TAG]).shuffle(&mut remaining);
        Self {
            settings: settings.clone(),
            field,
            advance,
            matches: Self::count_tables(bots, seats, advance) * table_groups.get() * seats as u64,
            round: 0,
            remaining,
            is_over: false,
            byes: vec![0; bots],
            exits: vec![None; bots],
            lucky_rounds: vec![Vec::new(); bots],
            meetings: MeetingCounts::zero(bots),
            tables: Vec::new(),
        }
    }

    /// Returns the total number of tables in all rounds for a field of this size.
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

    /// Returns the number of the draw of lots in this round.
    fn draw_of_round(&self) -> u64 {
        self.round + 1
    }

    fn lot_of_bot(&self, bot: usize) -> u64 {
        lot_of_bot(self.settings.seed, self.draw_of_round(), &self.field[bot])
    }

    /// Returns the lines of a table's bots, from best to worst.
    fn rank_table(&self, table: &RoundTable, results: &[MatchResult]) -> Vec<Standing> {
        let bots = table.iter().map(|&bot| &self.field[bot]);
        let mut standings = Standings::new(&self.settings, bots).with_draw(self.draw_of_round());
        for result in results {
            standings.add_result(result);
        }
        standings.lines(TournamentState::Finished)
    }

    /// Returns the number of a bot of the field, which is sorted by name.
    fn number_of_bot(&self, line: &Standing) -> usize {
        self.field.partition_point(|bot| *bot < line.bot)
    }

    /// Ends the knockout with the lines of the final, from best to worst.
    fn rank_finalists(&mut self, ranked: &[Standing]) {
        self.remaining = ranked.iter().map(|line| self.number_of_bot(line)).collect();
        for (line, &bot) in ranked.iter().zip(&self.remaining).skip(1) {
            self.exits[bot] = Some(KnockoutExit { round: self.round, tie_break: line.tie_break });
        }
        self.is_over = true;
    }

    /// Returns the tie-break that decides between bots with the same rank at different tables; `None` if their points
    /// differ. They did not meet, so they cannot be compared head to head.
    fn tie_break_between_tables(&self, one: &Standing, other: &Standing) -> Option<TieBreak> {
        if one.points.total_cmp(&other.points).is_ne() {
            return None;
        }
        let by_regret = self.first_tie_break() == TieBreak::Regret && cmp_regret(one, other).is_ne();
        Some(if by_regret { TieBreak::Regret } else { TieBreak::Lot })
    }

    fn first_tie_break(&self) -> TieBreak {
        TieBreak::first_for(&self.settings.alliance)
    }

    /// Compares bots with the same rank at different tables; the better one comes first.
    fn cmp_between_tables(&self, one: &RankedBot<'_>, other: &RankedBot<'_>) -> Ordering {
        let (ours, theirs) = (one.line(), other.line());
        match self.tie_break_between_tables(ours, theirs) {
            None => theirs.points.total_cmp(&ours.points),
            Some(TieBreak::Regret) => cmp_regret(ours, theirs),
            Some(TieBreak::HeadToHead | TieBreak::Lot) => {
                let lot = |bot: &RankedBot<'_>| (made_no_takes(bot.line()), self.lot_of_bot(bot.bot));
                lot(one).cmp(&lot(other))
            }
        }
    }

    /// Returns the tie-break that put `out` behind the last bot that advanced. If that bot has the same rank at its own
    /// table as `out`, the two are compared; otherwise `out` is compared with the last bot that advanced from its own
    /// table. `None` if points decided.
    fn tie_break_of_round(&self, advancing: &[RankedBot<'_>], out: &RankedBot<'_>) -> Option<TieBreak> {
        let last = advancing.last()?;
        if last.rank == out.rank {
            return self.tie_break_between_tables(last.line(), out.line());
        }
        let ahead = advancing.iter().rfind(|ahead| ahead.table == out.table)?;
        tie_break_between(&out.lines[ahead.rank..=out.rank])
    }
}

/// A bot that has played a round, with its result.
struct RankedBot<'a> {
    /// The rank of the bot at its table, from 0.
    rank: usize,
    table: usize,
    bot: usize,
    /// The lines of its table.
    lines: &'a [Standing],
}

impl<'a> RankedBot<'a> {
    fn line(&self) -> &'a Standing {
        &self.lines[self.rank]
    }
}

impl RoundFormat for Knockout {
    const KEEPS_ROUNDS: bool = true;
    type State = (u64, bool, Vec<usize>, Vec<u64>, Vec<Option<KnockoutExit>>, Vec<Vec<u64>>);

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
        let ranked = self.tables.iter().zip(results).map(|(table, results)| self.rank_table(table, results));
        let ranked: Vec<Vec<Standing>> = ranked.collect();
        if self.remaining.len() == seats {
            for lines in &ranked {
                self.rank_finalists(lines);
            }
            return;
        }
        let left = Knockout::bots_left_after(self.remaining.len(), seats, self.advance);
        // The bots are sorted by their rank at their table, so that bots from the same table are dealt to different
        // tables.
        let mut by_rank: Vec<RankedBot<'_>> = (0..)
            .zip(&ranked)
            .flat_map(|(table, lines)| {
                let bots = lines.iter().enumerate();
                bots.map(move |(rank, line)| (rank, table, lines.as_slice(), line))
            })
            .map(|(rank, table, lines, line)| RankedBot { rank, table, bot: self.number_of_bot(line), lines })
            .collect();
        by_rank.sort_by(|one, other| {
            one.rank.cmp(&other.rank).then_with(|| self.cmp_between_tables(one, other))
        });
        let sat_out = self.remaining.iter().copied();
        let sat_out = sat_out.filter(|&bot| by_rank.iter().all(|played| played.bot != bot));
        let mut order: Vec<usize> = sat_out.collect();
        let (advancing, out) = by_rank.split_at(left - order.len());
        for played in out {
            let tie_break = self.tie_break_of_round(advancing, played);
            self.exits[played.bot] = Some(KnockoutExit { round: self.round, tie_break });
        }
        for played in advancing.iter().filter(|played| played.rank >= self.advance) {
            self.lucky_rounds[played.bot].push(self.round);
        }
        order.extend(advancing.iter().map(|played| played.bot));
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
        let last_round = |bot: usize| self.exits[bot].map_or(u64::MAX, |exit| exit.round);
        order.sort_by_key(|&bot| (Reverse(last_round(bot)), rank_in_final(bot), bot));
        let bots = order.into_iter().map(|bot| KnockoutBot {
            bot: self.field[bot].clone(),
            lucky_in: self.lucky_rounds[bot].clone(),
            exit: self.exits[bot],
        });
        FormatVerdict::Knockout(bots.collect())
    }

    fn state(&self) -> impl Serialize {
        (self.round, self.is_over, &self.remaining, &self.byes, &self.exits, &self.lucky_rounds)
    }

    fn restore(&mut self, state: Self::State) -> Result<(), CheckpointError> {
        (self.round, self.is_over, self.remaining, self.byes, self.exits, self.lucky_rounds) = state;
        let bots = self.field.len();
        ensure_valid(self.remaining.iter().all(|&bot| bot < bots), "a remaining bot is not in the field")?;
        let lengths = [self.byes.len(), self.exits.len(), self.lucky_rounds.len()];
        ensure_valid(lengths == [bots; 3], "it has the wrong number of bots")
    }

    fn restore_tables(&mut self, rounds: &[&[RoundTable]]) {
        self.meetings = MeetingCounts::of_rounds(self.field.len(), rounds);
        self.tables = rounds.last().map_or_else(Vec::new, |tables| tables.to_vec());
    }

    fn bot_count(&self) -> usize {
        self.field.len()
    }
}

/// Orders bots by regret per match, lowest first. A bot that made no takes comes last, since it had no chance to err.
fn cmp_regret(one: &Standing, other: &Standing) -> Ordering {
    let regret = |line: &Standing| line.regret_per_match.unwrap_or(f64::INFINITY);
    regret(one).total_cmp(&regret(other))
}

/// Returns whether a bot played matches but made no take.
fn made_no_takes(line: &Standing) -> bool {
    line.matches > 0 && line.regret_per_match.is_none()
}
