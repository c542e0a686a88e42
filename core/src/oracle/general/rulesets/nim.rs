//! Nim.

use super::Take;
use crate::oracle::general::{Anyone, PileSizes, Rules};

/// Take any number of counters from one pile (Bouton 1901).
///
/// For two the Grundy value of a pile is its size.
#[derive(Debug, Clone, Copy)]
pub struct Nim;

impl Rules for Nim {
    const IS_SUM: bool = true;

    type Mover = Anyone;
    type Position = PileSizes;
    type Move = Take;

    fn options(&self, piles: PileSizes, _: Anyone) -> impl Iterator<Item = (Take, PileSizes)> {
        (0..piles.as_slice().len()).flat_map(move |pile| Take::any_from(pile, piles.clone()))
    }

    fn canonical(&self, piles: PileSizes) -> PileSizes {
        piles.sorted_from(1)
    }

    fn parts(&self, piles: &PileSizes) -> Vec<PileSizes> {
        piles.each_from(1)
    }

    fn grundy_by_formula(&self, pile: &PileSizes) -> Option<u32> {
        pile.as_slice().first().copied()
    }

    fn heap_bytes(&self, piles: &PileSizes) -> usize {
        piles.heap_bytes()
    }
}
