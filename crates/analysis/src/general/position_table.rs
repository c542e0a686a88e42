//! Tables of solved positions, and estimates of the memory that they use.

use super::{ExceededBound, MemoryBounds};
use std::{collections::HashMap, hash::Hash};

/// A table that maps each solved position to a number.
#[derive(Debug)]
pub(super) struct PositionTable<P> {
    numbers: HashMap<P, u32>,
    /// Heap memory of the positions, in addition to their inline size, in bytes.
    heap_bytes: u64,
}

impl<P: Eq + Hash> PositionTable<P> {
    pub(super) fn new() -> Self {
        Self { numbers: HashMap::new(), heap_bytes: 0 }
    }

    /// Returns the number of solved positions.
    pub(super) fn len(&self) -> usize {
        self.numbers.len()
    }

    pub(super) fn get(&self, position: &P) -> Option<u32> {
        self.numbers.get(position).copied()
    }

    /// Stores the number of a position that takes `heap_bytes` bytes on the heap.
    pub(super) fn insert(&mut self, position: P, number: u32, heap_bytes: usize) {
        self.heap_bytes += heap_bytes as u64;
        self.numbers.insert(position, number);
    }

    /// Returns the number of bytes in use after `more` insertions. If the table has to grow, this includes both the old
    /// and the new table.
    pub(super) fn bytes_with_more(&self, more: usize) -> u64 {
        // A hash table of b buckets is full at 7/8 b entries, and each bucket takes one extra byte.
        let table = |capacity: usize| capacity as u64 * 8 / 7 * (size_of::<(P, u32)>() as u64 + 1);
        let grown = grown_capacity(self.numbers.len() + more, self.numbers.capacity(), |full| full * 7 / 8);
        table(grown) + self.heap_bytes
    }
}

/// Returns the number of bytes in use after `more` items are pushed onto a vector. If it has to grow, this includes
/// both the old and the new buffer.
pub(super) fn vec_bytes_with_more<T>(items: &Vec<T>, more: usize) -> u64 {
    grown_capacity(items.len() + more, items.capacity(), |full| full) as u64 * size_of::<T>() as u64
}

/// Returns the capacity allocated while a container grows to hold `needed` entries. If `capacity` is enough, the result
/// is `capacity`. Otherwise it is the capacity for the smallest sufficient power of two, plus the capacity before the
/// last doubling, whose buffer still exists while its entries are moved.
///
/// `usable` converts a power-of-two number of places to the number of entries that fit into them.
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
    /// Checks the numbers of states and bytes against the limits.
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
    fn memory_is_counted_before_it_is_allocated() {
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
    fn usage_up_to_the_limits_is_allowed() {
        let bounds = MemoryBounds { states: 3, bytes: 100 };
        assert_eq!(bounds.check_memory(3, 100), Ok(()));
        assert_eq!(bounds.check_memory(4, 100), Err(ExceededBound::States(3)));
        assert_eq!(bounds.check_memory(3, 101), Err(ExceededBound::Bytes(100)));
    }
}
