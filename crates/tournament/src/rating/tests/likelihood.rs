//! Tests of the maximum likelihood strengths.

use super::super::{
    Rating,
    testing::{draw_winner, match_of_group, rate_results, rated_matches},
};
use crate::{MatchResult, Resampling, SeatLoss, SeededDraw, testing::field};
use lastnim_core::{
    game::BotName,
    oracle::{Budget, HaltReason},
};
use proptest::prelude::*;

/// Draws matches between two to four of these bots with these strengths.
fn draw_matches(seed: u64, bots: &[BotName], strengths: &[f64], count: u64) -> Vec<MatchResult> {
    let mut draw = SeededDraw::new(seed, count);
    (0..count)
        .map(|number| {
            let mut table: Vec<usize> = (0..bots.len()).collect();
            draw.shuffle(&mut table);
            table.truncate(2 + draw.number_below(3) as usize);
            let winner = draw_winner(&mut draw, &table.iter().map(|&bot| strengths[bot]).collect::<Vec<_>>());
            let names: Vec<_> = table.iter().map(|&bot| bots[bot].clone()).collect();
            match_of_group(number / 3, &names, winner)
        })
        .collect()
}

#[test]
fn the_ratings_of_two_bots_match_their_wins() {
    let bots = field(2);
    let results: Vec<_> =
        (0..40).map(|number| match_of_group(number, &bots, usize::from(number % 4 == 0))).collect();
    let ratings = rate_results(&results);
    let [one, other] = [0, 1].map(|bot: usize| ratings.get(&bots[bot]).unwrap().rating.strength());
    // If the strengths are x and -x, the likelihood is greatest where 30 - 40 s(2x) + 1/2 - s(x) = 0, with s(x) = 1 /
    // (1 + e^-x).
    assert!((one + other).abs() < 1e-6);
    let chance = |x: f64| 1.0 / (1.0 + (-x).exp());
    assert!((30.0 - 40.0 * chance(2.0 * one) + 0.5 - chance(one)).abs() < 1e-6, "{one}");
    assert!(
        (2.0 * one - 3_f64.ln()).abs() < 0.05,
        "without virtual draws, the lead would be the logarithm of 30 / 10"
    );
}

#[test]
fn a_lead_of_400_points_means_ten_wins_for_each_loss() {
    let strong = Rating::of_points(1900.0);
    assert!((strong.chance_against(Rating::default()) - 10.0 / 11.0).abs() < 1e-12);
    assert!((Rating::of_strength(strong.strength()).points() - 1900.0).abs() < 1e-9);
    assert_eq!((Rating::default().to_string(), format!("{strong:.1}")), ("1500".into(), "1900.0".into()));
}

#[test]
fn perfect_records_have_finite_ratings_and_wide_intervals() {
    let bots = field(3);
    let results: Vec<_> =
        (0..30).map(|number| match_of_group(number / 3, &bots, usize::from(number == 0))).collect();
    let ratings = rate_results(&results);
    let [best, middle, worst] = [0, 1, 2].map(|bot: usize| ratings.get(&bots[bot]).unwrap());
    assert!(best.rating > middle.rating && middle.rating > worst.rating);
    let width = worst.interval.high.points() - worst.interval.low.points();
    assert!((300.0..2_000.0).contains(&width), "{width}");
    assert!((best.matches, best.groups) == (30, 10));
    let sure = ratings.probability_better(&bots[0], &bots[2]).unwrap();
    assert!(sure > 0.99, "{sure}");
}

#[test]
fn bots_in_a_chain_of_certain_wins_are_rated_in_order() {
    let bots = field(20);
    let mut results = Vec::new();
    for pair in bots.windows(2) {
        results.extend((0..30).map(|number| match_of_group(number, pair, 0)));
    }
    let strengths: Vec<f64> = {
        let ratings = rate_results(&results);
        bots.iter().map(|bot| ratings.get(bot).unwrap().rating.strength()).collect()
    };
    assert!(strengths.windows(2).all(|two| two[0] > two[1] + 1.0), "{strengths:?}");
    assert!(strengths[0] - strengths[19] > 30.0, "{strengths:?}");
}

