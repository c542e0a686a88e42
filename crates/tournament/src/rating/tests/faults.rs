//! Tests that the rating model avoids known faults of models that treat a match with one winner as a full ranking.

use super::super::testing::{draw_winner, match_of_group, rate_results};
use crate::{
    MatchResult, OnlineRatings, Rating, RatingMeasure, Ratings, SeatLoss, SeededDraw, testing::field,
};
use lastnim_core::game::BotName;

/// Plays a group in which `bots` rotate through the seats; `win` returns the winner's index in `bots`.
fn rotate_group(number: u64, bots: &[BotName], mut win: impl FnMut() -> usize) -> Vec<MatchResult> {
    let seats = bots.len();
    let rotated_bots = |rotation: usize| {
        let seated: Vec<_> = (0..seats).map(|seat| bots[(seat + rotation) % seats].clone()).collect();
        (rotation, seated)
    };
    (0..seats)
        .map(rotated_bots)
        .map(|(rotation, at_seats)| match_of_group(number, &at_seats, (win() + seats - rotation) % seats))
        .collect()
}

fn points_of(ratings: &Ratings, bots: &[BotName]) -> Vec<f64> {
    bots.iter().map(|bot| ratings.get(bot).unwrap().rating.points()).collect()
}

fn mean_points(points: &[f64]) -> f64 {
    points.iter().sum::<f64>() / f64::from(points.len() as u32)
}

/// A model of full rankings would treat the order of the losers in the input as second, third and so on.
#[test]
fn the_order_of_losers_does_not_matter() {
    let bots = field(4);
    let mut draw = SeededDraw::new(3, 0);
    let winners: Vec<usize> = (0..40).map(|_| draw.number_below(4) as usize).collect();
    let ratings_in_order = |order: &dyn Fn(usize) -> Vec<usize>| {
        let listed = (0..).zip(&winners).map(|(number, &winner)| {
            let order = order(winner);
            let seat = order.iter().position(|&bot| bot == winner).unwrap();
            match_of_group(number, &order.iter().map(|&bot| bots[bot].clone()).collect::<Vec<_>>(), seat)
        });
        rate_results(&listed.collect::<Vec<_>>())
    };
    let expected = ratings_in_order(&|_| vec![0, 1, 2, 3]);
    assert_eq!(ratings_in_order(&|_| vec![3, 2, 1, 0]), expected);
    // This order puts the winner first, then the others by name, as in a ranking.
    let ranking =
        |winner: usize| std::iter::once(winner).chain((0..4).filter(move |&bot| bot != winner)).collect();
    assert_eq!(ratings_in_order(&ranking), expected);
}

/// With equal wins, equal bots have exactly equal ratings; with randomly drawn winners, few pairs seem to differ.
#[test]
fn equal_bots_have_equal_ratings() {
    let bots = field(5);
    let mut results = Vec::new();
    for turn in 0..10 {
        results.extend(rotate_group(turn, &bots, || turn as usize % 5));
    }
    for rated in rate_results(&results).bots() {
        assert!((rated.rating.points() - 1500.0).abs() < 1e-6, "{rated:?}");
        assert!(rated.interval.contains(&rated.rating));
    }
    let (mut apart, mut pairs) = (0, 0);
    for run in 0..20 {
        let mut draw = SeededDraw::new(8, run);
        let results: Vec<_> = (0..40)
            .flat_map(|number| rotate_group(number, &bots, || draw.number_below(5) as usize))
            .collect();
        let ratings = rate_results(&results);
        for (place, one) in bots.iter().enumerate() {
            for other in &bots[..place] {
                let probability = ratings.probability_better(one, other).unwrap();
                pairs += 1;
                apart += u32::from(!(0.025..=0.975).contains(&probability));
            }
        }
    }
    // 5 of 100 pairs are expected, with a standard deviation of 1.5 if the pairs were independent.
    assert!(apart * 100 <= pairs * 10, "{apart} of {pairs} equal pairs were told apart");
}

/// If three bots only play each other and exchange wins, neither their ratings nor those of others change.
#[test]
fn a_closed_group_does_not_inflate_its_ratings() {
    let (bots, strengths) = (field(9), [-0.8, -0.4, 0.0, 0.2, 0.5, 0.8]);
    let (others, closed) = bots.split_at(6);
    let mut draw = SeededDraw::new(12, 0);
    let mut results = Vec::new();
    for number in 0..60 {
        let mut table = [0, 1, 2, 3, 4, 5];
        draw.shuffle(&mut table);
        let bots = [0, 1, 2].map(|place: usize| others[table[place]].clone());
        let table_strengths = [0, 1, 2].map(|place: usize| strengths[table[place]]);
        results.extend(rotate_group(number, &bots, || draw_winner(&mut draw, &table_strengths)));
    }
    let before = points_of(&rate_results(&results), others);
    for number in 60..261 {
        let winner = number as usize % 3;
        results.extend(rotate_group(number, closed, || winner));
    }
    let after = rate_results(&results);
    for (before, after) in before.iter().zip(points_of(&after, others)) {
        assert!(
            (before - after).abs() < 1e-4,
            "the ratings of outside bots do not change: {before} and {after}"
        );
    }
    assert!(points_of(&after, closed).iter().all(|points| (points - 1500.0).abs() < 1e-4));
    assert_eq!(
        after.probability_better(&closed[0], &others[0]),
        None,
        "no match joins the closed group to the others"
    );
}

