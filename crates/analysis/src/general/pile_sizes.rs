//! Piles of a general game.

use std::fmt;

/// Maximum number of piles, rows or numbers in a search.
pub const MAX_SEARCHED_PILES: usize = 64;
/// Maximum size of a pile, row or number in a search.
pub const MAX_SEARCHED_SIZE: u64 = 1_000_000;

/// The sizes of piles, rows or numbers, in order; 0 is allowed.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct PileSizes(Box<[u32]>);

impl PileSizes {
    /// Returns the sizes, in order.
    pub fn as_slice(&self) -> &[u32] {
        &self.0
    }

    /// Returns a copy of the piles in which one pile has a different size.
    pub(super) fn with_size(&self, pile: usize, size: u32) -> Self {
        let mut sizes = self.0.clone();
        sizes[pile] = size;
        Self(sizes)
    }

    /// Returns a copy of the piles in which several piles replace one.
    pub(super) fn with_pile_replaced(&self, pile: usize, sizes: &[u32]) -> Self {
        Self([&self.0[..pile], sizes, &self.0[pile + 1..]].concat().into_boxed_slice())
    }

    /// Returns the piles of at least this size, in ascending order.
    pub(super) fn sorted_from(&self, smallest: u32) -> Self {
        let mut sizes: Box<[u32]> = self.0.iter().copied().filter(|&size| size >= smallest).collect();
        sizes.sort_unstable();
        Self(sizes)
    }

    /// Returns each pile of at least this size as a separate position.
    pub(super) fn split_from(&self, smallest: u32) -> Vec<Self> {
        self.0.iter().filter(|&&size| size >= smallest).map(|&size| Self([size].into())).collect()
    }

    /// Returns the number of bytes that the sizes take on the heap.
    pub(super) fn heap_bytes(&self) -> usize {
        // Allocators round sizes up to a multiple of 16 bytes and need some bytes for their own data.
        (size_of_val(&*self.0) + 8).next_multiple_of(16)
    }
}

impl From<Vec<u32>> for PileSizes {
    fn from(sizes: Vec<u32>) -> Self {
        Self(sizes.into_boxed_slice())
    }
}

impl FromIterator<u32> for PileSizes {
    fn from_iter<I: IntoIterator<Item = u32>>(sizes: I) -> Self {
        Self(sizes.into_iter().collect())
    }
}

impl fmt::Display for PileSizes {
    /// Writes the sizes, separated by commas; `0` if there are no piles.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0.is_empty() {
            return f.write_str("0");
        }
        for (place, size) in self.0.iter().enumerate() {
            write!(f, "{}{size}", if place == 0 { "" } else { "," })?;
        }
        Ok(())
    }
}
