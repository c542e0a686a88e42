//! Tests the guarantees of ladders.

use super::schedule_simulation::{random_result, strongest_wins};
use super::*;
use crate::{
    GroupCount, LadderPairing, LadderSettings, MatchOutcome, MatchResult, Pairing, RatingEvidence,
    RatingMeasure, SeatLoss, SeatResult, SeededDraw, Settings, Standings, Streak, TableGroups,
    TournamentFormat, TournamentState,
};
use lastnim_core::game::{BotName, BySeat, SeatCount};
use proptest::prelude::*;
use std::collections::HashMap;

pub(super) fn ladder_settings(seats: usize, groups: Option<u64>, suspend_after: u64) -> Settings {
    settings_with_pairing(LadderPairing::default(), seats, groups, suspend_after)
}

fn settings_with_pairing(
    pairing: LadderPairing,
    seats: usize,
    groups: Option<u64>,
    suspend_after: u64,
) -> Settings {
    let ladder = LadderSettings {
        groups: groups.map(|groups| GroupCount::new(groups).unwrap()),
        table_groups: TableGroups::ONE,
        suspend_after: Streak::new(suspend_after).unwrap(),
        pairing,
    };
    settings(seats, 3, TournamentFormat::Ladder(ladder))
}

fn suspended_bots(played: &ScheduleSimulation) -> Vec<Suspension> {
    let FormatVerdict::Suspended(suspended) = played.schedule.format_verdict() else {
        panic!("a ladder's verdict lists the suspended bots")
    };
    suspended
}

fn matches_of(played: &ScheduleSimulation) -> HashMap<BotName, usize> {
    let mut matches = HashMap::new();
    for bot in played.played.values().flat_map(|pairing| pairing.bots.iter()) {
        *matches.entry(bot.clone()).or_default() += 1;
    }
    matches
}

/// Generates results in which these bots always lose their seats.
fn crashing_bots(bots: &'static [usize]) -> impl Fn(&Pairing) -> MatchResult {
    move |pairing| {
        let mut result = strongest_wins(pairing);
        let outcome = result.outcome.as_mut().unwrap();
        for (seat, bot) in pairing.bots.enumerate() {
            if bots.iter().any(|number| bot.as_str() == format!("bot{number}")) {
                outcome.seats[seat].lost = Some(SeatLoss::Forfeited);
            }
        }
        result
    }
}

#[test]
fn a_bot_that_crashes_over_and_over_is_suspended() {
    let mut played = ScheduleSimulation::new(&ladder_settings(2, Some(200), 5), &field(8));
    played.play(&crashing_bots(&[3, 5]), 4, usize::MAX, 1);
    let suspended = suspended_bots(&played);
    assert!(
        suspended.is_sorted_by_key(|suspended| suspended.last),
        "suspensions are listed in the order in which they happened"
    );
    let mut names: Vec<_> = suspended.iter().map(|suspended| suspended.bot.as_str()).collect();
    names.sort_unstable();
    assert_eq!(names, ["bot3", "bot5"]);
    let matches = matches_of(&played);
    assert_eq!(played.played.len(), 400, "the others play on");
    for suspended in &suspended {
        assert!((5..8).contains(&suspended.lost), "{suspended:?}");
        assert_eq!(suspended.lost as usize, matches[&suspended.bot], "a suspended bot gets no further match");
        assert_eq!(suspended.no_shows, 0);
        let sentence = format!(
            "{} is suspended: it lost its seat in {} matches in a row, the last of which was match {}; it was present in all of them",
            suspended.bot,
            suspended.lost,
            suspended.last + 1
        );
        assert_eq!(suspended.to_string(), sentence);
    }
    let others: Vec<_> =
        matches.iter().filter(|(bot, _)| !names.contains(&bot.as_str())).map(|(_, n)| n).collect();
    assert!(others.iter().all(|&&matches| matches > 50), "{others:?}");
}

#[test]
fn a_ladder_waits_when_too_few_bots_are_left() {
    let mut played = ScheduleSimulation::new(&ladder_settings(2, None, 2), &field(3));
    played.play(&crashing_bots(&[1, 2]), 4, 1_000, 1);
    assert!(played.open.is_empty() && played.played.len() < 1_000);
    assert_eq!(played.schedule.next(), ScheduleStep::AwaitBots);
    let round = played.schedule.open_round().unwrap();
    let change =
        |bot: &str| FieldChange { round, bot: bot.parse().unwrap(), movement: FieldMovement::Enters };
    played.schedule.change_field(&change("bot0"));
    assert_eq!(played.schedule.next(), ScheduleStep::AwaitBots, "the bot is already in the ladder");
    played.schedule.change_field(&change("bot2"));
    assert!(
        matches!(played.schedule.next(), ScheduleStep::Match(_)),
        "a suspended bot that returns gets another match"
    );
    assert_eq!(suspended_bots(&played).len(), 1);
}

