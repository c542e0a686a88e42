//! Tests of the solver for seats that move at random.

use super::{State, matrices_of_three, seat_count, small_piles, start_position, takes_of};
use lastnim_analysis::variants::{
    MAX_RANDOM_COUNTERS, RandomSeatSolution, Variant, VariantGame, VariantSolution,
};
use lastnim_core::game::testing::{games, matrices};
use lastnim_core::game::{AllianceMatrix, BySeat, Ending, MAX_COUNTERS, MAX_SEATS, Piles, Seat, SeatSet};
use lastnim_core::oracle::{Budget, HaltReason, Solution};
use proptest::{collection::vec, prelude::*, sample::select};
use std::cmp::Ordering;
use std::iter::Sum;
use std::ops::Add;

/// An exact fraction in lowest terms, so that equal chances compare as equal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Fraction {
    numerator: i128,
    denominator: i128,
}

impl Fraction {
    const ZERO: Self = Self { numerator: 0, denominator: 1 };
    const ONE: Self = Self { numerator: 1, denominator: 1 };

    fn new(numerator: i128, denominator: i128) -> Self {
        let (mut one, mut other) = (numerator, denominator);
        while other != 0 {
            (one, other) = (other, one % other);
        }
        Self { numerator: numerator / one, denominator: denominator / one }
    }

    fn times(self, factor: usize) -> Self {
        Self::new(self.numerator * factor as i128, self.denominator)
    }

    fn divided_by(self, divisor: u64) -> Self {
        Self::new(self.numerator, self.denominator * i128::from(divisor))
    }

    #[expect(clippy::cast_precision_loss, reason = "the tolerance of the comparison allows for it")]
    fn to_f64(self) -> f64 {
        self.numerator as f64 / self.denominator as f64
    }
}

impl Add for Fraction {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self::new(
            self.numerator * other.denominator + other.numerator * self.denominator,
            self.denominator * other.denominator,
        )
    }
}

impl Sum for Fraction {
    fn sum<I: Iterator<Item = Self>>(fractions: I) -> Self {
        fractions.fold(Self::ZERO, Add::add)
    }
}

