//! Nim.

use super::PileTake;
use crate::general::{Anyone, PileSizes, Rules};

/// Take any number of counters from one pile (Bouton 1901).
///
/// For two seats the Grundy value of a pile is its size.
#[derive(Debug, Clone, Copy)]
pub struct Nim;

impl Rules for Nim {
    const IS_SUM: bool = true;

    type MoverKind = Anyone;
    type Position = PileSizes;
    type Move = PileTake;

    fn moves(&self, piles: PileSizes, _: Anyone) -> impl Iterator<Item = (PileTake, PileSizes)> {
        (0..piles.as_slice().len()).flat_map(move |pile| PileTake::all_from_pile(pile, piles.clone()))
    }

    fn canonical_position(&self, piles: PileSizes) -> PileSizes {
        piles.sorted_from(1)
    }

    fn independent_parts(&self, piles: &PileSizes) -> Vec<PileSizes> {
        piles.split_from(1)
    }

    fn grundy_by_formula(&self, pile: &PileSizes) -> Option<u32> {
        pile.as_slice().first().copied()
    }

    fn position_heap_bytes(&self, piles: &PileSizes) -> usize {
        piles.heap_bytes()
    }
}
