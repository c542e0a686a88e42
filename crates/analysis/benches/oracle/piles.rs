//! The time per pile when positions are solved one by one.

use crate::{
    numbers::{RandomNumbers, new_seat_count},
    samples::Samples,
};
use criterion::Criterion;
use lastnim_core::{
    game::{AllianceMatrix, Ending},
    oracle,
};
use std::hint::black_box;

/// The numbers of piles that are measured with five seats.
const PILES: [u32; 4] = [4, 16, 64, 1024];
/// The numbers of seats that are measured with 64 piles.
const SEATS: [u32; 8] = [2, 3, 5, 8, 12, 16, 24, 32];
/// The number of piles with which each number of seats is measured.
const FIXED_PILES: u32 = 64;
/// The number of positions that are solved in turn. There are too many for the branch predictor to learn.
const POSITIONS: usize = 512;

const BY_PILES: &str = "five seats by piles";
const BY_SEATS: &str = "64 piles by seats";
/// With standard rows the winner always depends on who moves, so every pile is processed.
const STANDARD_ROWS: &str = "standard rows";
const ONE_POSITION: &str = "the same position each time";
/// The usual case: after some piles, the winner no longer depends on the remaining ones.
const RANDOM_ROWS: &str = "random rows";

pub(crate) fn measure(criterion: &mut Criterion, samples: &Samples) {
    for count in PILES {
        measure_at(criterion, samples, (BY_PILES, count), 5, count);
    }
    for count in SEATS {
        measure_at(criterion, samples, (BY_SEATS, count), count, FIXED_PILES);
    }
}

fn measure_at(criterion: &mut Criterion, samples: &Samples, place: (&str, u32), seat_count: u32, piles: u32) {
    let mut numbers = RandomNumbers(5);
    let seats = new_seat_count(seat_count);
    let standard = AllianceMatrix::standard(seats);
    let positions: Vec<_> = (0..POSITIONS).map(|_| numbers.piles(piles, 2 * u64::from(seat_count))).collect();
    let matrices: Vec<_> = (0..POSITIONS).map(|_| numbers.matrix(seats)).collect();
    let solve =
        |piles, matrix| oracle::solve_winners(black_box(piles), black_box(matrix), Ending::ToMoveWins);
    samples.measure(criterion, place, ONE_POSITION, || solve(&positions[0], &standard));
    let mut turns = (0..POSITIONS).cycle();
    let mut next_turn = || turns.next().unwrap_or_default();
    samples.measure(criterion, place, STANDARD_ROWS, || solve(&positions[next_turn()], &standard));
    samples.measure(criterion, place, RANDOM_ROWS, || {
        let turn = next_turn();
        solve(&positions[turn], &matrices[turn])
    });
}

pub(crate) fn summarise(samples: &Samples) {
    let line = |name: &str, (group, size), piles: u32| {
        print!("  {name}:");
        for kind in [STANDARD_ROWS, ONE_POSITION, RANDOM_ROWS] {
            let per_pile = |time: Option<f64>| time.map_or(f64::NAN, |time| time / f64::from(piles));
            let median = per_pile(samples.median(group, size, kind));
            let least = per_pile(samples.least(group, size, kind));
            print!("   {kind} {median:6.2} ({least:6.2})");
        }
        println!();
    };
    println!(
        "\nTime per pile with five seats, by number of piles, in ns: the median, and the minimum in parentheses"
    );
    for count in PILES {
        line(&format!("{count:4} piles"), (BY_PILES, count), count);
    }
    println!(
        "\nTime per pile with {FIXED_PILES} piles, by number of seats, in ns: the median, and the minimum in parentheses"
    );
    for count in SEATS {
        line(&format!("n = {count:2}"), (BY_SEATS, count), FIXED_PILES);
    }
}
