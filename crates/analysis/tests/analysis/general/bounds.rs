//! Tests of games with deep searches, and of the errors when a limit is reached.

use super::{solve_winners, two_selfish_seats};
use lastnim_analysis::general::{
    ExceededBound, GameNumbers, GeneralAnswer, GeneralGame, GrundySequence, GrundySolver, MemoryBounds,
    MoveOutcome, NoGrundyReason, OutcomeClass, PileSizes, PositionSolver, Ruleset, SearchStopped,
    SequenceGame, SolveStopped, SolvingMethod,
    rulesets::{Nim, SubtractDigit, SubtractionGame},
};
use lastnim_core::{
    game::{AllianceMatrix, Ending, Seat, SeatCount},
    oracle::{Budget, HaltReason},
};
use std::cell::Cell;

fn solve_within(
    ruleset: Ruleset,
    piles: &[u64],
    seats: usize,
    ending: Ending,
    bounds: MemoryBounds,
    budget: &mut Budget<'_>,
) -> Result<GeneralAnswer, SolveStopped> {
    let game = GeneralGame::parse(ruleset, &GameNumbers::of_piles(piles)).unwrap();
    let matrix = AllianceMatrix::standard(SeatCount::new(seats).unwrap());
    game.solve(&matrix, Seat::FIRST, ending, bounds, budget)
}

#[test]
fn deep_games_do_not_overflow_the_stack() {
    let five = AllianceMatrix::standard(SeatCount::new(5).unwrap());
    let rules = SubtractionGame::parse(&[1]).unwrap();
    let deep = solve_winners(&rules, &five, Ending::LastMoverWins, [PileSizes::from(vec![100_000])]);
    let expected = (0..5).map(|first| (first + 100_000 - 1) % 5);
    assert!(deep[0].iter().map(|seat| seat.index()).eq(expected), "each take is forced");

    let million = PileSizes::from(vec![1_000_000]);
    let [winners] =
        &solve_winners(&SubtractDigit, &two_selfish_seats(), Ending::LastMoverWins, [million.clone()])[..]
    else {
        panic!()
    };
    assert_eq!(OutcomeClass::of_winners(winners), Some(OutcomeClass::P), "a multiple of 10");
    let deep = PileSizes::from(vec![200_000]);
    let value =
        GrundySolver::new(&SubtractDigit, MemoryBounds::default()).value(&deep, &mut Budget::unbounded());
    assert_eq!(value, Ok(0));
}

#[test]
fn errors_name_the_limit_reached() {
    let bounds = MemoryBounds::default();
    let solve_within = |bounds, budget: &mut Budget<'_>| {
        solve_within(Ruleset::Kayles, &[30, 20], 3, Ending::LastMoverWins, bounds, budget).unwrap_err()
    };
    let few = solve_within(MemoryBounds { states: 100, ..bounds }, &mut Budget::unbounded());
    assert_eq!(few.stopped.bound, ExceededBound::States(100));
    assert!(few.stopped.states < 100);
    let text = few.to_string();
    assert!(text.starts_with("kayles 30,20 with 3 seats: the search needs more than 100 states ("), "{text}");
    assert!(text.ends_with("): allow more states, or ask for fewer or smaller piles"), "{text}");

    let small = solve_within(MemoryBounds { bytes: 1 << 20, ..bounds }, &mut Budget::unbounded());
    assert_eq!(small.stopped.bound, ExceededBound::Bytes(1 << 20));
    assert!(small.stopped.states > 1_000, "{small}");
    assert!(small.to_string().contains("the search needs more than 1048576 bytes of memory"), "{small}");

    let short = solve_within(bounds, &mut Budget::of_steps(5_000));
    assert_eq!(short.stopped.bound, ExceededBound::Work(HaltReason::OutOfSteps { limit: 5_000 }));
    assert!(short.to_string().contains("the calculation needs more than 5000 steps"), "{short}");

    let looks = Cell::new(0);
    let may_continue = || {
        looks.set(looks.get() + 1);
        looks.get() < 4
    };
    let unwanted = solve_within(bounds, &mut Budget::interruptible(u64::MAX, &may_continue));
    assert!(matches!(unwanted.stopped.bound, ExceededBound::Work(HaltReason::Stopped { .. })), "{unwanted}");
    assert_eq!(looks.get(), 4);
}

#[test]
fn a_search_continues_from_solved_positions() {
    let matrix = AllianceMatrix::standard(SeatCount::new(3).unwrap());
    let mut solver = PositionSolver::new(&Nim, &matrix, Ending::ToMoveWins, MemoryBounds::default());
    let position = PileSizes::from(vec![9, 9, 9]);
    let stopped = solver.winners(&position, &mut Budget::of_steps(1_000)).unwrap_err();
    assert_eq!(stopped.states, solver.state_count());
    let mut calls = 1;
    let winners = loop {
        match solver.winners(&position, &mut Budget::of_steps(1_000)) {
            Ok(winners) => break winners,
            Err(more) => assert!(more.states >= stopped.states),
        }
        calls += 1;
    };
    assert!(calls > 1);
    assert_eq!([winners], super::solve_winners(&Nim, &matrix, Ending::ToMoveWins, [position])[..]);
}

