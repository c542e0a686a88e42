//! Tests that the games other than Last Nim agree with the data in `tests/data/seed_games.json`.

use super::{grundy_values, outcome_classes, two_selfish_seats};
use lastnim_analysis::general::{
    Anyone, GameNumbers, GeneralAnswer, GeneralGame, MemoryBounds, OutcomeClass, PileSizes, Rules, Ruleset,
    rulesets::{
        CircularNim, EndNim, FibonacciNim, FibonacciPosition, Kayles, StonePiles, SubtractDigit,
        SubtractionGame,
    },
};
use lastnim_core::{
    game::{Ending, Seat},
    oracle::Budget,
};
use serde_json::Value;
use std::collections::HashMap;

fn seed_game(name: &str) -> Value {
    let data: Value = serde_json::from_str(include_str!("../../data/seed_games.json")).unwrap();
    let games = data["games"].as_array().unwrap();
    games.iter().find(|game| game["game"] == name).unwrap().clone()
}

fn number_list(value: &Value) -> Vec<u32> {
    let numbers = value.as_array().unwrap().iter();
    numbers.map(|number| number.as_u64().unwrap().try_into().unwrap()).collect()
}

fn single_piles(sizes: impl IntoIterator<Item = u32>) -> impl Iterator<Item = PileSizes> {
    sizes.into_iter().map(|size| PileSizes::from(vec![size]))
}

/// Checks the Grundy values of single piles of 0, 1, ... counters against `expected`.
fn check_grundy_values<R: Rules<MoverKind = Anyone, Position = PileSizes>>(rules: &R, expected: &Value) {
    let expected = number_list(expected);
    assert!(expected.len() > 20);
    assert_eq!(grundy_values(rules, single_piles(0..expected.len() as u32)), expected);
}

/// Returns the sizes, up to `max`, of the single piles that are P-positions.
fn losing_single_piles<R: Rules<Position = PileSizes>>(rules: &R, ending: Ending, max: u32) -> Vec<u32> {
    let outcomes = outcome_classes(rules, ending, single_piles(0..=max));
    (0..=max).filter(|&size| outcomes[size as usize] == OutcomeClass::P).collect()
}

fn solve_game(ruleset: Ruleset, piles: &[u64], ending: Ending) -> GeneralAnswer {
    let game = GeneralGame::parse(ruleset, &GameNumbers::of_piles(piles)).unwrap();
    game.solve(&two_selfish_seats(), Seat::FIRST, ending, MemoryBounds::default(), &mut Budget::unbounded())
        .unwrap()
}

#[test]
fn kayles_matches_its_seed_data() {
    let game = seed_game("kayles");
    check_grundy_values(&Kayles, &game["grundy_from_0"]);
    let (period, from) =
        (game["period"].as_u64().unwrap() as usize, game["periodic_from"].as_u64().unwrap() as usize);
    let values = grundy_values(&Kayles, single_piles(0..400));
    let is_periodic = |size: usize| values[size] == values[size + period];
    assert!((from..400 - period).all(is_periodic));
    assert!(!is_periodic(from - 1), "the values are periodic from {from} on and not before");
}

#[test]
fn subtraction_matches_its_seed_data() {
    let game = seed_game("subtraction");
    let set: Vec<u64> = number_list(&game["set"]).into_iter().map(u64::from).collect();
    let rules = SubtractionGame::parse(&set).unwrap();
    check_grundy_values(&rules, &game["grundy_from_0"]);
    for (ending, key) in
        [(Ending::LastMoverWins, "p_positions_mod_7"), (Ending::ToMoveWins, "misere_p_positions_mod_7")]
    {
        let rests = number_list(&game[key]);
        let expected: Vec<_> = (0..=2000).filter(|size| rests.contains(&(size % 7))).collect();
        assert_eq!(losing_single_piles(&rules, ending, 2000), expected, "{key}");
    }
}

#[test]
fn digits_match_their_seed_data() {
    let game = seed_game("digits");
    check_grundy_values(&SubtractDigit, &game["grundy_from_0"]);
    assert_eq!(game["p_positions"], "multiples of 10");
    let multiples: Vec<_> = (0..=5000).filter(|number| number % 10 == 0).collect();
    assert_eq!(losing_single_piles(&SubtractDigit, Ending::LastMoverWins, 5000), multiples);
    assert_eq!(
        losing_single_piles(&SubtractDigit, Ending::ToMoveWins, 118),
        number_list(&game["misere_p_positions_below_119"])
    );
}

