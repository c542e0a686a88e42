//! Tests the guarantees of Swiss tournaments.

use super::schedule_simulation::{random_result, strongest_wins};
use super::*;
use crate::{RoundCount, Scoring, Settings, SettingsDraft, TableGroups, TournamentFormat};
use lastnim_core::game::BotName;
use proptest::prelude::*;
use std::collections::{HashMap, HashSet};

fn swiss_settings(seats: usize, rounds: u64) -> Settings {
    let rounds = RoundCount::new(rounds).unwrap();
    settings(seats, 2, TournamentFormat::Swiss { rounds, table_groups: TableGroups::ONE })
}

/// Returns the sets of bots at the tables of each round.
fn rounds_played(played: &ScheduleSimulation, tables: usize) -> Vec<Vec<Vec<BotName>>> {
    let mut groups: HashMap<u64, Vec<BotName>> = HashMap::new();
    for pairing in played.played.values() {
        let mut set = pairing.bots.as_slice().to_vec();
        set.sort();
        groups.insert(pairing.group, set);
    }
    let mut groups: Vec<_> = groups.into_iter().collect();
    groups.sort();
    let sets: Vec<_> = groups.into_iter().map(|(_, set)| set).collect();
    sets.chunks(tables).map(<[_]>::to_vec).collect()
}

/// Returns the number of repeated meetings: for every pair, all but the first.
fn count_repeats(rounds: &[Vec<Vec<BotName>>]) -> usize {
    let mut met = HashSet::new();
    let mut repeats = 0;
    for table in rounds.iter().flatten() {
        for (place, one) in table.iter().enumerate() {
            for other in &table[..place] {
                repeats += usize::from(!met.insert((other.clone(), one.clone())));
            }
        }
    }
    repeats
}

#[test]
fn bots_meet_opponents_with_similar_scores() {
    let settings = swiss_settings(2, 5);
    let mut played = ScheduleSimulation::new(&settings, &field(32));
    played.play(&strongest_wins, 4, usize::MAX, 1);
    let mut rounds = rounds_played(&played, 16);
    let last = rounds.pop().unwrap();
    let number_of = |bot: &BotName| bot.as_str().trim_start_matches("bot").parse::<u64>().unwrap();
    let winners: Vec<u64> =
        rounds.iter().flatten().map(|table| number_of(&table[0]).min(number_of(&table[1]))).collect();
    let won = |bot: &BotName| winners.iter().filter(|&&winner| winner == number_of(bot)).count();
    let alike = last.iter().filter(|table| won(&table[0]).abs_diff(won(&table[1])) <= 1).count();
    assert!(alike >= 15, "{alike} of 16 tables have bots with similar scores: {last:?}");
    let leader = last.iter().find(|table| table.contains(&"bot0".parse().unwrap())).unwrap();
    assert!(leader.iter().all(|bot| number_of(bot) < 8), "{leader:?}");
}

#[test]
fn a_bye_scores_the_average_of_a_seat() {
    for (scoring, seats, expected) in [(Scoring::Win, 3, 2), (Scoring::Satisfaction, 3, 6)] {
        // The units are a win, or half a point of satisfaction.
        assert_eq!(scoring.bye_units(seats, 2), expected);
    }
}

#[test]
fn a_bye_counts_for_pairing() {
    // Seven bots: three won both matches of the first round, three lost both, and one had a bye worth one win. So the
    // third winner meets the bot that had the bye, whatever the drawn order of equal bots is.
    for seed in 0..20 {
        let settings = Settings::new(SettingsDraft { seed, ..(*swiss_settings(2, 2)).clone() }).unwrap();
        let field = field(7);
        let mut played = ScheduleSimulation::new(&settings, &field);
        played.play(&strongest_wins, 4, 6, 1);
        let first = rounds_played(&played, 3).remove(0);
        let sat_out = field.iter().find(|bot| !first.concat().contains(bot)).unwrap();
        played.play(&strongest_wins, 4, usize::MAX, 1);
        let second = rounds_played(&played, 3).remove(1);
        let number = |bot: &BotName| bot.as_str().trim_start_matches("bot").parse::<u64>().unwrap();
        let winners: Vec<&BotName> =
            first.iter().map(|table| table.iter().min_by_key(|bot| number(bot)).unwrap()).collect();
        let table = second.iter().find(|table| table.contains(sat_out)).unwrap();
        assert!(table.iter().any(|bot| winners.contains(&bot)), "{sat_out} meets a loser in {second:?}");
    }
}