#[test]
fn sums_too_large_to_search_are_solved_by_their_parts() {
    let rows = vec![60; 12].into_iter().chain([7]).collect::<Vec<_>>();
    let budget = &mut Budget::unbounded();
    let bounds = MemoryBounds { states: 1_000, ..MemoryBounds::default() };
    let answer = solve_within(Ruleset::Kayles, &rows, 2, Ending::LastMoverWins, bounds, budget).unwrap();
    assert_eq!((answer.method, answer.winner), (SolvingMethod::SpragueGrundy, Seat::FIRST));
    let two = answer.two_players.unwrap();
    assert_eq!((two.outcome, two.grundy.unwrap().value), (OutcomeClass::N, 2));
    assert!(answer.options.iter().any(MoveOutcome::is_optimal));
    assert!(answer.options.iter().any(|option| !option.is_optimal()));
    assert!(solve_within(Ruleset::Kayles, &rows, 3, Ending::LastMoverWins, bounds, budget).is_err());

    let high =
        solve_within(Ruleset::Nim, &[1_000, 999, 7], 2, Ending::LastMoverWins, bounds, budget).unwrap();
    assert_eq!(high.two_players.unwrap().grundy.unwrap().value, 0b11_1110_1000 ^ 0b11_1110_0111 ^ 0b111);
    assert_eq!(high.options.iter().filter(|option| option.is_optimal()).count(), 1);
}

#[test]
fn a_proved_period_replaces_the_search() {
    let solve = |ruleset, numbers: &GameNumbers, steps, explained| {
        let game = GeneralGame::parse(ruleset, numbers).unwrap();
        let bounds = MemoryBounds::default();
        let budget = &mut Budget::of_steps(steps);
        let mut answer =
            game.solve(&two_selfish_seats(), Seat::FIRST, Ending::LastMoverWins, bounds, budget).unwrap();
        if explained {
            game.explain_grundy(&mut answer, bounds, budget).unwrap();
        }
        (answer.two_players.unwrap().grundy.unwrap(), answer.states)
    };
    // Each option costs one step. A search would need about the square of that number of steps.
    for explained in [false, true] {
        let kayles = GameNumbers::of_piles(&[100_000, 99_999]);
        let (grundy, states) = solve(Ruleset::Kayles, &kayles, 1_000_000, explained);
        let value = |size: u32| {
            let sequence = SequenceGame::parse(Ruleset::Kayles, &[], None).unwrap();
            let bounds = MemoryBounds::default();
            let values = GrundySequence::compute(sequence, size, bounds, &mut Budget::unbounded()).unwrap();
            u64::from(values.values[size as usize])
        };
        assert_eq!(grundy.value, value(100_000) ^ value(99_999));
        assert_eq!(grundy.parts.iter().any(|part| !part.options.is_empty()), explained);
        assert!(states < 300, "{states}");
    }
    let subtraction = GameNumbers { set: vec![1, 3, 4], ..GameNumbers::of_piles(&[1_000_000, 999_999, 7]) };
    let (grundy, states) = solve(Ruleset::Subtraction, &subtraction, 1_000, false);
    // The values repeat with period 7: 0, 1, 0, 1, 2, 3, 2.
    assert_eq!(
        (grundy.value, states < 100),
        ([0, 1, 0, 1, 2, 3, 2][1_000_000 % 7] ^ [0, 1, 0, 1, 2, 3, 2][999_999 % 7], true)
    );
}

#[test]
fn the_winner_is_found_even_if_the_grundy_value_is_not() {
    let solve_within = |ruleset, piles: &[u64], states| {
        let bounds = MemoryBounds { states, ..MemoryBounds::default() };
        solve_within(ruleset, piles, 2, Ending::LastMoverWins, bounds, &mut Budget::unbounded()).ok()
    };
    // The search for the winner stops at the first winning move, but a Grundy value needs every reachable position.
    let answer = (1..).find_map(|states| solve_within(Ruleset::FibonacciNim, &[40], states)).unwrap();
    assert_eq!((answer.method, answer.winner), (SolvingMethod::BackwardInduction, Seat::FIRST));
    let grundy = answer.two_players.unwrap().grundy;
    assert!(
        matches!(grundy, Err(NoGrundyReason::Stopped(SearchStopped { bound: ExceededBound::States(_), .. }))),
        "{grundy:?}"
    );
    let grundy = solve_within(Ruleset::FibonacciNim, &[40], 10_000).unwrap().two_players.unwrap().grundy;
    assert!(grundy.unwrap().value > 0);

    let partizan = solve_within(Ruleset::EndNim, &[2, 3], 10_000).unwrap();
    assert_eq!(partizan.two_players.unwrap().grundy, Err(NoGrundyReason::Partizan));
}

#[test]
fn listed_options_cost_steps_even_without_search() {
    // Nim's Grundy values have a formula, so nothing is searched, but there are 64,000,000 moves to list.
    let solve_within = |budget: &mut Budget<'_>| {
        let bounds = MemoryBounds { bytes: u64::MAX, ..MemoryBounds::default() };
        solve_within(Ruleset::Nim, &[1_000_000; 64], 2, Ending::LastMoverWins, bounds, budget)
            .unwrap_err()
            .stopped
    };
    let limit = 10_000;
    assert_eq!(
        solve_within(&mut Budget::of_steps(limit)).bound,
        ExceededBound::Work(HaltReason::OutOfSteps { limit })
    );
    let looks = Cell::new(0);
    let may_continue = || {
        looks.set(looks.get() + 1);
        looks.get() < 3
    };
    let stopped = solve_within(&mut Budget::interruptible(u64::MAX, &may_continue));
    assert!(matches!(stopped.bound, ExceededBound::Work(HaltReason::Stopped { .. })), "{stopped:?}");
}
