//! Tests the guarantees of all schedules.

use super::schedule_simulation::random_result;
use super::*;
use crate::{
    EffectBounds, ErrorRates, GroupCount, LadderPairing, LadderSettings, Pairing, RoundCount, Settings,
    SprtMeasure, SprtSettings, Streak, TableGroups, TournamentFormat,
};
use proptest::prelude::*;
use std::collections::{BTreeMap, HashMap, HashSet};

/// Generates the settings of a small tournament in any format, and its number of bots.
pub(super) fn any_tournament() -> impl Strategy<Value = (Settings, usize)> {
    let small_count = || (1..40_u64).prop_map(|groups| GroupCount::new(groups).unwrap());
    let (table_groups, rounds) = (1..3_u64, 1..5_u64);
    let sizes = (2..5_usize, 0..7_usize, 1..4_u64, small_count(), table_groups, rounds);
    (sizes, 0..8_usize, 1..4_usize, any::<bool>()).prop_map(|(sizes, format, few, choice)| {
        let (seats, more, positions, groups, table_groups, rounds) = sizes;
        let table_groups = TableGroups::new(table_groups).unwrap();
        let bot = |index: usize| field(index + 1).remove(index);
        let format = match format {
            0 => TournamentFormat::RoundRobin,
            1 => TournamentFormat::Sample { groups: GroupCount::new(groups.get() / 4 + 1).unwrap() },
            2 => TournamentFormat::Gauntlet { bot: bot(1), groups: choice.then_some(groups) },
            3 => TournamentFormat::Swiss { rounds: RoundCount::new(rounds).unwrap(), table_groups },
            4 => TournamentFormat::Knockout { advance: few.min(seats - 1), table_groups },
            5 => TournamentFormat::Ladder(LadderSettings {
                groups: Some(groups),
                table_groups,
                suspend_after: Streak::new(few as u64).unwrap(),
                pairing: LadderPairing::default(),
            }),
            _ => TournamentFormat::Sprt(SprtSettings {
                candidate: bot(1),
                baseline: bot(0),
                measure: if choice { SprtMeasure::Points } else { SprtMeasure::Regret },
                effects: EffectBounds::new(-0.3, 0.3).unwrap(),
                errors: ErrorRates::new(0.2, 0.2).unwrap(),
                groups,
            }),
        };
        let two_only = seats == 2 && more == 0;
        let more = if matches!(format, TournamentFormat::Sprt(_)) && !two_only { more + 1 } else { more };
        let more = if matches!(format, TournamentFormat::RoundRobin) { more.min(3) } else { more };
        (settings(seats, positions, format), seats + more)
    })
}

fn check_groups(settings: &Settings, played: &BTreeMap<u64, Pairing>) -> Result<(), TestCaseError> {
    let n = settings.seats.get();
    let each =
        played.len() / n / played.values().map(|pairing| pairing.group).collect::<HashSet<_>>().len().max(1);
    let mut groups: HashMap<u64, HashMap<(Vec<_>, usize), Vec<usize>>> = HashMap::new();
    for pairing in played.values() {
        let set: HashSet<_> = pairing.bots.iter().collect();
        prop_assert_eq!(set.len(), n, "no bot sits twice at a table");
        let first_place = |seat| pairing.bots[settings.seats.seat_at_offset(seat, pairing.rotation)].clone();
        let order: Vec<_> = settings.seats.iter().map(first_place).collect();
        prop_assert!(settings.piles(pairing.position).is_some());
        let tables = groups.entry(pairing.group).or_default();
        tables.entry((order, pairing.position)).or_default().push(pairing.rotation);
    }
    for (group, tables) in groups {
        prop_assert_eq!(tables.len(), each, "group {} has one table, or two in a sequential test", group);
        for ((_, position), mut rotations) in tables {
            rotations.sort_unstable();
            prop_assert_eq!(&rotations, &(0..n).collect::<Vec<_>>(), "each rotation once on {}", position);
        }
    }
    Ok(())
}

proptest! {
    #![proptest_config(lastnim_core::game::testing::cases(60))]

    #[test]
    fn concurrency_does_not_change_the_matches(
        (settings, bots) in any_tournament(), seed: u64, at_once in 2..30_usize, luck: u64,
    ) {
        let mut field = field(bots);
        let mut one_by_one = ScheduleSimulation::new(&settings, &field);
        let promised = one_by_one.schedule.total_matches();
        one_by_one.play(&random_result(seed), 1, usize::MAX, 0);
        let counted = one_by_one.counted();
        let count = counted.len() as u64;
        prop_assert!(counted.iter().map(|pairing| pairing.number).eq(0..count), "numbered from 0");
        match promised {
            TotalMatches::Exactly(total) => prop_assert_eq!(count, total),
            TotalMatches::AtMost(total) => prop_assert!(count <= total),
            TotalMatches::Open => prop_assert!(false, "all of these formats end"),
        }
        prop_assert!(
            [TotalMatches::Exactly(count), TotalMatches::AtMost(promised.upper_bound().unwrap())].contains(&one_by_one.schedule.total_matches())
        );
        check_groups(&settings, &one_by_one.played)?;

        field.reverse();
        let mut simulated = ScheduleSimulation::new(&settings, &field);
        simulated.play(&random_result(seed), at_once, usize::MAX, luck);
        prop_assert_eq!(simulated.counted(), counted);
        prop_assert_eq!(simulated.schedule.format_verdict(), one_by_one.schedule.format_verdict());
    }

    #[test]
    fn a_rebuilt_schedule_continues_identically(
        (settings, bots) in any_tournament(), seed: u64, at_once in 1..12_usize, luck: u64,
    ) {
        let field = field(bots);
        let mut uninterrupted = ScheduleSimulation::new(&settings, &field);
        uninterrupted.play(&random_result(seed), at_once, usize::MAX, luck);
        let all = uninterrupted.played.len();
        for cut in (0..=all).step_by(1 + all / 10) {
            let mut interrupted = ScheduleSimulation::new(&settings, &field);
            // Some matches are still in progress at the cut.
            interrupted.begin_and_end(&random_result(seed), at_once, cut, luck);
            interrupted.rebuild(&settings, &field, luck ^ cut as u64);
            interrupted.play(&random_result(seed), at_once, usize::MAX, luck.wrapping_add(1));
            prop_assert_eq!(interrupted.counted(), uninterrupted.counted(), "cut at {} of {}", cut, all);
            prop_assert_eq!(interrupted.schedule.format_verdict(), uninterrupted.schedule.format_verdict());
        }
    }

    #[test]
    fn results_of_unknown_matches_change_nothing((settings, bots) in any_tournament(), seed: u64) {
        let field = field(bots);
        let mut plain = ScheduleSimulation::new(&settings, &field);
        plain.play(&random_result(seed), 3, usize::MAX, 0);
        let mut disturbed = ScheduleSimulation::new(&settings, &field);
        let stranger = |pairing: &Pairing, number| {
            let mut result = random_result(!seed)(pairing);
            result.bots = result.bots.map(|bot| format!("not-{bot}").parse().unwrap());
            result.number = number;
            result
        };
        for pairing in plain.played.values() {
            disturbed.schedule.report_result(&stranger(pairing, pairing.number));
        }
        disturbed.play(&random_result(seed), 3, usize::MAX, 0);
        for result in &plain.results {
            disturbed.schedule.report_result(result);
        }
        prop_assert_eq!(disturbed.counted(), plain.counted());
        prop_assert_eq!(disturbed.schedule.format_verdict(), plain.schedule.format_verdict());
    }
}
