//! Tests the guarantees of sequential tests.

use super::*;
use crate::{
    EffectBounds, ErrorRates, FieldError, GroupCount, MatchOutcome, MatchResult, Pairing, Positions, Scoring,
    SeatLoss, SeatResult, SeededDraw, Settings, SettingsDraft, SprtMeasure, SprtSettings, TournamentFormat,
};
use lastnim_core::game::{BotName, BySeat, Piles};
use std::collections::{HashMap, HashSet};

fn bot_name(name: &str) -> BotName {
    name.parse().unwrap()
}

fn sprt_settings(seats: usize, measure: SprtMeasure, effects: (f64, f64), groups: u64) -> Settings {
    let sprt = SprtSettings {
        candidate: bot_name("bot1"),
        baseline: bot_name("bot0"),
        measure,
        effects: EffectBounds::new(effects.0, effects.1).unwrap(),
        errors: ErrorRates::default(),
        groups: GroupCount::new(groups).unwrap(),
    };
    settings(seats, 5, TournamentFormat::Sprt(sprt))
}

fn verdict_of(played: &ScheduleSimulation) -> SprtVerdict {
    let FormatVerdict::Sprt(verdict) = played.schedule.format_verdict() else {
        panic!("a sequential test has a verdict")
    };
    verdict
}

/// Generates matches in which each bot makes five takes and loses one rank by each error. `errors` gives the number of
/// errors per 1,000 takes for some bots; it is 100 for all others.
fn erring_bots(seed: u64, errors: &[(&str, u64)]) -> impl Fn(&Pairing) -> MatchResult {
    let errors: HashMap<BotName, u64> = errors.iter().map(|(name, often)| (bot_name(name), *often)).collect();
    move |pairing| {
        let mut draw = SeededDraw::from_numbers([seed, pairing.number]);
        let seats = pairing.bots.seats();
        let regrets = pairing.bots.map(|bot| {
            let often = errors.get(bot).copied().unwrap_or(100);
            (0..5).filter(|_| draw.number_below(1_000) < often).count() as u32
        });
        // Each of a bot's first two errors halves its share of the chance to win.
        let shares = regrets.map(|&regret| 4_u64 >> regret.min(2));
        let mut left = draw.number_below(shares.iter().sum());
        let winner = shares.enumerate().find(|(_, share)| match left.checked_sub(**share) {
            None => true,
            Some(less) => {
                left = less;
                false
            }
        });
        let winner = winner.expect("the drawn number is below the sum").0;
        let results = BySeat::from_fn(seats, |seat| SeatResult {
            rank_actual: if seat == winner { 0 } else { seats.get() as u32 - 1 },
            regret: regrets[seat],
            ..SeatResult::default()
        });
        MatchResult::finished(pairing, MatchOutcome { winner, seats: results })
    }
}

#[test]
fn candidate_and_baseline_play_from_the_same_seats() {
    let settings = sprt_settings(3, SprtMeasure::Regret, (0.0, 0.1), 20);
    let schedule = plan_schedule(&settings, &field(5)).unwrap();
    assert_eq!(schedule.total_matches(), TotalMatches::AtMost(20 * 6));
    let mut opponents = HashMap::new();
    for group in 0..20 {
        for rotation in 0..3 {
            let [with, without] =
                [0, 3].map(|first| schedule.pairing_of_number(group * 6 + first + rotation).unwrap());
            assert_eq!(
                (with.group, with.position, with.rotation),
                (without.group, without.position, without.rotation)
            );
            let replaced =
                with.bots.map(|each| if *each == bot_name("bot1") { bot_name("bot0") } else { each.clone() });
            assert_eq!(replaced, without.bots);
            for opponent in without.bots.iter().filter(|each| **each != bot_name("bot0")) {
                *opponents.entry(opponent.clone()).or_insert(0_u64) += 1;
            }
        }
    }
    assert_eq!(opponents.len(), 3);
    assert!(
        opponents.values().all(|&matches| matches.abs_diff(40) <= 3),
        "the opponents take turns: {opponents:?}"
    );
}

#[test]
fn candidate_and_baseline_meet_each_other_without_other_bots() {
    let settings = sprt_settings(2, SprtMeasure::Points, (0.0, 0.1), 20);
    let schedule = plan_schedule(&settings, &field(2)).unwrap();
    assert_eq!(schedule.total_matches(), TotalMatches::AtMost(40));
    for number in 0..40 {
        let bots: HashSet<_> = schedule.pairing_of_number(number).unwrap().bots.iter().cloned().collect();
        assert_eq!(bots.len(), 2);
    }
}

