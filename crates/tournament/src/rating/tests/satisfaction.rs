//! Tests that ratings by satisfaction recover known strengths, and that their intervals have the right coverage.

use super::super::{
    ReplicateCount, Resampling, SatisfactionRatings, SatisfactionScores, SpreadBelief, adjust_p_values,
    resampling::draw_uniform, testing::match_of_group,
};
use crate::{
    MatchResult, OnlineRatings, RatingMeasure, SeatLoss, SeededDraw,
    checkpoint::{decode_state, encode_state},
    testing::field,
};
use lastnim_core::{game::BotName, oracle::Budget};

/// How the tables of a tournament are drawn.
#[derive(Debug, Clone, Copy, PartialEq)]
enum TableSelection {
    /// Tables are drawn at random.
    Mixed,
    /// Tables have bots that are next to each other in strength, as in a ladder.
    Close,
    /// The first bots are drawn about eight times as often as the last.
    Uneven,
}

/// A tournament between bots whose mean satisfaction is known.
#[derive(Debug, Clone, Copy)]
struct Scenario {
    seats: usize,
    bots: u32,
    groups: u64,
    /// Half the difference in satisfaction between the best and the worst bot.
    spread: f64,
    tables: TableSelection,
    /// The maximum by which a bot's satisfaction in one group differs from its mean.
    clustering: f64,
    /// No-shows per 100 seats.
    no_shows: u64,
    /// Forfeits of the best bot per 100 matches.
    forfeits: u64,
    runs: u64,
}

const BASE_SCENARIO: Scenario = Scenario {
    seats: 3,
    bots: 6,
    groups: 30,
    spread: 0.15,
    tables: TableSelection::Mixed,
    clustering: 0.1,
    no_shows: 0,
    forfeits: 0,
    runs: 150,
};

/// The outcome of many simulated tournaments.
struct Findings {
    /// The share of intervals that contain the true value.
    coverage: f64,
    /// Half of the mean width of the intervals.
    half: f64,
    /// The share of tournaments in which at least one bot is wrongly called better than another at the 5% level.
    wrong: f64,
    /// Of the pairs in which one bot is called better with a probability of at least 80%, the share in which it really
    /// is.
    confirmed: f64,
}

impl Scenario {
    fn strengths(&self) -> Vec<f64> {
        let place = |bot: u32| 2.0 * f64::from(bot) / f64::from(self.bots - 1) - 1.0;
        (0..self.bots).map(|bot| self.spread * place(bot)).collect()
    }

    /// Returns how far each bot's satisfaction is above the mean of the field, with forfeits counted.
    fn leads(&self) -> Vec<f64> {
        let mut leads = self.strengths();
        let (last, forfeits) = (leads.len() - 1, f64::from(self.forfeits as u32) / 100.0);
        leads[last] -= forfeits * (0.5 + leads[last]);
        let mean = leads.iter().sum::<f64>() / f64::from(self.bots);
        leads.iter().map(|lead| lead - mean).collect()
    }

    fn draw_table(&self, draw: &mut SeededDraw) -> Vec<usize> {
        let bots = u64::from(self.bots);
        if self.tables == TableSelection::Close {
            let first = draw.number_below(bots - self.seats as u64 + 1) as usize;
            return (first..first + self.seats).collect();
        }
        let mut table = Vec::new();
        while table.len() < self.seats {
            let bot = draw.number_below(bots);
            let chance =
                if self.tables == TableSelection::Uneven { 7 * (bots - bot) + bots } else { 8 * bots };
            if !table.contains(&(bot as usize)) && draw.number_below(8 * bots) < chance {
                table.push(bot as usize);
            }
        }
        table
    }

