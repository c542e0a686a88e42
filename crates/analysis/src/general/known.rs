//! What is known of positions, and the memory that it takes.

use super::{ExceededBound, MemoryBounds};
use std::{collections::HashMap, hash::Hash};

/// A number for each known position.
#[derive(Debug)]
pub(super) struct PositionTable<P> {
    numbers: HashMap<P, u32>,
    /// What the positions take besides their own size.
    heap_bytes: u64,
}

impl<P: Eq + Hash> PositionTable<P> {
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

    /// Returns the bytes that are held once so many more positions are known, with the table before and after should it
    /// grow.
    pub(super) fn bytes_with_more(&self, more: usize) -> u64 {
        // A table of b buckets is full with 7/8 b entries; each bucket has a byte of its own besides the entry.
        let table = |capacity: usize| capacity as u64 * 8 / 7 * (size_of::<(P, u32)>() as u64 + 1);
        let grown = grown_capacity(self.numbers.len() + more, self.numbers.capacity(), |full| full * 7 / 8);
        table(grown) + self.heap_bytes
    }
}

/// Returns the bytes that a vector holds once so many more items are in it, with the items before and after should it
/// grow.
pub(super) fn vec_bytes_with_more<T>(items: &Vec<T>, more: usize) -> u64 {
    grown_capacity(items.len() + more, items.capacity(), |full| full) as u64 * size_of::<T>() as u64
}

/// Returns how many places are held once so many are needed: what there is if that suffices, or else the next power of
/// two that does, beside what was there before the last doubling. `usable` says how many of a power of two can be used.
fn grown_capacity(needed: usize, capacity: usize, usable: impl Fn(usize) -> usize) -> usize {
    if needed <= capacity {
        return capacity;
    }
    let mut places = 8;
    while usable(places) < needed {
        places *= 2;
    }
    usable(places) + usable(places / 2).max(capacity)
}

impl MemoryBounds {
    /// Says whether so much may be held.
    pub(super) fn check_memory(self, states: usize, bytes: u64) -> Result<(), ExceededBound> {
        if states > self.states as usize {
            return Err(ExceededBound::States(self.states));
        }
        if bytes > self.bytes {
            return Err(ExceededBound::Bytes(self.bytes));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_is_counted_before_it_is_taken() {
        let mut items: Vec<u32> = Vec::with_capacity(16);
        assert_eq!(vec_bytes_with_more(&items, 16), 64);
        assert_eq!(vec_bytes_with_more(&items, 17), 4 * (32 + 16));
        assert_eq!(vec_bytes_with_more(&items, 33), 4 * (64 + 32));
        items.resize(16, 0);
        let before = vec_bytes_with_more(&items, 1);
        items.push(0);
        assert!(before >= 4 * items.capacity() as u64);

        let mut known = PositionTable::new();
        for position in 0..10_000_u64 {
            let before = known.bytes_with_more(1);
            known.insert(position, 0, 24);
            let entries = known.numbers.capacity() as u64 * 17;
            assert!(before >= entries + 24 * position, "{position}");
            assert!(before <= 5 * entries + 24 * position, "{position}");
        }
    }

    #[test]
    fn what_is_allowed_is_allowed() {
        let bounds = MemoryBounds { states: 3, bytes: 100 };
        assert_eq!(bounds.check_memory(3, 100), Ok(()));
        assert_eq!(bounds.check_memory(4, 100), Err(ExceededBound::States(3)));
        assert_eq!(bounds.check_memory(3, 101), Err(ExceededBound::Bytes(100)));
    }
}