#[test]
fn fields_without_opponents_are_rejected() {
    let refusal = |seats, bots| {
        plan_schedule(&sprt_settings(seats, SprtMeasure::Points, (0.0, 0.1), 20), &field(bots)).unwrap_err()
    };
    assert_eq!(
        refusal(3, 3).to_string(),
        "a field of 3 bots: testing one bot against another with 3 seats per match needs at least 4"
    );
    let strangers: Vec<BotName> = vec![bot_name("bot1"), bot_name("x"), bot_name("y")];
    let missing =
        plan_schedule(&sprt_settings(2, SprtMeasure::Points, (0.0, 0.1), 20), &strangers).unwrap_err();
    assert_eq!(missing, FieldError::Missing { bot: bot_name("bot0"), field_size: 3 });
}

#[test]
fn forfeiting_does_not_avoid_regret() {
    let settings = sprt_settings(2, SprtMeasure::Regret, (0.0, 0.1), 1_000);
    let mut played = ScheduleSimulation::new(&settings, &field(2));
    let absent_result = |pairing: &Pairing| {
        let mut result = erring_bots(3, &[("bot0", 50), ("bot1", 0)])(pairing);
        for (seat, name) in pairing.bots.enumerate() {
            if *name == bot_name("bot1") {
                result.outcome.as_mut().unwrap().seats[seat].lost = Some(SeatLoss::NoShow);
            }
        }
        result
    };
    played.play(&absent_result, 4, usize::MAX, 1);
    assert_eq!(verdict_of(&played).answer, SprtAnswer::NoBetter);
}

/// Generates matches that the bot `winner` wins if it plays. Otherwise the first seat wins.
fn result_won_by(winner: &str) -> impl Fn(&Pairing) -> MatchResult {
    let winner = bot_name(winner);
    move |pairing| {
        let wins = pairing.bots.enumerate().find(|(_, name)| **name == winner).map(|(seat, _)| seat);
        let seats = pairing.bots.seats();
        let winner = wins.unwrap_or(seats.seat(0).unwrap());
        let seats = BySeat::from_fn(seats, |seat| SeatResult {
            rank_actual: if seat == winner { 0 } else { seats.get() as u32 - 1 },
            ..SeatResult::default()
        });
        MatchResult::finished(pairing, MatchOutcome { winner, seats })
    }
}

#[test]
fn a_lost_seat_scores_no_points_even_if_it_wins() {
    for scoring in [Scoring::Win, Scoring::Satisfaction] {
        let settings = sprt_settings(2, SprtMeasure::Points, (0.0, 0.1), 50);
        let settings = Settings::new(SettingsDraft { scoring, ..(*settings).clone() }).unwrap();
        let mut played = ScheduleSimulation::new(&settings, &field(2));
        // The steward plays on for the candidate and wins.
        let forfeits = |pairing: &Pairing| {
            let mut result = result_won_by("bot1")(pairing);
            for (seat, name) in pairing.bots.enumerate() {
                if *name == bot_name("bot1") {
                    result.outcome.as_mut().unwrap().seats[seat].lost = Some(SeatLoss::Forfeited);
                }
            }
            result
        };
        played.play(&forfeits, 4, usize::MAX, 1);
        assert_eq!(verdict_of(&played).effect, Some(0.0), "{scoring:?}");
        assert_ne!(verdict_of(&played).answer, SprtAnswer::Better, "{scoring:?}");
    }
}

#[test]
fn a_group_with_a_cancelled_match_is_ignored() {
    let settings = sprt_settings(2, SprtMeasure::Points, (0.0, 0.1), 40);
    let group_result = |pairing: &Pairing| {
        let winner = if pairing.group.is_multiple_of(4) && pairing.rotation == 0 { "bot0" } else { "bot1" };
        result_won_by(winner)(pairing)
    };
    let some_cancelled = |pairing: &Pairing| match (pairing.group % 4, pairing.rotation) {
        (1, 1) | (3, 0) => MatchResult::cancelled(pairing),
        _ => group_result(pairing),
    };
    let mut played = ScheduleSimulation::new(&settings, &field(2));
    played.play(&some_cancelled, 4, 16, 1);
    let found_verdict = verdict_of(&played);
    // Of the eight groups, two are drawn, two are won, and four are ignored.
    assert_eq!((found_verdict.groups, found_verdict.effect), (8, Some(0.5)));
    let mut simulation = ScheduleSimulation::new(&settings, &field(2));
    let whole_only = |pairing: &Pairing| {
        result_won_by(if pairing.group.is_multiple_of(2) && pairing.rotation == 0 { "bot0" } else { "bot1" })(
            pairing,
        )
    };
    simulation.play(&whole_only, 4, 8, 1);
    let expected = verdict_of(&simulation);
    assert_eq!((expected.groups, expected.effect), (4, Some(0.5)));
    assert!((found_verdict.llr - expected.llr).abs() < 1e-12, "{} and {}", found_verdict.llr, expected.llr);
}