    /// Plays a group, which is one table in every rotation. The value of each seat is drawn once for the whole group.
    fn play_group(&self, group: u64, names: &[BotName], draw: &mut SeededDraw) -> Vec<MatchResult> {
        let (table, strengths) = (self.draw_table(draw), self.strengths());
        let around = |draw: &mut SeededDraw, half: f64| (2.0 * draw_uniform(draw) - 1.0) * half;
        let places: Vec<f64> = table.iter().map(|_| 0.5 + around(draw, 0.2)).collect();
        let own: Vec<f64> = table.iter().map(|&bot| strengths[bot] + around(draw, self.clustering)).collect();
        let rotations = 0..self.seats;
        rotations
            .map(|rotation| {
                let place_of = |seat: usize| (seat + rotation) % self.seats;
                let bots: Vec<_> = (0..self.seats).map(|seat| names[table[place_of(seat)]].clone()).collect();
                let mut result = match_of_group(group, &bots, 0);
                result.number = group * self.seats as u64 + rotation as u64;
                let outcome = result.outcome.as_mut().unwrap();
                for seat in outcome.seats.seats().iter() {
                    let chance = (places[seat.index()] + own[place_of(seat.index())]).clamp(0.0, 1.0);
                    let rank = (1..self.seats).filter(|_| draw_uniform(draw) > chance).count();
                    outcome.seats[seat].rank_actual = rank as u32;
                    let is_best = table[place_of(seat.index())] == self.bots as usize - 1;
                    if draw.number_below(100) < self.no_shows {
                        outcome.seats[seat].lost = Some(SeatLoss::NoShow);
                    } else if is_best && draw.number_below(100) < self.forfeits {
                        outcome.seats[seat].lost = Some(SeatLoss::Forfeited);
                    }
                }
                result
            })
            .collect()
    }

    fn play(&self, run: u64) -> Vec<MatchResult> {
        let names = field(self.bots as usize);
        let mut draw = SeededDraw::from_numbers([7_041, self.seats as u64, self.groups, run]);
        (0..self.groups).flat_map(|group| self.play_group(group, &names, &mut draw)).collect()
    }

    fn simulate(&self) -> Findings {
        let (names, leads) = (field(self.bots as usize), self.leads());
        let (mut held, mut halves, mut all) = (0.0, 0.0, 0.0);
        let (mut wrong, mut confirmed, mut promised) = (0.0, 0.0, 0.0);
        for run in 0..self.runs {
            let ratings = rate_results(&self.play(run), run, 100);
            for (name, lead) in names.iter().zip(&leads) {
                let Some(rated) = ratings.get(name) else { continue };
                held += f64::from(u8::from(rated.interval.contains(lead)));
                halves += (rated.interval.high - rated.interval.low) / 2.0;
                all += 1.0;
            }
            let pairs: Vec<_> = (0..names.len())
                .flat_map(|one| (0..one).map(move |other| (one, other)))
                .filter_map(|(one, other)| {
                    let lead = ratings.lead_between(&names[one], &names[other])?;
                    Some((leads[one] - leads[other], lead))
                })
                .collect();
            let adjusted =
                adjust_p_values(&pairs.iter().map(|(_, lead)| lead.chance_if_equal()).collect::<Vec<_>>());
            let is_wrong = pairs
                .iter()
                .zip(adjusted)
                .any(|((truth, lead), chance)| chance <= 0.05 && truth * lead.lead <= 0.0);
            wrong += f64::from(u8::from(is_wrong));
            let known = names.iter().filter_map(|name| ratings.strength_and_variance(name));
            let spread = SpreadBelief::of_strengths(
                &known.map(|(_, strength, variance)| (strength, variance)).collect::<Vec<_>>(),
                0.5,
            );
            for (truth, lead) in pairs {
                let better = spread.probability_better(lead);
                let truth = if better > 0.5 { truth } else { -truth };
                if better.max(1.0 - better) >= 0.8 {
                    promised += 1.0;
                    confirmed += f64::from(u8::from(truth > 0.0));
                }
            }
        }
        let runs = f64::from(self.runs as u32);
        Findings {
            coverage: held / all,
            half: halves / all,
            wrong: wrong / runs,
            confirmed: if promised > 0.0 { confirmed / promised } else { 1.0 },
        }
    }

