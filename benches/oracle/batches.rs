//! Many positions under one matrix, on one core.

use crate::{
    medians::Medians,
    numbers::{Numbers, seats},
};
use criterion::Criterion;
use lastnim::{
    game::{AllianceMatrix, Ending, Game, Piles, Seat},
    oracle::{self, Batch, reference::memoised_winner},
};
use std::hint::black_box;

const SEATS: u32 = 5;
const PILES: u32 = 10;
/// The most counters of a pile.
const MOST: u64 = 9;
/// Positions that stay in the caches nearest to the core.
const FEW: u32 = 512;
/// Positions that come from memory: 80 MB.
const MANY: u32 = 1_000_000;
/// Positions for the solver that takes some thousand times as long.
const FEWEST: u32 = 16;

const STANDARD: &str = "batch, standard rows";
const RANDOM: &str = "batch, random rows";

pub(crate) fn measure(criterion: &mut Criterion, medians: &Medians) {
    let mut numbers = Numbers(9);
    let standard = AllianceMatrix::standard(seats(SEATS));
    let random = numbers.matrix(seats(SEATS));
    for (group, matrix) in [(STANDARD, &standard), (RANDOM, &random)] {
        measure_under(criterion, medians, group, matrix, &mut numbers);
    }
}

fn measure_under(
    criterion: &mut Criterion,
    medians: &Medians,
    group: &str,
    matrix: &AllianceMatrix,
    numbers: &mut Numbers,
) {
    let ending = Ending::ToMoveWins;
    let mut new = || [(); PILES as usize].map(|()| 1 + numbers.below(MOST));
    let counters: Vec<_> = (0..MANY).map(|_| new()).collect();
    let few = &counters[..FEW as usize];
    let piles: Vec<_> = few.iter().map(|piles| Piles::parse(piles).expect("piles of 1 or more")).collect();
    let uneven: Vec<_> = (0..FEW)
        .map(|_| {
            let count = 1 + numbers.below(2 * u64::from(PILES) - 1);
            numbers.piles(count as u32, MOST)
        })
        .collect();

    let mut batch = Batch::new(matrix, ending);
    for positions in [&piles, &uneven] {
        let mut left = positions.iter();
        batch.solve(positions, |winners| {
            let expected = left.next().map(|piles| oracle::winners(piles, matrix, ending));
            assert_eq!(Some(winners.to_by_seat()), expected);
        });
        assert_eq!(left.len(), 0);
    }
    let games =
        piles[..FEWEST as usize].iter().map(|piles| Game::new(piles.clone(), matrix.clone(), 0, ending));
    let games: Vec<_> = games.map(|game| game.expect("seat 0 exists")).collect();
    for game in &games {
        assert_eq!(batch.winners(game.piles.as_slice())[Seat::FIRST], memoised_winner(game));
    }

    let mut winners = vec![Seat::FIRST; MANY as usize];
    let place = (group, FEW);
    medians.measure(criterion, place, "counters", || solve(&mut batch, black_box(few), &mut winners));
    medians.measure(criterion, place, "piles", || solve(&mut batch, black_box(&piles), &mut winners));
    medians.measure(criterion, place, "uneven", || solve(&mut batch, black_box(&uneven), &mut winners));
    medians.measure(criterion, place, "new batch", || {
        solve(&mut Batch::new(black_box(matrix), ending), black_box(few), &mut winners)
    });
    medians.measure(criterion, place, "one by one", || {
        for (winner, piles) in winners.iter_mut().zip(black_box(&piles)) {
            *winner = oracle::winners(piles, matrix, ending)[Seat::FIRST];
        }
        winners[0]
    });
    medians.measure(criterion, (group, FEWEST), "memoised", || {
        for (winner, game) in winners.iter_mut().zip(black_box(&games)) {
            *winner = memoised_winner(game);
        }
        winners[0]
    });
    medians.measure_slow(criterion, (group, MANY), "counters", || {
        solve(&mut batch, black_box(&counters), &mut winners)
    });
}

/// Writes down the winner of each position when seat 0 moves first.
fn solve<P: AsRef<[u64]>>(batch: &mut Batch, positions: &[P], winners: &mut [Seat]) -> Seat {
    let mut places = winners.iter_mut();
    batch.solve(positions, |position| {
        if let Some(place) = places.next() {
            *place = position[Seat::FIRST];
        }
    });
    winners[0]
}

pub(crate) fn summarise(medians: &Medians) {
    println!("\nPositions a second on one core at n = {SEATS} with {PILES} piles (ratios to one by one)");
    for group in [STANDARD, RANDOM] {
        let throughput = |size: u32, contender| {
            medians.median(group, size, contender).map_or(f64::NAN, |time| f64::from(size) / time * 1e9)
        };
        let one_by_one = throughput(FEW, "one by one");
        let line = |name: &str, throughput: f64| {
            println!(
                "  {group}, {name:<38} {:8.3} million = {:8.3} x",
                throughput / 1e6,
                throughput / one_by_one
            );
        };
        line("counters in a cache", throughput(FEW, "counters"));
        line("counters from 80 MB of memory", throughput(MANY, "counters"));
        line("`Piles`", throughput(FEW, "piles"));
        line("`Piles`, 1 to 19 of them", throughput(FEW, "uneven"));
        line("a new batch for 512 positions", throughput(FEW, "new batch"));
        line("one by one", one_by_one);
        line("memoised", throughput(FEWEST, "memoised"));
    }
}
