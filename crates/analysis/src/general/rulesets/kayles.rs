//! Kayles.

use crate::general::{Anyone, PileSizes, Rules, SequenceGame};
use std::fmt;

/// Remove one stone or two adjacent stones from a row, which can split the row in two.
#[derive(Debug, Clone, Copy)]
pub struct Kayles;

/// A move that removes stones from a row.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct StoneRemoval {
    /// Number of stones removed, 1 or 2.
    pub stones: u32,
    /// The row's index, from 0.
    pub row: usize,
    /// Number of stones left in the row before the gap.
    pub before: u32,
    /// Number of stones left in the row after the gap.
    pub behind: u32,
}

impl Rules for Kayles {
    const IS_SUM: bool = true;

    type MoverKind = Anyone;
    type Position = PileSizes;
    type Move = StoneRemoval;

    fn moves(&self, rows: PileSizes, _: Anyone) -> impl Iterator<Item = (StoneRemoval, PileSizes)> {
        (0..rows.as_slice().len()).flat_map(move |row| {
            let rows = rows.clone();
            let size = rows.as_slice()[row];
            (1..=size.min(2)).flat_map(move |stones| {
                let rows = rows.clone();
                (0..=size - stones).map(move |before| {
                    let behind = size - stones - before;
                    let left = match (before, behind) {
                        (0, 0) => rows.with_size(row, 0),
                        (0, only) | (only, 0) => rows.with_size(row, only),
                        _ => rows.with_pile_replaced(row, &[before, behind]),
                    };
                    (StoneRemoval { stones, row, before, behind }, left)
                })
            })
        })
    }

    fn canonical_position(&self, rows: PileSizes) -> PileSizes {
        rows.sorted_from(1)
    }

    fn independent_parts(&self, rows: &PileSizes) -> Vec<PileSizes> {
        rows.split_from(1)
    }

    fn periodic_sequence(&self) -> Option<SequenceGame> {
        Some(SequenceGame::Kayles)
    }

    fn part_size(&self, row: &PileSizes) -> Option<u32> {
        row.as_slice().first().copied()
    }

    fn position_heap_bytes(&self, rows: &PileSizes) -> usize {
        rows.heap_bytes()
    }
}

impl fmt::Display for StoneRemoval {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { stones, row, before, behind } = self;
        let (noun, them) = if *stones == 1 { ("stone", "it") } else { ("stones", "them") };
        write!(f, "remove {stones} {noun} from row {row}, with {before} before {them} and {behind} after")
    }
}