impl PartialOrd for Fraction {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Fraction {
    fn cmp(&self, other: &Self) -> Ordering {
        (self.numerator * other.denominator).cmp(&(other.numerator * self.denominator))
    }
}

/// The result of searching a position: the chances of each seat, the optimal takes, and whether a choice between
/// equally good takes changes the chances somewhere.
struct SearchOutcome {
    chances: BySeat<Fraction>,
    optimal: Vec<u64>,
    has_ties: bool,
}

fn expected_rank(chances: &BySeat<Fraction>, matrix: &AllianceMatrix, seat: Seat) -> Fraction {
    chances.enumerate().map(|(winner, chance)| chance.times(matrix.rank(seat, winner))).sum()
}

/// Searches a position take by take, with exact chances.
fn search_position(state: &State, matrix: &AllianceMatrix, random: SeatSet, ending: Ending) -> SearchOutcome {
    if let Some(winner) = state.winner(ending) {
        let chances =
            BySeat::from_fn(state.seats, |seat| if seat == winner { Fraction::ONE } else { Fraction::ZERO });
        return SearchOutcome { chances, optimal: Vec::new(), has_ties: false };
    }
    let after: Vec<SearchOutcome> =
        state.takes().map(|take| search_position(&state.after(take), matrix, random, ending)).collect();
    let mut has_ties = after.iter().any(|after| after.has_ties);
    if random.contains(state.to_move) {
        let chances = BySeat::from_fn(state.seats, |seat| {
            after.iter().map(|after| after.chances[seat]).sum::<Fraction>().divided_by(after.len() as u64)
        });
        return SearchOutcome { chances, optimal: Vec::new(), has_ties };
    }
    let rank = |after: &SearchOutcome| expected_rank(&after.chances, matrix, state.to_move);
    let best = after.iter().map(rank).min().unwrap();
    let optimal: Vec<u64> =
        state.takes().zip(&after).filter(|(_, after)| rank(after) == best).map(|(take, _)| take).collect();
    // The first optimal take has the fewest counters.
    let chances = after[optimal[0] as usize - 1].chances.clone();
    has_ties |= optimal.iter().any(|&take| after[take as usize - 1].chances != chances);
    SearchOutcome { chances, optimal, has_ties }
}

fn check_solution(piles: &[u64], first: usize, matrix: &AllianceMatrix, random: SeatSet, ending: Ending) {
    let position = start_position(piles, first, matrix.seats());
    let solved =
        RandomSeatSolution::solve(&position, matrix, random, ending, &mut Budget::unbounded()).unwrap();
    let mover = position.to_move();
    let expected = search_position(&State::new(piles, mover, matrix.seats()), matrix, random, ending);
    let what = format!("{piles:?} {matrix} random {random:?} {ending} seat {first}");
    for (seat, &probability) in solved.win_probabilities.enumerate() {
        assert!((probability - expected.chances[seat].to_f64()).abs() < 1e-12, "{what}");
        let rank = expected_rank(&expected.chances, matrix, seat).to_f64();
        assert!((solved.expected_ranks[seat] - rank).abs() < 1e-12, "{what}");
    }
    assert_eq!(takes_of(&solved.optimal_takes), expected.optimal, "{what}");
    assert_eq!(solved.has_ties, expected.has_ties, "{what}");
}

#[test]
fn all_small_positions_of_three_seats_agree_with_a_search() {
    let seats: Vec<Seat> = seat_count(3).iter().collect();
    for matrix in matrices_of_three() {
        for bits in 0..8_u32 {
            let random = seats.iter().copied().filter(|seat| bits >> seat.index() & 1 == 1).collect();
            for piles in small_piles(4) {
                for ending in Ending::ALL {
                    check_solution(&piles, 0, &matrix, random, ending);
                }
            }
        }
    }
}

fn random_seats(bits: u32, matrix: &AllianceMatrix) -> SeatSet {
    matrix.seats().iter().filter(|seat| bits >> seat.index() & 1 == 1).collect()
}

proptest! {
    #[test]
    fn random_positions_agree_with_a_search(
        matrix in matrices(2..=5),
        bits in any::<u32>(),
        piles in select(small_piles(8)),
        first in any::<prop::sample::Index>(),
        ending in select(&Ending::ALL[..]),
    ) {
        let first = first.index(matrix.seats().get());
        check_solution(&piles, first, &matrix, random_seats(bits, &matrix), ending);
    }

    #[test]
    fn the_game_without_random_seats_is_last_nim(game in games(2..=MAX_SEATS, 1..=4, 1..=40)) {
        let (strict, position) = (Solution::new(&game), game.first_position());
        let solved = RandomSeatSolution::solve(
            &position, &game.matrix, SeatSet::default(), game.ending, &mut Budget::unbounded()).unwrap();
        prop_assert!((solved.win_probabilities[strict.winner(&position)] - 1.0).abs() < 1e-12);
        let takes = strict.optimal_takes(&position);
        prop_assert_eq!(&solved.optimal_takes[..], takes.as_slice());
        prop_assert!(!solved.has_ties);
    }

    #[test]
    fn chances_add_up_to_one(
        matrix in matrices(2..=6),
        bits in any::<u32>(),
        piles in vec(1..=300_u64, 1..=4),
    ) {
        let random = random_seats(bits, &matrix);
        let position = start_position(&piles, 0, matrix.seats());
        let solved = RandomSeatSolution::solve(
            &position, &matrix, random, Ending::ToMoveWins, &mut Budget::unbounded()).unwrap();
        prop_assert!((solved.win_probabilities.iter().sum::<f64>() - 1.0).abs() < 1e-9);
        prop_assert_eq!(solved.optimal_takes.is_empty(), random.contains(Seat::FIRST));
    }
}

#[test]
fn errors_name_too_many_counters_and_a_small_budget() {
    let matrix = AllianceMatrix::standard(seat_count(3));
    let game = |piles: &[u64]| {
        let random = Variant::RandomSeats(matrix.clone(), SeatSet::from_iter([Seat::FIRST]));
        VariantGame::new(Piles::parse(piles).unwrap(), random, 1, Ending::ToMoveWins)
    };
    assert_eq!(
        game(&[MAX_COUNTERS, MAX_COUNTERS]).unwrap_err().to_string(),
        "18446744073709551614 counters in total: expected at most 100000 with random seats, because every possible take is examined"
    );
    assert!(game(&[MAX_RANDOM_COUNTERS, 1]).is_err());
    let largest = game(&[MAX_RANDOM_COUNTERS]).unwrap();
    let halted = largest.solve(&mut Budget::of_steps(1_000));
    assert_eq!(halted, Err(HaltReason::OutOfSteps { limit: 1_000 }));
    assert!(matches!(largest.solve(&mut Budget::unbounded()), Ok(VariantSolution::RandomSeats(_))));
}