#[test]
fn matches_after_the_answer_do_not_count() {
    let settings = sprt_settings(2, SprtMeasure::Regret, (0.0, 0.2), 1_000);
    let mut played = ScheduleSimulation::new(&settings, &field(4));
    played.play(&erring_bots(1, &[("bot0", 300), ("bot1", 0)]), 50, usize::MAX, 9);
    let verdict = verdict_of(&played);
    assert_eq!(verdict.answer, SprtAnswer::Better);
    assert!(verdict.llr >= verdict.upper && verdict.effect.unwrap() > 0.2);
    let settled = played.schedule.settled_below();
    assert_eq!(settled, verdict.groups * 4);
    assert_eq!(played.schedule.total_matches(), TotalMatches::Exactly(settled));
    assert!(played.played.len() as u64 > settled, "50 matches were played at once");
    assert_eq!(played.schedule.next(), ScheduleStep::Over);
}

#[test]
fn a_test_ends_undecided_after_its_last_group() {
    let settings = sprt_settings(2, SprtMeasure::Points, (0.0, 0.01), 30);
    let mut played = ScheduleSimulation::new(&settings, &field(2));
    played.play(&erring_bots(1, &[("bot0", 100), ("bot1", 100)]), 7, usize::MAX, 9);
    assert_eq!((verdict_of(&played).answer, verdict_of(&played).groups), (SprtAnswer::Undecided, 30));
    assert_eq!(played.schedule.total_matches(), TotalMatches::Exactly(60));
}

/// Returns how many of `tests` tests have this answer, and the mean number of matches that counted.
fn simulate_tests(
    measure: SprtMeasure,
    some: f64,
    candidate: u64,
    answer: SprtAnswer,
    tests: u64,
) -> (u64, u64) {
    let settings = sprt_settings(3, measure, (0.0, some), 20_000);
    let (mut given, mut matches) = (0, 0);
    for seed in 0..tests {
        let mut played = ScheduleSimulation::new(&settings, &field(5));
        played.play(&erring_bots(seed, &[("bot0", 100), ("bot1", candidate)]), 1, usize::MAX, 0);
        given += u64::from(verdict_of(&played).answer == answer);
        matches += played.schedule.settled_below();
    }
    (given, matches / tests)
}

#[test]
fn error_rates_hold_in_simulated_matches() {
    // Of 200 tests, 10 may be wrong, with a standard deviation of 3. The limit is two standard deviations above that.
    let (better, _) = simulate_tests(SprtMeasure::Regret, 0.2, 100, SprtAnswer::Better, 200);
    assert!(better <= 16, "{better} of 200 equal candidates are called better");
    // The candidate makes one mistake fewer in 25 takes. With five takes per match, it is 0.2 ranks better.
    let (no_better, _) = simulate_tests(SprtMeasure::Regret, 0.2, 60, SprtAnswer::NoBetter, 200);
    assert!(no_better <= 16, "{no_better} of 200 better candidates are called no better");
}

/// The candidate is better by one rank on the first quarter of the listed positions, and worse by one rank on the rest.
#[test]
fn positions_listed_by_effect_do_not_mislead_the_test() {
    let better_result = |pairing: &Pairing| {
        let loser = if pairing.position < 26 { "bot0" } else { "bot1" };
        let mut result = result_won_by(if loser == "bot0" { "bot1" } else { "bot0" })(pairing);
        let seats = &mut result.outcome.as_mut().unwrap().seats;
        for (seat, name) in pairing.bots.enumerate() {
            seats[seat].regret = u32::from(*name == bot_name(loser));
        }
        result
    };
    for seed in 0..40 {
        let plain = sprt_settings(2, SprtMeasure::Regret, (0.0, 0.1), 1_000);
        let list = (1..=104).map(|pile| Piles::parse(&[pile, 2]).unwrap()).collect();
        let positions = Positions::listed(list).unwrap();
        let settings = Settings::new(SettingsDraft { positions, seed, ..(*plain).clone() }).unwrap();
        let mut played = ScheduleSimulation::new(&settings, &field(2));
        played.play(&better_result, 1, usize::MAX, 0);
        assert_eq!(verdict_of(&played).answer, SprtAnswer::NoBetter, "seed {seed}");
    }
}

#[test]
fn regret_needs_far_fewer_matches_than_points() {
    // The same candidate under both measures: better by 0.2 ranks, or 0.0255 points, per match.
    let (right, by_regret) = simulate_tests(SprtMeasure::Regret, 0.2, 60, SprtAnswer::Better, 20);
    let (right_by_points, by_points) = simulate_tests(SprtMeasure::Points, 0.0255, 60, SprtAnswer::Better, 6);
    assert!(right >= 17 && right_by_points >= 5, "{right} of 20 and {right_by_points} of 6 are right");
    assert!(by_points > 8 * by_regret, "{by_points} matches by points, {by_regret} by regret");
}
