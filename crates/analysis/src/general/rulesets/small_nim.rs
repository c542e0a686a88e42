//! Small Nim.

use super::PileTake;
use crate::general::{Anyone, PileSizes, Rules};

/// Take any number of counters from a smallest nonempty pile (Liu and Zhou 2017).
///
/// It is the same as Last Nim with the piles in descending order, for every number of seats and every matrix.
#[derive(Debug, Clone, Copy)]
pub struct SmallNim;

impl Rules for SmallNim {
    type MoverKind = Anyone;
    type Position = PileSizes;
    type Move = PileTake;

    fn moves(&self, piles: PileSizes, _: Anyone) -> impl Iterator<Item = (PileTake, PileSizes)> {
        let smallest = piles.as_slice().iter().copied().filter(|&size| size > 0).min();
        let is_smallest = {
            let piles = piles.clone();
            move |&pile: &usize| Some(piles.as_slice()[pile]) == smallest
        };
        let all = 0..piles.as_slice().len();
        all.filter(is_smallest).flat_map(move |pile| PileTake::all_from_pile(pile, piles.clone()))
    }

    fn canonical_position(&self, piles: PileSizes) -> PileSizes {
        piles.sorted_from(1)
    }

    fn position_heap_bytes(&self, piles: &PileSizes) -> usize {
        piles.heap_bytes()
    }
}
