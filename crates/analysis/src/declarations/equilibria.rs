//! All pure Nash equilibria of the simultaneous declaration game.

use super::{
    Completeness, RowProfiles, TruthCheck,
    profile_search::{DeviationVerdict, ProfileSearch},
};
use crate::{PartialRow, RowCount, lazy::count_all_rows};
use lastnim_core::{
    game::{AllianceMatrix, BySeat, Game, Seat, SeatCount},
    oracle::{Budget, HaltReason, solve_winners},
};
use std::ops::ControlFlow;
use thiserror::Error;

/// The maximum number of seats in a search for all equilibria: with 8 seats there are (8!)^8 profiles, a number that
/// still fits into a counter.
pub const MAX_EQUILIBRIA_SEATS: usize = 8;

/// The maximum number of sets of equilibria in an answer. Equilibria in further sets are counted but not returned.
pub const MAX_REGIONS: usize = 1 << 14;

/// Why there was no search for equilibria.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum EquilibriaError {
    /// There are too many seats.
    #[error("{0} seats: expected at most {MAX_EQUILIBRIA_SEATS} in a search for all equilibria")]
    Seats(SeatCount),
}

/// All pure Nash equilibria of the simultaneous declaration game. A profile, with one declared row for each seat, is an
/// equilibrium if no seat can change only its own row to get a winner that its true row ranks better.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Equilibria {
    /// Whether truthful declarations by all seats are an equilibrium. This is checked first, and such an equilibrium is
    /// always counted.
    pub truth: TruthCheck,
    /// The number of equilibria that each seat wins.
    pub by_winner: BySeat<RowCount>,
    /// The equilibria, in up to [`MAX_REGIONS`] disjoint sets.
    pub regions: Vec<RowProfiles>,
    /// The number of sets that were left out of `regions`.
    pub regions_left_out: u64,
    /// Whether all (n!)^n profiles were examined and all equilibria counted; if not, the numbers are lower bounds.
    pub settled: Completeness,
}

impl Equilibria {
    /// Finds the equilibria by branching over the rows of all seats at once. In each branch, each level of a pile costs
    /// one step of the budget. So does each set of offsets whose orders are counted.
    ///
    /// # Errors
    /// If there are more than [`MAX_EQUILIBRIA_SEATS`] seats.
    pub fn find(game: &Game, budget: &mut Budget<'_>) -> Result<Self, EquilibriaError> {
        let seats = game.matrix.seats();
        if seats.get() > MAX_EQUILIBRIA_SEATS {
            return Err(EquilibriaError::Seats(seats));
        }
        let mut search = EquilibriumSearch {
            game,
            found: Self {
                truth: TruthCheck::check(game, budget),
                by_winner: BySeat::filled(seats, &RowCount::Exactly(0)),
                regions: Vec::new(),
                regions_left_out: 0,
                settled: Completeness::Complete,
            },
            examined_count: RowCount::Exactly(0),
            count_halt: None,
            has_truth: false,
        };
        let all = count_all_rows(seats).pow(seats.get() as u32);
        if let Err(halt) = search.run(budget) {
            search.add_truth();
            // The profile of true rows may have been the only one that was not examined.
            if search.examined_count.at_least() < all {
                search.count_halt = Some(halt);
                search.found.by_winner = search.found.by_winner.map(|count| count.as_lower_bound());
            }
        }
        if let Some(halt) = search.count_halt {
            let settled = search.examined_count.at_least();
            search.found.settled = Completeness::Partial { settled, all, halt };
        }
        Ok(search.found)
    }

    /// Returns up to `limit` equilibria with their winners: first the truth if it is an equilibrium, then one from each
    /// set, starting with a set for each winner, and then others.
    pub fn examples(&self, truth: &AllianceMatrix, limit: usize) -> Vec<(AllianceMatrix, Seat)> {
        let mut is_new = BySeat::filled(truth.seats(), &true);
        let mut regions: Vec<_> = self
            .regions
            .iter()
            .map(|region| {
                let is_first = std::mem::replace(&mut is_new[region.winner], false);
                (!region.contains(truth), !is_first, region)
            })
            .collect();
        regions.sort_by_key(|&(is_not_truth, is_not_first, _)| (is_not_truth, is_not_first));
        let example_of = |region: &RowProfiles| {
            if region.contains(truth) { truth.clone() } else { region.example() }
        };
        let one_each = regions.iter().map(|&(_, _, region)| (example_of(region), region.winner));
        let others = regions.iter().flat_map(|&(_, _, region)| {
            let shown = example_of(region);
            region
                .matrices()
                .filter(move |declared| *declared != shown)
                .map(move |declared| (declared, region.winner))
        });
        one_each.chain(others).take(limit).collect()
    }

