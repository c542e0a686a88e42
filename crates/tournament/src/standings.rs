//! The standings of a tournament.

use super::checkpoint::{CheckpointError, ensure_valid};
use super::{
    Bye, MatchResult, Rulings, Scoring, Settings, Standing, StandingsOrder, TableGroups, TieBreak,
    TournamentState, interner::Interner, tally::StandingTally, tie_break::lot_of_bot,
};
use lastnim_core::game::{BotName, SeatCount};
use serde::Serialize;
use std::{
    cmp::Ordering,
    collections::{BTreeMap, HashMap},
};

/// The standings of a tournament, computed from its match results in any order.
///
/// When a tournament has finished, bots are ordered by points. Only formats in which some bots play more matches than
/// others (sample, gauntlet, SPRT, a ladder while no bot is rated, and a round robin from which a bot has withdrawn)
/// order by points per match. Before that, all formats except knockouts order by points per match, since some bots have played more matches than others. Ratings
/// and the verdict of a knockout change the order afterwards: see [`StandingsOrder`].
///
/// Between bots that are level, [`TieBreak`] decides: regret per match, lowest first (bots that made no take themselves
/// come last), where rows are assigned or dealt; otherwise the points that each bot won against the bots that are level
/// with it. A match with several of these bots counts once for each of them. In a finished tournament, lots decide
/// between bots that are still level; those that made no take themselves come last. Before that, bots that are still
/// level share their place and are listed by name. A lost seat scores nothing, even if the steward won for it.
#[derive(Debug, Clone)]
pub struct Standings {
    scoring: Scoring,
    order: StandingsOrder,
    /// The order if a bot has withdrawn.
    order_after_withdrawal: StandingsOrder,
    first_tie_break: TieBreak,
    seed: u64,
    /// The number of the draw of lots.
    draw: u64,
    seats: SeatCount,
    bots: Interner<BotName>,
    tallies: Vec<StandingTally>,
    /// For each bot and opponent, the points that the bot won in the matches that both played, in the units of the
    /// tallies. Opponents against which the bot won nothing are left out. Empty unless bots are compared head to head.
    against: Vec<BTreeMap<u32, i64>>,
}

/// The encoded state: the bots, the tally of each bot, and the points of each bot against each opponent.
type StandingsState = (Interner<BotName>, Vec<StandingTally>, Vec<BTreeMap<u32, i64>>);

