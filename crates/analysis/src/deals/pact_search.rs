//! The pacts of one group of seats that are good for all its members.

use super::rank_losses;
use crate::{
    PartialRow, RowCount,
    declarations::{DeviationVerdict, ProfileSearch, count_profiles},
};
use lastnim_core::{
    game::{BySeat, Game, Pact, PactMember, Seat, SeatSet},
    oracle::{Budget, HaltReason},
};
use std::ops::ControlFlow;

/// The pacts that are good for all members of one group of seats.
///
/// All combinations of rows that the members can declare are examined, (n!)^k of them for k members, while the other
/// seats tell the truth. A pact whose members declare the nearest rows that keep it leads to one of these combinations,
/// so no pact of the group has a value that is not found here.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GroupPacts {
    /// The members.
    pub members: SeatSet,
    /// The outcomes of such pacts. Outcomes in which no member gains by a breach come first; then they are sorted by
    /// winner.
    pub outcomes: Vec<PactOutcome>,
    /// Why the search stopped early, if it did; the counts are then lower bounds.
    pub halt: Option<HaltReason>,
}

/// The combinations of rows that lead to the same winner and tempt the same members.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PactOutcome {
    /// The winner.
    pub winner: Seat,
    /// The members that get a better winner by declaring another row while the rest keep the pact. An empty set means
    /// that the pact is safe from its own members.
    pub tempted: SeatSet,
    /// The value to each seat j, in ranks, -(n-1) to n-1: `rank_j(v(D)) - rank_j(winner)`. At least 1 for a member.
    pub values: BySeat<i32>,
    /// The number of combinations of rows.
    pub count: RowCount,
    /// A pact that always has this outcome, whichever of the rows that keep it the members declare. No other pact that
    /// was found has fewer relations.
    pub pact: Pact,
}

/// A set of profiles that all lead to the same winner, in which it is known whether each of the first `judged` members
/// is tempted.
struct PactRegion {
    rows: Vec<PartialRow>,
    winner: Seat,
    judged: usize,
    tempted: SeatSet,
}

/// A search for the pacts of one group.
pub(super) struct PactSearch<'a> {
    game: &'a Game,
    truthful_winner: Seat,
    profiles: &'a ProfileSearch<'a>,
    members: Vec<Seat>,
    outcomes: Vec<PactOutcome>,
}

impl<'a> PactSearch<'a> {
    /// Creates a search in a game with the dealt rows of at most [`MAX_PACT_SEATS`](lastnim_core::game::MAX_PACT_SEATS)
    /// seats.
    pub(super) fn new(
        game: &'a Game,
        truthful_winner: Seat,
        profiles: &'a ProfileSearch<'a>,
        members: Vec<Seat>,
    ) -> Self {
        Self { game, truthful_winner, profiles, members, outcomes: Vec::new() }
    }

    /// Runs the search. In each branch, each level of a pile costs one step of the budget. So does each set of offsets
    /// whose orders are counted.
    pub(super) fn run(mut self, budget: &mut Budget<'_>) -> GroupPacts {
        let halt = self.visit_regions(budget).err();
        if halt.is_some() {
            for outcome in &mut self.outcomes {
                outcome.count = outcome.count.as_lower_bound();
            }
        }
        self.outcomes.sort_by_key(|PactOutcome { winner, tempted, .. }| {
            (!tempted.is_empty(), *winner, tempted.iter().collect::<Vec<_>>())
        });
        GroupPacts { members: self.members.iter().copied().collect(), outcomes: self.outcomes, halt }
    }

    fn visit_regions(&mut self, budget: &mut Budget<'_>) -> Result<(), HaltReason> {
        let seats = self.game.matrix.seats();
        let start = seats.iter().map(|seat| {
            if self.members.contains(&seat) {
                PartialRow::unknown(seats)
            } else {
                PartialRow::from(&self.game.matrix[seat])
            }
        });
        self.profiles.visit_leaves(start.collect(), budget, |rows, winner, budget| {
            if self.is_good(winner) {
                let region = PactRegion { rows, winner, judged: 0, tempted: SeatSet::default() };
                self.judge_region(region, budget)?;
            }
            Ok(ControlFlow::Continue(()))
        })
    }

    /// Returns whether every member prefers this winner to the one that the truth leads to.
    fn is_good(&self, winner: Seat) -> bool {
        let is_better = |&seat: &Seat| {
            self.game.matrix.rank(seat, winner) < self.game.matrix.rank(seat, self.truthful_winner)
        };
        self.members.iter().all(is_better)
    }

    /// Splits a region until it is known for each part which members are tempted.
    fn judge_region(&mut self, region: PactRegion, budget: &mut Budget<'_>) -> Result<(), HaltReason> {
        let mut regions = vec![region];
        while let Some(mut region) = regions.pop() {
            let Some(&member) = self.members.get(region.judged) else {
                self.add_region(region, budget);
                continue;
            };
            match self.profiles.find_deviation(&region.rows, region.winner, member, budget)? {
                DeviationVerdict::Depends(fork) => {
                    regions.extend(fork.split_rows(&region.rows).map(|rows| PactRegion { rows, ..region }));
                    continue;
                }
                DeviationVerdict::Always => region.tempted.insert(member),
                DeviationVerdict::Never => {}
            }
            region.judged += 1;
            regions.push(region);
        }
        Ok(())
    }

    fn add_region(&mut self, region: PactRegion, budget: &mut Budget<'_>) {
        let PactRegion { rows, winner, tempted, .. } = region;
        let members = self.members.iter().map(|&seat| PactMember { seat, constraint: rows[seat.index()] });
        let pact = Pact::of_members(self.game.matrix.seats(), members.collect());
        let pact = pact.expect("a group has two or more different members of few enough seats");
        // The rows of seats that are not members are known, so they count once.
        let (count, _) = count_profiles(&rows, budget);
        match self.outcomes.iter_mut().find(|known| known.winner == winner && known.tempted == tempted) {
            Some(known) => {
                known.count = known.count + count;
                if pact.count_relations() < known.pact.count_relations() {
                    known.pact = pact;
                }
            }
            None => self.outcomes.push(PactOutcome {
                winner,
                tempted,
                values: rank_losses(&self.game.matrix, winner, self.truthful_winner),
                count,
                pact,
            }),
        }
    }
}
