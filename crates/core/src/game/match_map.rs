//! Maps keyed by match id.

use super::MatchId;
use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

/// A map keyed by match id. The server generates the ids, so clients cannot force collisions.
pub type MatchMap<T> = HashMap<MatchId, T, BuildHasherDefault<MatchIdHasher>>;

/// Hashes an id by multiplying its words. Most bits of an id are random, so no stronger hash is needed.
#[derive(Debug, Default, Clone, Copy)]
pub struct MatchIdHasher(u64);

impl MatchIdHasher {
    fn add_word(&mut self, word: u64) {
        // The multiplier is 2^64 divided by the golden ratio, rounded down; it is odd. The XOR of the two halves of
        // the product mixes all bits of the word.
        let product = u128::from(self.0.rotate_left(29) ^ word) * 0x9e37_79b9_7f4a_7c15;
        self.0 = (product as u64) ^ ((product >> 64) as u64);
    }
}

impl Hasher for MatchIdHasher {
    #[inline]
    fn write(&mut self, bytes: &[u8]) {
        // A match id is exactly two words long, so `rest` is then empty.
        let (words, rest) = bytes.as_chunks::<8>();
        for word in words {
            self.add_word(u64::from_le_bytes(*word));
        }
        if !rest.is_empty() {
            let mut word = [0; 8];
            word[..rest.len()].copy_from_slice(rest);
            self.add_word(u64::from_le_bytes(word));
        }
    }

    /// Ignores the length that precedes the bytes of an id, because all ids are equally long.
    fn write_usize(&mut self, _length: usize) {}

    fn finish(&self) -> u64 {
        self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;
    use std::hash::Hash as _;

    #[test]
    fn different_ids_have_different_hashes() {
        let hash = |id: MatchId| {
            let mut hasher = MatchIdHasher::default();
            id.hash(&mut hasher);
            hasher.finish()
        };
        let ids_by_time = (0..1_000).map(|time| MatchId::new(time, &[7; 10]));
        let ids_by_random_byte = |place: usize| {
            (0..=255).map(move |byte| {
                let mut random = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10];
                random[place] = byte;
                MatchId::new(1, &random)
            })
        };
        let hashes: HashSet<_> = ids_by_time.chain(ids_by_random_byte(9)).map(hash).collect();
        assert_eq!(hashes.len(), 1_256);
        // Bytes 0 and 2 are left out, since the version and the variant of the id overwrite some of their bits.
        for place in [1, 3, 4, 5, 6, 7, 8, 9] {
            let hashes: Vec<_> = ids_by_random_byte(place).map(hash).collect();
            let tags: HashSet<_> = hashes.iter().map(|hash| hash >> 57).collect();
            let groups: HashSet<_> = hashes.iter().map(|hash| hash & 0x7f).collect();
            assert!(
                tags.len() > 64 && groups.len() > 64,
                "place {place}: {} and {}",
                tags.len(),
                groups.len()
            );
        }
    }
}
