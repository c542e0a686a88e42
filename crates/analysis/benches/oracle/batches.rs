//! Measures how fast many positions under one matrix are solved on one core.

use crate::{
    numbers::{RandomNumbers, new_seat_count},
    samples::Samples,
};
use criterion::Criterion;
use lastnim_core::{
    game::{AllianceMatrix, Ending, Game, Piles, Seat},
    oracle::{self, BatchSolver, reference::memoised_winner},
};
use std::hint::black_box;

const SEATS: u32 = 5;
const PILES: u32 = 10;
/// Maximum number of counters in a pile.
const MAX_COUNTERS: u64 = 9;
/// This many positions fit into the fastest CPU caches.
const CACHED_POSITIONS: u32 = 512;
/// This many positions, 80 MB in total, do not fit into the CPU caches.
const UNCACHED_POSITIONS: u32 = 1_000_000;
/// The number of positions for the memoised solver, which is thousands of times slower.
const MEMOISED_POSITIONS: u32 = 16;

const STANDARD_GROUP: &str = "batch, standard rows";
const RANDOM_GROUP: &str = "batch, random rows";

pub(crate) fn measure(criterion: &mut Criterion, samples: &Samples) {
    let mut numbers = RandomNumbers(9);
    let standard = AllianceMatrix::standard(new_seat_count(SEATS));
    let random = numbers.matrix(new_seat_count(SEATS));
    for (group, matrix) in [(STANDARD_GROUP, &standard), (RANDOM_GROUP, &random)] {
        measure_group(criterion, samples, group, matrix, &mut numbers);
    }
}

fn measure_group(
    criterion: &mut Criterion,
    samples: &Samples,
    group: &str,
    matrix: &AllianceMatrix,
    numbers: &mut RandomNumbers,
) {
    let ending = Ending::ToMoveWins;
    let mut draw_piles = || [(); PILES as usize].map(|()| 1 + numbers.next_below(MAX_COUNTERS));
    let counters: Vec<_> = (0..UNCACHED_POSITIONS).map(|_| draw_piles()).collect();
    let few = &counters[..CACHED_POSITIONS as usize];
    let piles: Vec<_> =
        few.iter().map(|piles| Piles::parse(piles).expect("each pile has counters")).collect();
    let uneven: Vec<_> = (0..CACHED_POSITIONS)
        .map(|_| {
            let count = 1 + numbers.next_below(2 * u64::from(PILES) - 1);
            numbers.piles(count as u32, MAX_COUNTERS)
        })
        .collect();

    let mut batch = BatchSolver::new(matrix, ending);
    for positions in [&piles, &uneven] {
        let mut left = positions.iter();
        batch.solve_positions(positions, |winners| {
            let expected = left.next().map(|piles| oracle::solve_winners(piles, matrix, ending));
            assert_eq!(Some(winners.to_by_seat()), expected);
        });
        assert_eq!(left.len(), 0);
    }
    let games = piles[..MEMOISED_POSITIONS as usize]
        .iter()
        .map(|piles| Game::new(piles.clone(), matrix.clone(), 0, ending));
    let games: Vec<_> = games.map(|game| game.expect("seat 0 exists")).collect();
    for game in &games {
        assert_eq!(batch.solve_position(game.piles.as_slice())[Seat::FIRST], memoised_winner(game));
    }

    let mut winners = vec![Seat::FIRST; UNCACHED_POSITIONS as usize];
    let place = (group, CACHED_POSITIONS);
    samples.measure(criterion, place, "counters", || solve_into(&mut batch, black_box(few), &mut winners));
    samples.measure(criterion, place, "piles", || solve_into(&mut batch, black_box(&piles), &mut winners));
    samples.measure(criterion, place, "uneven", || solve_into(&mut batch, black_box(&uneven), &mut winners));
    samples.measure(criterion, place, "new batch", || {
        solve_into(&mut BatchSolver::new(black_box(matrix), ending), black_box(few), &mut winners)
    });
    samples.measure(criterion, place, "one by one", || {
        for (winner, piles) in winners.iter_mut().zip(black_box(&piles)) {
            *winner = oracle::solve_winners(piles, matrix, ending)[Seat::FIRST];
        }
        winners[0]
    });
    samples.measure(criterion, (group, MEMOISED_POSITIONS), "memoised", || {
        for (winner, game) in winners.iter_mut().zip(black_box(&games)) {
            *winner = memoised_winner(game);
        }
        winners[0]
    });
    samples.measure_slow(criterion, (group, UNCACHED_POSITIONS), "counters", || {
        solve_into(&mut batch, black_box(&counters), &mut winners)
    });
}

/// Stores the winner of each position with seat 0 to move, and returns the first of these winners.
fn solve_into<P: AsRef<[u64]>>(batch: &mut BatchSolver, positions: &[P], winners: &mut [Seat]) -> Seat {
    let mut places = winners.iter_mut();
    batch.solve_positions(positions, |position| {
        if let Some(place) = places.next() {
            *place = position[Seat::FIRST];
        }
    });
    winners[0]
}

pub(crate) fn summarise(samples: &Samples) {
    println!(
        "\nMillions of positions per second on one core with {SEATS} seats and {PILES} piles, from the median time and, in parentheses, from the shortest time; ratios are relative to solving the positions one by one"
    );
    for group in [STANDARD_GROUP, RANDOM_GROUP] {
        let rate = |size: u32, time: Option<f64>| time.map_or(f64::NAN, |time| f64::from(size) / time * 1e3);
        let one_by_one = rate(CACHED_POSITIONS, samples.median(group, CACHED_POSITIONS, "one by one"));
        let line = |name: &str, size, contender| {
            let median = rate(size, samples.median(group, size, contender));
            let least = rate(size, samples.least(group, size, contender));
            println!("  {group}, {name:<30} {median:8.3} ({least:8.3}) = {:8.3} x", median / one_by_one);
        };
        line("counters in the CPU cache", CACHED_POSITIONS, "counters");
        line("counters from 80 MB of memory", UNCACHED_POSITIONS, "counters");
        line("`Piles`", CACHED_POSITIONS, "piles");
        line("`Piles`, 1 to 19 of them", CACHED_POSITIONS, "uneven");
        line("a new batch for 512 positions", CACHED_POSITIONS, "new batch");
        line("one by one", CACHED_POSITIONS, "one by one");
        line("memoised", MEMOISED_POSITIONS, "memoised");
    }
}