#[test]
fn bots_in_unconnected_groups_are_not_compared() {
    let bots = field(5);
    let mut results = vec![match_of_group(0, &bots[..2], 0), match_of_group(1, &bots[2..4], 0)];
    let ratings = rate_results(&results);
    let island = |bot: usize| ratings.get(&bots[bot]).unwrap().island;
    assert_eq!([0, 1, 2, 3].map(island), [0, 0, 1, 1]);
    assert_eq!(ratings.probability_better(&bots[0], &bots[3]), None);
    assert!(ratings.probability_better(&bots[0], &bots[1]).unwrap() > 0.5);
    assert!(ratings.get(&bots[4]).is_none(), "no match counts for this bot");
    results.push(match_of_group(2, &bots[1..3], 0));
    let ratings = rate_results(&results);
    assert!(ratings.bots().iter().all(|rated| rated.island == 0));
    assert!(ratings.probability_better(&bots[0], &bots[3]).unwrap() > 0.5);
}

#[test]
fn rating_stops_at_its_step_limit() {
    let bots = field(6);
    let matches = rated_matches(&draw_matches(1, &bots, &[0.0; 6], 60));
    let mut budget = Budget::of_steps(1_000);
    assert_eq!(
        matches.compute_ratings(&Resampling::default(), &mut budget).unwrap_err(),
        HaltReason::OutOfSteps { limit: 1_000 }
    );
    let ratings = matches.compute_ratings(&Resampling::default(), &mut Budget::unbounded()).unwrap();
    assert_eq!(ratings.bots().len(), 6);
}

proptest! {
    #![proptest_config(lastnim_core::game::testing::cases(32))]

    /// At the maximum every bot has won as often as the model expects, if its virtual draw is counted.
    #[test]
    fn expected_wins_equal_actual_wins(
        seed: u64, strengths in prop::collection::vec(-3.0..3.0_f64, 4..8), count in 1..80_u64,
    ) {
        let bots = field(strengths.len());
        let results = draw_matches(seed, &bots, &strengths, count);
        let ratings = rate_results(&results);
        let share = |bot: &BotName| ratings.get(bot).unwrap().rating.strength().exp();
        for rated in ratings.bots() {
            let own = share(&rated.bot);
            let mut excess = 0.5 - own / (1.0 + own);
            for result in results.iter().filter(|result| result.bots.iter().any(|bot| *bot == rated.bot)) {
                excess += f64::from(u8::from(result.bots[result.outcome.as_ref().unwrap().winner] == rated.bot));
                excess -= own / result.bots.iter().map(share).sum::<f64>();
            }
            prop_assert!(excess.abs() < 1e-6, "{}: {excess}", rated.bot);
        }
    }

    /// Neither the order of the matches, nor the seats, nor the group numbers change a single bit of the ratings.
    #[test]
    fn ratings_do_not_depend_on_order_seats_or_group_numbers(seed: u64, count in 1..40_u64) {
        let bots = field(6);
        let mut results = draw_matches(seed, &bots, &[0.0; 6], count);
        for (number, result) in results.iter_mut().enumerate().filter(|(number, _)| number % 7 == 3) {
            let outcome = result.outcome.as_mut().unwrap();
            let lost = if number % 2 == 0 { SeatLoss::Forfeited } else { SeatLoss::NoShow };
            outcome.seats[outcome.winner].lost = Some(lost);
        }
        let expected = rate_results(&results);
        SeededDraw::new(seed, u64::MAX).shuffle(&mut results);
        prop_assert_eq!(&rate_results(&results), &expected);
        for result in &mut results {
            result.group = result.group * 1_000 + 77;
            let outcome = result.outcome.as_mut().unwrap();
            let seats = result.bots.seats();
            let mirrored: Vec<_> = seats.iter().rev().map(|seat| result.bots[seat].clone()).collect();
            let lost: Vec<_> = seats.iter().rev().map(|seat| outcome.seats[seat].clone()).collect();
            outcome.winner = seats.seat(seats.get() - 1 - outcome.winner.index()).unwrap();
            (result.bots, outcome.seats) = (mirrored.try_into().unwrap(), lost.try_into().unwrap());
        }
        prop_assert_eq!(&rate_results(&results), &expected);
    }
}
