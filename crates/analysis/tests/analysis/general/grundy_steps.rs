//! Tests the explanations of Grundy values: for each smaller value there is an option with that value, and no option
//! has the value itself.

use super::two_selfish_seats;
use lastnim_analysis::general::{GameNumbers, GeneralAnswer, GeneralGame, GrundyPart, MemoryBounds, Ruleset};
use lastnim_core::{
    game::{Ending, Seat},
    oracle::Budget,
};
use proptest::prelude::*;

fn solve_game(game: &GeneralGame, ending: Ending) -> GeneralAnswer {
    game.solve(&two_selfish_seats(), Seat::FIRST, ending, MemoryBounds::default(), &mut Budget::unbounded())
        .unwrap()
}

fn explain_parts(game: &GeneralGame, answer: &mut GeneralAnswer) -> Vec<GrundyPart> {
    game.explain_grundy(answer, MemoryBounds::default(), &mut Budget::unbounded()).unwrap();
    answer.two_players.clone().unwrap().grundy.map(|grundy| grundy.parts).unwrap_or_default()
}

fn new_game(ruleset: Ruleset, piles: &[u64]) -> GeneralGame {
    let numbers = GameNumbers {
        piles: piles.to_vec(),
        set: if ruleset == Ruleset::Subtraction { vec![1, 3, 4] } else { vec![] },
        window: (ruleset == Ruleset::CircularNim).then_some(1),
        ..GameNumbers::default()
    };
    GeneralGame::parse(ruleset, &numbers).unwrap()
}

#[test]
fn long_explanations_are_cut_and_some_games_have_none() {
    let large = new_game(Ruleset::Nim, &[1_000, 3]);
    let parts = explain_parts(&large, &mut solve_game(&large, Ending::LastMoverWins));
    assert_eq!(
        parts.iter().map(|part| part.options.len()).collect::<Vec<_>>(),
        [GrundyPart::MAX_SHOWN_OPTIONS, 3]
    );
    for (ruleset, piles) in [(Ruleset::LastNim, &[2, 3][..]), (Ruleset::EndNim, &[2, 3])] {
        let whole = new_game(ruleset, piles);
        let mut answer = solve_game(&whole, Ending::LastMoverWins);
        let before = answer.clone();
        let parts = explain_parts(&whole, &mut answer);
        assert_eq!(answer, before, "{ruleset}");
        assert!(parts.iter().all(|part| part.options.is_empty()));
    }
    let halted = large.explain_grundy(
        &mut solve_game(&large, Ending::LastMoverWins),
        MemoryBounds::default(),
        &mut Budget::of_steps(100),
    );
    assert!(halted.unwrap_err().to_string().starts_with("nim 1000,3 with 2 seats: "));
}

proptest! {
    #[test]
    fn options_have_every_smaller_grundy_value_but_not_the_value_itself(
        ruleset in prop::sample::select(vec![
            Ruleset::Nim, Ruleset::SmallNim, Ruleset::CircularNim, Ruleset::Kayles, Ruleset::Subtraction, Ruleset::Digits,
            Ruleset::StonePiles,
        ]),
        piles in prop::collection::vec(0_u64..7, 1..4),
        ending in prop::sample::select(Ending::ALL.as_slice()),
    ) {
        let whole = new_game(ruleset, &piles);
        let mut answer = solve_game(&whole, ending);
        let plain = answer.clone().two_players.unwrap().grundy.unwrap();
        let parts = explain_parts(&whole, &mut answer);
        let value_of = |position: &str| {
            let piles: Vec<u64> = position.split(',').map(|size| size.parse().unwrap()).collect();
            solve_game(&new_game(ruleset, &piles), Ending::LastMoverWins).two_players.unwrap().grundy.unwrap().value
        };
        prop_assert_eq!(parts.len(), plain.parts.len());
        for (part, plain) in parts.iter().zip(&plain.parts) {
            prop_assert_eq!((&part.part, part.value), (&plain.part, plain.value));
            let values: Vec<u64> = part.options.iter().map(|option| option.value).collect();
            prop_assert_eq!(values, (0..part.value).collect::<Vec<_>>());
            for option in &part.options {
                prop_assert_eq!(value_of(&option.position), option.value, "{}", option.position);
            }
            let sizes: Vec<u64> = part.part.split(',').map(|size| size.parse().unwrap()).collect();
            let options = solve_game(&new_game(ruleset, &sizes), Ending::LastMoverWins).options;
            prop_assert!(options.iter().all(|option| value_of(&option.position) != part.value));
        }
    }
}