#[test]
fn a_bot_that_leaves_is_not_paired_again() {
    let (settings, field) = (swiss_settings(2, 4), field(6));
    let mut played = ScheduleSimulation::new(&settings, &field);
    assert_eq!(played.schedule.total_matches(), TotalMatches::Exactly(24));
    played.play(&strongest_wins, 2, 2, 1);
    let leaves = |played: &mut ScheduleSimulation, bot: &BotName| {
        let round = played.schedule.open_round().unwrap();
        let change = FieldChange { round, bot: bot.clone(), movement: FieldMovement::Leaves };
        played.schedule.change_field(&change);
    };
    leaves(&mut played, &field[5]);
    played.play(&strongest_wins, 2, 6, 1);
    assert!(played.played.values().any(|pairing| pairing.bots.iter().any(|bot| *bot == field[5])));
    // Two tables a round are left.
    assert_eq!(played.schedule.total_matches(), TotalMatches::Exactly(6 + 3 * 4));
    played.play(&strongest_wins, 2, 10, 1);
    let later = played.played.range(6..).flat_map(|(_, pairing)| pairing.bots.iter());
    assert!(later.clone().all(|bot| *bot != field[5]), "it is not paired in the second round");
    let FormatVerdict::Byes(byes) = played.schedule.format_verdict() else { panic!("byes are expected") };
    assert!(byes.iter().all(|bye| bye.bot != field[5]), "it has no bye: {byes:?}");
    for bot in &field[1..5] {
        leaves(&mut played, bot);
    }
    // Four bots have left for the fourth round, but the third one has been drawn.
    played.play(&strongest_wins, 2, usize::MAX, 1);
    assert_eq!(played.played.len(), 6 + 2 * 4);
    assert_eq!(
        (played.schedule.next(), played.schedule.total_matches()),
        (ScheduleStep::Over, TotalMatches::Exactly(14))
    );
    assert_eq!(played.schedule.open_round(), None);
}

#[test]
fn no_bot_leaves_in_the_last_round() {
    let mut played = ScheduleSimulation::new(&swiss_settings(2, 2), &field(4));
    assert_eq!(played.schedule.open_round(), Some(1));
    played.play(&strongest_wins, 1, 5, 1);
    assert_eq!(played.schedule.open_round(), None);
}

/// Returns how many byes each bot had.
fn byes_by_bot(played: &ScheduleSimulation, field: &[BotName]) -> Vec<u64> {
    let FormatVerdict::Byes(byes) = played.schedule.format_verdict() else {
        panic!("a Swiss tournament's verdict lists byes")
    };
    let seats = played.settings.seats.get();
    let matches = played.settings.format.bye_groups().unwrap().get() as usize * seats;
    // A seat scores half a point per match on average.
    let points = |rounds: u64| f64::from(u32::try_from(rounds as usize * matches).unwrap()) / 2.0;
    assert!(byes.iter().all(|bye| bye.points.total_cmp(&points(bye.rounds)).is_eq()), "{byes:?}");
    let byes: HashMap<BotName, u64> = byes.into_iter().map(|bye| (bye.bot, bye.rounds)).collect();
    field.iter().map(|bot| byes.get(bot).copied().unwrap_or(0)).collect()
}

