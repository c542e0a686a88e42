//! Tests the guarantees of gauntlets.

use super::*;
use crate::{FieldError, GroupCount, TournamentFormat, testing::pairings};
use proptest::prelude::*;
use std::collections::HashMap;

#[test]
fn the_gauntlet_bot_must_be_in_the_field() {
    let format = TournamentFormat::Gauntlet { bot: "absent".parse().unwrap(), groups: None };
    let refused = plan_schedule(&settings(2, 1, format), &field(3)).unwrap_err();
    assert!(matches!(refused, FieldError::Missing { .. }));
    assert_eq!(refused.to_string(), "the format names absent, but it is not in the field of 3 bots");
}

proptest! {
    #![proptest_config(lastnim_core::game::testing::cases(40))]

    #[test]
    fn one_bot_meets_all_others_equally_often(
        seats in 2..5_usize, more in 0..8_usize, positions in 1..5_u64, groups in prop::option::of(1..60_u64),
    ) {
        let field = field(seats + more);
        let bot = field[1].clone();
        let limit = groups.map(|groups| GroupCount::new(groups).unwrap());
        let settings = settings(seats, positions, TournamentFormat::Gauntlet { bot: bot.clone(), groups: limit });
        let played = pairings(&mut *plan_schedule(&settings, &field).unwrap());
        let mut met: HashMap<_, HashMap<usize, u64>> = HashMap::new();
        for pairing in played.iter().filter(|pairing| pairing.rotation == 0) {
            prop_assert!(pairing.bots.iter().any(|each| *each == bot));
            for opponent in pairing.bots.iter().filter(|each| **each != bot) {
                *met.entry(opponent.clone()).or_default().entry(pairing.position).or_default() += 1;
            }
        }
        let sums: Vec<u64> = field
            .iter()
            .filter(|each| **each != bot)
            .map(|each| met.get(each).map_or(0, |by_position| by_position.values().sum()))
            .collect();
        prop_assert!(sums.iter().max().unwrap() - sums.iter().min().unwrap() <= 1, "{:?}", sums);
        if groups.is_none() {
            let each = seats as u64 - 1;
            prop_assert!(met.values().all(|counts| counts.len() as u64 == positions));
            prop_assert!(met.values().flat_map(HashMap::values).all(|&times| times == each));
        }
    }
}