#[test]
fn a_bot_that_returns_is_suspended_after_one_more_lost_table() {
    let mut played = ScheduleSimulation::new(&ladder_settings(2, None, 3), &field(6));
    let returns = |played: &mut ScheduleSimulation| {
        let round = played.schedule.open_round().unwrap();
        let change = FieldChange { round, bot: "bot3".parse().unwrap(), movement: FieldMovement::Enters };
        played.schedule.change_field(&change);
    };
    let losses = |played: &ScheduleSimulation| {
        suspended_bots(played).first().map(|suspended| (suspended.lost, suspended.last))
    };
    played.play(&crashing_bots(&[3]), 1, 100, 1);
    let (lost, number) = losses(&played).unwrap();
    assert!((3..5).contains(&lost));
    returns(&mut played);
    played.play(&crashing_bots(&[3]), 1, 200, 1);
    let (in_all, later_number) = losses(&played).unwrap();
    assert!(later_number > number);
    assert!((1..=2).contains(&(in_all - lost)), "the bot gets only one more table: {lost}, then {in_all}");
    returns(&mut played);
    // The bot keeps its seat from now on.
    played.play(&strongest_wins, 1, 300, 1);
    assert_eq!(losses(&played), None);
    let matches = matches_of(&played)[&"bot3".parse::<BotName>().unwrap()] as u64;
    assert!(matches > in_all + 5, "{matches}");
    // The bot's streak starts again.
    played.play(&crashing_bots(&[3]), 1, 400, 1);
    assert!((3..5).contains(&losses(&played).unwrap().0));
}

#[test]
fn a_ladder_has_a_bot_limit() {
    let settings = ladder_settings(2, None, 3);
    assert!(plan_schedule(&settings, &field(1_024)).is_ok());
    let refused = plan_schedule(&settings, &field(1_025)).unwrap_err().to_string();
    assert_eq!(refused, "a field of 1025 bots: expected at most 1024 in this format");
}

/// A ladder scored by satisfaction ranks by satisfaction, independently of wins, and draws guests from the whole field.
#[test]
fn scoring_by_satisfaction_ranks_by_satisfaction_and_mixes_the_field() {
    let (settings, bots) = (ladder_settings(3, Some(500), 1_000), field(12));
    assert_eq!(settings.rating_measure(), RatingMeasure::Satisfaction);
    let number_of = |bot: &BotName| bot.as_str().trim_start_matches("bot").parse::<u32>().unwrap();
    let mut played = ScheduleSimulation::new(&settings, &bots);
    let random_results = |pairing: &Pairing| {
        let mut draw = SeededDraw::new(11, pairing.number);
        let seats = pairing.bots.seats();
        let results = BySeat::from_fn(seats, |seat| {
            // The chances range from 22% for the first bot to 77% for the last.
            let chance = 22 + 5 * u64::from(number_of(&pairing.bots[seat]));
            let rank_actual = (0..2).filter(|_| draw.number_below(100) >= chance).count() as u32;
            SeatResult { rank_actual, ..SeatResult::default() }
        });
        let winner = seats.seat(draw.number_below(3) as usize).unwrap();
        MatchResult::finished(pairing, MatchOutcome { winner, seats: results })
    };
    played.play(&random_results, 6, usize::MAX, 3);
    let (mut standings, mut evidence) = (Standings::new(&settings, &bots), RatingEvidence::new(&settings));
    for result in &played.results {
        standings.add_result(result);
        evidence.add_result(result);
    }
    let mut lines = standings.lines(TournamentState::Finished);
    evidence.final_appraisal(&|| true).unwrap().add_to_standings(&mut lines, TournamentState::Finished);
    for (place, line) in (0..).zip(&lines) {
        let rating = line.rating.unwrap();
        assert_eq!(rating.measure, RatingMeasure::Satisfaction);
        let lead = 0.05 * (f64::from(number_of(&line.bot)) - 5.5);
        assert!((rating.points - lead).abs() < 0.1, "{line:?}");
        assert!((number_of(&line.bot).abs_diff(11 - place)) <= 2, "{line:?}");
    }
    let spread = |pairing: &Pairing| {
        let numbers = || pairing.bots.iter().map(number_of);
        f64::from(numbers().max().unwrap() - numbers().min().unwrap())
    };
    let late: Vec<f64> = played.played.values().skip(750).map(spread).collect();
    let mean = late.iter().sum::<f64>() / f64::from(late.len() as u32);
    assert!((mean - 6.5).abs() < 0.5, "three random bots of twelve span 6.5 on average, here {mean}");
}

