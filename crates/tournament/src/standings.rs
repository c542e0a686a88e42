//! The standings of a tournament.

use super::checkpoint::{CheckpointError, ensure_valid};
use super::{
    MatchResult, Scoring, Settings, Standing, TableGroups, format::StandingsOrder, interner::Interner,
    tally::StandingTally,
};
use lastnim_core::game::{BotName, SeatCount};
use serde::Serialize;
use std::{cmp::Ordering, collections::BTreeMap};

/// The standings of a tournament, computed from its match results in any order.
///
/// Bots are ordered by points, then by regret per match, lowest first (bots that made no take themselves come last),
/// then head to head, that is by the points that the tied bots won against each other. Here a match counts once for
/// each tied opponent in it. Bots that are still tied share their place and are listed by name. Formats in which some
/// bots play more matches than others (sample, gauntlet, SPRT, and a ladder while no bot is rated) order by points per
/// match instead. A lost seat scores nothing, even if the steward won for it.
#[derive(Debug, Clone)]
pub struct Standings {
    scoring: Scoring,
    order: StandingsOrder,
    seats: SeatCount,
    bots: Interner<BotName>,
    tallies: Vec<StandingTally>,
    /// For each bot and opponent, the points that the bot won in the matches that both played, in the units of the
    /// tallies. Opponents against which the bot won nothing are left out.
    against: Vec<BTreeMap<u32, i64>>,
}

/// The encoded state: the bots, the tally of each bot, and the points of each bot against each opponent.
type StandingsState = (Interner<BotName>, Vec<StandingTally>, Vec<BTreeMap<u32, i64>>);

