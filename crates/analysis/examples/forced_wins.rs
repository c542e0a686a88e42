//! Measures how often the winner under optimal play can force its rank, how often a single other seat can prevent this,
//! and how robust the win is to errors.
//!
//! `cargo run --release -p lastnim-analysis --example forced_wins` prints a table for randomly drawn positions of 2 to
//! 6 piles of 1 to 9 counters, with a random seat to move. The draws are reproducible. The book quotes figures from
//! this table.

use lastnim_analysis::{ErrorOutlook, ErrorRate, Robustness, SmallestCoalition};
use lastnim_core::{
    game::{AllianceMatrix, Ending, Game, Piles, SeatCount},
    oracle::Budget,
};

/// The number of positions drawn for each number of seats and each kind of rows.
const POSITIONS: u32 = 20_000;
/// The probability that a seat draws its take at random instead of choosing an optimal one.
const ERROR_RATE: f64 = 0.05;

fn main() {
    println!("each line: {POSITIONS} positions of 2 to 6 piles of 1 to 9 counters; ending to_move_wins");
    println!("forced    the predicted winner can force its predicted rank against all others together");
    println!("by one    a single other seat can worsen that rank by turning against the winner");
    println!(
        "kept      average probability that the winner's rank is no worse than predicted if each take is random with probability {ERROR_RATE}"
    );
    println!("seats  rows      forced  by one    kept");
    for seats in [2, 3, 4, 5, 6, 8] {
        let seats = SeatCount::new(seats).expect("there are 2 to 32 seats");
        let mut numbers = RandomNumbers(0x9e37_79b9_7f4a_7c15);
        let standard = |_: &mut RandomNumbers| AllianceMatrix::standard(seats);
        print_forced_wins(seats, "standard", &mut numbers, standard);
        print_forced_wins(seats, "random", &mut numbers, |numbers| numbers.matrix(seats));
    }
}

fn print_forced_wins(
    seats: SeatCount,
    rows: &str,
    numbers: &mut RandomNumbers,
    mut matrix: impl FnMut(&mut RandomNumbers) -> AllianceMatrix,
) {
    let rate = ErrorRate::new(ERROR_RATE).expect("a probability");
    let (mut forced, mut by_one, mut kept) = (0_u32, 0_u32, 0.0);
    for _ in 0..POSITIONS {
        let matrix = matrix(numbers);
        let count = 2 + numbers.next_below(5);
        let piles: Vec<u64> = (0..count).map(|_| 1 + numbers.next_below(9)).collect();
        let piles = Piles::parse(&piles).expect("each pile has counters");
        let first = numbers.next_below(seats.get() as u64) as usize;
        let game = Game::new(piles, matrix, first, Ending::ToMoveWins).expect("the seat is in the matrix");
        let robustness = Robustness::assess(&game, 1, &mut Budget::unbounded());
        forced += u32::from(robustness.is_winner_sure());
        let winner = &robustness.seats[robustness.winner];
        by_one += u32::from(matches!(winner.smallest_coalition, SmallestCoalition::Found(_)));
        let outlook =
            ErrorOutlook::of_game(&game, rate, &mut Budget::unbounded()).expect("there are few counters");
        kept += outlook.seats[robustness.winner].kept_if_all_err;
    }
    let percent = |count: f64| 100.0 * count / f64::from(POSITIONS);
    println!(
        "{seats:>5}  {rows:<8} {:>6.1}%  {:>5.1}%  {:>5.1}%",
        percent(forced.into()),
        percent(by_one.into()),
        percent(kept)
    );
}

/// A random number generator (xorshift64); its state must not be 0.
struct RandomNumbers(u64);

impl RandomNumbers {
    fn next_below(&mut self, bound: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % bound
    }

    fn matrix(&mut self, seats: SeatCount) -> AllianceMatrix {
        let rows: Vec<_> = (0..seats.get())
            .map(|_| {
                let mut row: Vec<u64> = (0..seats.get() as u64).collect();
                for place in (1..row.len()).rev() {
                    row.swap(place, self.next_below(place as u64 + 1) as usize);
                }
                row
            })
            .collect();
        AllianceMatrix::parse(&rows).expect("each row is a permutation")
    }
}
