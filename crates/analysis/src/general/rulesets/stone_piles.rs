//! Stone piles.

use crate::general::{Anyone, PileSizes, Rules};
use std::fmt;

/// Split one pile into two or more piles of pairwise different sizes.
#[derive(Debug, Clone, Copy)]
pub struct StonePiles;

/// The smallest pile that can be split, namely into 1 and 2.
const SMALLEST_SPLITTABLE: u32 = 3;

/// A split of a pile.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct PileSplit {
    /// The pile's index, from 0.
    pub pile: usize,
    /// The sizes of the new piles, in ascending order.
    pub sizes: Box<[u32]>,
}

impl Rules for StonePiles {
    const IS_SUM: bool = true;

    type MoverKind = Anyone;
    type Position = PileSizes;
    type Move = PileSplit;

    fn moves(&self, piles: PileSizes, _: Anyone) -> impl Iterator<Item = (PileSplit, PileSizes)> {
        (0..piles.as_slice().len()).flat_map(move |pile| {
            let piles = piles.clone();
            DistinctSplits::of_size(piles.as_slice()[pile]).map(move |sizes| {
                let left = piles.with_pile_replaced(pile, &sizes);
                (PileSplit { pile, sizes: sizes.into() }, left)
            })
        })
    }

    fn canonical_position(&self, piles: PileSizes) -> PileSizes {
        piles.sorted_from(SMALLEST_SPLITTABLE)
    }

    fn independent_parts(&self, piles: &PileSizes) -> Vec<PileSizes> {
        piles.split_from(SMALLEST_SPLITTABLE)
    }

    fn position_heap_bytes(&self, piles: &PileSizes) -> usize {
        piles.heap_bytes()
    }
}

/// An iterator over all partitions of a number into two or more distinct parts, each in ascending order.
struct DistinctSplits {
    /// The most recent partition; empty before the first one.
    sizes: Vec<u32>,
    size: u32,
}

impl DistinctSplits {
    fn of_size(size: u32) -> Self {
        Self { sizes: Vec::new(), size }
    }

    /// Appends the parts `next`, `next` + 1, and so on, as far as possible, and what remains of `rest` as the last and
    /// largest part.
    fn fill(&mut self, mut next: u32, mut rest: u32) {
        while rest > 2 * next {
            self.sizes.push(next);
            rest -= next;
            next += 1;
        }
        self.sizes.push(rest);
    }
}

impl Iterator for DistinctSplits {
    type Item = Vec<u32>;

    fn next(&mut self) -> Option<Vec<u32>> {
        match self.sizes.as_slice() {
            [] if self.size >= SMALLEST_SPLITTABLE => self.fill(1, self.size),
            [] | [_] => return None,
            _ => {
                // The second to last part grows by one, and the rest is partitioned again.
                let rest = self.sizes.pop()?;
                let part = self.sizes.pop()?;
                self.fill(part + 1, part + rest);
            }
        }
        (self.sizes.len() > 1).then(|| self.sizes.clone())
    }
}

impl fmt::Display for PileSplit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "split pile {} into ", self.pile)?;
        for (place, size) in self.sizes.iter().enumerate() {
            let mark = match place {
                0 => "",
                _ if place + 1 == self.sizes.len() => " and ",
                _ => ", ",
            };
            write!(f, "{mark}{size}")?;
        }
        Ok(())
    }
}
