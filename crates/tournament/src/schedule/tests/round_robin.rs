//! Tests the guarantees of round robins.

use super::*;
use crate::{Concurrency, FieldError, Pairing, Settings, SettingsDraft, TournamentFormat, testing::pairings};
use lastnim_core::game::{BotName, SeatCount};
use proptest::prelude::*;
use std::collections::{HashMap, HashSet};

fn plan_of(bots: usize, seats: usize, positions: u64) -> Box<dyn Schedule> {
    plan_schedule(&settings(seats, positions, TournamentFormat::RoundRobin), &field(bots)).unwrap()
}

fn round_robin(field: usize, seats: usize, positions: usize) -> Result<TotalMatches, FieldError> {
    count_matches(&TournamentFormat::RoundRobin, SeatCount::new(seats).unwrap(), positions, field)
}

#[test]
fn a_group_rotates_its_bots() {
    let pairings = pairings(&mut *plan_of(3, 3, 2));
    for (index, pairing) in pairings.iter().enumerate() {
        let place = (pairing.number, pairing.group, pairing.position, pairing.rotation);
        assert_eq!(place, (index as u64, index as u64 / 3, index / 3, index % 3));
        let first = &pairings[index - pairing.rotation];
        for (seat, bot) in first.bots.enumerate() {
            assert_eq!(pairing.bots[pairing.bots.seats().seat_at_offset(seat, pairing.rotation)], *bot);
        }
    }
}

#[test]
fn the_playing_order_is_drawn_for_each_group() {
    let follows = |pairing: Pairing| {
        let seats = pairing.bots.seats();
        let ann = pairing.bots.enumerate().find(|(_, bot)| bot.as_str() == "bot0").unwrap().0;
        pairing.bots[seats.next(ann)].to_string()
    };
    let after: Vec<_> = pairings(&mut *plan_of(3, 3, 200)).into_iter().map(follows).collect();
    for group in after.chunks(3) {
        assert!(group.iter().all(|bot| *bot == group[0]), "rotations keep the order");
    }
    let bot1 = after.iter().filter(|bot| *bot == "bot1").count() / 3;
    assert!((60..140).contains(&bot1), "{bot1} of 200 draws");
}

#[test]
fn errors_name_fields_that_are_too_small_or_too_large() {
    let refusal = |bots| round_robin(bots, 32, 1).unwrap_err().to_string();
    assert_eq!(refusal(31), "a field of 31 bots: expected at least 32, one per seat");
    assert_eq!(
        refusal(1_000),
        "1000 bots, 32 seats per match and 1 position would make more than 10000000 matches: use fewer bots or positions"
    );
    assert!(round_robin(usize::MAX, 2, usize::MAX).is_err());
    assert_eq!(round_robin(3_162, 2, 1), Ok(TotalMatches::Exactly(3_162 * 3_161)));
    assert!(round_robin(3_163, 2, 1).is_err());
}

#[test]
fn the_last_of_millions_of_pairings_is_found_quickly() {
    let plan = plan_of(3_162, 2, 1);
    let total = plan.total_matches().upper_bound().unwrap();
    let last = plan.pairing_of_number(total - 1).unwrap();
    assert_eq!((last.group, last.rotation), (total / 2 - 1, 1));
    let mut bots: Vec<_> = last.bots.iter().map(BotName::as_str).collect();
    bots.sort_unstable();
    assert_eq!(bots, ["bot998", "bot999"], "the last two names");
    assert_eq!(plan.pairing_of_number(total), None);
    assert_eq!(plan.pairing_of_number(u64::MAX), None);
}

#[test]
fn a_limit_per_bot_spreads_the_first_groups_over_many_bots() {
    let plain = settings(2, 3, TournamentFormat::RoundRobin);
    let few = Settings::new(SettingsDraft {
        bot_concurrency: Some(Concurrency::new(1).unwrap()),
        ..(*plain).clone()
    })
    .unwrap();
    let field = field(64);
    let begun = pairings(&mut *plan_schedule(&few, &field).unwrap());
    let first: HashSet<_> =
        begun.iter().step_by(2).take(30).flat_map(|pairing| pairing.bots.as_slice()).collect();
    assert!(first.len() > 30, "{} bots in the first 30 groups", first.len());
    let mut sorted = begun;
    sorted.sort_by_key(|pairing| pairing.number);
    assert_eq!(sorted, pairings(&mut *plan_schedule(&plain, &field).unwrap()), "the numbers are the same");
}

prop_compose! {
    fn any_size()(seats in 2..6_usize)(bots in seats..8, seats in Just(seats), positions in 1..4_u64)
        -> (usize, usize, u64) {
        (bots, seats, positions)
    }
}

proptest! {
    #[test]
    fn every_set_of_bots_plays_each_position_and_rotation_once((bots, seats, positions) in any_size()) {
        let mut seen = HashSet::new();
        let mut groups: HashMap<_, HashSet<_>> = HashMap::new();
        for pairing in pairings(&mut *plan_of(bots, seats, positions)) {
            prop_assert_eq!(pairing.number, seen.len() as u64);
            let mut set = pairing.bots.as_slice().to_vec();
            set.sort();
            groups.entry(pairing.group).or_default().insert((set.clone(), pairing.position));
            prop_assert!(seen.insert((set, pairing.position, pairing.rotation)));
        }
        // `seen` has no duplicates, so if all sets occur and the total is right, nothing is missing.
        let sets: HashSet<_> = seen.iter().map(|(set, ..)| set).collect();
        let all = (0..1_u32 << bots).filter(|bits| bits.count_ones() as usize == seats).count();
        prop_assert_eq!(sets.len(), all);
        prop_assert_eq!(seen.len(), all * positions as usize * seats);
        prop_assert!(groups.values().all(|members| members.len() == 1));
        prop_assert_eq!(groups.len() * seats, seen.len());
    }

    #[test]
    fn every_bot_has_every_seat_equally_often((bots, seats, positions) in any_size()) {
        let mut counts: HashMap<_, u32> = HashMap::new();
        for pairing in pairings(&mut *plan_of(bots, seats, positions)) {
            for (seat, bot) in pairing.bots.enumerate() {
                *counts.entry((bot.clone(), seat)).or_default() += 1;
            }
        }
        prop_assert_eq!(counts.len(), bots * seats);
        let each: HashSet<_> = counts.into_values().collect();
        prop_assert_eq!(each.len(), 1);
    }
}
