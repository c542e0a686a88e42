//! Tests of which lies and pacts pay.

use super::{
    brute_force::{Order, SmallMatch, all_orders, has_relations, place_in, signed_place},
    orders_of, small_match,
};
use lastnim_analysis::RowCount;
use lastnim_analysis::deals::{GroupPacts, Incentives, WhatPays};
use lastnim_core::game::testing::{cases, games};
use lastnim_core::game::{AllianceMatrix, Ending, Game, PactError, Piles, Seat, SeatCount};
use lastnim_core::oracle::Budget;
use proptest::prelude::*;
use std::collections::BTreeMap;

/// The outcome of a combination of orders: whether some member is tempted, the winner, and the members that are
/// tempted.
type OutcomeKey = (bool, usize, Vec<usize>);

/// Returns the profiles that lead to each outcome that is good for all members. In a profile, each member declares any
/// order, and every other seat declares its dealt one.
fn good_outcomes(
    small: &SmallMatch,
    dealt: &[Order],
    members: &[usize],
) -> BTreeMap<OutcomeKey, Vec<Vec<Order>>> {
    let orders = all_orders(small.seats);
    let profiles = members.iter().fold(vec![dealt.to_vec()], |profiles, &member| {
        let profile_with = |profile: &Vec<Order>, order: &Order| {
            let mut profile = profile.clone();
            profile[member].clone_from(order);
            profile
        };
        profiles
            .iter()
            .flat_map(|profile| orders.iter().map(move |order| profile_with(profile, order)))
            .collect::<Vec<_>>()
    });
    let truthful = small.winner(dealt);
    let winners: BTreeMap<Vec<Order>, usize> =
        profiles.into_iter().map(|profile| (profile.clone(), small.winner(&profile))).collect();
    let mut found: BTreeMap<OutcomeKey, Vec<Vec<Order>>> = BTreeMap::new();
    for (profile, &winner) in &winners {
        let is_better = |seat: usize, one, other| place_in(&dealt[seat], one) < place_in(&dealt[seat], other);
        if !members.iter().all(|&member| is_better(member, winner, truthful)) {
            continue;
        }
        let is_tempted = |member: usize| {
            orders.iter().any(|order| {
                let mut profile = profile.clone();
                profile[member].clone_from(order);
                is_better(member, winners[&profile], winner)
            })
        };
        let tempted: Vec<usize> = members.iter().copied().filter(|&member| is_tempted(member)).collect();
        found.entry((!tempted.is_empty(), winner, tempted)).or_default().push(profile.clone());
    }
    found
}

/// Compares the pacts of a group with an enumeration.
fn check_group(small: &SmallMatch, dealt: &[Order], group: &GroupPacts) {
    let members: Vec<usize> = group.members.iter().map(Seat::index).collect();
    let expected = good_outcomes(small, dealt, &members);
    assert_eq!(group.halt, None);
    assert_eq!(group.outcomes.len(), expected.len(), "{small:?} {dealt:?} {group:?}");
    for (found, (key, profiles)) in group.outcomes.iter().zip(&expected) {
        let tempted: Vec<usize> = found.tempted.iter().map(Seat::index).collect();
        assert_eq!((!tempted.is_empty(), found.winner.index(), tempted), *key);
        assert_eq!(found.count, RowCount::Exactly(profiles.len() as u128));
        let truthful = small.winner(dealt);
        for (j, &value) in found.values.iter().enumerate() {
            assert_eq!(
                value,
                signed_place(&dealt[j], truthful) - signed_place(&dealt[j], found.winner.index())
            );
        }
        // Every combination of rows that keeps the pact has this outcome.
        let pact_members: Vec<usize> = found.pact.members().iter().map(|one| one.seat.index()).collect();
        assert_eq!(pact_members, members);
        let relations = |member: &lastnim_core::game::PactMember| {
            member.relations().map(|(one, other)| (one.index(), other.index())).collect::<Vec<_>>()
        };
        let keeps = |profile: &Vec<Order>| {
            let mut each = found.pact.members().iter();
            each.all(|member| has_relations(&profile[member.seat.index()], &relations(member)))
        };
        let orders = all_orders(small.seats);
        let keeping: usize = found
            .pact
            .members()
            .iter()
            .map(|member| orders.iter().filter(|order| has_relations(order, &relations(member))).count())
            .product();
        assert_eq!(profiles.iter().filter(|profile| keeps(profile)).count(), keeping, "{}", found.pact);
    }
}

fn check_incentives(game: &Game, max_members: usize) {
    let found = Incentives::find(game, max_members, &mut Budget::unbounded()).unwrap();
    let (small, dealt) = (small_match(game), orders_of(&game.matrix));
    let truthful = small.winner(&dealt);
    assert_eq!(found.truthful_winner.index(), truthful);
    let mut lie_pays = false;
    for (i, lie) in found.best_declarations.iter().enumerate() {
        let best = small.best_place(&dealt, i, &dealt[i], &[]);
        assert_eq!((lie.seat.index(), lie.best.rank), (i, best));
        lie_pays |= best < place_in(&dealt[i], truthful);
    }
    let mut groups: Vec<Vec<usize>> = Vec::new();
    for group in &found.groups {
        groups.push(group.members.iter().map(Seat::index).collect());
        check_group(&small, &dealt, group);
    }
    let n = small.seats;
    let sizes: Vec<usize> = groups.iter().map(Vec::len).collect();
    assert!(sizes.is_sorted() && groups.is_sorted_by_key(|group| (group.len(), group.clone())));
    assert_eq!(sizes.iter().filter(|&&size| size == 2).count(), n * (n - 1) / 2);
    assert_eq!(sizes.last(), Some(&max_members.min(n)));
    let has_pact = found.groups.iter().any(|group| !group.outcomes.is_empty());
    let expected = match (lie_pays, has_pact) {
        (true, _) => WhatPays::Lie,
        (false, true) => WhatPays::OnlyPact,
        (false, false) => WhatPays::Nothing,
    };
    assert_eq!(found.what_pays(), Some(expected));
}

proptest! {
    #![proptest_config(cases(1_000))]
    #[test]
    fn incentives_of_up_to_three_seats_agree_with_enumeration(game in games(2..=3, 1..=5, 1..=3)) {
        check_incentives(&game, 2);
    }
}

proptest! {
    #![proptest_config(cases(100))]
    #[test]
    fn incentives_of_four_seats_agree_with_enumeration(game in games(4..=4, 1..=3, 1..=3)) {
        check_incentives(&game, 2);
    }

    #[test]
    fn incentives_of_groups_of_three_agree_with_enumeration(game in games(3..=3, 2..=5, 1..=3)) {
        check_incentives(&game, 3);
    }
}

#[test]
fn searches_with_many_seats_stop_at_the_budget() {
    let eight = AllianceMatrix::standard(SeatCount::new(8).unwrap());
    let game = Game::new(Piles::parse(&[8; 10]).unwrap(), eight, 0, Ending::ToMoveWins).unwrap();
    let found = Incentives::find(&game, 8, &mut Budget::of_steps(2_000)).unwrap();
    assert!(found.groups.last().unwrap().halt.is_some());
    assert!(found.what_pays().is_none_or(|pays| pays == WhatPays::Lie));
    let nine = AllianceMatrix::standard(SeatCount::new(9).unwrap());
    let game = Game::new(Piles::parse(&[3]).unwrap(), nine, 0, Ending::ToMoveWins).unwrap();
    let error = Incentives::find(&game, 2, &mut Budget::unbounded()).unwrap_err();
    assert_eq!(error, PactError::Seats(SeatCount::new(9).unwrap()));
}
