//! Tests of the measures of declarations and of pacts.

use super::{
    PactTerms,
    brute_force::{all_orders, has_relations, nearest_keeping_order, pair_distance, place_in, signed_place},
    deals, order_of, orders_of, seat_at, small_match,
};
use lastnim_analysis::deals::{Deal, DealError, DealMeasures, DoubleDealing, PactMeasures, kendall_distance};
use lastnim_core::game::testing::{cases, permutations};
use lastnim_core::game::{AllianceMatrix, Ending, Game, MAX_PACT_SEATS, Pact, SeatCount};
use lastnim_core::oracle::{Budget, HaltReason};
use proptest::prelude::*;

fn measure_deal(deal: &Deal) -> DealMeasures {
    DealMeasures::measure(deal, &mut Budget::unbounded())
}

/// Compares the measures of each declaration with their definitions.
fn check_declarations(deal: &Deal, measures: &DealMeasures) {
    let small = small_match(deal.dealt_game());
    let (dealt, declared) = (orders_of(deal.dealt()), orders_of(deal.declared()));
    let winner = small.winner(&declared);
    assert_eq!(measures.declared_winner.index(), winner);
    assert_eq!(measures.truthful_winner.index(), small.winner(&dealt));
    for (i, of_seat) in measures.declarations.iter().enumerate() {
        let rank = |j: usize, winner| signed_place(&dealt[j], winner);
        let truthful = small.winner_with(&declared, i, &dealt[i]);
        assert_eq!((of_seat.seat.index(), of_seat.winner_if_truthful.index()), (i, truthful));
        assert_eq!(of_seat.distance, pair_distance(&dealt[i], &declared[i]));
        assert_eq!(of_seat.gain(), rank(i, truthful) - rank(i, winner));
        for (j, &cost) in of_seat.costs.iter().enumerate() {
            assert_eq!(cost, rank(j, winner) - rank(j, truthful));
        }
        let best = small.best_place(&declared, i, &dealt[i], &[]);
        let missed = place_in(&dealt[i], winner) - best;
        assert_eq!(of_seat.missed, Ok(missed as u32), "seat {i} of {deal:?}");
        // With the truth the seat would have missed what it missed and gained, which is not negative.
        assert!(of_seat.missed.unwrap().cast_signed() + of_seat.gain() >= 0);
        if of_seat.distance == 0 {
            assert!(of_seat.costs.iter().all(|&cost| cost == 0), "the truth costs nobody anything");
        }
    }
}

/// Compares the measures of a pact with their definitions.
fn check_pact(deal: &Deal, terms: &PactTerms, measures: &PactMeasures) {
    let small = small_match(deal.dealt_game());
    let (dealt, declared) = (orders_of(deal.dealt()), orders_of(deal.declared()));
    let mut kept = dealt.clone();
    for (member, relations) in terms {
        kept[*member] = nearest_keeping_order(*member, &dealt[*member], relations);
    }
    let (truthful, if_kept, winner) = (small.winner(&dealt), small.winner(&kept), small.winner(&declared));
    assert_eq!(measures.winner_if_kept.index(), if_kept);
    for (j, &value) in measures.values.iter().enumerate() {
        assert_eq!(value, signed_place(&dealt[j], truthful) - signed_place(&dealt[j], if_kept));
    }
    let mut terms = terms.clone();
    terms.sort();
    for ((i, relations), member) in terms.iter().zip(&measures.members) {
        assert_eq!((member.seat.index(), measures.members.len()), (*i, terms.len()));
        assert_eq!(member.is_kept, has_relations(&declared[*i], relations));
        let nearest_order = nearest_keeping_order(*i, &declared[*i], relations);
        assert_eq!(order_of(*i, &member.nearest_keeping_row), nearest_order, "{deal:?}");
        let places =
            [relations.as_slice(), &[]].map(|with| small.best_place(&declared, *i, &dealt[*i], with));
        assert_eq!(member.temptation, Ok((places[0] - places[1]) as u32), "seat {i} of {deal:?}");
        let without_breach = small.winner_with(&declared, *i, &nearest_order);
        for (j, &harm) in member.harms.iter().enumerate() {
            assert_eq!(harm, signed_place(&dealt[j], winner) - signed_place(&dealt[j], without_breach));
            assert!(!member.is_kept || harm == 0, "only a breach does harm");
        }
    }
}

/// Compares the contradictory promises with a search over all rows.
fn check_double_dealing(deal: &Deal, pacts: &[PactTerms], found: &[DoubleDealing]) {
    let n = deal.dealt().seats().get();
    let mut expected = Vec::new();
    for i in 0..n {
        let promise =
            |pact: usize| pacts[pact].iter().find(|(member, _)| *member == i).map(|(_, terms)| terms);
        let can_keep = |kept: &[usize]| {
            let keeps_all = |order| kept.iter().all(|&pact| has_relations(order, promise(pact).unwrap()));
            all_orders(n).iter().any(keeps_all)
        };
        let mut compatible = Vec::new();
        for pact in (0..pacts.len()).filter(|&pact| promise(pact).is_some()) {
            compatible.push(pact);
            if can_keep(&compatible) {
                continue;
            }
            compatible.pop();
            expected.push((i, pact));
            let found_for_pact: Vec<_> =
                found.iter().filter(|one| (one.seat.index(), one.pact) == (i, pact)).collect();
            let [DoubleDealing { earlier, .. }] = found_for_pact[..] else { panic!("{found_for_pact:?}") };
            assert!(earlier.iter().all(|one| compatible.contains(one)));
            assert!(!can_keep(&[earlier.as_slice(), &[pact]].concat()));
            for left_out in earlier {
                let rest: Vec<_> =
                    earlier.iter().copied().filter(|one| one != left_out).chain([pact]).collect();
                assert!(can_keep(&rest), "{earlier:?} has no pact too many");
            }
        }
    }
    assert_eq!(found.iter().map(|one| (one.seat.index(), one.pact)).collect::<Vec<_>>(), expected);
}

