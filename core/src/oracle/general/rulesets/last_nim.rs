//! Last Nim, as any other game.

use super::Take;
use crate::oracle::general::{Anyone, PileSizes, Rules};

/// Take any number of counters from the last nonempty pile (Friedman 2000).
///
/// These are the bare rules, to hold the fast [`Solution`](crate::oracle::Solution) against: they know of no theorem.
#[derive(Debug, Clone, Copy)]
pub struct LastNim;

impl Rules for LastNim {
    type Mover = Anyone;
    type Position = PileSizes;
    type Move = Take;

    fn options(&self, piles: PileSizes, _: Anyone) -> impl Iterator<Item = (Take, PileSizes)> {
        let last = piles.as_slice().iter().rposition(|&size| size > 0);
        last.into_iter().flat_map(move |pile| Take::any_from(pile, piles.clone()))
    }

    fn canonical(&self, piles: PileSizes) -> PileSizes {
        piles.as_slice().iter().copied().filter(|&size| size > 0).collect()
    }

    fn heap_bytes(&self, piles: &PileSizes) -> usize {
        piles.heap_bytes()
    }
}
