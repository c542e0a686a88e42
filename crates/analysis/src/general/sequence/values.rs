//! Sequences of Grundy values.

use super::{Period, PeriodTheorem, SequenceGame};
use crate::general::{
    Anyone, ExceededBound, GrundySolver, MemoryBounds, OutcomeClass, PileSizes, Rules, SearchStopped,
    rulesets::{FibonacciNim, FibonacciPosition, StonePiles, SubtractionGame},
};
use lastnim_core::oracle::{Budget, HaltReason};

/// The Grundy values of a game's piles, by size from 0 on, if two seats each want to win and the last mover wins.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GrundySequence {
    /// The game.
    pub game: SequenceGame,
    /// The values, by size.
    pub values: Vec<u32>,
    /// The proved law that all values follow, if there is one.
    pub law: SequenceLaw,
}

/// A proved law that all values of a sequence follow, or the reason why no law was proved.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum SequenceLaw {
    /// The value of a pile is its size.
    Identity,
    /// The values repeat from some size on.
    Periodic(Period),
    /// No period was found in the computed values, but there may be one.
    NotFound {
        /// The number of values computed.
        values: usize,
    },
    /// No law can be proved, because no known theorem derives the other values from finitely many computed ones.
    NoCriterion,
}

/// Maximum number of values computed to find a period, unless more values are requested.
const MAX_SEARCHED_VALUES: usize = 100_000;
/// The number of values after which a period is first searched for. Each later search waits until there are twice as
/// many values.
const VALUES_BEFORE_PERIOD_SEARCH: usize = 32;

impl GrundySequence {
    /// Computes the values of all piles up to size `to`, and looks for a period that it can prove. Each option of a
    /// pile counts as one step of the budget.
    ///
    /// Once a period is proved, the remaining values are taken from it.
    ///
    /// # Errors
    /// If the requested values exceed the limits on states, memory, steps or time.
    pub fn compute(
        game: SequenceGame,
        to: u32,
        bounds: MemoryBounds,
        budget: &mut Budget<'_>,
    ) -> Result<Self, SearchStopped> {
        let wanted = to as usize + 1;
        let searched = wanted.max(MAX_SEARCHED_VALUES);
        let (values, law) = match &game {
            SequenceGame::Nim => ((0..=to).collect(), SequenceLaw::Identity),
            SequenceGame::Kayles => {
                kayles_values(ValueCounts { wanted, searched }, bounds, budget)?.into_law()
            }
            SequenceGame::Subtraction(rules) => {
                subtraction_values(rules, ValueCounts { wanted, searched }, bounds, budget)?.into_law()
            }
            SequenceGame::Digits => {
                let values = values_one_by_one(wanted, budget, digits_value)?;
                (values, SequenceLaw::NoCriterion)
            }
            SequenceGame::StonePiles => {
                let pile = |size| PileSizes::from_iter([size]);
                (searched_values(&StonePiles, wanted, pile, bounds, budget)?, SequenceLaw::NoCriterion)
            }
            SequenceGame::FibonacciNim => {
                let values =
                    searched_values(&FibonacciNim, wanted, FibonacciPosition::untouched, bounds, budget)?;
                (values, SequenceLaw::NoCriterion)
            }
        };
        Ok(Self { game, values, law })
    }

    /// Returns the outcome class of a pile with this value: the seat to move wins unless the value is 0.
    pub fn outcome_of_value(value: u32) -> OutcomeClass {
        if value == 0 { OutcomeClass::P } else { OutcomeClass::N }
    }
}

impl SequenceGame {
    /// Computes the values of all piles up to size `to`, and no others. Each option of a pile counts as one step of the
    /// budget.
    ///
    /// # Errors
    /// If the calculation exceeds a limit.
    pub(in crate::general) fn pile_values(
        &self,
        to: u32,
        bounds: MemoryBounds,
        budget: &mut Budget<'_>,
    ) -> Result<PileValues, SearchStopped> {
        let wanted = to as usize + 1;
        let counts = ValueCounts { wanted, searched: wanted };
        match self {
            Self::Kayles => kayles_values(counts, bounds, budget),
            Self::Subtraction(rules) => subtraction_values(rules, counts, bounds, budget),
            // For these games, no known theorem gives the values faster than a search.
            Self::Nim | Self::FibonacciNim | Self::Digits | Self::StonePiles => Ok(PileValues::default()),
        }
    }
}

/// The number of values wanted, from size 0 on, and the maximum number computed to find a period.
#[derive(Debug, Clone, Copy)]
struct ValueCounts {
    wanted: usize,
    /// At least `wanted`.
    searched: usize,
}

/// The Grundy values of piles by size, and their period, if one was proved.
#[derive(Debug, Default)]
pub struct PileValues {
    values: Vec<u32>,
    computed: usize,
    period: Option<Period>,
}

impl PileValues {
    /// Returns the value of a pile; `None` if it was not computed.
    pub fn get(&self, size: u32) -> Option<u32> {
        self.values.get(size as usize).copied()
    }

    /// Returns the number of values that were computed rather than taken from the period.
    pub fn computed_count(&self) -> usize {
        self.computed
    }

