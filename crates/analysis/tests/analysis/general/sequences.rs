//! Tests that sequences of Grundy values agree with data, with published periods and with the definition.

use super::grundy_values;
use lastnim_analysis::general::{
    GrundySequence, MemoryBounds, OutcomeClass, PeriodTheorem, PileSizes, Ruleset, SequenceGame, SequenceLaw,
    rulesets::{Kayles, StonePiles, SubtractDigit},
};
use lastnim_core::oracle::Budget;
use proptest::prelude::*;
use serde_json::Value;
use std::collections::BTreeSet;

fn compute_sequence(ruleset: Ruleset, set: &[u64], max: Option<u64>, to: u32) -> GrundySequence {
    let game = SequenceGame::parse(ruleset, set, max).unwrap();
    GrundySequence::compute(game, to, MemoryBounds::default(), &mut Budget::unbounded()).unwrap()
}

/// Returns the smallest number not in a set, by the definition.
fn mex_by_definition(values: &BTreeSet<u32>) -> u32 {
    (0..=values.len() as u32).find(|value| !values.contains(value)).unwrap()
}

/// Returns the Grundy values of single piles with 0 to `sizes` - 1 counters, by the definition. `options` lists the
/// options of a pile; each option is two piles, which may be empty.
fn values_by_definition(sizes: usize, options: impl Fn(usize) -> Vec<(usize, usize)>) -> Vec<u32> {
    let mut values: Vec<u32> = Vec::new();
    for size in 0..sizes {
        let option_values =
            options(size).into_iter().map(|(one, other)| values[one] ^ values[other]).collect();
        values.push(mex_by_definition(&option_values));
    }
    values
}

fn kayles_options(size: usize) -> Vec<(usize, usize)> {
    let splits = |stones: usize| (stones..=size).map(move |end| (end - stones, size - end));
    splits(1).chain(splits(2)).collect()
}

fn seed_game(name: &str) -> Value {
    let data: Value = serde_json::from_str(include_str!("../../data/seed_games.json")).unwrap();
    data["games"].as_array().unwrap().iter().find(|game| game["game"] == name).unwrap().clone()
}

fn check_seed_values(sequence: &GrundySequence, seed: &Value) {
    let expected = seed["grundy_from_0"].as_array().unwrap();
    assert!(expected.len() > 20);
    for (size, value) in expected.iter().enumerate() {
        assert_eq!(*value, sequence.values[size], "size {size}");
    }
}

#[test]
fn kayles_repeats_from_71_onwards_after_14_exceptions() {
    let kayles = compute_sequence(Ruleset::Kayles, &[], None, 100_000);
    let seed = seed_game("kayles");
    check_seed_values(&kayles, &seed);
    assert_eq!(kayles.values.len(), 100_001);
    let SequenceLaw::Periodic(period) = &kayles.law else { panic!("{:?}", kayles.law) };
    assert_eq!(
        (seed["period"].clone(), seed["periodic_from"].clone()),
        (period.length.into(), period.start.into())
    );
    assert_eq!(period.theorem, PeriodTheorem::OctalGame { places: 2 });
    assert_eq!(period.checked_to, 2 * 71 + 2 * 12 + 1);
    // The table in Winning Ways (Berlekamp, Conway and Guy), chapter 4, has the same exceptions.
    assert_eq!(period.exceptions, [0, 3, 6, 9, 11, 15, 18, 21, 22, 28, 34, 39, 57, 70]);
    assert_eq!(period.zero_remainders, [0_usize; 0], "the seat to move wins every row but the empty one");
    assert!(
        kayles.values.iter().skip(1).all(|&value| GrundySequence::outcome_of_value(value) == OutcomeClass::N)
    );
    // The values that follow from the theorem equal the computed ones.
    assert_eq!(kayles.values[..1_500], values_by_definition(1_500, kayles_options));
    let rows = (0..300).map(|size| PileSizes::from(vec![size]));
    assert_eq!(kayles.values[..300], grundy_values(&Kayles, rows));
}

#[test]
fn a_subtraction_set_has_the_period_of_the_seed_data() {
    let game = compute_sequence(Ruleset::Subtraction, &[1, 3, 4], None, 1_000);
    let seed = seed_game("subtraction");
    check_seed_values(&game, &seed);
    let SequenceLaw::Periodic(period) = &game.law else { panic!("{:?}", game.law) };
    assert_eq!((period.start, period.length, period.exceptions.len()), (0, 7, 0));
    assert_eq!(seed["p_positions_mod_7"], serde_json::json!(period.zero_remainders));
}

#[test]
fn bounded_nim_has_period_max_plus_1() {
    for max in [1, 2, 3, 7, 100, 1_024] {
        let game = compute_sequence(Ruleset::Subtraction, &[], Some(max), 5_000);
        let rest = |size: u64| u32::try_from(size % (max + 1)).unwrap();
        assert_eq!(game.values, (0..=5_000).map(rest).collect::<Vec<_>>());
        let SequenceLaw::Periodic(period) = &game.law else { panic!("{max}: {:?}", game.law) };
        assert_eq!((period.start, period.length as u64, &period.zero_remainders), (0, max + 1, &vec![0]));
        let listed: Vec<u64> = (1..=max).collect();
        assert_eq!(compute_sequence(Ruleset::Subtraction, &listed, None, 5_000), game);
    }
}

