//! Finds the rows that explain a seat's takes if the other seats believe its declared row.

use super::{
    Contradiction, Minimality, TakeOfGame,
    added_game::AddGameOutcome,
    seat_takes::{CheckedTake, SeatTakes},
};
use crate::RowSet;
use lastnim_core::game::SeatCount;

/// The information that a seat's takes give about its row, if their outcomes follow from the declared rows.
///
/// Each take shows that the seat prefers the resulting winner to every other winner that it could have brought about at
/// that ply. So each take gives some ordered pairs of winners, and all takes together give a partial order or a cycle.
#[derive(Debug, Clone)]
pub(super) struct BelievedRow {
    seats: SeatCount,
    rows: RowSet,
    /// By preferred offset, then by the other offset: the first take that shows this preference.
    evidence: Vec<Vec<Option<TakeOfGame>>>,
}

impl BelievedRow {
    pub(super) fn new(seats: SeatCount) -> Self {
        let evidence = vec![vec![None; seats.get()]; seats.get()];
        Self { seats, rows: RowSet::full(seats), evidence }
    }

    pub(super) fn rows(&self) -> &RowSet {
        &self.rows
    }

    pub(super) fn add_game(&mut self, number: u64, takes: &SeatTakes) -> AddGameOutcome {
        let mut known = self.rows.leaves().first().copied();
        takes.visit_prospects(&takes.game.matrix, |place, all, led_to| {
            let CheckedTake { ply, .. } = takes.takes[place];
            for &other in all.iter().filter(|&&other| other != led_to) {
                let take = TakeOfGame { game: number, ply };
                let first = self.evidence[led_to][other].get_or_insert(take);
                *first = take.min(*first);
                known = known.and_then(|known| known.with_preference(led_to, other));
            }
        });
        self.rows = known
            .map_or_else(|| RowSet::empty(self.seats), |known| RowSet::of_disjoint(self.seats, vec![known]));
        AddGameOutcome::Counted
    }

    /// Returns the takes that form a shortest cycle of preferences. Each take gives only one pair of the cycle, since
    /// no two pairs of a shortest cycle prefer the same winner.
    pub(super) fn contradiction(&self) -> Option<Contradiction> {
        if !self.rows.is_empty() {
            return None;
        }
        let cycles = (0..self.seats.get()).filter_map(|start| self.shortest_cycle(start));
        let mut takes = cycles.min_by_key(Vec::len)?;
        takes.sort_unstable();
        Some(Contradiction { takes, minimality: Minimality::Proved })
    }

    /// Returns the takes of a shortest cycle through the offset `start`, by breadth-first search.
    fn shortest_cycle(&self, start: usize) -> Option<Vec<TakeOfGame>> {
        let mut came_from = vec![None; self.seats.get()];
        let mut reached = std::collections::VecDeque::from([start]);
        while let Some(offset) = reached.pop_front() {
            for (other, evidence) in self.evidence[offset].iter().enumerate() {
                let Some(take) = *evidence else { continue };
                if other == start {
                    let mut takes = vec![take];
                    let mut at = offset;
                    while at != start {
                        let (before, take) =
                            came_from[at].expect("every node but the start has a predecessor");
                        takes.push(take);
                        at = before;
                    }
                    return Some(takes);
                }
                if came_from[other].is_none() {
                    came_from[other] = Some((offset, take));
                    reached.push_back(other);
                }
            }
        }
        None
    }
}
