//! What is known of positions, and the memory that it takes.

use super::{Bound, Bounds};
use std::{collections::HashMap, hash::Hash};

/// A number for each known position.
#[derive(Debug)]
pub(super) struct Known<P> {
    numbers: HashMap<P, u32>,
    /// What the positions take besides their own size.
    heap_bytes: u64,
}

impl<P: Eq + Hash> Known<P> {
    pub(super) fn new() -> Self {
        Self { numbers: HashMap::new(), heap_bytes: 0 }
    }

    /// Returns how many positions are known.
    pub(super) fn len(&self) -> usize {
        self.numbers.len()
    }

    pub(super) fn get(&self, position: &P) -> Option<u32> {
        self.numbers.get(position).copied()
    }

    /// Keeps the number of a position that takes so many bytes besides its own size.
    pub(super) fn insert(&mut self, position: P, number: u32, heap_bytes: usize) {
        self.heap_bytes += heap_bytes as u64;
        self.numbers.insert(position, number);
    }

    /// Returns the bytes that are held once another position is known, with the table before and after should it grow.
    pub(super) fn bytes_with_another(&self) -> u64 {
        // A table of b buckets is full with 7/8 b entries; each bucket has a byte of its own besides the entry.
        let table = |capacity: usize| capacity as u64 * 8 / 7 * (size_of::<(P, u32)>() as u64 + 1);
        let capacity = self.numbers.capacity();
        let grown = if self.numbers.len() == capacity { table(2 * capacity.max(4)) } else { 0 };
        table(capacity) + grown + self.heap_bytes
    }
}

/// Returns the bytes that a vector holds once another item is in it, with the items before and after should it grow.
pub(super) fn bytes_with_more<T>(items: &Vec<T>, more: usize) -> u64 {
    let full = items.len() + more > items.capacity();
    (if full { 3 } else { 1 }) * items.capacity().max(more) as u64 * size_of::<T>() as u64
}

impl Bounds {
    /// Says whether so much may be held.
    pub(super) fn allow(self, states: usize, bytes: u64) -> Result<(), Bound> {
        if states > self.states as usize {
            return Err(Bound::States(self.states));
        }
        if bytes > self.bytes {
            return Err(Bound::Bytes(self.bytes));
        }
        Ok(())
    }
}