proptest! {
    #![proptest_config(cases(1_500))]
    #[test]
    fn measures_of_up_to_three_seats_agree_with_their_definitions((deal, pacts) in deals(2..=3, 1..=4, 1..=3)) {
        check_measures(&deal, &pacts);
    }
}

proptest! {
    #![proptest_config(cases(500))]
    #[test]
    fn measures_of_four_seats_agree_with_their_definitions((deal, pacts) in deals(4..=4, 1..=3, 1..=3)) {
        check_measures(&deal, &pacts);
    }
}

fn check_measures(deal: &Deal, pacts: &[PactTerms]) {
    let measures = measure_deal(deal);
    check_declarations(deal, &measures);
    assert_eq!(measures.pacts.len(), pacts.len());
    for (terms, of_pact) in pacts.iter().zip(&measures.pacts) {
        check_pact(deal, terms, of_pact);
    }
    check_double_dealing(deal, pacts, &measures.double_dealing);
}

#[test]
fn distances_count_the_pairs_in_different_orders() {
    for n in 2..=4 {
        let rows = permutations(SeatCount::new(n).unwrap());
        for one in &rows {
            for other in &rows {
                let expected = pair_distance(&order_of(0, one), &order_of(0, other));
                assert_eq!(kendall_distance(one, other), expected, "{one} and {other}");
            }
        }
    }
}

#[test]
fn three_pacts_can_contradict_each_other_when_no_two_of_them_do() {
    let seats = SeatCount::new(3).unwrap();
    let game = Game::new(
        lastnim_core::game::Piles::parse(&[2]).unwrap(),
        AllianceMatrix::standard(seats),
        0,
        Ending::ToMoveWins,
    )
    .unwrap();
    let pact = |before, after| Pact::parse(seats, &[(0, vec![(before, after)]), (1, vec![])]).unwrap();
    let pacts = vec![pact(0, 1), pact(1, 2), pact(0, 2), pact(2, 0), pact(1, 0)];
    let deal = Deal::new(game, AllianceMatrix::standard(seats), pacts).unwrap();
    let double_dealing =
        |pact, earlier: &[usize]| DoubleDealing { seat: seat_at(seats, 0), pact, earlier: earlier.to_vec() };
    assert_eq!(measure_deal(&deal).double_dealing, [double_dealing(3, &[2]), double_dealing(4, &[0])]);
    let pacts = vec![pact(0, 1), pact(1, 2), pact(2, 0)];
    let deal = Deal::new(deal.dealt_game().clone(), deal.declared().clone(), pacts).unwrap();
    assert_eq!(measure_deal(&deal).double_dealing, [double_dealing(2, &[0, 1])]);
}

#[test]
fn rows_and_pacts_for_different_numbers_of_seats_are_refused() {
    let [three, four] = [3, 4].map(|seats| SeatCount::new(seats).unwrap());
    let rows: Vec<Vec<u64>> = vec![vec![0, 1, 2]; 3];
    let game = Game::parse(&[2], &rows, 0, Ending::ToMoveWins).unwrap();
    let error = Deal::new(game.clone(), AllianceMatrix::standard(four), Vec::new()).unwrap_err();
    assert_eq!(error, DealError::Declared { declared: four, dealt: three });
    assert_eq!(error.to_string(), "4 declared rows: expected 3, one for each dealt row");
    let pact = Pact::parse(four, &[(0, vec![]), (1, vec![])]).unwrap();
    let error = Deal::new(game, AllianceMatrix::standard(three), vec![pact]).unwrap_err();
    assert_eq!(error.to_string(), "a pact for 4 seats: expected one for 3, since there are 3 dealt rows");
}

#[test]
fn a_search_that_runs_out_of_budget_says_so() {
    let seats = SeatCount::new(MAX_PACT_SEATS).unwrap();
    let rows: Vec<Vec<u64>> = vec![(0..8).collect(); 8];
    let game = Game::parse(&[3, 5, 2, 7], &rows, 0, Ending::ToMoveWins).unwrap();
    let pact = Pact::parse(seats, &[(0, vec![(7, 0)]), (1, vec![(7, 1)])]).unwrap();
    let deal = Deal::new(game, AllianceMatrix::standard(seats), vec![pact]).unwrap();
    let halted = DealMeasures::measure(&deal, &mut Budget::of_steps(3));
    let out_of_steps = Err(HaltReason::OutOfSteps { limit: 3 });
    assert_eq!(halted.pacts[0].members[1].temptation, out_of_steps);
    assert!(halted.declarations.iter().all(|one| one.missed == out_of_steps));
    let whole = measure_deal(&deal);
    assert!(whole.pacts[0].members.iter().all(|member| !member.is_kept && member.temptation.is_ok()));
}
