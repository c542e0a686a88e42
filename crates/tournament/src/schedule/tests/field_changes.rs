//! Tests of bots that enter and leave.

use super::ladder::ladder_settings;
use super::schedule_simulation::random_result;
use super::*;
use crate::{SeededDraw, Settings};
use lastnim_core::game::BotName;
use proptest::prelude::*;
use std::collections::HashSet;

fn rebuild_schedule(
    settings: &Settings,
    field: &[BotName],
    changes: &[FieldChange],
    played: &ScheduleSimulation,
    luck: u64,
) -> Box<dyn Schedule> {
    let mut schedule = plan_schedule(settings, field).unwrap();
    for change in changes {
        schedule.change_field(change);
    }
    let mut results = played.results.clone();
    SeededDraw::new(luck, 2).shuffle(&mut results);
    for result in &results {
        schedule.report_result(result);
    }
    for pairing in &played.open {
        schedule.skip_open_match(pairing.number);
    }
    schedule
}

#[test]
fn formats_without_rounds_ignore_field_changes() {
    let settings = settings(2, 1, crate::TournamentFormat::RoundRobin);
    let mut schedule = plan_schedule(&settings, &field(2)).unwrap();
    assert_eq!(schedule.open_round(), None);
    let bot = "bot7".parse().unwrap();
    schedule.change_field(&FieldChange { round: 1, bot, movement: FieldMovement::Enters });
    assert_eq!(schedule.total_matches(), TotalMatches::Exactly(2));
}

#[test]
fn a_leaving_bot_finishes_its_round() {
    let (settings, field) = (ladder_settings(2, None, 3), field(2));
    let mut played = ScheduleSimulation::new(&settings, &field);
    let round = played.schedule.open_round().unwrap();
    let gone = field[0].clone();
    let leaves = FieldChange { round, bot: gone.clone(), movement: FieldMovement::Leaves };
    played.schedule.change_field(&leaves);
    assert!(field.iter().all(|bot| played.schedule.is_seated(bot)));
    assert!(!played.schedule.is_seated(&"bot7".parse().unwrap()));
    played.play(&random_result(1), 1, usize::MAX, 1);
    assert!(!field.iter().any(|bot| played.schedule.is_seated(bot)), "the ladder waits for bots");
    let round = played.schedule.open_round().unwrap();
    let enters = FieldChange { round, bot: "bot7".parse().unwrap(), movement: FieldMovement::Enters };
    played.schedule.change_field(&enters);
    assert!(played.schedule.is_seated(&enters.bot) && !played.schedule.is_seated(&gone));
}