proptest! {
    #![proptest_config(lastnim_core::game::testing::cases(40))]

    #[test]
    fn no_bots_meet_twice_in_the_first_half(more in 0..20_usize, seed: u64, tournament_seed: u64) {
        let bots = 2 + more;
        let seated = bots / 2 * 2;
        let settings = swiss_settings(2, (seated as u64 / 2).max(1));
        let settings = Settings::new(SettingsDraft { seed: tournament_seed, ..(*settings).clone() }).unwrap();
        let mut played = ScheduleSimulation::new(&settings, &field(bots));
        played.play(&random_result(seed), 5, usize::MAX, seed);
        prop_assert_eq!(count_repeats(&rounds_played(&played, bots / 2)), 0);
    }

    #[test]
    fn few_meetings_are_repeated(seats in 3..5_usize, tables in 2..7_usize, rest in 0..3_usize, rounds_asked in 1..8_u64, seed: u64) {
        let bots = seats * tables + rest.min(seats - 1);
        let mut played = ScheduleSimulation::new(&swiss_settings(seats, rounds_asked), &field(bots));
        played.play(&random_result(seed), 5, usize::MAX, seed);
        let rounds = rounds_played(&played, tables);
        prop_assert_eq!(rounds.len() as u64, rounds_asked);
        let meetings = rounds.len() * tables * seats * (seats - 1) / 2;
        let random_repeats = meetings * meetings / (bots * (bots - 1));
        let found = count_repeats(&rounds);
        let unavoidable = meetings.saturating_sub(bots * (bots - 1) / 2);
        // `random_repeats` is the approximate number of repeats with random tables, as long as repeats are rare.
        prop_assert!(
            found <= unavoidable + random_repeats * 3 / 4 + 2,
            "{} repeats of {} meetings, {} by lot", found, meetings, random_repeats
        );
    }

    #[test]
    fn byes_rotate(seats in 2..5_usize, more in 0..9_usize, asked in 1..12_u64, seed: u64) {
        let field = field(seats + more);
        let mut played = ScheduleSimulation::new(&swiss_settings(seats, asked), &field);
        played.play(&random_result(seed), 5, usize::MAX, seed);
        let byes = byes_by_bot(&played, &field);
        prop_assert_eq!(byes.iter().sum::<u64>(), asked * (field.len() % seats) as u64);
        prop_assert!(byes.iter().max().unwrap() - byes.iter().min().unwrap() <= 1, "{:?}", byes);
        let tables = field.len() / seats;
        for round in rounds_played(&played, tables) {
            let sitting: HashSet<&BotName> = round.iter().flatten().collect();
            prop_assert_eq!(sitting.len(), tables * seats, "nobody sits at two tables");
        }
    }

    #[test]
    fn all_tables_of_a_round_play_the_same_positions(seats in 2..4_usize, asked in 1..6_u64, groups in 1..4_u64) {
        let format = TournamentFormat::Swiss {
            rounds: RoundCount::new(asked).unwrap(),
            table_groups: TableGroups::new(groups).unwrap(),
        };
        let settings = settings(seats, 3, format);
        let mut played = ScheduleSimulation::new(&settings, &field(seats * 3));
        played.play(&random_result(1), 5, usize::MAX, 1);
        let mut by_step: HashMap<u64, HashSet<usize>> = HashMap::new();
        for pairing in played.played.values() {
            let (round, at_table) = (pairing.group / (3 * groups), pairing.group % groups);
            by_step.entry(round * groups + at_table).or_default().insert(pairing.position);
        }
        prop_assert!(by_step.values().all(|positions| positions.len() == 1), "{:?}", by_step);
        for (step, position) in &by_step {
            prop_assert_eq!(Some(position), by_step.get(&(step % 3)), "the positions take turns");
        }
        let first: HashSet<_> = (0..3).filter_map(|step| by_step.get(&step)).flatten().collect();
        prop_assert_eq!(first.len(), by_step.len().min(3), "no position is repeated before all were played");
    }
}
