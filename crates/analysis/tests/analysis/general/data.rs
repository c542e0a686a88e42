//! The seeds' other games, as `tests/data/seed_games.json` has them.

use super::{grundy, outcomes, two};
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

fn game(name: &str) -> Value {
    let data: Value = serde_json::from_str(include_str!("../../data/seed_games.json")).unwrap();
    let games = data["games"].as_array().unwrap();
    games.iter().find(|game| game["game"] == name).unwrap().clone()
}

fn numbers(value: &Value) -> Vec<u32> {
    let numbers = value.as_array().unwrap().iter();
    numbers.map(|number| number.as_u64().unwrap().try_into().unwrap()).collect()
}

fn singles(sizes: impl IntoIterator<Item = u32>) -> impl Iterator<Item = PileSizes> {
    sizes.into_iter().map(|size| PileSizes::from(vec![size]))
}

/// Returns the Grundy values of single piles from 0 on, as many as there are in `expected`.
fn grundy_from_0<R: Rules<MoverKind = Anyone, Position = PileSizes>>(rules: &R, expected: &Value) {
    let expected = numbers(expected);
    assert!(expected.len() > 20);
    assert_eq!(grundy(rules, singles(0..expected.len() as u32)), expected);
}

/// Returns which single piles up to `most` are P.
fn p_singles<R: Rules<Position = PileSizes>>(rules: &R, ending: Ending, most: u32) -> Vec<u32> {
    let outcomes = outcomes(rules, ending, singles(0..=most));
    (0..=most).filter(|&size| outcomes[size as usize] == OutcomeClass::P).collect()
}

fn answer(ruleset: Ruleset, piles: &[u64], ending: Ending) -> GeneralAnswer {
    let game = GeneralGame::parse(ruleset, &GameNumbers::of_piles(piles)).unwrap();
    game.solve(&two(), Seat::FIRST, ending, MemoryBounds::default(), &mut Budget::unbounded()).unwrap()
}

#[test]
fn kayles() {
    let game = game("kayles");
    grundy_from_0(&Kayles, &game["grundy_from_0"]);
    let (period, from) =
        (game["period"].as_u64().unwrap() as usize, game["periodic_from"].as_u64().unwrap() as usize);
    let values = grundy(&Kayles, singles(0..400));
    let is_periodic = |size: usize| values[size] == values[size + period];
    assert!((from..400 - period).all(is_periodic));
    assert!(!is_periodic(from - 1), "it is periodic from {from} on and not before");
}

#[test]
fn subtraction() {
    let game = game("subtraction");
    let set: Vec<u64> = numbers(&game["set"]).into_iter().map(u64::from).collect();
    let rules = SubtractionGame::parse(&set).unwrap();
    grundy_from_0(&rules, &game["grundy_from_0"]);
    for (ending, key) in
        [(Ending::LastMoverWins, "p_positions_mod_7"), (Ending::ToMoveWins, "misere_p_positions_mod_7")]
    {
        let rests = numbers(&game[key]);
        let expected: Vec<_> = (0..=2000).filter(|size| rests.contains(&(size % 7))).collect();
        assert_eq!(p_singles(&rules, ending, 2000), expected, "{key}");
    }
}

#[test]
fn digits() {
    let game = game("digits");
    grundy_from_0(&SubtractDigit, &game["grundy_from_0"]);
    assert_eq!(game["p_positions"], "multiples of 10");
    let multiples: Vec<_> = (0..=5000).filter(|number| number % 10 == 0).collect();
    assert_eq!(p_singles(&SubtractDigit, Ending::LastMoverWins, 5000), multiples);
    assert_eq!(
        p_singles(&SubtractDigit, Ending::ToMoveWins, 118),
        numbers(&game["misere_p_positions_below_119"])
    );
}

#[test]
fn stone_piles() {
    let game = game("stone_piles");
    grundy_from_0(&StonePiles, &game["grundy_from_0"]);
    let values = grundy(&StonePiles, singles(0..=80));
    let p: Vec<_> = (0..=80).filter(|&size| values[size as usize] == 0).collect();
    assert_eq!(p, numbers(&game["p_single_piles_to_80"]));
}

#[test]
fn nim() {
    let example = &game("nim")["examples_n_position_with_winning_moves"];
    let piles: Vec<u64> = numbers(&example["piles"]).into_iter().map(u64::from).collect();
    let answer = answer(Ruleset::Nim, &piles, Ending::LastMoverWins);
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
        let expected = PileSizes::from(numbers(expected)).to_string();
        assert!(winning.contains(&&*expected), "{expected} of {winning:?}");
    }
    // The seed leaves out the third: 8 to 1.
    assert_eq!(winning, ["4,12,8", "13,5,8", "13,12,1"]);
}

#[test]
fn fibonacci_nim() {
    let expected = numbers(&game("fibonacci_nim")["p_positions"]);
    let full = |size: u32| FibonacciPosition::parse(&PileSizes::from(vec![size]), None).unwrap();
    let outcomes = outcomes(&FibonacciNim, Ending::LastMoverWins, (2..=300).map(full));
    for (size, outcome) in (2..).zip(outcomes) {
        assert_eq!(outcome == OutcomeClass::P, expected.contains(&size), "{size}");
    }
}

#[test]
fn circular_nim() {
    let all_equal = |piles: &[u32]| piles.iter().all(|&size| size == piles[0]);
    let opposite = |piles: &[u32]| piles[0] == piles[2] && piles[1] == piles[3];
    let known: HashMap<String, String> =
        serde_json::from_value(game("circular_nim")["known"].clone()).unwrap();
    assert_eq!(known.len(), 4);
    for (name, result) in known {
        let (circle, window) = name.trim_start_matches("CN(").trim_end_matches(')').split_once(',').unwrap();
        let circle: u32 = circle.parse().unwrap();
        let is_p = match result.as_str() {
            "P iff all equal" => all_equal,
            "P iff (a,b,a,b)" => opposite,
            other => panic!("{other}"),
        };
        let most = if circle == 5 { 3 } else { 4 };
        let circles: Vec<PileSizes> = vectors(circle, most).map(PileSizes::from).collect();
        let rules = CircularNim::parse(window.parse().unwrap(), &circles[0]).unwrap();
        let outcomes = outcomes(&rules, Ending::LastMoverWins, circles.iter().cloned());
        for (piles, outcome) in circles.iter().zip(outcomes) {
            assert_eq!(outcome == OutcomeClass::P, is_p(piles.as_slice()), "{name}: {piles}");
        }
    }
}

/// Returns all vectors of so many numbers from 0 to `most`.
pub(super) fn vectors(len: u32, most: u32) -> impl Iterator<Item = Vec<u32>> {
    let numbers = most + 1;
    (0..numbers.pow(len))
        .map(move |vector| (0..len).map(|place| vector / numbers.pow(place) % numbers).collect())
}

#[test]
fn end_nim() {
    let classes = &game("end_nim")["outcome_classes_three_piles_1_to_3"];
    let piles = vectors(3, 3).filter(|piles| !piles.contains(&0)).map(PileSizes::from);
    let outcomes = outcomes(&EndNim, Ending::LastMoverWins, piles);
    assert_eq!(outcomes.len(), 27);
    for class in [OutcomeClass::N, OutcomeClass::P, OutcomeClass::L, OutcomeClass::R] {
        let count = outcomes.iter().filter(|&&outcome| outcome == class).count();
        assert_eq!(Some(count as u64), classes[class.to_string()].as_u64(), "{class}");
    }
}
