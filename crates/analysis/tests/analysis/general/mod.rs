//! Tests that the general solver agrees with data, closed forms and brute force.

mod bounds;
mod brute_force;
mod data;
mod grundy_steps;
mod properties;
mod robustness;
mod sequences;
mod shortcuts;

use lastnim_analysis::general::{Anyone, GrundySolver, MemoryBounds, OutcomeClass, PositionSolver, Rules};
use lastnim_core::{
    game::{AllianceMatrix, BySeat, Ending, Seat, SeatCount},
    oracle::Budget,
};

/// Returns the rows of two seats that each want to win.
fn two_selfish_seats() -> AllianceMatrix {
    AllianceMatrix::standard(SeatCount::new(2).unwrap())
}

/// Returns, for every position, the winners by first seat.
fn solve_winners<R: Rules>(
    rules: &R,
    matrix: &AllianceMatrix,
    ending: Ending,
    positions: impl IntoIterator<Item = R::Position>,
) -> Vec<BySeat<Seat>> {
    let mut solver = PositionSolver::new(rules, matrix, ending, MemoryBounds::default());
    let winners = |position| solver.winners(&position, &mut Budget::unbounded()).unwrap();
    positions.into_iter().map(winners).collect()
}

/// Returns the outcome of every position for two seats that each want to win.
fn outcome_classes<R: Rules>(
    rules: &R,
    ending: Ending,
    positions: impl IntoIterator<Item = R::Position>,
) -> Vec<OutcomeClass> {
    solve_winners(rules, &two_selfish_seats(), ending, positions)
        .iter()
        .map(|winners| OutcomeClass::of_winners(winners).unwrap())
        .collect()
}

/// Returns the Grundy value of every position.
fn grundy_values<R: Rules<MoverKind = Anyone>>(
    rules: &R,
    positions: impl IntoIterator<Item = R::Position>,
) -> Vec<u32> {
    let mut values = GrundySolver::new(rules, MemoryBounds::default());
    positions.into_iter().map(|position| values.value(&position, &mut Budget::unbounded()).unwrap()).collect()
}
