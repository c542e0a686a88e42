//! Measures all solvers on the same single positions.

use crate::{
    explicit_tree,
    numbers::{RandomNumbers, new_seat_count},
    samples::Samples,
};
use criterion::Criterion;
use lastnim_analysis::general::{MemoryBounds, PileSizes, PositionSolver, rulesets::LastNim};
use lastnim_core::{
    game::{Ending, Game, Piles},
    oracle::{
        self, BatchSolver, Budget,
        reference::{BackwardInduction, GameTree, memoised_winner},
    },
};
use std::hint::black_box;

const GROUP: &str = "contenders";
/// Maximum number of tree nodes; a node takes a few hundred bytes.
const MAX_NODES: usize = 5_000_000;
/// Maximum number of tree nodes for the crate `extensive-form`; a node takes about a kilobyte with the solution.
const MAX_EXPLICIT_NODES: u64 = 200_000;

/// The piles of the measured positions, which have 4 seats, up to sizes at which the trees exceed their limits.
const MEASURED_PILES: [&[u64]; 6] =
    [&[2, 3], &[4, 1, 4], &[5, 5, 1, 3], &[7, 7, 1, 4], &[9, 9, 1, 6], &[12, 12, 1, 9]];

/// Measures every solver on the same positions, and returns the positions.
pub(crate) fn measure(criterion: &mut Criterion, samples: &Samples) -> Vec<(Game, u32)> {
    let matrix = RandomNumbers(1).matrix(new_seat_count(4));
    let mut batch = BatchSolver::new(&matrix, Ending::ToMoveWins);
    let mut solved = Vec::new();
    for piles in MEASURED_PILES {
        let piles = Piles::parse(piles).expect("each pile has counters");
        let size = piles.as_slice().iter().sum::<u64>() as u32;
        let game = Game::new(piles, matrix.clone(), 0, Ending::ToMoveWins).expect("seat 0 exists");
        let place = (GROUP, size);
        let start: PileSizes = game.piles.as_slice().iter().map(|&counters| counters as u32).collect();
        let winner = oracle::solve_winners(&game.piles, &game.matrix, game.ending)[game.first_seat()];
        samples.measure(criterion, place, "fast", || {
            oracle::solve_winners(black_box(&game.piles), black_box(&game.matrix), game.ending)
        });
        assert_eq!(batch.solve_position(game.piles.as_slice())[game.first_seat()], winner);
        samples.measure(criterion, place, "batch", || {
            batch.solve_position(black_box(game.piles.as_slice()))[game.first_seat()]
        });
        assert_eq!(memoised_winner(&game), winner);
        samples.measure(criterion, place, "memoised", || memoised_winner(black_box(&game)));
        let general = || {
            let mut search =
                PositionSolver::new(&LastNim, black_box(&game.matrix), game.ending, MemoryBounds::default());
            search.winners(&start, &mut Budget::unbounded())
        };
        assert_eq!(general().map(|winners| winners[game.first_seat()]), Ok(winner));
        samples.measure(criterion, place, "general", general);
        assert_eq!(BackwardInduction::new(&game).winner(&game.first_position()), winner);
        samples.measure(criterion, place, "induction", || BackwardInduction::new(black_box(&game)));
        let tree = || {
            let game = black_box(&game);
            GameTree::build(game, MAX_NODES).map(|tree| tree.winner(&game.matrix, game.ending))
        };
        if let Some(by_tree) = tree() {
            assert_eq!(by_tree, winner);
            samples.measure_slow(criterion, place, "tree", tree);
        }
        let explicit = || explicit_tree::winner(black_box(&game), MAX_EXPLICIT_NODES);
        if let Some(by_tree) = explicit() {
            assert_eq!(by_tree, winner);
            samples.measure_slow(criterion, place, "extensive-form", explicit);
        }
        solved.push((game, size));
    }
    solved
}

pub(crate) fn summarise(samples: &Samples, solved: &[(Game, u32)]) {
    println!(
        "\nAll solvers on the same positions with 4 seats (medians; ratios are relative to `fast`, which solves for every first seat at once)"
    );
    for (game, size) in solved {
        let Some(fast) = samples.median(GROUP, *size, "fast") else { continue };
        print!("  piles {:<11} fast {fast:6.1} ns", game.piles.to_string());
        if let Some(batch) = samples.median(GROUP, *size, "batch") {
            print!("   in a batch {batch:5.1} ns = {:4.2} x", batch / fast);
        }
        for contender in ["memoised", "general", "induction", "tree", "extensive-form"] {
            match samples.median(GROUP, *size, contender) {
                Some(time) => print!("   {contender} {:11.3} us = {:9.0} x", time / 1e3, time / fast),
                None => print!("   {contender} gives up"),
            }
        }
        println!();
    }
}
