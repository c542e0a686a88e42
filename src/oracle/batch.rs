//! Many positions under one alliance matrix and ending.

use super::{
    handover::{Handover, Ranks},
    winners::winners_of,
};
use crate::game::{AllianceMatrix, BySeat, Ending, Seat};
use std::collections::HashMap;

/// A place in the table: the number of a worth times the width of a row, plus the counters of the next pile.
type Place = u16;

/// Places of the table: as many as a [`Place`] can name, so that none is out of bounds.
const PLACES: usize = 1 << Place::BITS;

/// The place of what is not known yet. Every pile leads from it to itself.
const UNKNOWN: Place = 0;

/// Solves many positions under one alliance matrix and ending.
///
/// What the piles so far are worth, the winner by the seat to move, decides what they are worth with one more pile of
/// `x` counters, and `x` counts as min(x, n) (the cap theorem). Few worths occur under one matrix, so this is a finite
/// automaton that reads one pile a step. It is found as it is needed: a pile that was met before at the same worth
/// costs one look-up. It holds at most 65,536 look-ups; positions that would need more are solved one by one.
///
/// ```
/// use lastnim::{game::{AllianceMatrix, Ending, SeatCount}, oracle::Batch};
///
/// let seats = SeatCount::new(4).unwrap();
/// let mut batch = Batch::new(&AllianceMatrix::standard(seats), Ending::ToMoveWins);
/// let first = seats.seat(2).unwrap();
/// let winners = [[4, 3], [1, 2], [7, 0]].map(|piles| batch.winners(&piles)[first].index());
/// assert_eq!(winners, [0, 0, 3]);
/// ```
#[derive(Debug, Clone)]
pub struct Batch {
    matrix: AllianceMatrix,
    ending: Ending,
    handover: Handover,
    cap: u64,
    /// What a worth's number is shifted by to give the place of its row.
    shift: u32,
    empty: Place,
    next: Box<[Place; PLACES]>,
    /// By number, from 1.
    worths: Vec<Worth>,
    places: HashMap<Ranks, Place>,
    /// The winners of a position that did not fit in.
    one: BySeat<Seat>,
}

/// What piles are worth.
#[derive(Debug, Clone)]
struct Worth {
    ranks: Ranks,
    winners: BySeat<Seat>,
}

impl Batch {
    /// Prepares for positions under a matrix and an ending; nothing is solved yet.
    pub fn new(matrix: &AllianceMatrix, ending: Ending) -> Self {
        let n = matrix.seats().get();
        let over = Handover::when_over(matrix, ending);
        let winners = Handover::winners(matrix, &over);
        let next = vec![UNKNOWN; PLACES].into_boxed_slice();
        let mut batch = Self {
            matrix: matrix.clone(),
            ending,
            handover: Handover::of(matrix),
            cap: n as u64,
            shift: (n + 1).next_power_of_two().trailing_zeros(),
            empty: UNKNOWN,
            next: next.try_into().expect("it was made with so many places"),
            worths: vec![Worth { ranks: over, winners: winners.clone() }],
            places: HashMap::new(),
            one: winners,
        };
        batch.empty = batch.place_of(&over).expect("there is room for the first");
        batch
    }

    /// Returns, by the seat that moves first, the seat that wins under optimal play.
    ///
    /// The last pile is the one in play. An empty pile is no pile, wherever it stands; a pile may be of any height.
    #[inline]
    pub fn winners(&mut self, piles: &[u64]) -> &BySeat<Seat> {
        let after = |place, &counters: &u64| self.next[usize::from(place | counters.min(self.cap) as Place)];
        match piles.iter().fold(self.empty, after) {
            UNKNOWN => self.explore(piles),
            place => &self.worths[usize::from(place >> self.shift)].winners,
        }
    }

    /// Solves a position that leads beyond what is known.
    #[cold]
    fn explore(&mut self, piles: &[u64]) -> &BySeat<Seat> {
        let mut place = self.empty;
        for &counters in piles {
            let here = usize::from(place | counters.min(self.cap) as Place);
            if self.next[here] == UNKNOWN {
                self.expand(place);
            }
            place = self.next[here];
        }
        if place == UNKNOWN {
            let piles: Vec<_> = piles.iter().copied().filter(|&counters| counters > 0).collect();
            self.one = winners_of(&piles, &self.matrix, self.ending);
            return &self.one;
        }
        &self.worths[usize::from(place >> self.shift)].winners
    }

    /// Finds where each pile leads from a worth, as far as there is room.
    fn expand(&mut self, place: Place) {
        if place == UNKNOWN {
            return;
        }
        let ranks = self.worths[usize::from(place >> self.shift)].ranks;
        let found: Vec<_> = self.handover.by_counters(&ranks).collect();
        for counters in 0..=self.cap as usize {
            // From the last of them on they stay.
            let ranks = &found[counters.min(found.len() - 1)];
            if let Some(after) = self.place_of(ranks) {
                self.next[usize::from(place) | counters] = after;
            }
        }
    }

    /// Returns the place of a worth, which is given one if there is room.
    fn place_of(&mut self, ranks: &Ranks) -> Option<Place> {
        if let Some(&place) = self.places.get(ranks) {
            return Some(place);
        }
        let place = Place::try_from(self.worths.len() << self.shift).ok()?;
        self.worths.push(Worth { ranks: *ranks, winners: Handover::winners(&self.matrix, ranks) });
        self.places.insert(*ranks, place);
        Some(place)
    }
}