    /// Returns the number of equilibria found.
    pub fn count(&self) -> RowCount {
        self.by_winner.iter().fold(RowCount::Exactly(0), |all, &count| all + count)
    }
}

struct EquilibriumSearch<'a> {
    game: &'a Game,
    found: Equilibria,
    examined_count: RowCount,
    /// Why some equilibria could not be counted.
    count_halt: Option<HaltReason>,
    /// Whether the truth is among the equilibria found.
    has_truth: bool,
}

/// A set of profiles that all lead to the same winner, in which none of the first `cleared` seats has a better row.
struct EquilibriumCandidate {
    rows: Vec<PartialRow>,
    winner: Seat,
    cleared: usize,
}

impl EquilibriumSearch<'_> {
    fn run(&mut self, budget: &mut Budget<'_>) -> Result<(), HaltReason> {
        let seats = self.game.matrix.seats();
        let unknown = vec![PartialRow::unknown(seats); seats.get()];
        let profiles = ProfileSearch::new(self.game);
        profiles.visit_leaves(unknown, budget, |rows, winner, budget| {
            self.resolve_candidate(&profiles, EquilibriumCandidate { rows, winner, cleared: 0 }, budget)?;
            Ok(ControlFlow::Continue(()))
        })
    }

    /// Finds the equilibria among the profiles of a leaf.
    fn resolve_candidate(
        &mut self,
        profiles: &ProfileSearch<'_>,
        leaf: EquilibriumCandidate,
        budget: &mut Budget<'_>,
    ) -> Result<(), HaltReason> {
        let seats = self.game.matrix.seats();
        let mut candidates = vec![leaf];
        while let Some(mut candidate) = candidates.pop() {
            let Ok(seat) = seats.seat(candidate.cleared) else {
                self.add_equilibria(candidate, budget);
                continue;
            };
            match profiles.find_deviation(&candidate.rows, candidate.winner, seat, budget)? {
                DeviationVerdict::Always => {
                    self.examined_count = self.examined_count + count_profiles(&candidate.rows, budget).0;
                }
                DeviationVerdict::Never => {
                    candidate.cleared += 1;
                    candidates.push(candidate);
                }
                DeviationVerdict::Depends(fork) => {
                    let EquilibriumCandidate { rows, winner, cleared } = candidate;
                    candidates.extend(fork.split_rows(&rows).map(|rows| EquilibriumCandidate {
                        rows,
                        winner,
                        cleared,
                    }));
                }
            }
        }
        Ok(())
    }

    /// Counts the profiles of a candidate, which are all equilibria, and keeps them as a region.
    fn add_equilibria(
        &mut self,
        EquilibriumCandidate { rows, winner, .. }: EquilibriumCandidate,
        budget: &mut Budget<'_>,
    ) {
        let (count, halt) = count_profiles(&rows, budget);
        self.count_halt = halt.or(self.count_halt);
        self.examined_count = self.examined_count + count;
        self.found.by_winner[winner] = self.found.by_winner[winner] + count;
        let region =
            RowProfiles { rows: rows.try_into().expect("there is a row for each seat"), winner, count };
        let is_truth = region.contains(&self.game.matrix);
        self.has_truth |= is_truth;
        if is_truth || self.found.regions.len() < MAX_REGIONS {
            self.found.regions.push(region);
        } else {
            self.found.regions_left_out += 1;
        }
    }

    /// Counts the truth, if it is an equilibrium that the search did not reach.
    fn add_truth(&mut self) {
        if self.has_truth || self.found.truth != TruthCheck::Equilibrium {
            return;
        }
        let Game { piles, matrix, ending, .. } = self.game;
        let winner = solve_winners(piles, matrix, *ending)[self.game.first_seat()];
        let count = RowCount::Exactly(1);
        self.examined_count = self.examined_count + count;
        self.found.by_winner[winner] = self.found.by_winner[winner] + count;
        let rows = BySeat::from_fn(matrix.seats(), |seat| PartialRow::from(&matrix[seat]));
        self.found.regions.insert(0, RowProfiles { rows, winner, count });
    }
}

/// Counts the profiles in a product of partial rows. Also returns the reason if the count is not exact.
pub(crate) fn count_profiles(rows: &[PartialRow], budget: &mut Budget<'_>) -> (RowCount, Option<HaltReason>) {
    rows.iter().fold((RowCount::Exactly(1), None), |(count, halt), known| {
        match RowCount::count(known, budget) {
            Ok(rows) => (count * RowCount::Exactly(rows), halt),
            Err(halt) => (count * RowCount::AtLeast(1), Some(halt)),
        }
    })
}