impl Standings {
    /// Creates standings with an empty line for each bot of the field.
    pub fn new<'a>(settings: &Settings, field: impl IntoIterator<Item = &'a BotName>) -> Self {
        let mut standings = Self {
            scoring: settings.scoring,
            order: settings.format.final_order(false),
            order_after_withdrawal: settings.format.final_order(true),
            first_tie_break: TieBreak::first_for(&settings.alliance),
            seed: settings.seed,
            draw: 0,
            seats: settings.seats,
            bots: Interner::default(),
            tallies: Vec::new(),
            against: Vec::new(),
        };
        for bot in field {
            standings.find_or_add_bot(bot);
        }
        standings
    }

    /// Sets the number of the draw of lots, which is 0 in new standings.
    pub(super) fn with_draw(self, draw: u64) -> Self {
        Self { draw, ..self }
    }

    /// Returns the state to encode. Byes are not part of it, since the format supplies them again.
    pub(super) fn state(&self) -> impl Serialize {
        (&self.bots, &self.tallies, &self.against)
    }

    /// Restores the encoded standings of a tournament with these settings.
    pub(super) fn restore(
        settings: &Settings,
        (bots, tallies, against): StandingsState,
    ) -> Result<Self, CheckpointError> {
        let count = bots.items().len();
        let is_whole = tallies.len() == count && against.len() == count;
        ensure_valid(is_whole, "a bot does not have exactly one line in the standings")?;
        let is_known = |opponents: &BTreeMap<u32, i64>| {
            opponents.last_key_value().is_none_or(|(&last, _)| (last as usize) < count)
        };
        ensure_valid(against.iter().all(is_known), "an opponent has no line in the standings")?;
        Ok(Self { bots, tallies, against, ..Self::new(settings, []) })
    }

    /// Adds an empty line for a bot that joins the field, unless it already has a line.
    pub fn add_bot(&mut self, bot: &BotName) {
        self.find_or_add_bot(bot);
    }

    /// Counts the result of one match. Each result must be added exactly once. A cancelled match does not count, and a
    /// bot without a line gets one.
    pub fn add_result(&mut self, result: &MatchResult) {
        let Some(outcome) = &result.outcome else { return };
        let bots = result.bots.map(|bot| self.find_or_add_bot(bot));
        for (seat, &bot) in bots.enumerate() {
            let before = self.tallies[bot].score_units(self.scoring);
            self.tallies[bot].add_match(outcome, seat);
            let units = self.tallies[bot].score_units(self.scoring) - before;
            if units > 0 && self.first_tie_break == TieBreak::HeadToHead {
                for &opponent in bots.iter().filter(|&&opponent| opponent != bot) {
                    *self.against[bot].entry(opponent as u32).or_default() += units;
                }
            }
        }
    }

    /// Sets the total number of byes of each bot, for formats that give byes: see
    /// [`FormatVerdict::Byes`](super::FormatVerdict). Each bye scores what a seat scores on average in the groups that
    /// a table plays in one round.
    pub fn set_bye_scores(&mut self, byes: &[Bye], table_groups: TableGroups) {
        let a_round = self.scoring.bye_units(self.seats.get(), table_groups.get());
        for Bye { bot, rounds, .. } in byes {
            let place = self.find_or_add_bot(bot);
            self.tallies[place].set_bye_scores(rounds.cast_signed() * a_round);
        }
    }

    /// Returns the lines of all bots of a tournament in this state, by place.
    pub fn lines(&self, state: TournamentState) -> Vec<Standing> {
        self.lines_in_order(self.order.in_state(state, &[]), state)
    }

    /// Returns the lines of all bots of a tournament in this state, by place among all bots. They are in the order that
    /// applies after these rulings, which must still [rank](Rulings::rank_standings) the lines.
    pub fn lines_for_rulings(&self, state: TournamentState, rulings: &Rulings) -> Vec<Standing> {
        let order = if rulings.withdrawn_bots().len() > 0 { self.order_after_withdrawal } else { self.order };
        self.lines_in_order(order.in_state(state, &[]), state)
    }

    fn lines_in_order(&self, order: StandingsOrder, state: TournamentState) -> Vec<Standing> {
        let mut bots: Vec<usize> = (0..self.tallies.len()).collect();
        bots.sort_by(|&one, &other| self.cmp_points(one, other, order));
        let mut lines = Vec::with_capacity(bots.len());
        for level in bots.chunk_by(|&one, &other| self.cmp_points(one, other, order).is_eq()) {
            self.add_level_lines(level, state, &mut lines);
        }
        lines
    }

    /// Adds the lines of bots with equal points, which are given by number in ascending order.
    fn add_level_lines(&self, level: &[usize], state: TournamentState, lines: &mut Vec<Standing>) {
        let points: HashMap<usize, i64> = match self.first_tie_break {
            TieBreak::HeadToHead => {
                level.iter().map(|&bot| (bot, self.head_to_head_points(bot, level))).collect()
            }
            TieBreak::Regret | TieBreak::Lot => HashMap::new(),
        };
        let cmp_before_lot = |one: usize, other: usize| match self.first_tie_break {
            TieBreak::HeadToHead => points[&other].cmp(&points[&one]),
            TieBreak::Regret | TieBreak::Lot => self.tallies[one].cmp_regret(&self.tallies[other]),
        };
        let name = |bot: usize| &self.bots.items()[bot];
        let draws_lots = state == TournamentState::Finished;
        let lot = |bot: usize| {
            draws_lots
                .then(|| (self.tallies[bot].made_no_takes(), lot_of_bot(self.seed, self.draw, name(bot))))
        };
        let mut level = level.to_vec();
        level.sort_by(|&one, &other| {
            let cmp_lots = || lot(one).cmp(&lot(other)).then_with(|| name(one).cmp(name(other)));
            cmp_before_lot(one, other).then_with(cmp_lots)
        });
        let first = lines.len();
        for (index, &bot) in level.iter().enumerate() {
            let tie_break = index.checked_sub(1).and_then(|ahead| {
                let is_level = cmp_before_lot(level[ahead], bot).is_eq();
                if is_level { draws_lots.then_some(TieBreak::Lot) } else { Some(self.first_tie_break) }
            });
            let is_shared = index > 0 && tie_break.is_none();
            let place = if is_shared { lines[first + index - 1].place } else { (first + index) as u32 + 1 };
            let line = self.tallies[bot].to_standing(place, name(bot).clone(), self.scoring, self.seats);
            lines.push(Standing { tie_break, ..line });
        }
    }

    fn find_or_add_bot(&mut self, bot: &BotName) -> usize {
        let number = self.bots.intern(bot) as usize;
        if number == self.tallies.len() {
            self.tallies.push(StandingTally::default());
            self.against.push(BTreeMap::new());
        }
        number
    }

    fn cmp_points(&self, one: usize, other: usize, order: StandingsOrder) -> Ordering {
        let (ours, theirs) = (&self.tallies[one], &self.tallies[other]);
        match order {
            StandingsOrder::Points | StandingsOrder::Bracket => {
                theirs.score_units(self.scoring).cmp(&ours.score_units(self.scoring))
            }
            StandingsOrder::PointsPerMatch | StandingsOrder::Rating => {
                theirs.cmp_units_per_match(ours, self.scoring)
            }
        }
    }

    /// Returns the points that a bot won against the bots level with it. `level` lists all of them by number, in
    /// ascending order.
    fn head_to_head_points(&self, bot: usize, level: &[usize]) -> i64 {
        let is_level = |opponent: u32| level.binary_search(&(opponent as usize)).is_ok();
        let results = self.against[bot].iter().filter(|&(&opponent, _)| is_level(opponent));
        results.map(|(_, units)| units).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        AllianceSource, MatchOutcome, Pairing, SeatLoss, SeatResult, SeededDraw, SettingsDraft,
        TournamentFormat, plan_schedule, testing,
    };
    use lastnim_core::{
        game::{BySeat, Seat},
        referee::DealRule,
    };
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    /// Creates a result from the names by seat, the winner's seat, and the rank and regret of each seat.
    fn result(bots: [&str; 3], winner: usize, seats: [(u32, u32); 3]) -> MatchResult {
        let pairing = Pairing {
            number: 0,
            group: 0,
            position: 0,
            bots: bots.map(|bot| bot.parse().unwrap()).to_vec().try_into().unwrap(),
            rotation: 0,
        };
        let seats = seats.map(|(rank_actual, regret)| SeatResult {
            rank_actual,
            regret,
            plies: 1,
            ..Default::default()
        });
        let winner = SeatCount::new(3).unwrap().seat(winner).unwrap();
        MatchResult::finished(&pairing, MatchOutcome { winner, seats: seats.to_vec().try_into().unwrap() })
    }

    #[test]
    fn relative_satisfaction_compares_with_honest_optimal_play() {
        let settings = testing::settings(3, 1, AllianceSource::Dealt(DealRule::All));
        let mut played = result(["a", "b", "c"], 1, [(2, 0), (0, 0), (1, 0)]);
        let seats = &mut played.outcome.as_mut().unwrap().seats;
        for (seat, honest) in SeatCount::new(3).unwrap().iter().zip([1, 2, 1]) {
            seats[seat].rank_honest = Some(honest);
        }
        seats[Seat::FIRST].lost = Some(SeatLoss::Forfeited);
        let lines = fold(&settings, &[], &[played.clone()]);
        let relative: Vec<_> =
            lines.iter().map(|line| (line.bot.as_str(), line.points, line.relative_satisfaction)).collect();
        assert_eq!(relative, [("b", 1.0, Some(1.0)), ("c", 0.5, Some(0.0)), ("a", 0.0, Some(-0.5))]);
        let plain = result(["a", "b", "c"], 1, [(2, 0), (0, 0), (1, 0)]);
        assert_eq!(fold(&settings, &[], &[plain])[0].relative_satisfaction, None);
    }

    fn fold<'a>(
        settings: &Settings,
        field: impl IntoIterator<Item = &'a BotName>,
        results: &[MatchResult],
    ) -> Vec<Standing> {
        fold_in(TournamentState::Finished, settings, field, results)
    }

    fn fold_in<'a>(
        state: TournamentState,
        settings: &Settings,
        field: impl IntoIterator<Item = &'a BotName>,
        results: &[MatchResult],
    ) -> Vec<Standing> {
        let mut standings = Standings::new(settings, field);
        for result in results {
            standings.add_result(result);
        }
        standings.lines(state)
    }

    fn lines(alliance: AllianceSource, results: &[MatchResult]) -> Vec<String> {
        lines_in(TournamentState::Finished, alliance, results)
    }

    fn lines_in(state: TournamentState, alliance: AllianceSource, results: &[MatchResult]) -> Vec<String> {
        let field: Vec<BotName> = ["d", "c", "b", "a"].map(|bot| bot.parse().unwrap()).to_vec();
        let line = |line: &Standing| {
            let tie_break = line.tie_break.map(|tie_break| format!(" {tie_break:?}")).unwrap_or_default();
            format!("{} {} {}{tie_break}", line.place, line.bot, line.points)
        };
        fold_in(state, &testing::settings(3, 1, alliance), &field, results).iter().map(line).collect()
    }

    #[test]
    fn every_bot_has_a_line_from_the_start() {
        let settings = testing::settings(3, 1, AllianceSource::Declared);
        let lines = Standings::new(&settings, &testing::field(3)).lines(TournamentState::Open);
        let shown: Vec<_> =
            lines.iter().map(|line| (line.place, line.bot.as_str(), line.tie_break)).collect();
        assert_eq!(shown, [(1, "bot0", None), (1, "bot1", None), (1, "bot2", None)]);
    }

    #[test]
    fn standings_with_assigned_rows_rank_by_points_and_then_by_regret() {
        let results = [
            result(["a", "b", "c"], 2, [(1, 0), (2, 1), (0, 2)]),
            result(["d", "b", "c"], 1, [(2, 3), (0, 0), (1, 0)]),
        ];
        // Satisfaction: a 1/2, b 0 + 1, c 1 + 1/2, d 0.
        assert_eq!(lines(AllianceSource::Standard, &results), ["1 c 1.5", "2 b 1", "3 a 0.5", "4 d 0"]);
        let results = [
            result(["a", "b", "c"], 2, [(1, 1), (1, 2), (0, 0)]),
            result(["a", "d", "c"], 2, [(1, 2), (1, 9), (0, 0)]),
            result(["b", "d", "c"], 2, [(2, 2), (2, 9), (0, 0)]),
        ];
        // Satisfaction: c 3, a 1, b and d 1/2. Regret per match: b 4/2, d 18/2.
        let expected = ["1 c 3", "2 a 1", "3 b 0.5", "4 d 0.5 Regret"];
        assert_eq!(lines(AllianceSource::Standard, &results), expected);
    }

    #[test]
    fn ties_are_broken_by_regret_per_match() {
        let results = [
            result(["a", "b", "c"], 2, [(2, 1), (2, 2), (0, 0)]),
            result(["a", "d", "c"], 2, [(2, 2), (2, 9), (0, 0)]),
        ];
        // Regret per match: a 3/2, b 2/1, d 9/1.
        let expected = ["1 c 2", "2 a 0", "3 b 0 Regret", "4 d 0 Regret"];
        assert_eq!(lines(AllianceSource::Random, &results), expected);
    }

    #[test]
    fn declared_rows_are_compared_head_to_head_and_then_by_lot() {
        let even = [(1, 0); 3];
        // Regret does not count here: a bot chooses the row by which it is measured.
        let errs = [(1, 3), (1, 0), (1, 0)];
        // a and b have two wins each, and b won the match in which both played.
        let results = [
            result(["a", "c", "d"], 0, even),
            result(["a", "d", "c"], 0, even),
            result(["a", "b", "c"], 1, even),
            result(["b", "c", "d"], 0, errs),
        ];
        let lines_of = |state| lines_in(state, AllianceSource::Declared, &results);
        let finished = lines_of(TournamentState::Finished);
        assert_eq!(finished[..2], ["1 b 2", "2 a 2 HeadToHead"]);
        let lot_orders = [["3 c 0", "4 d 0 Lot"], ["3 d 0", "4 c 0 Lot"]];
        assert!(lot_orders.iter().any(|lot| finished[2..] == *lot), "{finished:?}");
        // Points per match: b 2/2, a 2/3.
        assert_eq!(lines_of(TournamentState::Running), ["1 b 2", "2 a 2", "3 c 0", "3 d 0"]);
    }

    #[test]
    fn every_tied_bot_can_win_the_draw_by_lot() {
        let plain = testing::settings(3, 1, AllianceSource::Declared);
        let field = testing::field(4);
        let leaders: BTreeSet<BotName> = (0..40)
            .map(|seed| {
                let settings = Settings::new(SettingsDraft { seed, ..(*plain).clone() }).unwrap();
                let lines = fold(&settings, &field, &[]);
                assert!(lines.iter().zip(1..).all(|(line, place)| line.place == place), "{lines:?}");
                assert_eq!(
                    lines,
                    fold(&settings, field.iter().rev(), &[]),
                    "the field's order does not matter"
                );
                lines[0].bot.clone()
            })
            .collect();
        assert_eq!(leaders.len(), 4, "{leaders:?}");
    }

    #[test]
    fn playing_more_matches_does_not_help() {
        let plain = testing::settings(2, 1, AllianceSource::Declared);
        let field = testing::field(6);
        let format = TournamentFormat::Gauntlet { bot: field[0].clone(), groups: None };
        let settings = Settings::new(SettingsDraft { format, ..(*plain).clone() }).unwrap();
        // Bot 0 loses three of four matches to each of bots 1 to 4, but wins all four against bot 5.
        let results: Vec<_> = (0..20)
            .map(|number| {
                let opponent = 1 + number as usize % 5;
                let winner = usize::from(opponent < 5 && number < 15);
                crate::rating::testing::match_of_group(
                    number,
                    &[field[0].clone(), field[opponent].clone()],
                    winner,
                )
            })
            .collect();
        let lines = fold_in(TournamentState::Running, &settings, &field, &results);
        let shown_lines: Vec<_> =
            lines.iter().map(|line| (line.bot.as_str(), line.points, line.matches)).collect();
        assert_eq!(shown_lines[..2], [("bot1", 3.0, 4), ("bot2", 3.0, 4)]);
        assert_eq!(
            shown_lines[4..],
            [("bot0", 8.0, 20), ("bot5", 0.0, 4)],
            "bot0 has more points in total, but fewer per match than bots 1 to 4"
        );
    }

    #[test]
    fn a_lost_seat_scores_nothing() {
        let mut won_by_the_steward = result(["a", "b", "c"], 0, [(0, 1), (1, 0), (2, 0)]);
        let outcome = won_by_the_steward.outcome.as_mut().unwrap();
        let winner = outcome.winner;
        outcome.seats[winner].lost = Some(SeatLoss::Forfeited);
        let absent = SeatCount::new(3).unwrap().seat(2).unwrap();
        outcome.seats[absent] =
            SeatResult { lost: Some(SeatLoss::NoShow), rank_actual: 0, ..outcome.seats[absent].clone() };
        let mut standings = Standings::new(&testing::settings(3, 1, AllianceSource::Standard), []);
        standings.add_result(&won_by_the_steward);
        let lines = standings.lines(TournamentState::Finished);
        let line = |bot: &str| lines.iter().find(|line| line.bot.as_str() == bot).unwrap();
        let figures = |bot| {
            let line = line(bot);
            (line.points, line.wins, line.satisfaction, line.forfeits, line.no_shows)
        };
        assert_eq!(figures("a"), (0.0, 0, Some(0.0), 1, 0));
        assert_eq!(figures("b"), (0.5, 0, Some(0.5), 0, 0));
        assert_eq!(figures("c"), (0.0, 0, Some(0.0), 1, 1));
        assert_eq!(line("a").regret_per_match, Some(1.0), "the bot's own regret still counts");
    }

    #[test]
    fn byes_score_the_average_of_a_seat() {
        let bye = |bot: &str, rounds| Bye { bot: bot.parse().unwrap(), rounds, points: 0.0 };
        let byes = [bye("c", 2), bye("a", 1)];
        let groups = TableGroups::new(2).unwrap();
        for (alliance, points) in
            [(AllianceSource::Declared, [4.0, 2.0]), (AllianceSource::Standard, [6.0, 3.0])]
        {
            let mut standings = Standings::new(&testing::settings(3, 1, alliance), []);
            standings.set_bye_scores(&byes[..1], groups);
            // Repeated calls replace the scores and do not add to them.
            standings.set_bye_scores(&byes, groups);
            let lines = standings.lines(TournamentState::Finished);
            let points_of: Vec<_> = lines.iter().map(|line| (line.bot.as_str(), line.points)).collect();
            assert_eq!(points_of, [("c", points[0]), ("a", points[1])]);
            assert!(lines.iter().all(|line| line.matches == 0 && line.satisfaction.is_none()));
        }
    }

    #[test]
    fn figures_are_absent_before_the_first_match() {
        let mut standings =
            Standings::new(&testing::settings(3, 1, AllianceSource::Declared), &testing::field(1));
        let line = standings.lines(TournamentState::Finished).remove(0);
        assert_eq!((line.satisfaction, line.accuracy), (None, None));
        assert_eq!((line.regret_per_match, line.luck_per_match), (None, None));
        // This bot lost its seat before its first take.
        let mut lost = result(["bot0", "x", "y"], 1, [(0, 0); 3]);
        lost.outcome.as_mut().unwrap().seats =
            BySeat::filled(SeatCount::new(3).unwrap(), &SeatResult::default());
        standings.add_result(&lost);
        let line = standings
            .lines(TournamentState::Finished)
            .into_iter()
            .find(|line| line.bot.as_str() == "bot0")
            .unwrap();
        assert_eq!((line.matches, line.accuracy, line.regret_per_match), (1, None, None));
        let seat = SeatResult {
            rank_actual: 1,
            regret: 1,
            luck: -2,
            plies: 4,
            optimal_plies: 3,
            ..SeatResult::default()
        };
        let mut standings =
            Standings::new(&testing::settings(3, 1, AllianceSource::Declared), &testing::field(1));
        let mut played = result(["bot0", "x", "y"], 1, [(1, 0); 3]);
        played.outcome.as_mut().unwrap().seats = BySeat::filled(SeatCount::new(3).unwrap(), &seat);
        standings.add_result(&played);
        let line = standings
            .lines(TournamentState::Finished)
            .into_iter()
            .find(|line| line.bot.as_str() == "bot0")
            .unwrap();
        assert_eq!((line.satisfaction, line.accuracy), (Some(0.5), Some(0.75)));
        assert_eq!((line.regret_per_match, line.luck_per_match), (Some(1.0), Some(-2.0)));
    }

    /// Generates a result for each match of a small tournament; seats are lost with probability `losses` / 8.
    fn random_results(settings: &Settings, field: &[BotName], seed: u64, losses: u64) -> Vec<MatchResult> {
        let pairings = testing::pairings(&mut *plan_schedule(settings, field).unwrap()).into_iter();
        pairings
            .map(|pairing| {
                let mut draw = SeededDraw::new(seed, pairing.number);
                let seats = pairing.bots.seats();
                if draw.number_below(8) == 0 {
                    return MatchResult::cancelled(&pairing);
                }
                let winner = seats.seat(draw.number_below(seats.get() as u64) as usize).unwrap();
                let results = BySeat::from_fn(seats, |_| SeatResult {
                    rank_actual: draw.number_below(seats.get() as u64) as u32,
                    rank_honest: Some(draw.number_below(seats.get() as u64) as u32),
                    regret: draw.number_below(3) as u32,
                    luck: draw.number_below(5) as i32 - 2,
                    plies: 2 + draw.number_below(9) as u32,
                    optimal_plies: draw.number_below(3) as u32,
                    lost: (draw.number_below(8) < losses).then_some(SeatLoss::NoShow),
                    versions: testing::versions(&mut draw),
                });
                MatchResult::finished(&pairing, MatchOutcome { winner, seats: results })
            })
            .collect()
    }

    proptest! {
        #[test]
        fn the_order_of_results_does_not_matter(
            seats in 2..5_usize, more in 0..3_usize, seed: u64, losses in 0..3_u64,
            alliance in prop_oneof![Just(AllianceSource::Declared), Just(AllianceSource::Random)],
        ) {
            let settings = testing::settings(seats, 2, alliance);
            let field = testing::field(seats + more);
            let mut results = random_results(&settings, &field, seed, losses);
            let ordered = fold(&settings, &field, &results);
            SeededDraw::new(seed, u64::MAX).shuffle(&mut results);
            prop_assert_eq!(&fold(&settings, &field, &results), &ordered);
            for two in ordered.windows(2) {
                prop_assert!(two[0].points >= two[1].points);
                prop_assert!(two[0].place <= two[1].place);
            }
        }

        #[test]
        fn wins_sum_to_the_matches_that_finished(seats in 2..5_usize, more in 0..3_usize, seed: u64) {
            let settings = testing::settings(seats, 1, AllianceSource::Declared);
            let field = testing::field(seats + more);
            let results = random_results(&settings, &field, seed, 0);
            let finished = results.iter().filter(|result| result.outcome.is_some()).count();
            let points: f64 = fold(&settings, &field, &results).iter().map(|line| line.points).sum();
            prop_assert!((points - f64::from(finished as u32)).abs() < f64::EPSILON);
        }
    }
}
