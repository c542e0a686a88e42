//! The oracle against memoised search, plain backward induction and the paper's explicit tree, on the same positions.
//!
//! Ends with a summary: the ratios, and what a pile costs.

use criterion::{BenchmarkId, Criterion, SamplingMode};
use lastnim::{
    game::{AllianceMatrix, Ending, Game, Piles, SeatCount},
    oracle::{
        self,
        reference::{BackwardInduction, GameTree, memoised_winner},
    },
};
use std::{
    cell::RefCell,
    collections::BTreeMap,
    hint::black_box,
    time::{Duration, Instant},
};

/// The tree gives up above this many nodes, of some hundred bytes each.
const MOST_NODES: usize = 5_000_000;

/// A group, a size in it, and a contender.
type Place = (String, u32, &'static str);

/// The samples of every place, in ns.
#[derive(Default)]
struct Medians(RefCell<BTreeMap<Place, Vec<f64>>>);

impl Medians {
    fn measure<T>(
        &self,
        criterion: &mut Criterion,
        (group, size): (&str, u32),
        contender: &'static str,
        mut solve: impl FnMut() -> T,
    ) {
        let mut benchmarks = criterion.benchmark_group(group);
        if contender == "tree" {
            benchmarks.sampling_mode(SamplingMode::Flat).sample_size(10);
        }
        benchmarks.bench_function(BenchmarkId::new(contender, size), |bencher| {
            bencher.iter_custom(|iterations| {
                let start = Instant::now();
                for _ in 0..iterations {
                    black_box(solve());
                }
                let elapsed = start.elapsed();
                let iterations = u32::try_from(iterations).expect("a sample takes no billions of iterations");
                let sample = 1e9 * elapsed.as_secs_f64() / f64::from(iterations);
                let mut samples = self.0.borrow_mut();
                samples.entry((group.to_owned(), size, contender)).or_default().push(sample);
                elapsed
            });
        });
        benchmarks.finish();
    }

    fn median(&self, group: &str, size: u32, contender: &'static str) -> Option<f64> {
        let mut samples = self.0.borrow().get(&(group.to_owned(), size, contender))?.clone();
        samples.sort_by(f64::total_cmp);
        Some(samples[samples.len() / 2])
    }
}

/// Repeatable numbers for positions (xorshift64).
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % bound
    }

    fn piles(&mut self, count: u32, most: u64) -> Piles {
        let counters: Vec<_> = (0..count).map(|_| 1 + self.below(most)).collect();
        Piles::parse(&counters).expect("piles of 1 or more")
    }

    fn matrix(&mut self, seats: SeatCount) -> AllianceMatrix {
        let rows: Vec<_> = (0..seats.get())
            .map(|_| {
                let mut row: Vec<u64> = (0..seats.get() as u64).collect();
                for place in (1..row.len()).rev() {
                    row.swap(place, self.below(place as u64 + 1) as usize);
                }
                row
            })
            .collect();
        AllianceMatrix::parse(&rows).expect("each row is a permutation")
    }
}

fn seats(count: u32) -> SeatCount {
    SeatCount::new(count as usize).expect("2 to 32 seats")
}

/// The ways to solve a position, from 4 seats and piles like (9, 9, 1, 6) up to where the tree gives up.
fn contenders(criterion: &mut Criterion, medians: &Medians) -> Vec<(Game, u32)> {
    let mut numbers = Numbers(1);
    let matrix = numbers.matrix(seats(4));
    let sweep: [&[u64]; 6] =
        [&[2, 3], &[4, 1, 4], &[5, 5, 1, 3], &[7, 7, 1, 4], &[9, 9, 1, 6], &[12, 12, 1, 9]];
    let mut solved = Vec::new();
    for piles in sweep {
        let piles = Piles::parse(piles).expect("piles of 1 or more");
        let size = piles.as_slice().iter().sum::<u64>() as u32;
        let game = Game::new(piles, matrix.clone(), 0, Ending::ToMoveWins).expect("seat 0 exists");
        let fast = || oracle::winners(black_box(&game.piles), black_box(&game.matrix), game.ending);
        let place = ("contenders", size);
        medians.measure(criterion, place, "fast", fast);
        medians.measure(criterion, place, "memoised", || memoised_winner(black_box(&game)));
        medians.measure(criterion, place, "induction", || BackwardInduction::new(black_box(&game)));
        let tree = |game: &Game| {
            GameTree::build(game, MOST_NODES).map(|tree| tree.winner(&game.matrix, game.ending))
        };
        match tree(&game) {
            None => println!("{}: the tree gives up, it would have more than {MOST_NODES} nodes", game.piles),
            Some(winner) => {
                assert_eq!(fast()[game.first()], winner);
                medians.measure(criterion, place, "tree", || tree(black_box(&game)));
            }
        }
        assert_eq!(fast()[game.first()], memoised_winner(&game));
        solved.push((game, size));
    }
    solved
}