    fn into_law(self) -> (Vec<u32>, SequenceLaw) {
        let not_found = SequenceLaw::NotFound { values: self.computed };
        (self.values, self.period.map_or(not_found, SequenceLaw::Periodic))
    }
}

fn kayles_values(
    counts: ValueCounts,
    bounds: MemoryBounds,
    budget: &mut Budget<'_>,
) -> Result<PileValues, SearchStopped> {
    periodic_values(counts, PeriodTheorem::OctalGame { places: 2 }, bounds, budget, kayles_value)
}

fn subtraction_values(
    rules: &SubtractionGame,
    counts: ValueCounts,
    bounds: MemoryBounds,
    budget: &mut Budget<'_>,
) -> Result<PileValues, SearchStopped> {
    let set = rules.allowed_takes();
    let largest = set.last().map_or(0, |&largest| largest as usize);
    periodic_values(counts, PeriodTheorem::Subtraction { largest }, bounds, budget, |known, budget| {
        budget.spend(set.len() as u64)?;
        let options = set.iter().filter_map(|&take| known.len().checked_sub(take as usize));
        Ok(smallest_missing(options.map(|left| known[left])))
    })
}

/// Computes values until a period is proved, and takes the remaining values that are wanted from the period.
fn periodic_values(
    ValueCounts { wanted, searched }: ValueCounts,
    theorem: PeriodTheorem,
    bounds: MemoryBounds,
    budget: &mut Budget<'_>,
    next_value: impl Fn(&[u32], &mut Budget<'_>) -> Result<u32, HaltReason>,
) -> Result<PileValues, SearchStopped> {
    let mut values = Vec::new();
    let mut next_search = VALUES_BEFORE_PERIOD_SEARCH;
    let period = loop {
        if values.len() == next_search || values.len() == searched {
            if let Some(period) = theorem.prove_period(&values) {
                break Some(period);
            }
            next_search *= 2;
        }
        if values.len() >= searched {
            break None;
        }
        let next = bounds
            .check_memory(values.len() + 1, size_of_val(values.as_slice()) as u64)
            .and_then(|()| next_value(&values, budget).map_err(ExceededBound::Work));
        match next {
            Ok(value) => values.push(value),
            // All requested values are known; a period is optional.
            Err(_) if values.len() >= wanted => break None,
            Err(bound) => return Err(SearchStopped { bound, states: values.len() as u64 }),
        }
    };
    let computed = values.len();
    if let Some(period) = &period {
        for size in computed..wanted {
            values.push(values[size - period.length]);
        }
    }
    values.truncate(wanted);
    Ok(PileValues { values, computed, period })
}

fn values_one_by_one(
    wanted: usize,
    budget: &mut Budget<'_>,
    next_value: impl Fn(&[u32], &mut Budget<'_>) -> Result<u32, HaltReason>,
) -> Result<Vec<u32>, SearchStopped> {
    let mut values = Vec::new();
    while values.len() < wanted {
        let value = next_value(&values, budget).map_err(|halt| stopped_after(values.len(), halt))?;
        values.push(value);
    }
    Ok(values)
}

/// Computes the values of a game by a search that uses only its rules.
fn searched_values<R: Rules<MoverKind = Anyone>>(
    rules: &R,
    wanted: usize,
    pile: impl Fn(u32) -> R::Position,
    bounds: MemoryBounds,
    budget: &mut Budget<'_>,
) -> Result<Vec<u32>, SearchStopped> {
    let mut solver = GrundySolver::new(rules, bounds);
    (0..wanted as u32).map(|size| solver.value(&pile(size), budget)).collect()
}

fn stopped_after(values: usize, halt: HaltReason) -> SearchStopped {
    SearchStopped { bound: ExceededBound::Work(halt), states: values as u64 }
}

/// Returns the value of a Kayles row, given the values of all shorter rows.
fn kayles_value(known: &[u32], budget: &mut Budget<'_>) -> Result<u32, HaltReason> {
    let size = known.len();
    budget.spend(size as u64 + 1)?;
    let options = (1..=size.min(2)).flat_map(|stones| {
        let left = size - stones;
        (0..=left / 2).map(move |before| known[before] ^ known[left - before])
    });
    Ok(smallest_missing(options))
}

/// Returns the value of a number in the game of digits, given the values of all smaller numbers.
fn digits_value(known: &[u32], budget: &mut Budget<'_>) -> Result<u32, HaltReason> {
    let number = known.len();
    budget.spend(1)?;
    let digits = std::iter::successors(Some(number), |rest| Some(rest / 10)).take_while(|&rest| rest > 0);
    let digits = digits.map(|rest| rest % 10).filter(|&digit| digit > 0);
    Ok(smallest_missing(digits.map(|digit| known[number - digit])))
}

/// Returns the smallest number that is not among `values` (mex).
fn smallest_missing(values: impl Iterator<Item = u32>) -> u32 {
    let mut seen: Vec<bool> = Vec::new();
    for value in values {
        let value = value as usize;
        if value >= seen.len() {
            seen.resize(value + 1, false);
        }
        seen[value] = true;
    }
    seen.iter().position(|&is_seen| !is_seen).unwrap_or(seen.len()) as u32
}
