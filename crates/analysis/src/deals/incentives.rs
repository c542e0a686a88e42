//! What the seats of a position can gain by lies and by pacts.

use super::{GroupPacts, pact_search::PactSearch, winner_with};
use crate::{BestDeclaration, declarations::ProfileSearch};
use lastnim_core::{
    game::{BySeat, Game, MAX_PACT_SEATS, PactError, Seat, SeatCount},
    oracle::Budget,
};

/// What the seats of a position with dealt rows can gain by lies and by pacts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Incentives {
    /// `v(D)`: the winner if every seat declares its dealt row.
    pub truthful_winner: Seat,
    /// The best declarations of each seat while all others tell the truth. The truth is an equilibrium if it is a best
    /// declaration of every seat.
    pub best_declarations: BySeat<BestDeclaration>,
    /// The pacts of each group of seats, by the size of the group and then by its members.
    pub groups: Vec<GroupPacts>,
}

/// What pays in a position: a lie, only a pact, or neither.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum WhatPays {
    /// Some seat alone gets a better winner by declaring another row.
    Lie,
    /// No lie of a single seat pays, but some group has a pact that is good for all its members.
    OnlyPact,
    /// Neither pays, in groups of the sizes searched.
    Nothing,
}

impl Incentives {
    /// Examines all lies of single seats, and all pacts of 2 to `max_members` seats. The rows of the game are the dealt
    /// ones.
    ///
    /// Steps of the budget are counted as in [`BestDeclaration::find`], for each seat and each group in turn. If the
    /// budget runs out, the answers for the later seats and groups are incomplete and say so.
    ///
    /// # Errors
    /// If there are more than [`MAX_PACT_SEATS`] seats.
    pub fn find(game: &Game, max_members: usize, budget: &mut Budget<'_>) -> Result<Self, PactError> {
        let seats = game.matrix.seats();
        if seats.get() > MAX_PACT_SEATS {
            return Err(PactError::Seats(seats));
        }
        let truthful_winner = winner_with(game, &game.matrix);
        let best_declarations = BySeat::from_fn(seats, |seat| BestDeclaration::find(game, seat, budget));
        let profiles = ProfileSearch::new(game);
        let groups = groups_by_size(seats, max_members);
        let groups =
            groups.map(|members| PactSearch::new(game, truthful_winner, &profiles, members).run(budget));
        Ok(Self { truthful_winner, best_declarations, groups: groups.collect() })
    }

    /// Returns what pays; `None` if a search stopped before this was known.
    pub fn what_pays(&self) -> Option<WhatPays> {
        if self.best_declarations.iter().any(|lie| !lie.is_truth_best()) {
            return Some(WhatPays::Lie);
        }
        let is_truth_equilibrium = self.best_declarations.iter().all(BestDeclaration::is_best_certain);
        let has_pact = self.groups.iter().any(|group| !group.outcomes.is_empty());
        let are_groups_searched = self.groups.iter().all(|group| group.halt.is_none());
        match (is_truth_equilibrium, has_pact, are_groups_searched) {
            (true, true, _) => Some(WhatPays::OnlyPact),
            (true, false, true) => Some(WhatPays::Nothing),
            _ => None,
        }
    }
}

/// Iterates over the groups of 2 to `max_members` seats, by size and then in lexicographic order.
fn groups_by_size(seats: SeatCount, max_members: usize) -> impl Iterator<Item = Vec<Seat>> {
    let mut groups: Vec<Vec<Seat>> = (0..1_u32 << seats.get())
        .map(|bits| seats.iter().filter(|seat| bits >> seat.index() & 1 == 1).collect())
        .filter(|group: &Vec<Seat>| (2..=max_members).contains(&group.len()))
        .collect();
    groups.sort_by(|one, other| one.len().cmp(&other.len()).then_with(|| one.cmp(other)));
    groups.into_iter()
}
