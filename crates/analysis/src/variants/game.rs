//! A position of a variant.

use super::{
    AllianceSolution, Alliances, MAX_RANDOM_COUNTERS, PassCount, PassingSolution, RandomSeatSolution,
    TiedMatrix, TiedSolution,
};
use lastnim_core::game::{AllianceMatrix, Ending, Piles, Position, SeatCount, SeatError, SeatSet};
use lastnim_core::oracle::{Budget, HaltReason};
use thiserror::Error;

/// The rules by which a variant differs from Last Nim with strict rows, and the preferences of all seats.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Variant {
    /// Rows with ties.
    Ties(TiedMatrix),
    /// The seats share some passes.
    Passes(AllianceMatrix, PassCount),
    /// Two alliances.
    Alliances(Alliances),
    /// These seats move at random, and the others take that into account.
    RandomSeats(AllianceMatrix, SeatSet),
}

/// A position of a variant, ready to be solved.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VariantGame {
    position: Position,
    ending: Ending,
    variant: Variant,
}

/// The solution of a variant.
#[derive(Debug, Clone, PartialEq)]
pub enum VariantSolution {
    /// The solution for rows with ties.
    Ties(TiedSolution),
    /// The solution for play with passes.
    Passes(PassingSolution),
    /// The solution for two alliances.
    Alliances(AllianceSolution),
    /// The solution for play with random seats.
    RandomSeats(RandomSeatSolution),
}

/// Why a variant cannot be played from this position.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum VariantGameError {
    /// The first seat does not exist.
    #[error("first: {0}")]
    First(#[from] SeatError),
    /// There are too many counters for random seats.
    #[error(
        "{counters} counters in total: expected at most {MAX_RANDOM_COUNTERS} with random seats, because every possible take is examined"
    )]
    TooManyCounters {
        /// The number of counters.
        counters: u128,
    },
}

impl Variant {
    /// Returns the number of seats.
    pub fn seats(&self) -> SeatCount {
        match self {
            Self::Ties(matrix) => matrix.seats(),
            Self::Passes(matrix, _) | Self::RandomSeats(matrix, _) => matrix.seats(),
            Self::Alliances(alliances) => alliances.seats(),
        }
    }
}

impl VariantGame {
    /// Creates a game.
    ///
    /// # Errors
    /// If the variant has no seat `first`, or there are too many counters for random seats.
    pub fn new(
        piles: Piles,
        variant: Variant,
        first: usize,
        ending: Ending,
    ) -> Result<Self, VariantGameError> {
        let seats = variant.seats();
        let first = seats.seat(first)?;
        let counters = piles.as_slice().iter().copied().map(u128::from).sum();
        if matches!(variant, Variant::RandomSeats(..)) && counters > u128::from(MAX_RANDOM_COUNTERS) {
            return Err(VariantGameError::TooManyCounters { counters });
        }
        Ok(Self { position: Position::new(piles, first, seats), ending, variant })
    }

    /// Returns the start position.
    pub fn position(&self) -> &Position {
        &self.position
    }

    /// Returns who wins when no counter is left.
    pub fn ending(&self) -> Ending {
        self.ending
    }

    /// Returns the variant.
    pub fn variant(&self) -> &Variant {
        &self.variant
    }

    /// Solves the game. What a step of the budget covers depends on the variant; the `solve` function of each kind of
    /// solution documents it.
    ///
    /// # Errors
    /// If the budget runs out.
    pub fn solve(&self, budget: &mut Budget<'_>) -> Result<VariantSolution, HaltReason> {
        let Self { position, ending, variant } = self;
        Ok(match variant {
            Variant::Ties(matrix) => {
                VariantSolution::Ties(TiedSolution::solve(position, matrix, *ending, budget)?)
            }
            Variant::Passes(matrix, passes) => {
                VariantSolution::Passes(PassingSolution::solve(position, matrix, *passes, *ending, budget)?)
            }
            Variant::Alliances(alliances) => {
                VariantSolution::Alliances(AllianceSolution::solve(position, alliances, *ending, budget)?)
            }
            Variant::RandomSeats(matrix, random) => {
                let solved = RandomSeatSolution::solve(position, matrix, *random, *ending, budget)?;
                VariantSolution::RandomSeats(solved)
            }
        })
    }
}
