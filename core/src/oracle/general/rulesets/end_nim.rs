//! End-Nim.

use super::Take;
use crate::oracle::general::{End, PileSizes, Rules};

/// Left takes any number of counters from the leftmost nonempty pile, Right from the rightmost one (Albert and Nowakowski
/// 2001).
#[derive(Debug, Clone, Copy)]
pub struct EndNim;

impl Rules for EndNim {
    type Mover = End;
    type Position = PileSizes;
    type Move = Take;

    fn options(&self, piles: PileSizes, mover: End) -> impl Iterator<Item = (Take, PileSizes)> {
        let mut sizes = piles.as_slice().iter();
        let pile = match mover {
            End::Left => sizes.position(|&size| size > 0),
            End::Right => sizes.rposition(|&size| size > 0),
        };
        pile.into_iter().flat_map(move |pile| Take::any_from(pile, piles.clone()))
    }

    fn canonical(&self, piles: PileSizes) -> PileSizes {
        // Where piles stand in between matters, and a mirror image would exchange the movers: only empty piles go.
        piles.as_slice().iter().copied().filter(|&size| size > 0).collect()
    }

    fn heap_bytes(&self, piles: &PileSizes) -> usize {
        piles.heap_bytes()
    }
}