/// Matches among the bots of a closed group do not change the level of the group, even if the group has played others:
/// the level depends only on the matches with those others.
#[test]
fn a_weakly_connected_group_does_not_inflate_its_ratings() {
    let bots = field(9);
    let (others, closed) = bots.split_at(6);
    let mut draw = SeededDraw::new(13, 0);
    let mut results = Vec::new();
    for number in 0..90 {
        let mut table: Vec<_> = others.to_vec();
        draw.shuffle(&mut table);
        table.truncate(3);
        if number % 3 == 0 {
            // One bot of the closed group plays two bots outside it, and wins one match of six.
            table[0] = closed[number as usize / 3 % 3].clone();
            results.extend(rotate_group(number, &table, || draw_winner(&mut draw, &[-0.92, 0.0, 0.0])));
        } else {
            results.extend(rotate_group(number, &table, || draw.number_below(3) as usize));
        }
    }
    let before = points_of(&rate_results(&results), closed);
    assert!(mean_points(&before) < 1450.0, "the closed group is weak: {before:?}");
    // Either one bot wins all matches, or each bot wins a long series in turn, or they alternate.
    let trades: [fn(u64) -> usize; 3] =
        [|_| 0, |number| number as usize / 100 % 3, |number| number as usize % 3];
    for trade in trades {
        let mut longer = results.clone();
        for number in 90..390 {
            longer.extend(rotate_group(number, closed, || trade(number)));
        }
        let after = points_of(&rate_results(&longer), closed);
        // A bot that wins all matches does rise; the others fall.
        if trade(0) == trade(389) && trade(0) == trade(150) {
            assert!(after[1] < before[1] - 200.0 && after[2] < before[2] - 200.0, "{after:?}");
        } else {
            assert!(mean_points(&after) < mean_points(&before) + 1.0, "{before:?} and then {after:?}");
            assert!(after.iter().all(|points| *points < 1450.0), "{after:?}");
        }
    }
}

/// With online ratings, the covariances keep the closed group from moving.
#[test]
fn a_closed_group_does_not_inflate_its_online_ratings() {
    let bots = field(6);
    let (others, closed) = bots.split_at(3);
    let mut online = OnlineRatings::new(RatingMeasure::Wins);
    let mean_of = |online: &OnlineRatings| {
        mean_points(&closed.iter().map(|bot| online.get(bot).unwrap().rating().points()).collect::<Vec<_>>())
    };
    for number in 0..20 {
        for (place, bot) in closed.iter().enumerate() {
            let table = [bot.clone(), others[place].clone(), others[(place + 1) % 3].clone()];
            online.update_with(&match_of_group(number, &table, 1 + usize::from(number % 2 == 0)));
        }
    }
    let before = mean_of(&online);
    let outside: Vec<_> = others.iter().map(|bot| online.get(bot).unwrap().rating().points()).collect();
    for number in 0..600 {
        online.update_with(&match_of_group(number, closed, number as usize / 20 % 3));
        assert!(mean_of(&online) < before + 60.0, "after {number}: {before} and then {}", mean_of(&online));
    }
    assert!((mean_of(&online) - before).abs() < 60.0, "{before} and then {}", mean_of(&online));
    for (bot, before) in others.iter().zip(outside) {
        let after = online.get(bot).unwrap().rating().points();
        assert!((after - before).abs() < 30.0, "{before} and then {after}");
    }
}

/// A bot that forfeits every match moves the others neither together nor apart, however often the steward wins for it.
#[test]
fn a_bot_that_always_forfeits_does_not_move_the_others() {
    let bots = field(3);
    let strengths = [400.0, 0.0, 200.0].map(|points| Rating::of_points(points).strength());
    let mut draw = SeededDraw::new(5, 0);
    let mut results = Vec::new();
    for number in 0..2_000 {
        let mut group = rotate_group(number, &bots, || draw_winner(&mut draw, &strengths));
        for result in &mut group {
            let crashes = result.bots.enumerate().find(|(_, bot)| **bot == bots[2]).unwrap().0;
            result.outcome.as_mut().unwrap().seats[crashes].lost = Some(SeatLoss::Forfeited);
        }
        results.append(&mut group);
    }
    let points = points_of(&rate_results(&results), &bots);
    assert!((points[0] - points[1] - 400.0).abs() < 30.0, "{points:?}");
    assert!(points[2] < points[1] - 400.0, "its rating falls with every match that counts: {points:?}");
}
