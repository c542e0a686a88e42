//! Tests on random games that the solver agrees, for all rulesets, with the definition of optimal play, with the fast
//! solver, and with theorems.

use super::{brute_force::winners_by_brute_force, grundy_values, outcome_classes, solve_winners};
use lastnim_analysis::general::{
    Anyone, GameNumbers, GeneralGame, MemoryBounds, OutcomeClass, PileSizes, Rules, Ruleset, SolvingMethod,
    rulesets::{
        CircularNim, EndNim, FibonacciNim, FibonacciPosition, GraphNim, GraphPosition, Kayles, LastNim, Nim,
        SmallNim, StonePiles, SubtractDigit, SubtractionGame,
    },
};
use lastnim_core::game::testing::{games, matrices};
use lastnim_core::{
    game::{AllianceMatrix, BySeat, Ending, Piles, Seat, SeatCount},
    oracle::{self, Budget, Solution},
};
use proptest::{collection::vec, prelude::*, sample::select};

/// Rules that are the same as `R`, except that no position has a canonical form.
struct WithoutCanonicalForms<'a, R>(&'a R);

impl<R: Rules> Rules for WithoutCanonicalForms<'_, R> {
    type MoverKind = R::MoverKind;
    type Position = R::Position;
    type Move = R::Move;

    fn moves(
        &self,
        position: R::Position,
        mover: R::MoverKind,
    ) -> impl Iterator<Item = (R::Move, R::Position)> {
        self.0.moves(position, mover)
    }

    fn canonical_position(&self, position: R::Position) -> R::Position {
        position
    }

    fn position_heap_bytes(&self, position: &R::Position) -> usize {
        self.0.position_heap_bytes(position)
    }
}

fn any_piles(piles: std::ops::RangeInclusive<usize>, max: u32) -> impl Strategy<Value = PileSizes> {
    vec(0..=max, piles).prop_map(PileSizes::from)
}

fn any_ending() -> impl Strategy<Value = Ending> {
    select(&Ending::ALL[..])
}

fn to_piles(piles: &PileSizes) -> Piles {
    let counters: Vec<u64> = piles.as_slice().iter().map(|&size| size.into()).collect();
    Piles::parse_partly_emptied(&counters).unwrap()
}

/// Checks that the solver, both with and without canonical forms, agrees with the definition of optimal play.
fn check_agreement<R: Rules>(
    rules: &R,
    position: &R::Position,
    matrix: &AllianceMatrix,
    ending: Ending,
) -> Result<(), TestCaseError> {
    let solved = solve_winners(rules, matrix, ending, [position.clone()]);
    prop_assert_eq!(
        &solved,
        &solve_winners(&WithoutCanonicalForms(rules), matrix, ending, [position.clone()]),
        "{}",
        position
    );
    prop_assert_eq!(&solved, &[winners_by_brute_force(rules, position, matrix, ending)], "{}", position);
    Ok(())
}

/// Checks that the Sprague-Grundy theorem and backward induction agree for two seats.
fn check_grundy_outcome<R: Rules<MoverKind = Anyone>>(
    rules: &R,
    position: &R::Position,
) -> Result<(), TestCaseError> {
    let value = grundy_values(rules, [position.clone()])[0];
    let outcome = outcome_classes(rules, Ending::LastMoverWins, [position.clone()])[0];
    prop_assert_eq!(outcome, if value == 0 { OutcomeClass::P } else { OutcomeClass::N }, "{}", position);
    Ok(())
}