#[test]
fn similar_bots_meet_and_uncertain_ones_play_more() {
    let mut played = ScheduleSimulation::new(&ladder_settings(2, Some(600), 1_000), &field(24));
    // Each bot is half as strong as the one before it.
    let random_results = |pairing: &Pairing| {
        let mut draw = SeededDraw::new(5, pairing.number);
        let seats = SeatCount::new(2).unwrap();
        let number_of = |bot: &BotName| bot.as_str().trim_start_matches("bot").parse::<i32>().unwrap();
        let numbers: Vec<i32> = pairing.bots.iter().map(number_of).collect();
        let shares = [2_f64.powi(-numbers[0]), 2_f64.powi(-numbers[1])];
        let chance = shares[0] / (shares[0] + shares[1]);
        let first_wins = f64::from(draw.number_below(1 << 20) as u32) < chance * f64::from(1 << 20);
        let winner = seats.seat(usize::from(!first_wins)).unwrap();
        MatchResult::finished(
            pairing,
            MatchOutcome { winner, seats: BySeat::filled(seats, &SeatResult::default()) },
        )
    };
    played.play(&random_results, 6, usize::MAX, 3);
    let number_of = |bot: &BotName| bot.as_str().trim_start_matches("bot").parse::<u32>().unwrap();
    let apart = |pairing: &Pairing| {
        let numbers: Vec<u32> = pairing.bots.iter().map(number_of).collect();
        f64::from(numbers[0].abs_diff(numbers[1]))
    };
    let late: Vec<f64> = played.played.values().skip(600).map(apart).collect();
    let mean = late.iter().sum::<f64>() / f64::from(late.len() as u32);
    assert!(mean < 6.0, "two random bots are 8.3 apart on average, here {mean}");
    let round = played.schedule.open_round();
    assert_eq!(round, None, "the ladder is over");
}

#[test]
fn newcomers_play_first() {
    let mut played = ScheduleSimulation::new(&ladder_settings(2, Some(400), 1_000), &field(12));
    played.play(&strongest_wins, 6, 400, 3);
    let round = played.schedule.open_round().unwrap();
    let newcomer: BotName = "bot99".parse().unwrap();
    let entering = FieldChange { round, bot: newcomer.clone(), movement: FieldMovement::Enters };
    played.schedule.change_field(&entering);
    let before = played.played.len();
    played.play(&strongest_wins, 6, before + 120, 3);
    let late: Vec<_> = played.played.values().skip(before).collect();
    let matches = late.iter().filter(|pairing| pairing.bots.iter().any(|bot| *bot == newcomer)).count();
    assert!(matches > 2 * late.len() * 2 / 13, "{matches} of {}", late.len());
}

/// Plays a ladder with 20 groups per bot in the field, and with random results.
fn play_random_ladder(seats: usize, bots: usize, seed: u64) -> ScheduleSimulation {
    let field = field(bots);
    let mut played = ScheduleSimulation::new(&ladder_settings(seats, Some(20 * bots as u64), 1_000), &field);
    played.play(&random_result(seed), 6, usize::MAX, seed);
    played
}

/// Returns the length of the longest run of tables at which the bot does not sit.
fn longest_wait(played: &ScheduleSimulation, bot: &BotName) -> usize {
    let tables: Vec<bool> = played
        .played
        .values()
        .filter(|pairing| pairing.number % pairing.bots.seats().get() as u64 == 0)
        .map(|pairing| pairing.bots.iter().any(|other| other == bot))
        .collect();
    tables.split(|&sits| sits).map(<[bool]>::len).max().unwrap()
}

/// Checks that no bot waits longer than guaranteed, and that none plays far less than others.
fn check_shares(played: &ScheduleSimulation, bots: usize) {
    let matches = matches_of(played);
    assert_eq!(matches.len(), bots);
    for bot in matches.keys() {
        let wait = longest_wait(played, bot);
        assert!(wait < 2 * bots, "{bot} waited for {wait} tables: {matches:?}");
    }
    let (fewest, most) = (matches.values().min().unwrap(), matches.values().max().unwrap());
    assert!(most / fewest < 4, "{matches:?}");
}

#[test]
fn a_few_distant_bots_do_not_take_all_tables() {
    check_shares(&play_random_ladder(2, 7, 12_308_660_806_371_290_372), 7);
}

/// A ladder from version 0.1 keeps its pairing. The expected numbers of matches were observed with 0.1.
#[test]
fn a_ladder_of_an_earlier_version_keeps_its_pairing() {
    let (seats, bots, seed) = (2, 7, 12_308_660_806_371_290_372);
    let settings = settings_with_pairing(LadderPairing::LeastCertain, seats, Some(20 * bots as u64), 1_000);
    let mut played = ScheduleSimulation::new(&settings, &field(bots));
    played.play(&random_result(seed), 6, usize::MAX, seed);
    let mut matches: Vec<usize> = matches_of(&played).into_values().collect();
    matches.sort_unstable();
    assert_eq!([matches[0], matches[3], matches[4], matches[6]], [20, 36, 120, 184], "{matches:?}");
}

proptest! {
    #![proptest_config(lastnim_core::game::testing::cases(40))]

    #[test]
    fn every_bot_gets_its_share_of_a_ladder(seats in 2..4_usize, more in 0..9_usize, seed: u64) {
        check_shares(&play_random_ladder(seats, seats + more, seed), seats + more);
    }
}