    fn check(&self) {
        let Findings { coverage, half, wrong, confirmed } = self.simulate();
        assert!((0.93..=0.97).contains(&coverage), "{self:?}: {coverage:.3}");
        assert!(half < 0.3, "{self:?}: the coverage does not come from wide intervals: {half:.3}");
        // If the true rate is 5%, a rate above 8% in 150 tournaments is unlikely.
        assert!(wrong <= 0.08, "{self:?}: {wrong:.3}");
        assert!(self.spread == 0.0 || confirmed >= 0.8, "{self:?}: {confirmed:.3}");
    }
}

fn scores_of<'a>(results: impl IntoIterator<Item = &'a MatchResult>) -> SatisfactionScores {
    let mut scores = SatisfactionScores::new();
    results.into_iter().for_each(|result| scores.add_result(result));
    scores
}

fn rate_results(results: &[MatchResult], seed: u64, replicates: u32) -> SatisfactionRatings {
    let resampling = Resampling { seed, replicates: ReplicateCount::new(replicates).unwrap() };
    scores_of(results).compute_ratings(&resampling, &mut Budget::unbounded()).unwrap()
}

#[test]
fn intervals_hold_with_two_seats() {
    Scenario { seats: 2, ..BASE_SCENARIO }.check();
}

#[test]
fn intervals_hold_with_three_seats() {
    BASE_SCENARIO.check();
}

#[test]
fn intervals_hold_with_three_seats_and_few_groups() {
    Scenario { bots: 5, groups: 10, runs: 200, ..BASE_SCENARIO }.check();
}

#[test]
fn intervals_hold_with_three_seats_and_many_groups() {
    Scenario { groups: 200, runs: 80, ..BASE_SCENARIO }.check();
}

#[test]
fn intervals_hold_with_three_seats_and_dependent_groups() {
    Scenario { groups: 60, clustering: 0.3, ..BASE_SCENARIO }.check();
}

#[test]
fn intervals_hold_with_equal_bots() {
    Scenario { bots: 8, groups: 40, spread: 0.0, runs: 250, ..BASE_SCENARIO }.check();
}

#[test]
fn intervals_hold_if_bots_only_meet_similar_ones() {
    Scenario { bots: 12, groups: 120, tables: TableSelection::Close, runs: 80, ..BASE_SCENARIO }.check();
}

#[test]
fn intervals_hold_with_rarely_drawn_bots() {
    Scenario { bots: 8, groups: 80, tables: TableSelection::Uneven, ..BASE_SCENARIO }.check();
}

#[test]
fn intervals_hold_with_lost_seats() {
    Scenario { groups: 60, no_shows: 10, forfeits: 30, ..BASE_SCENARIO }.check();
}

#[test]
fn intervals_hold_with_five_seats() {
    Scenario { seats: 5, bots: 8, ..BASE_SCENARIO }.check();
}

/// Sitting in better seats does not raise a bot's rating, since it is compared with other bots in the same seat.
#[test]
fn a_better_seat_does_not_raise_a_rating() {
    let bots = field(3);
    let mut results = Vec::new();
    for group in 0..20 {
        for rotation in 0..3 {
            let mut table = bots.clone();
            table.rotate_left(rotation);
            let mut result = match_of_group(group, &table, 0);
            let outcome = result.outcome.as_mut().unwrap();
            for (seat, rank) in outcome.seats.seats().iter().zip([0, 1, 2]) {
                outcome.seats[seat].rank_actual = rank;
                // The last bot is absent whenever it should play in the last seat, which is the worst. That must not
                // raise its rating.
                if rank == 2 && table[2] == bots[2] {
                    outcome.seats[seat].lost = Some(SeatLoss::NoShow);
                }
            }
            results.push(result);
        }
    }
    let ratings = rate_results(&results, 1, 50);
    for rated in ratings.bots() {
        assert!(rated.lead.abs() < 1e-9, "{rated:?}");
        assert!(
            rated.interval.low < -0.005 && rated.interval.high > 0.005,
            "the interval leaves room for doubt: {rated:?}"
        );
    }
    assert_eq!(ratings.get(&bots[2]).unwrap().matches, 40);
}