proptest! {
    #![proptest_config(lastnim_core::game::testing::cases(40))]

    #[test]
    fn a_ladder_is_rebuilt_with_its_changes(
        seats in 2..4_usize, more in 0..5_usize, seed: u64, luck: u64, at_once in 1..9_usize,
        moves in prop::collection::vec((0..10_usize, any::<bool>(), 1..30_usize), 0..6),
    ) {
        let (settings, field) = (ladder_settings(seats, Some(80), 3), field(seats + more));
        let mut played = ScheduleSimulation::new(&settings, &field);
        let mut changes = Vec::new();
        for (bot, enters, matches) in moves {
            let until = played.played.len() + matches;
            played.begin_and_end(&random_result(seed), at_once, until, luck);
            let mut playing = played.open.iter().flat_map(|pairing| pairing.bots.iter());
            prop_assert!(playing.all(|bot| played.schedule.is_seated(bot)), "a bot that left finishes its round");
            let Some(round) = played.schedule.open_round() else { break };
            let movement = if enters { FieldMovement::Enters } else { FieldMovement::Leaves };
            let change = FieldChange { round, bot: format!("bot{bot}").parse().unwrap(), movement };
            played.schedule.change_field(&change);
            changes.push(change);
        }
        played.begin_and_end(&random_result(seed), at_once, played.played.len() + 5, luck);
        let mut rebuilt = ScheduleSimulation::new(&settings, &field);
        rebuilt.schedule = rebuild_schedule(&settings, &field, &changes, &played, luck);
        for bot in super::schedule_simulation::field(10) {
            prop_assert_eq!(rebuilt.schedule.is_seated(&bot), played.schedule.is_seated(&bot));
        }
        rebuilt.open.clone_from(&played.open);
        rebuilt.results.clone_from(&played.results);
        rebuilt.played.clone_from(&played.played);
        played.play(&random_result(seed), at_once, usize::MAX, luck);
        rebuilt.play(&random_result(seed), 1, usize::MAX, luck);
        prop_assert_eq!(&played.played, &rebuilt.played);
        prop_assert_eq!(played.schedule.format_verdict(), rebuilt.schedule.format_verdict());
        prop_assert_eq!(played.schedule.next(), rebuilt.schedule.next());
    }

    #[test]
    fn the_order_of_changes_between_rounds_does_not_matter(
        seats in 2..4_usize, more in 0..5_usize, seed: u64, luck: u64, matches in 0..40_usize,
        moves in prop::collection::vec((0..10_usize, any::<bool>()), 1..12),
    ) {
        // No bot is suspended, a round is in progress, and all changes are for the next round.
        let (settings, field) = (ladder_settings(seats, Some(80), 1_000), field(seats + more));
        let play = |shuffled: bool| {
            let mut played = ScheduleSimulation::new(&settings, &field);
            played.begin_and_end(&random_result(seed), 3, matches, 1);
            let Some(round) = played.schedule.open_round() else { return played };
            let mut changes: Vec<FieldChange> = Vec::new();
            for &(bot, enters) in &moves {
                let movement = if enters { FieldMovement::Enters } else { FieldMovement::Leaves };
                changes.push(FieldChange { round, bot: format!("bot{bot}").parse().unwrap(), movement });
            }
            if shuffled {
                SeededDraw::new(luck, 0).shuffle(&mut changes);
                let last_movement = |bot: &BotName| {
                    let at = moves.iter().rposition(|(number, _)| *bot.as_str() == format!("bot{number}"));
                    if moves[at.unwrap()].1 { FieldMovement::Enters } else { FieldMovement::Leaves }
                };
                // With these repeated at the end, the last change of each bot remains its last.
                let again: Vec<_> = changes
                    .iter()
                    .map(|change| FieldChange { movement: last_movement(&change.bot), ..change.clone() })
                    .collect();
                changes.extend(again);
            }
            for change in &changes {
                played.schedule.change_field(change);
            }
            played.play(&random_result(seed), 3, usize::MAX, 2);
            played
        };
        let (one, other) = (play(false), play(true));
        prop_assert_eq!(one.played, other.played);
        prop_assert_eq!(one.schedule.format_verdict(), other.schedule.format_verdict());
    }

    #[test]
    fn a_bot_that_has_left_does_not_play(seed: u64, matches in 1..60_usize) {
        let (settings, field) = (ladder_settings(2, Some(80), 1_000), field(6));
        let mut played = ScheduleSimulation::new(&settings, &field);
        played.begin_and_end(&random_result(seed), 3, matches, seed);
        let Some(round) = played.schedule.open_round() else { return Ok(()) };
        let gone = field[2].clone();
        played.schedule.change_field(&FieldChange { round, bot: gone.clone(), movement: FieldMovement::Leaves });
        // The bot that left finishes the current round.
        let before: HashSet<u64> = played.played.keys().copied().collect();
        played.play(&random_result(seed), 3, usize::MAX, seed);
        let after = played.played.values().filter(|pairing| !before.contains(&pairing.number));
        let later_matches = after.filter(|pairing| pairing.bots.iter().any(|bot| *bot == gone)).count();
        prop_assert!(later_matches <= 2, "{} matches after it left", later_matches);
    }
}
