//! End-Nim.

use super::PileTake;
use crate::general::{End, PileSizes, Rules};

/// Left takes any number of counters from the leftmost nonempty pile, Right from the rightmost (Albert and Nowakowski
/// 2001).
#[derive(Debug, Clone, Copy)]
pub struct EndNim;

impl Rules for EndNim {
    type MoverKind = End;
    type Position = PileSizes;
    type Move = PileTake;

    fn moves(&self, piles: PileSizes, mover: End) -> impl Iterator<Item = (PileTake, PileSizes)> {
        let mut sizes = piles.as_slice().iter();
        let pile = match mover {
            End::Left => sizes.position(|&size| size > 0),
            End::Right => sizes.rposition(|&size| size > 0),
        };
        pile.into_iter().flat_map(move |pile| PileTake::all_from_pile(pile, piles.clone()))
    }

    fn canonical_position(&self, piles: PileSizes) -> PileSizes {
        // The order of piles matters, and reflection would swap the movers, so only empty piles are dropped.
        piles.as_slice().iter().copied().filter(|&size| size > 0).collect()
    }

    fn position_heap_bytes(&self, piles: &PileSizes) -> usize {
        piles.heap_bytes()
    }
}