#[test]
fn stone_piles_match_their_seed_data() {
    let game = seed_game("stone_piles");
    check_grundy_values(&StonePiles, &game["grundy_from_0"]);
    let values = grundy_values(&StonePiles, single_piles(0..=80));
    let p: Vec<_> = (0..=80).filter(|&size| values[size as usize] == 0).collect();
    assert_eq!(p, number_list(&game["p_single_piles_to_80"]));
}

#[test]
fn nim_matches_its_seed_data() {
    let example = &seed_game("nim")["examples_n_position_with_winning_moves"];
    let piles: Vec<u64> = number_list(&example["piles"]).into_iter().map(u64::from).collect();
    let answer = solve_game(Ruleset::Nim, &piles, Ending::LastMoverWins);
    let two = answer.two_players.unwrap();
    assert_eq!(two.outcome, OutcomeClass::N);
    assert_eq!(Some(two.grundy.unwrap().value), example["nim_sum"].as_u64());
    let winning: Vec<_> = answer
        .options
        .iter()
        .filter(|option| option.winner == Seat::FIRST)
        .map(|option| &*option.position)
        .collect();
    for expected in example["winning"].as_array().unwrap() {
        let expected = PileSizes::from(number_list(expected)).to_string();
        assert!(winning.contains(&&*expected), "{expected} of {winning:?}");
    }
    // The seed data omit the third winning move, which reduces the pile of 8 to 1.
    assert_eq!(winning, ["4,12,8", "13,5,8", "13,12,1"]);
}

#[test]
fn fibonacci_nim_matches_its_seed_data() {
    let expected = number_list(&seed_game("fibonacci_nim")["p_positions"]);
    let full = |size: u32| FibonacciPosition::parse(&PileSizes::from(vec![size]), None).unwrap();
    let outcomes = outcome_classes(&FibonacciNim, Ending::LastMoverWins, (2..=300).map(full));
    for (size, outcome) in (2..).zip(outcomes) {
        assert_eq!(outcome == OutcomeClass::P, expected.contains(&size), "{size}");
    }
}

#[test]
fn circular_nim_matches_its_seed_data() {
    let all_equal = |piles: &[u32]| piles.iter().all(|&size| size == piles[0]);
    let opposite = |piles: &[u32]| piles[0] == piles[2] && piles[1] == piles[3];
    let known: HashMap<String, String> =
        serde_json::from_value(seed_game("circular_nim")["known"].clone()).unwrap();
    assert_eq!(known.len(), 4);
    for (name, result) in known {
        let (circle, window) = name.trim_start_matches("CN(").trim_end_matches(')').split_once(',').unwrap();
        let circle: u32 = circle.parse().unwrap();
        let is_p = match result.as_str() {
            "P iff all equal" => all_equal,
            "P iff (a,b,a,b)" => opposite,
            other => panic!("{other}"),
        };
        let max = if circle == 5 { 3 } else { 4 };
        let circles: Vec<PileSizes> = all_vectors(circle, max).map(PileSizes::from).collect();
        let rules = CircularNim::parse(window.parse().unwrap(), &circles[0]).unwrap();
        let outcomes = outcome_classes(&rules, Ending::LastMoverWins, circles.iter().cloned());
        for (piles, outcome) in circles.iter().zip(outcomes) {
            assert_eq!(outcome == OutcomeClass::P, is_p(piles.as_slice()), "{name}: {piles}");
        }
    }
}

/// Returns all vectors of `len` numbers from 0 to `max`.
pub(super) fn all_vectors(len: u32, max: u32) -> impl Iterator<Item = Vec<u32>> {
    let numbers = max + 1;
    (0..numbers.pow(len))
        .map(move |vector| (0..len).map(|place| vector / numbers.pow(place) % numbers).collect())
}

#[test]
fn end_nim_matches_its_seed_data() {
    let classes = &seed_game("end_nim")["outcome_classes_three_piles_1_to_3"];
    let piles = all_vectors(3, 3).filter(|piles| !piles.contains(&0)).map(PileSizes::from);
    let outcomes = outcome_classes(&EndNim, Ending::LastMoverWins, piles);
    assert_eq!(outcomes.len(), 27);
    for class in [OutcomeClass::N, OutcomeClass::P, OutcomeClass::L, OutcomeClass::R] {
        let count = outcomes.iter().filter(|&&outcome| outcome == class).count();
        assert_eq!(Some(count as u64), classes[class.to_string()].as_u64(), "{class}");
    }
}