#[test]
fn a_late_period_is_found_even_if_no_values_are_requested() {
    // The values for {2, 3} repeat 0, 0, 1, 1, 2 from the start. To find a period for {1, 2^20}, more values would be
    // needed than are computed.
    let game = compute_sequence(Ruleset::Subtraction, &[2, 3], None, 0);
    let SequenceLaw::Periodic(period) = &game.law else { panic!("{:?}", game.law) };
    assert_eq!((game.values.as_slice(), period.start, period.length), (&[0][..], 0, 5));
    let game = compute_sequence(Ruleset::Subtraction, &[1, 1 << 20], None, 10);
    assert_eq!(game.law, SequenceLaw::NotFound { values: 100_000 });
    assert_eq!(game.values, [0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0]);
}

#[test]
fn games_without_a_period_theorem_have_only_computed_values() {
    let digits = compute_sequence(Ruleset::Digits, &[], None, 3_000);
    check_seed_values(&digits, &seed_game("digits"));
    assert_eq!(
        digits.values,
        grundy_values(&SubtractDigit, (0..=3_000).map(|size| PileSizes::from(vec![size])))
    );
    let stones = compute_sequence(Ruleset::StonePiles, &[], None, 40);
    check_seed_values(&stones, &seed_game("stone_piles"));
    assert_eq!(stones.values, grundy_values(&StonePiles, (0..=40).map(|size| PileSizes::from(vec![size]))));
    let fibonacci = compute_sequence(Ruleset::FibonacciNim, &[], None, 250);
    let p = (2..=250).filter(|&size: &usize| fibonacci.values[size] == 0).collect::<Vec<_>>();
    assert_eq!(seed_game("fibonacci_nim")["p_positions"], serde_json::json!(p));
    for game in [digits, stones, fibonacci] {
        assert_eq!(game.law, SequenceLaw::NoCriterion, "{}", game.game);
    }
    let nim = compute_sequence(Ruleset::Nim, &[], None, 1_000);
    assert_eq!((nim.values, nim.law), ((0..=1_000).collect(), SequenceLaw::Identity));
}

#[test]
fn errors_explain_why_a_game_has_no_sequence() {
    for ruleset in
        [Ruleset::LastNim, Ruleset::SmallNim, Ruleset::CircularNim, Ruleset::GraphNim, Ruleset::EndNim]
    {
        let error = SequenceGame::parse(ruleset, &[], None).unwrap_err().to_string();
        assert!(error.starts_with(&format!("{ruleset} has no sequence: ")), "{error}");
    }
    let refusal = |ruleset, set: &[u64], max| SequenceGame::parse(ruleset, set, max).unwrap_err().to_string();
    assert_eq!(refusal(Ruleset::Subtraction, &[], None), "subtraction needs `set`");
    assert_eq!(refusal(Ruleset::Kayles, &[1], None), "kayles does not use `set`: leave it out");
    assert_eq!(refusal(Ruleset::Nim, &[], Some(3)), "nim does not use `max`: leave it out");
    assert!(refusal(Ruleset::Subtraction, &[1], Some(3)).starts_with("both a set and a max are given: "));
    assert_eq!(refusal(Ruleset::Subtraction, &[], Some(0)), "max 0: expected 1 to 1024");
    assert_eq!(refusal(Ruleset::Subtraction, &[], Some(1_025)), "max 1025: expected 1 to 1024");
}

#[test]
fn errors_say_how_far_the_computation_got() {
    let game = |ruleset| SequenceGame::parse(ruleset, &[], None).unwrap();
    let bounds = MemoryBounds::default();
    let states_at_stop = |ruleset, to, steps| {
        GrundySequence::compute(game(ruleset), to, bounds, &mut Budget::of_steps(steps)).unwrap_err().states
    };
    assert_eq!(states_at_stop(Ruleset::Kayles, 50, 55), 10);
    assert_eq!(states_at_stop(Ruleset::Digits, 50, 7), 7);
    assert!(states_at_stop(Ruleset::StonePiles, 60, 5_000) > 20);
    // The requested values are complete, but finding the period would take more steps.
    let kayles =
        GrundySequence::compute(game(Ruleset::Kayles), 9, bounds, &mut Budget::of_steps(55)).unwrap();
    assert_eq!((kayles.values.len(), kayles.law), (10, SequenceLaw::NotFound { values: 10 }));
}

proptest! {
    #[test]
    fn subtraction_sets_follow_the_definition(set in prop::collection::btree_set(1_u64..12, 1..5), to in 0_u32..500) {
        let set: Vec<u64> = set.into_iter().collect();
        let game = compute_sequence(Ruleset::Subtraction, &set, None, to);
        let options = |size: usize| set.iter().filter_map(|&take| Some((size.checked_sub(take as usize)?, 0))).collect();
        let values = values_by_definition(1_200, options);
        prop_assert_eq!(&game.values[..], &values[..=to as usize]);
        let SequenceLaw::Periodic(period) = &game.law else { panic!("{:?}", game.law) };
        let repeats = |start: usize| (start..1_200 - period.length).all(|size| values[size] == values[size + period.length]);
        prop_assert!(repeats(period.start));
        prop_assert!(period.start == 0 || !repeats(period.start - 1));
        for (size, &value) in values.iter().enumerate().skip(period.start) {
            prop_assert_eq!(value == 0, period.zero_remainders.contains(&(size % period.length)));
        }
    }
}