proptest! {
    #[test]
    fn the_general_solver_equals_the_fast_one_on_last_nim(game in games(2..=6, 1..=4, 1..=8)) {
        let piles: PileSizes = game.piles.as_slice().iter().map(|&counters| counters as u32).collect();
        let expected = oracle::solve_winners(&game.piles, &game.matrix, game.ending);
        prop_assert_eq!(solve_winners(&LastNim, &game.matrix, game.ending, [piles.clone()]), [expected.clone()]);
        prop_assert_eq!(solve_winners(&WithoutCanonicalForms(&LastNim), &game.matrix, game.ending, [piles]), [expected]);
    }

    #[test]
    fn both_solvers_give_the_same_answers_for_last_nim(game in games(2..=6, 1..=3, 1..=12)) {
        let numbers = GameNumbers::of_piles(game.piles.as_slice());
        let general = GeneralGame::parse(Ruleset::LastNim, &numbers).unwrap();
        let mut budget = Budget::unbounded();
        let answer =
            general.solve(&game.matrix, game.first_seat(), game.ending, MemoryBounds::default(), &mut budget).unwrap();
        prop_assert_eq!(answer.method, SolvingMethod::CapTheorem);
        let (solution, position) = (Solution::new(&game), game.first_position());
        prop_assert_eq!(answer.winner, solution.winner(&position));
        prop_assert_eq!(&answer.winner_by_first, &solution.winners(&position));
        // Each take belongs to exactly one option, and leads to that option's winner.
        let mut takes = 0;
        for option in &answer.options {
            let words: Vec<_> = option.play.split(' ').collect();
            let lo: u64 = words[1].parse().unwrap();
            let hi = if words[2] == "to" { words[3].parse().unwrap() } else { lo };
            for take in lo..=hi {
                let mut after = position.clone();
                after.take(take).unwrap();
                prop_assert_eq!(option.winner, solution.winner(&after), "{}", option.play);
                prop_assert_eq!(option.is_optimal(), solution.optimal_takes(&position).contains(take));
                takes += 1;
            }
        }
        prop_assert_eq!(takes, position.counters());
        let piles: PileSizes = game.piles.as_slice().iter().map(|&counters| counters as u32).collect();
        if let Some(two) = answer.two_players {
            prop_assert_eq!(two.grundy.unwrap().value, u64::from(grundy_values(&LastNim, [piles])[0]));
        }
    }

    #[test]
    fn small_nim_is_last_nim_on_descending_piles(
        matrix in matrices(2..=6),
        piles in any_piles(1..=5, 6),
        ending in any_ending(),
    ) {
        let mut descending = piles.as_slice().to_vec();
        descending.sort_unstable_by(|one, other| other.cmp(one));
        let expected = oracle::solve_winners(&to_piles(&PileSizes::from(descending)), &matrix, ending);
        prop_assert_eq!(solve_winners(&SmallNim, &matrix, ending, [piles]), [expected]);
    }

    #[test]
    fn games_of_piles_follow_the_definition(matrix in matrices(2..=4), piles in any_piles(1..=3, 2), ending in any_ending()) {
        check_agreement(&Nim, &piles, &matrix, ending)?;
        check_agreement(&SmallNim, &piles, &matrix, ending)?;
        check_agreement(&LastNim, &piles, &matrix, ending)?;
        check_agreement(&EndNim, &piles, &matrix, ending)?;
        check_agreement(&Kayles, &piles, &matrix, ending)?;
        check_grundy_outcome(&Nim, &piles)?;
        check_grundy_outcome(&WithoutCanonicalForms(&Nim), &piles)?;
        check_grundy_outcome(&SmallNim, &piles)?;
        check_grundy_outcome(&Kayles, &piles)?;
    }

    #[test]
    fn kayles_digits_and_stone_piles_follow_the_definition(
        matrix in matrices(2..=4),
        row in any_piles(1..=1, 6),
        number in any_piles(1..=1, 24),
        stones in any_piles(1..=2, 6),
        ending in any_ending(),
    ) {
        check_agreement(&Kayles, &row, &matrix, ending)?;
        check_agreement(&SubtractDigit, &number, &matrix, ending)?;
        check_agreement(&StonePiles, &stones, &matrix, ending)?;
        check_grundy_outcome(&SubtractDigit, &number)?;
        check_grundy_outcome(&StonePiles, &stones)?;
    }

    #[test]
    fn subtraction_follows_the_definition(
        matrix in matrices(2..=4),
        set in vec(1..=5_u64, 1..=3),
        piles in any_piles(1..=2, 7),
        ending in any_ending(),
    ) {
        let rules = SubtractionGame::parse(&set).unwrap();
        check_agreement(&rules, &piles, &matrix, ending)?;
        check_grundy_outcome(&rules, &piles)?;
    }

    #[test]
    fn circles_follow_the_definition(
        matrix in matrices(2..=4),
        (piles, window) in any_piles(1..=4, 2).prop_flat_map(|piles| {
            let circle = piles.as_slice().len() as u64;
            (Just(piles), 1..=circle)
        }),
        ending in any_ending(),
    ) {
        let rules = CircularNim::parse(window, &piles).unwrap();
        check_agreement(&rules, &piles, &matrix, ending)?;
        check_grundy_outcome(&rules, &piles)?;
    }

    #[test]
    fn fibonacci_nim_follows_the_definition(
        matrix in matrices(2..=4),
        pile in 0..=10_u32,
        max_take in prop::option::of(0..=12_u64),
        ending in any_ending(),
    ) {
        let position = FibonacciPosition::parse(&PileSizes::from(vec![pile]), max_take).unwrap();
        check_agreement(&FibonacciNim, &position, &matrix, ending)?;
        check_grundy_outcome(&FibonacciNim, &position)?;
    }

    #[test]
    fn graph_nim_follows_the_definition(
        matrix in matrices(2..=4),
        edges in vec((0..4_u64, 0..4_u64, 0..=2_u64), 1..=4),
        vertex in 0..4_u64,
        ending in any_ending(),
    ) {
        let edges: Vec<_> = edges.into_iter().map(|(one, other, weight)| [one, other, weight]).collect();
        let position = GraphPosition::parse(&edges, vertex).unwrap();
        check_agreement(&GraphNim, &position, &matrix, ending)?;
        check_grundy_outcome(&GraphNim, &position)?;
    }

    #[test]
    fn the_canonical_form_of_a_position_has_the_same_winners(
        matrix in matrices(2..=5),
        nim in any_piles(1..=4, 5),
        rows in any_piles(1..=2, 6),
        ends in any_piles(1..=5, 4),
        ending in any_ending(),
    ) {
        check_canonical_form(&Nim, &nim, &matrix, ending)?;
        check_canonical_form(&SmallNim, &nim, &matrix, ending)?;
        check_canonical_form(&Kayles, &rows, &matrix, ending)?;
        check_canonical_form(&StonePiles, &rows, &matrix, ending)?;
        check_canonical_form(&SubtractDigit, &rows, &matrix, ending)?;
        check_canonical_form(&EndNim, &ends, &matrix, ending)?;
    }

    #[test]
    fn the_winner_follows_from_the_best_option(
        matrix in matrices(2..=4),
        rows in vec(0..=6_u64, 1..=3),
        ruleset in select(vec![Ruleset::LastNim, Ruleset::Nim, Ruleset::SmallNim, Ruleset::Kayles, Ruleset::Digits,
            Ruleset::StonePiles, Ruleset::EndNim]),
        first in any::<prop::sample::Index>(),
        ending in any_ending(),
    ) {
        let numbers = GameNumbers::of_piles(&rows);
        let Ok(game) = GeneralGame::parse(ruleset, &numbers) else {
            prop_assert_eq!(ruleset, Ruleset::LastNim, "an empty pile can block a move only in Last Nim");
            return Ok(());
        };
        let first = matrix.seats().seat(first.index(matrix.seats().get())).unwrap();
        let answer = game.solve(&matrix, first, ending, MemoryBounds::default(), &mut Budget::unbounded()).unwrap();
        prop_assert_eq!(answer.winner_by_first[first], answer.winner);
        prop_assert_eq!(matrix.seats().seat_at_offset(first, answer.value), answer.winner);
        let best = answer.options.iter().map(|option| option.winner).min_by_key(|&winner| matrix.rank(first, winner));
        prop_assert_eq!(best.unwrap_or_else(|| ending.winner(first, matrix.seats())), answer.winner);
        for option in &answer.options {
            prop_assert_eq!(option.is_optimal(), option.winner == answer.winner);
        }
    }

    /// Answers that follow from a theorem have the same winners as the search.
    #[test]
    fn every_method_finds_the_same_winners_as_the_search(
        seats in 2..=3_usize,
        rows in vec(0..=6_u32, 1..=3),
        ruleset in select(vec![Ruleset::Nim, Ruleset::Kayles, Ruleset::StonePiles]),
        ending in any_ending(),
    ) {
        let matrix = AllianceMatrix::standard(SeatCount::new(seats).unwrap());
        let numbers: Vec<u64> = rows.iter().map(|&size| size.into()).collect();
        let game = GeneralGame::parse(ruleset, &GameNumbers::of_piles(&numbers)).unwrap();
        let answer = game.solve(&matrix, Seat::FIRST, ending, MemoryBounds::default(), &mut Budget::unbounded()).unwrap();
        let piles = [PileSizes::from(rows)];
        let searched = match ruleset {
            Ruleset::Nim => solve_winners(&Nim, &matrix, ending, piles),
            Ruleset::Kayles => solve_winners(&Kayles, &matrix, ending, piles),
            _ => solve_winners(&StonePiles, &matrix, ending, piles),
        };
        prop_assert_eq!(&answer.winner_by_first, &searched[0]);
        let has_theorem = seats == 2 && ending == Ending::LastMoverWins;
        prop_assert_eq!(answer.method == SolvingMethod::SpragueGrundy, has_theorem);
    }
}

fn check_canonical_form<R: Rules>(
    rules: &R,
    position: &R::Position,
    matrix: &AllianceMatrix,
    ending: Ending,
) -> Result<(), TestCaseError> {
    let without_canonical_forms: Vec<BySeat<Seat>> =
        solve_winners(&WithoutCanonicalForms(rules), matrix, ending, [position.clone()]);
    prop_assert_eq!(
        solve_winners(rules, matrix, ending, [position.clone()]),
        without_canonical_forms,
        "{}",
        position
    );
    Ok(())
}