#[test]
fn the_order_of_results_and_a_restart_do_not_matter() {
    let scenario = Scenario { no_shows: 5, forfeits: 10, ..BASE_SCENARIO };
    let mut results = scenario.play(3);
    let expected = rate_results(&results, 1, 50);
    SeededDraw::new(9, 9).shuffle(&mut results);
    assert_eq!(rate_results(&results, 1, 50), expected);
    let (before, after) = results.split_at(40);
    let mut restored: SatisfactionScores = decode_state(&encode_state(&scores_of(before))).unwrap();
    for result in after {
        restored.add_result(result);
    }
    let resampling = Resampling { seed: 1, replicates: ReplicateCount::new(50).unwrap() };
    assert_eq!(restored.compute_ratings(&resampling, &mut Budget::unbounded()).unwrap(), expected);

    let mut forgetful = scores_of(&results);
    forgetful.forget_groups_before(20);
    let newest: Vec<_> = results.iter().filter(|result| result.group >= 20).cloned().collect();
    let forgotten = forgetful.compute_ratings(&resampling, &mut Budget::unbounded()).unwrap();
    assert_eq!(forgotten, rate_results(&newest, 1, 50));
}

#[test]
fn bots_of_different_islands_are_not_compared() {
    let bots = field(6);
    let tables = [&bots[..2], &bots[2..4]];
    let mut results: Vec<_> = (0..8_u64)
        .map(|number| {
            let mut table = tables[number as usize / 2 % 2].to_vec();
            table.rotate_left(number as usize % 2);
            match_of_group(number / 2, &table, 0)
        })
        .collect();
    // In the last group, the only other bot was a no-show.
    let mut alone = match_of_group(9, &bots[4..], 0);
    let outcome = alone.outcome.as_mut().unwrap();
    outcome.seats[outcome.winner].lost = Some(SeatLoss::NoShow);
    results.push(alone);
    let ratings = rate_results(&results, 1, 50);
    let islands: Vec<_> = ratings.bots().iter().map(|rated| rated.island).collect();
    assert_eq!(islands, [0, 0, 1, 1]);
    assert!(ratings.lead_between(&bots[0], &bots[1]).is_some());
    assert_eq!(ratings.lead_between(&bots[0], &bots[2]), None);
    assert!(ratings.get(&bots[5]).is_none(), "a bot that met nobody is not rated");
}

/// Online ratings, by which a ladder pairs its bots, converge to the published ratings.
#[test]
fn online_ratings_converge_to_the_published_ones() {
    let scenario = Scenario { bots: 10, groups: 600, ..BASE_SCENARIO };
    let (names, results) = (field(10), scenario.play(1));
    let mut online = OnlineRatings::new(RatingMeasure::Satisfaction);
    for bot in &names {
        online.add_bot(bot);
    }
    let before = online.get(&names[0]).unwrap();
    for result in &results {
        online.update_with(result);
    }
    let ratings = rate_results(&results, 1, 50);
    for (name, lead) in names.iter().zip(scenario.leads()) {
        let (belief, rated) = (online.get(name).unwrap(), ratings.get(name).unwrap());
        assert!((belief.strength - rated.lead).abs() < 0.01, "{belief:?} {rated:?}");
        assert!((belief.strength - lead).abs() < 0.08, "{belief:?} {lead}");
        assert!(belief.deviation < before.deviation / 5.0 && belief.matches == rated.matches);
    }
}
