//! Last Nim as a general game.

use super::PileTake;
use crate::general::{Anyone, PileSizes, Rules};

/// Take any number of counters from the last nonempty pile (Friedman 2000).
///
/// These are the plain rules without the cap theorem; tests compare the fast
/// [`Solution`](lastnim_core::oracle::Solution) with them.
#[derive(Debug, Clone, Copy)]
pub struct LastNim;

impl Rules for LastNim {
    type MoverKind = Anyone;
    type Position = PileSizes;
    type Move = PileTake;

    fn moves(&self, piles: PileSizes, _: Anyone) -> impl Iterator<Item = (PileTake, PileSizes)> {
        let last = piles.as_slice().iter().rposition(|&size| size > 0);
        last.into_iter().flat_map(move |pile| PileTake::all_from_pile(pile, piles.clone()))
    }

    fn canonical_position(&self, piles: PileSizes) -> PileSizes {
        piles.as_slice().iter().copied().filter(|&size| size > 0).collect()
    }

    fn position_heap_bytes(&self, piles: &PileSizes) -> usize {
        piles.heap_bytes()
    }
}
