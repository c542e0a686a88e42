//! The search for the smallest contradiction.
//!
//! A set of takes is a contradiction if each of the n! rows is refuted by one of them. The search never lists all rows.
//! It keeps a sample of rows, finds the fewest takes that refute the sample, and uses lazy branching to find rows that
//! these takes do not refute. It adds those rows to the sample and repeats. When no such row is left, the takes are a
//! minimal contradiction, since fewer takes do not even refute the sample.

use super::{
    Contradiction, Minimality, TakeOfGame, added_game::AddGameOutcome, cover::RefutationCover,
    explained_leaves::ExplainedLeaves, seat_takes::SeatTakes,
};
use crate::PartialRow;
use lastnim_core::{game::SeatCount, oracle::Budget};

/// Maximum number of leaves (partial rows) that are kept while takes of several games are combined.
const MAX_COMBINED_LEAVES: usize = 1 << 14;
/// The number of rows that are added to the sample in each round.
const ROWS_PER_ROUND: usize = 8;

/// All kept takes, ordered so that a prefix of them is a contradiction.
pub(super) struct ContradictingTakes<'a> {
    seats: SeatCount,
    games: Vec<&'a (u64, SeatTakes)>,
    /// By game: the index of its first take in `takes`.
    first_takes: Vec<usize>,
    /// For each take: the index of its game, and its place among the takes of that game.
    takes: Vec<(usize, usize)>,
    /// The length of the contradicting prefix.
    contradicting: usize,
}

/// The error returned when the search is abandoned, with a lower bound on the number of takes in a contradiction.
struct SearchAbandoned {
    at_least: usize,
}

impl<'a> ContradictingTakes<'a> {
    /// Combines the takes of the `narrowing` games, which together leave no row, with the takes of other games.
    pub(super) fn new(
        seats: SeatCount,
        narrowing: &'a [(u64, SeatTakes)],
        others: &'a [(u64, SeatTakes)],
    ) -> Self {
        let games: Vec<_> = narrowing.iter().chain(others).collect();
        let (mut first_takes, mut takes) = (Vec::new(), Vec::new());
        for (index, (_, game)) in games.iter().enumerate() {
            first_takes.push(takes.len());
            takes.extend((0..game.takes.len()).map(|place| (index, place)));
        }
        let contradicting = narrowing.iter().map(|(_, game)| game.takes.len()).sum();
        Self { seats, games, first_takes, takes, contradicting }
    }

    /// Finds the shortest contradiction within the budget; `dropped_takes` is the number of takes that were not kept.
    pub(super) fn find_contradiction(&self, dropped_takes: u64, budget: &mut Budget<'_>) -> Contradiction {
        let irreducible = self.find_irreducible(budget);
        let (takes, minimality) = match self.find_shortest(irreducible.clone(), budget) {
            Ok(takes) if dropped_takes == 0 => (takes, Minimality::Proved),
            Ok(takes) => (takes, Minimality::ProvedAmong(self.takes.len() as u64)),
            Err(SearchAbandoned { at_least }) => (irreducible, Minimality::AtLeast(at_least)),
        };
        let mut takes: Vec<_> = takes.iter().map(|&take| self.take_of_game(take)).collect();
        takes.sort_unstable();
        Contradiction { takes, minimality }
    }

    fn take_of_game(&self, take: usize) -> TakeOfGame {
        let (index, place) = self.takes[take];
        let (game, takes) = self.games[index];
        TakeOfGame { game: *game, ply: takes.takes[place].ply }
    }

    /// Removes takes from a contradiction until all remaining ones are necessary, or the budget runs out.
    ///
    /// When takes are added one by one, the take after which no row is left is necessary.
    fn find_irreducible(&self, budget: &mut Budget<'_>) -> Vec<usize> {
        let (mut needed, mut perhaps) = (Vec::new(), (0..self.contradicting).collect::<Vec<_>>());
        loop {
            let narrowing = self.rows_explaining(&needed, budget).and_then(|leaves| {
                if leaves.is_empty() {
                    Ok(None)
                } else {
                    self.find_narrowing(leaves, &perhaps, budget).map(Some)
                }
            });
            match narrowing {
                Ok(Some(mut narrowing)) => {
                    needed.extend(narrowing.pop());
                    perhaps = narrowing;
                }
                Ok(None) => return needed,
                Err(_) => {
                    needed.extend(perhaps);
                    return needed;
                }
            }
        }
    }

    /// Returns those takes that narrow the rows left by the takes before them, up to the take after which no row is
    /// left.
    fn find_narrowing(
        &self,
        mut leaves: Vec<PartialRow>,
        takes: &[usize],
        budget: &mut Budget<'_>,
    ) -> Result<Vec<usize>, AddGameOutcome> {
        let mut narrowing = Vec::new();
        for &take in takes {
            if let ExplainedLeaves::Only(left) = self.explained_leaves(&leaves, take, budget)? {
                narrowing.push(take);
                leaves = left;
                if leaves.is_empty() {
                    break;
                }
            }
        }
        Ok(narrowing)
    }

    /// Returns the rows that explain all of these takes.
    fn rows_explaining(
        &self,
        takes: &[usize],
        budget: &mut Budget<'_>,
    ) -> Result<Vec<PartialRow>, AddGameOutcome> {
        let mut leaves = vec![PartialRow::unknown(self.seats)];
        for &take in takes {
            if let ExplainedLeaves::Only(left) = self.explained_leaves(&leaves, take, budget)? {
                leaves = left;
            }
        }
        Ok(leaves)
    }

    fn explained_leaves(
        &self,
        leaves: &[PartialRow],
        take: usize,
        budget: &mut Budget<'_>,
    ) -> Result<ExplainedLeaves, AddGameOutcome> {
        let (index, place) = self.takes[take];
        let (_, SeatTakes { game, seat, takes, .. }) = self.games[index];
        ExplainedLeaves::find(leaves, game, *seat, &[takes[place].check], MAX_COMBINED_LEAVES, budget)
    }

    /// Finds the smallest contradiction if it has fewer takes than `given`; otherwise returns `given`.
    fn find_shortest(
        &self,
        given: Vec<usize>,
        budget: &mut Budget<'_>,
    ) -> Result<Vec<usize>, SearchAbandoned> {
        let mut cover = RefutationCover::of_takes(self.takes.len());
        let mut at_least = 1;
        while at_least < given.len() {
            let given_up = |_| SearchAbandoned { at_least };
            let Some(takes) = cover.find_takes(at_least, budget).map_err(|_| SearchAbandoned { at_least })?
            else {
                at_least += 1;
                continue;
            };
            let leaves = self.rows_explaining(&takes, budget).map_err(given_up)?;
            if leaves.is_empty() {
                return Ok(takes);
            }
            for row in leaves.iter().take(ROWS_PER_ROUND).map(PartialRow::first_row) {
                let levels = self.games.iter().map(|(_, takes)| takes.game.piles.len() as u64 + 1).sum();
                budget.spend(levels).map_err(|_| SearchAbandoned { at_least })?;
                let mut refuting = Vec::new();
                for ((_, takes), &first) in self.games.iter().zip(&self.first_takes) {
                    takes.visit_refuting_takes(&row, |place| refuting.push(first + place));
                }
                cover.add_row(&refuting);
            }
        }
        Ok(given)
    }
}