const PILES: [u32; 4] = [4, 16, 64, 1024];
const STANDARD: &str = "five seats, standard rows";
const VARIED: &str = "five seats, standard rows, other piles each time";
const RANDOM: &str = "five seats, random rows";

/// What a pile costs with five seats.
///
/// With standard rows no winner is ever settled, so that every pile is worked through; with other piles each time no
/// branch can be learnt by heart. Random rows are what bots meet: some piles on, the winner no longer depends on the rest.
fn piles(criterion: &mut Criterion, medians: &Medians) {
    let mut numbers = Numbers(5);
    let standard = AllianceMatrix::standard(seats(5));
    for count in PILES {
        let positions: Vec<_> = (0..512).map(|_| numbers.piles(count, 9)).collect();
        let matrices: Vec<_> = (0..512).map(|_| numbers.matrix(seats(5))).collect();
        let solve = |piles, matrix| oracle::winners(black_box(piles), black_box(matrix), Ending::ToMoveWins);
        medians.measure(criterion, (STANDARD, count), "fast", || solve(&positions[0], &standard));
        let mut turn = (0..512).cycle();
        medians.measure(criterion, (VARIED, count), "fast", || {
            solve(&positions[turn.next().unwrap_or_default()], &standard)
        });
        medians.measure(criterion, (RANDOM, count), "fast", || {
            let turn = turn.next().unwrap_or_default();
            solve(&positions[turn], &matrices[turn])
        });
    }
}

const SEATS: [u32; 5] = [2, 5, 8, 16, 32];

/// What the number of seats costs, with 64 high piles.
fn by_seats(criterion: &mut Criterion, medians: &Medians) {
    let piles = Numbers(7).piles(64, 40);
    for count in SEATS {
        let matrix = AllianceMatrix::standard(seats(count));
        medians.measure(criterion, ("64 piles, standard rows", count), "fast", || {
            oracle::winners(black_box(&piles), black_box(&matrix), Ending::ToMoveWins)
        });
    }
}

fn summarise(medians: &Medians, solved: &[(Game, u32)]) {
    println!("\nThe same position, 4 seats (medians; the ratios are to fast)");
    for (game, size) in solved {
        let Some(fast) = medians.median("contenders", *size, "fast") else { continue };
        print!("  piles {:<11} fast {fast:6.1} ns", game.piles.to_string());
        for contender in ["memoised", "induction", "tree"] {
            match medians.median("contenders", *size, contender) {
                Some(time) => print!("   {contender} {:11.3} us = {:9.0} x", time / 1e3, time / fast),
                None => print!("   {contender} gives up"),
            }
        }
        println!();
    }
    println!("\nA pile at n = 5, the whole call divided by the piles");
    for count in PILES {
        let per_pile =
            |group| medians.median(group, count, "fast").map_or(f64::NAN, |time| time / f64::from(count));
        println!(
            "  {count:4} piles: {:6.2} ns a pile with standard rows (other piles each time: {:6.2} ns), {:6.2} ns with \
             random rows",
            per_pile(STANDARD),
            per_pile(VARIED),
            per_pile(RANDOM)
        );
    }
    println!("\nA pile by number of seats, 64 piles, standard rows");
    for count in SEATS {
        if let Some(time) = medians.median("64 piles, standard rows", count, "fast") {
            println!("  n = {count:2}: {:8.2} ns a pile", time / 64.0);
        }
    }
}

fn main() {
    let mut criterion = Criterion::default()
        .warm_up_time(Duration::from_millis(300))
        .measurement_time(Duration::from_secs(1))
        .sample_size(20)
        .configure_from_args();
    let medians = Medians::default();
    let solved = contenders(&mut criterion, &medians);
    piles(&mut criterion, &medians);
    by_seats(&mut criterion, &medians);
    criterion.final_summary();
    summarise(&medians, &solved);
}
