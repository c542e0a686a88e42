//! Tests of the measures of takes, and of the identity that declarations and takes add up to the change in rank.

use super::{
    brute_force::{SmallMatch, place_in, signed_place},
    deals, orders_of, small_match,
};
use lastnim_analysis::deals::{Deal, DealtPlay, TakeFaithfulness};
use lastnim_core::game::testing::cases;
use lastnim_core::oracle::{Audit, PlayedTake};
use proptest::{prelude::*, sample::Index};

/// Plays random takes, and returns the takes with the judged match.
fn play_match(deal: &Deal, choices: &[Index], is_finished: bool) -> (Vec<u64>, Audit, DealtPlay) {
    let game = deal.declared_game();
    let (mut position, mut takes) = (game.first_position(), Vec::new());
    for choice in choices.iter().cycle() {
        if position.is_over() || (!is_finished && takes.len() == choices.len()) {
            break;
        }
        let take = 1 + choice.index(position.counters() as usize) as u64;
        position.take(take).unwrap();
        takes.push(take);
    }
    let played: Vec<_> = takes.iter().map(|&take| PlayedTake::by_bot(take)).collect();
    let audit = Audit::of_adjudicated(&game, &played).unwrap();
    let judged = DealtPlay::judge(deal, &audit);
    (takes, audit, judged)
}

/// Compares the measures of each take with their definitions, on the whole tree of play.
fn check_takes(deal: &Deal, takes: &[u64], judged: &DealtPlay) {
    let small = small_match(deal.dealt_game());
    let (dealt, declared) = (orders_of(deal.dealt()), orders_of(deal.declared()));
    let mut state = small.start();
    assert_eq!(judged.takes.len(), takes.len());
    for (take, found) in takes.iter().zip(&judged.takes) {
        let (i, after) = (state.1, small.after(&state, *take));
        assert_eq!(found.seat.index(), i);
        let mut if_truthful = declared.clone();
        if_truthful[i].clone_from(&dealt[i]);
        let [known_before, known_after] =
            [&state, &after].map(|state| place_in(&dealt[i], small.winner_from(state, &if_truthful)));
        assert_eq!(found.regret_if_known as usize, known_after - known_before, "{deal:?} {takes:?}");
        let [sure_before, sure_after] =
            [&state, &after].map(|state| small.sure_place(state, i, &dealt[i], &declared));
        assert_eq!(found.regret_if_believed as usize, sure_after - sure_before, "{deal:?} {takes:?}");
        let [for_declared, for_dealt] =
            [&declared, &if_truthful].map(|orders| small.optimal_takes(&state, orders).contains(take));
        let word = match (for_declared, for_dealt) {
            (true, true) => TakeFaithfulness::SaysNothing,
            (true, false) => TakeFaithfulness::Kept,
            (false, true) => TakeFaithfulness::Broken,
            (false, false) => TakeFaithfulness::Error,
        };
        assert_eq!(found.word, word);
        if dealt[i] == declared[i] {
            assert!(
                matches!(found.word, TakeFaithfulness::SaysNothing | TakeFaithfulness::Error),
                "a true word is not broken"
            );
        }
        state = after;
    }
}

/// Checks the identity with winners from the whole tree of play.
fn check_sum(deal: &Deal, takes: &[u64], judged: &DealtPlay) {
    let small = small_match(deal.dealt_game());
    let (dealt, declared) = (orders_of(deal.dealt()), orders_of(deal.declared()));
    let mut states = vec![small.start()];
    for &take in takes {
        states.push(small.after(states.last().unwrap(), take));
    }
    let predicted: Vec<usize> = states.iter().map(|state| small.winner_from(state, &declared)).collect();
    for (i, parts) in judged.seats.iter().enumerate() {
        let rank = |winner: usize| signed_place(&dealt[i], winner);
        let truthful = rank(small.winner(&dealt));
        let actual = rank(*predicted.last().unwrap());
        assert_eq!((parts.rank_actual.cast_signed(), parts.rank_truthful.cast_signed()), (actual, truthful));
        assert_eq!(parts.declarations, rank(predicted[0]) - truthful);
        for (j, &cost) in parts.play.iter().enumerate() {
            let plies = (0..takes.len()).filter(|&ply| states[ply].1 == j);
            let expected: i32 = plies.map(|ply| rank(predicted[ply + 1]) - rank(predicted[ply])).sum();
            assert_eq!(cost, expected, "what seat {j} cost seat {i}");
        }
        assert!(parts.add_up());
        let mut wrong = parts.clone();
        wrong.declarations += 1;
        assert!(!wrong.add_up());
    }
}

proptest! {
    #![proptest_config(cases(1_500))]
    #[test]
    fn takes_agree_with_their_definitions(
        (deal, _) in deals(2..=4, 1..=3, 1..=3),
        choices in prop::collection::vec(any::<Index>(), 1..=9),
        is_finished: bool,
    ) {
        let (takes, audit, judged) = play_match(&deal, &choices, is_finished);
        check_takes(&deal, &takes, &judged);
        check_sum(&deal, &takes, &judged);
        if deal.dealt() == deal.declared() {
            for (take, ply) in judged.takes.iter().zip(&audit.plies) {
                prop_assert_eq!(take.regret_if_known, ply.regret, "without lies both audits agree");
            }
        }
    }
}

proptest! {
    #![proptest_config(cases(60))]
    #[test]
    fn takes_from_larger_piles_agree_with_their_definitions(
        (deal, _) in deals(2..=4, 2..=2, 1..=6),
        choices in prop::collection::vec(any::<Index>(), 1..=9),
    ) {
        let (takes, _, judged) = play_match(&deal, &choices, true);
        check_takes(&deal, &takes, &judged);
    }
}

#[test]
fn takes_from_a_huge_pile_are_judged_quickly() {
    use lastnim_core::game::{AllianceMatrix, Ending, Game, MAX_COUNTERS};
    let rows: Vec<Vec<u64>> =
        (0..5).map(|seat| (0..5).map(|offset| (offset * 2 + seat) % 5).collect()).collect();
    let game = Game::parse(&[4, MAX_COUNTERS, MAX_COUNTERS], &rows, 0, Ending::ToMoveWins).unwrap();
    let declared = AllianceMatrix::standard(game.matrix.seats());
    let deal = Deal::new(game, declared, Vec::new()).unwrap();
    let takes = [1, MAX_COUNTERS - 1, MAX_COUNTERS, 3, 1].map(PlayedTake::by_bot);
    let audit = Audit::of_finished(&deal.declared_game(), &takes).unwrap();
    assert_eq!(DealtPlay::judge(&deal, &audit).takes.len(), 5);
}

#[test]
#[should_panic(expected = "the audit is one of the declared game")]
fn an_audit_of_another_game_is_refused() {
    use lastnim_core::game::{AllianceMatrix, Ending, Game};
    let rows = [vec![0, 2, 1], vec![1, 2, 0], vec![0, 2, 1]];
    let game = Game::parse(&[1, 2, 2], &rows, 0, Ending::ToMoveWins).unwrap();
    let other = Audit::of_adjudicated(&game, &[]).unwrap();
    let declared = AllianceMatrix::parse(&vec![vec![1, 0, 2]; 3]).unwrap();
    let small = SmallMatch { seats: 3, piles: vec![1, 2, 2], first: 0, last_mover_wins: false };
    assert_ne!(small.winner(&orders_of(&declared)), other.predicted_winner.index());
    DealtPlay::judge(&Deal::new(game, declared, Vec::new()).unwrap(), &other);
}