impl Standings {
    /// Creates standings with an empty line for each bot of the field.
    pub fn new<'a>(settings: &Settings, field: impl IntoIterator<Item = &'a BotName>) -> Self {
        let mut standings = Self {
            scoring: settings.scoring,
            order: settings.format.standings_order(),
            seats: settings.seats,
            bots: Interner::default(),
            tallies: Vec::new(),
            against: Vec::new(),
        };
        for bot in field {
            standings.number_of_bot(bot);
        }
        standings
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
        self.number_of_bot(bot);
    }

    /// Counts the result of one match. Each result must be added exactly once. A cancelled match does not count, and a
    /// bot without a line gets one.
    pub fn add_result(&mut self, result: &MatchResult) {
        let Some(outcome) = &result.outcome else { return };
        let bots = result.bots.map(|bot| self.number_of_bot(bot));
        for (seat, &bot) in bots.enumerate() {
            let before = self.tallies[bot].score_units(self.scoring);
            self.tallies[bot].add_game(outcome, seat);
            let units = self.tallies[bot].score_units(self.scoring) - before;
            if units > 0 {
                for &opponent in bots.iter().filter(|&&opponent| opponent != bot) {
                    *self.against[bot].entry(opponent as u32).or_default() += units;
                }
            }
        }
    }

    /// Sets the total number of byes of each bot, for formats that give byes: see
    /// [`FormatVerdict::Byes`](super::FormatVerdict). Each bye scores what a seat scores on average in the groups that
    /// a table plays in one round.
    pub fn set_bye_scores<'a>(
        &mut self,
        byes: impl IntoIterator<Item = &'a (BotName, u64)>,
        table_groups: TableGroups,
    ) {
        let a_round = self.scoring.bye_units(self.seats.get(), table_groups.get());
        for (bot, rounds) in byes {
            let place = self.number_of_bot(bot);
            self.tallies[place].set_bye_scores(rounds.cast_signed() * a_round);
        }
    }

    /// Returns the lines of all bots, by place.
    pub fn lines(&self) -> Vec<Standing> {
        let mut order: Vec<usize> = (0..self.tallies.len()).collect();
        order.sort_by(|&one, &other| self.cmp(one, other));
        let (bots, mut lines) = (self.bots.items(), Vec::with_capacity(order.len()));
        for tied in order.chunk_by(|&one, &other| self.cmp(one, other).is_eq()) {
            // The sort is stable, so tied bots are in the order of their numbers.
            let mut tied: Vec<_> =
                tied.iter().map(|&bot| (self.head_to_head_points(bot, tied), bot)).collect();
            tied.sort_by(|(ours, one), (theirs, other)| {
                theirs.cmp(ours).then_with(|| bots[*one].cmp(&bots[*other]))
            });
            for equal in tied.chunk_by(|(ours, _), (theirs, _)| ours == theirs) {
                let place = lines.len() as u32 + 1;
                lines.extend(equal.iter().map(|&(_, bot)| {
                    self.tallies[bot].to_standing(place, bots[bot].clone(), self.scoring, self.seats)
                }));
            }
        }
        lines
    }

    fn number_of_bot(&mut self, bot: &BotName) -> usize {
        let number = self.bots.intern(bot) as usize;
        if number == self.tallies.len() {
            self.tallies.push(StandingTally::default());
            self.against.push(BTreeMap::new());
        }
        number
    }

    fn cmp(&self, one: usize, other: usize) -> Ordering {
        let (ours, theirs) = (&self.tallies[one], &self.tallies[other]);
        let by_points = match self.order {
            StandingsOrder::Points => theirs.score_units(self.scoring).cmp(&ours.score_units(self.scoring)),
            StandingsOrder::PointsPerMatch | StandingsOrder::Rating => {
                theirs.cmp_units_per_match(ours, self.scoring)
            }
        };
        by_points.then_with(|| ours.cmp_regret(theirs))
    }

    /// Returns the points that a bot won against the bots tied with it. `tied` lists all tied bots by number.
    fn head_to_head_points(&self, bot: usize, tied: &[usize]) -> i64 {
        if tied.len() == 1 {
            return 0;
        }
        let is_tied = |opponent: u32| tied.binary_search(&(opponent as usize)).is_ok();
        let against = self.against[bot].iter().filter(|&(&opponent, _)| is_tied(opponent));
        against.map(|(_, units)| units).sum()
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

    fn fold(settings: &Settings, field: &[BotName], results: &[MatchResult]) -> Vec<Standing> {
        let mut standings = Standings::new(settings, field);
        for result in results {
            standings.add_result(result);
        }
        standings.lines()
    }

    fn lines(alliance: AllianceSource, results: &[MatchResult]) -> Vec<String> {
        let field: Vec<BotName> = ["d", "c", "b", "a"].map(|bot| bot.parse().unwrap()).to_vec();
        let line = |line: &Standing| format!("{} {} {}", line.place, line.bot, line.points);
        fold(&testing::settings(3, 1, alliance), &field, results).iter().map(line).collect()
    }

    #[test]
    fn every_bot_has_a_line_from_the_start() {
        assert_eq!(lines(AllianceSource::Declared, &[]), ["1 a 0", "1 b 0", "1 c 0", "1 d 0"]);
    }

    #[test]
    fn points_come_first_then_regret() {
        let results = [
            result(["a", "b", "c"], 2, [(1, 0), (2, 1), (0, 2)]),
            result(["d", "b", "c"], 1, [(2, 3), (0, 0), (1, 0)]),
        ];
        // Regret per match: b 1/2, c 2/2, a 0/1, d 3/1.
        assert_eq!(lines(AllianceSource::Declared, &results), ["1 b 1", "2 c 1", "3 a 0", "4 d 0"]);
        // Satisfaction: a 1/2, b 0 + 1, c 1 + 1/2, d 0.
        assert_eq!(lines(AllianceSource::Standard, &results), ["1 c 1.5", "2 b 1", "3 a 0.5", "4 d 0"]);
    }

    #[test]
    fn regret_is_per_match() {
        let results = [
            result(["a", "b", "c"], 2, [(1, 1), (1, 2), (0, 0)]),
            result(["a", "d", "c"], 2, [(1, 2), (1, 9), (0, 0)]),
        ];
        // Regret per match: a 3/2, b 2/1, d 9/1.
        assert_eq!(lines(AllianceSource::Declared, &results), ["1 c 2", "2 a 0", "3 b 0", "4 d 0"]);
    }

    #[test]
    fn ties_are_broken_head_to_head_or_share_a_place() {
        let even = [(1, 0); 3];
        // a and b have two wins each, and b won the match in which both played.
        let results = [
            result(["a", "c", "d"], 0, even),
            result(["a", "d", "c"], 0, even),
            result(["a", "b", "c"], 1, even),
            result(["b", "c", "d"], 0, even),
        ];
        assert_eq!(lines(AllianceSource::Declared, &results), ["1 b 2", "2 a 2", "3 c 0", "3 d 0"]);
        let even = [result(["b", "c", "d"], 0, even), result(["c", "d", "a"], 2, even)];
        assert_eq!(lines(AllianceSource::Declared, &even), ["1 a 1", "1 b 1", "3 c 0", "3 d 0"]);
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
        let lines = fold(&settings, &field, &results);
        let told: Vec<_> = lines.iter().map(|line| (line.bot.as_str(), line.points, line.matches)).collect();
        assert_eq!(told[..2], [("bot1", 3.0, 4), ("bot2", 3.0, 4)]);
        assert_eq!(
            told[4..],
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
        let lines = standings.lines();
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
    fn byes_score_what_a_seat_gets_on_average() {
        let byes: Vec<(BotName, u64)> = vec![("c".parse().unwrap(), 2), ("a".parse().unwrap(), 1)];
        let groups = TableGroups::new(2).unwrap();
        for (alliance, points) in
            [(AllianceSource::Declared, [4.0, 2.0]), (AllianceSource::Standard, [6.0, 3.0])]
        {
            let mut standings = Standings::new(&testing::settings(3, 1, alliance), []);
            standings.set_bye_scores(&byes[..1], groups);
            // Repeated calls replace the scores and do not add to them.
            standings.set_bye_scores(&byes, groups);
            let lines = standings.lines();
            let points_of: Vec<_> = lines.iter().map(|line| (line.bot.as_str(), line.points)).collect();
            assert_eq!(points_of, [("c", points[0]), ("a", points[1])]);
            assert!(lines.iter().all(|line| line.matches == 0 && line.satisfaction.is_none()));
        }
    }

    #[test]
    fn figures_are_absent_before_the_first_match() {
        let mut standings =
            Standings::new(&testing::settings(3, 1, AllianceSource::Declared), &testing::field(1));
        let line = standings.lines().remove(0);
        assert_eq!((line.satisfaction, line.accuracy), (None, None));
        assert_eq!((line.regret_per_match, line.luck_per_match), (None, None));
        // This bot lost its seat before its first take.
        let mut lost = result(["bot0", "x", "y"], 1, [(0, 0); 3]);
        lost.outcome.as_mut().unwrap().seats =
            BySeat::filled(SeatCount::new(3).unwrap(), &SeatResult::default());
        standings.add_result(&lost);
        let line = standings.lines().into_iter().find(|line| line.bot.as_str() == "bot0").unwrap();
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
        let line = standings.lines().into_iter().find(|line| line.bot.as_str() == "bot0").unwrap();
        assert_eq!((line.satisfaction, line.accuracy), (Some(0.5), Some(0.75)));
        assert_eq!((line.regret_per_match, line.luck_per_match), (Some(1.0), Some(-2.0)));
    }

    /// Generates a result for each match of a small tournament; seats are lost with probability `losses` / 8.
    fn random_result(settings: &Settings, field: &[BotName], seed: u64, losses: u64) -> Vec<MatchResult> {
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
            let mut results = random_result(&settings, &field, seed, losses);
            let in_order = fold(&settings, &field, &results);
            SeededDraw::new(seed, u64::MAX).shuffle(&mut results);
            prop_assert_eq!(&fold(&settings, &field, &results), &in_order);
            for two in in_order.windows(2) {
                prop_assert!(two[0].points >= two[1].points);
                prop_assert!(two[0].place <= two[1].place);
            }
        }

        #[test]
        fn wins_sum_to_the_matches_that_finished(seats in 2..5_usize, more in 0..3_usize, seed: u64) {
            let settings = testing::settings(seats, 1, AllianceSource::Declared);
            let field = testing::field(seats + more);
            let results = random_result(&settings, &field, seed, 0);
            let finished = results.iter().filter(|result| result.outcome.is_some()).count();
            let points: f64 = fold(&settings, &field, &results).iter().map(|line| line.points).sum();
            prop_assert!((points - f64::from(finished as u32)).abs() < f64::EPSILON);
        }
    }
}
